import assert from "node:assert/strict";
import { doctorCommand } from "../../cli/commands/doctor/command";
import { reportCommand } from "../../cli/commands/report";
import { showCommand } from "../../cli/commands/show";
import { runWith } from "../cli/terminal";
import { needYaml, type YamlProgram } from "../support/engine";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

const voice = { workspaceId: 42, voiceProvider: "acme", providerVoiceId: "v1", voiceName: "Nova", publicUserId: "u1" };
const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551239999" };
const split = { "agent_front@12": 90, "agent_front@13": 10 };

/** The same resources under the same names in both languages, secrets among them. */
interface Version {
  readonly branch: Readonly<Record<string, number>>;
  readonly pool: readonly string[];
  readonly night: Readonly<Record<string, number>>;
  readonly voiceName: string;
  readonly hasChat: boolean;
}
const first: Version = {
  branch: { agent_branch: 1 },
  pool: ["+15551230010", "+15551230011"],
  night: { "agent_night@12": 90, "agent_night@13": 10 },
  voiceName: "Nova",
  hasChat: true,
};
/** A split that moves, a number that leaves and one that joins, a replacement and a delete. */
const second: Version = {
  branch: { agent_branch: 3, agent_other: 1 },
  pool: ["+15551230011", "+15551230012"],
  night: { "agent_night@12": 50, "agent_night@13": 50 },
  voiceName: "Stella",
  hasChat: false,
};

const inNode = (version = first) => `
import * as pulumi from "@pulumi/pulumi";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";

new NumberAssignment("support", {
  number: "+15551230001",
  inboundAgents: pulumi.secret(split(${JSON.stringify(split)})),
});
new NumberAssignment("branch", { number: "4001", inboundAgents: split(${JSON.stringify(version.branch)}) });
new NumberAssignment("night", {
  number: "+15551230003", inboundAgents: split(${JSON.stringify(version.night)}),
});
new NumberGroup("pool", { numbers: ${JSON.stringify(version.pool)}, inboundAgents: split({ agent_sales: 1 }) });
new CommunityVoice("nova", ${JSON.stringify({ ...voice, voiceName: version.voiceName })});
if (${version.hasChat}) new SmsChat("reminder", { ...${JSON.stringify(chat)}, metadata: { pin: pulumi.secret("pin-of-the-caller") } });
`;

const inYaml = (version = first): YamlProgram => ({
  resources: {
    support: {
      type: "agent-platform:NumberAssignment",
      properties: { number: "+15551230001", inboundAgents: { "fn::secret": split } },
    },
    branch: {
      type: "agent-platform:NumberAssignment",
      properties: { number: "4001", inboundAgents: version.branch },
    },
    night: {
      type: "agent-platform:NumberAssignment",
      properties: { number: "+15551230003", inboundAgents: version.night },
    },
    pool: {
      type: "agent-platform:NumberGroup",
      properties: { numbers: version.pool, inboundAgents: { agent_sales: 1 } },
    },
    nova: { type: "agent-platform:CommunityVoice", properties: { ...voice, voiceName: version.voiceName } },
    ...(version.hasChat && {
      reminder: {
        type: "agent-platform:SmsChat",
        properties: { ...chat, metadata: { pin: { "fn::secret": "pin-of-the-caller" } } },
      },
    }),
  },
});

/** What the commands say of a preview, and of what a stack holds. */
async function readings({ stack }: PlatformStack, program: string | YamlProgram) {
  stack.write(program);
  const stdin = (await stack.preview({ json: true })).output;
  const digest = (await runWith(reportCommand.run, ["--digest"], { stdin })).stdout.trim();
  // It names each resource by its URN, which has the type of the language.
  const report = async (...args: string[]) => {
    const { stdout, ...rest } = await runWith(reportCommand.run, args, { stdin });
    return { ...rest, stdout: stdout.replaceAll(digest, "<digest>") };
  };
  const exported = { stdin: await stack.exportText() };
  return {
    gated: await report("--fail-on", "delete,replace,shift=25,unresolved"),
    json: (await report("--json")).stdout,
    expected: (await report("--expect", digest)).code,
    other: (await report("--expect", "000000000000")).code,
    // Kinds are counted in the order of the state, which is none of an object's.
    doctor: JSON.parse((await runWith(doctorCommand.run, ["--export", "-", "--json"], exported)).stdout) as unknown,
    show: await Promise.all(
      ["+15551230001", "4001", "+15551230003", "+15551230011"].map(async (number) => {
        const { code, stdout } = await runWith(showCommand.run, [number, "--export", "-"], exported);
        const inOneType = stdout.replaceAll("pulumi-nodejs:dynamic/agent-platform:", "agent-platform:index:");
        return [code, inOneType.replace(/( UTC), [\w ]+$/gm, "$1")];
      }),
    ),
  };
}

describe("moving a stack between TypeScript and YAML", () => {
  it("sends nothing and shows every resource as unchanged, there and back, with secrets", async () => {
    await needYaml();
    await withPlatformStack({ program: inNode() }, async (both) => {
      const { stack, sent, sentNothing } = both;
      const created = await readings(both, inNode());
      assert.deepEqual(await readings(both, inYaml()), created, "the report of a first run");
      assert.deepEqual([created.expected, created.other], [0, 3]);
      stack.write(inNode());
      await stack.up();
      assert.equal(sent().length, 7);
      const changed = await readings(both, inNode(second));
      assert.equal(changed.gated.code, 1);
      assert.match(changed.gated.stdout, /40 percentage points/);

      const isUnchanged = async (types: RegExp) => {
        const preview = await stack.preview();
        assert.deepEqual(
          preview.steps.map(({ op, name }) => `${op} ${name}`),
          [],
        );
        const { steps, diagnostics } = await stack.up();
        assert.deepEqual(
          steps.map(({ op, name }) => `${op} ${name}`),
          [],
        );
        assert.deepEqual(
          diagnostics.filter(({ severity }) => severity !== "info"),
          [],
        );
        sentNothing();
        assert.equal(stack.resources().length, 6);
        for (const { type } of stack.resources()) {
          assert.match(type, types);
        }
        for (const secret of ["pin-of-the-caller", "agent_front"]) {
          assert.ok(!stack.stateText().includes(secret), `${secret} is in clear in the state`);
        }
      };

      stack.write(inYaml());
      await isUnchanged(/^agent-platform:index:/);
      await isUnchanged(/^agent-platform:index:/);
      assert.deepEqual(await readings(both, inYaml(second)), changed, "the report of a change");
      stack.write(inYaml());
      // What was moved still works.
      assert.deepEqual((await stack.refresh()).changeSummary, { same: 7 });
      sentNothing();

      stack.write(inNode());
      await isUnchanged(/^pulumi-nodejs:dynamic\/agent-platform:/);
    });
  });
});
