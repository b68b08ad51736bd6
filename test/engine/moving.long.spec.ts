import assert from "node:assert/strict";
import { startEmulator } from "../../emulator";
import { needYaml } from "../support/engine";
import { withPlatformStack } from "../support/platformStack";

/** How a program in YAML refers to a value. */
const ref = (path: string) => `\${${path}}`;

const voice = { workspaceId: 42, voiceProvider: "acme", providerVoiceId: "v1", voiceName: "Nova", publicUserId: "u1" };
const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551239999" };
const split = { "agent_front@12": 90, "agent_front@13": 10 };

/** The same resources under the same names in both languages, an explicit provider and secrets among them. */
const inNode = (url: string, aliased = false) => `
import * as pulumi from "@pulumi/pulumi";
import { AgentPlatform, CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";

const from = (kind: string) => (${aliased} ? { aliases: [{ type: "agent-platform:index:" + kind }] } : {});
const second = new AgentPlatform("second", { baseUrl: "${url}", accessTokenEnv: "SECOND_TOKEN", workspaceId: 43 });
new NumberAssignment("support", {
  number: "+15551230001",
  inboundAgents: pulumi.secret(split(${JSON.stringify(split)})),
}, from("NumberAssignment"));
new NumberAssignment("branch", { number: "4001", inboundAgents: split({ agent_branch: 1 }) }, { provider: second, ...from("NumberAssignment") });
new NumberGroup("pool", { numbers: ["+15551230010", "+15551230011"], inboundAgents: split({ agent_sales: 1 }) }, from("NumberGroup"));
new CommunityVoice("nova", ${JSON.stringify(voice)}, from("CommunityVoice"));
new SmsChat("reminder", { ...${JSON.stringify(chat)}, metadata: { pin: pulumi.secret("0815") } }, from("SmsChat"));
`;

const inYaml = (url: string) => ({
  resources: {
    second: {
      type: "pulumi:providers:agent-platform",
      properties: { baseUrl: url, accessTokenEnv: "SECOND_TOKEN", workspaceId: 43 },
    },
    support: {
      type: "agent-platform:NumberAssignment",
      properties: { number: "+15551230001", inboundAgents: { "fn::secret": split } },
    },
    branch: {
      type: "agent-platform:NumberAssignment",
      properties: { number: "4001", inboundAgents: { agent_branch: 1 } },
      options: { provider: ref("second") },
    },
    pool: {
      type: "agent-platform:NumberGroup",
      properties: { numbers: ["+15551230010", "+15551230011"], inboundAgents: { agent_sales: 1 } },
    },
    nova: { type: "agent-platform:CommunityVoice", properties: voice },
    reminder: {
      type: "agent-platform:SmsChat",
      properties: { ...chat, metadata: { pin: { "fn::secret": "0815" } } },
    },
  },
});

describe("moving a stack between TypeScript and YAML", () => {
  it("sends nothing and shows every resource as unchanged, there and back, with an explicit provider and secrets", async () => {
    await needYaml();
    const other = await startEmulator({ token: "second-token" });
    try {
      const env = { SECOND_TOKEN: other.token };
      await withPlatformStack({ program: inNode(other.url), env }, async ({ stack, sent, sentNothing }) => {
        await stack.up();
        assert.equal(sent().length + other.requests.length, 6);

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
          assert.equal(other.requests.length, 1);
          assert.equal(stack.resources().length, 5);
          for (const { type } of stack.resources()) {
            assert.match(type, types);
          }
          for (const secret of ["0815", "agent_front"]) {
            assert.ok(!stack.stateText().includes(secret), `${secret} is in clear in the state`);
          }
        };

        stack.write(inYaml(other.url));
        await isUnchanged(/^agent-platform:index:/);
        await isUnchanged(/^agent-platform:index:/);
        // What was moved still works.
        assert.deepEqual((await stack.refresh()).changeSummary, { same: 7 });
        sentNothing();

        stack.write(inNode(other.url, true));
        await isUnchanged(/^pulumi-nodejs:dynamic\/agent-platform:/);
        stack.write(inNode(other.url));
        await isUnchanged(/^pulumi-nodejs:dynamic\/agent-platform:/);
      });
    } finally {
      await other.close();
    }
  });
});
