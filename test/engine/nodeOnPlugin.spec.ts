import assert from "node:assert/strict";
import { startEmulator } from "../../emulator";
import { byTarget, type PlatformStack, put, withPlatformStack } from "../support/platformStack";

const PLUGIN = "agent-platform:plugin";
const DYNAMIC_TYPE = /^pulumi-nodejs:dynamic\/agent-platform:/;
const PLUGIN_TYPE = /^agent-platform:index:/;

/** Each kind of resource, with secrets, explicit providers, components and outputs as arguments. */
const program = (url: string, { percent = 10, pool = ["+15551230010", "+15551230011"], voiceName = "Nova" } = {}) => `
import * as pulumi from "@pulumi/pulumi";
import { AgentPlatform, CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";

class Office extends pulumi.ComponentResource {
  constructor(name: string, number: string, opts: pulumi.ComponentResourceOptions) {
    super("phones:index:Office", name, {}, opts);
    new NumberAssignment(name, { number, inboundAgents: split({ agent_desk: 1 }) }, { parent: this });
  }
}
const second = new AgentPlatform("second", {
  baseUrl: "${url}", accessTokenEnv: "SECOND_TOKEN", workspaceId: 43, steps: [1, 10, 50, 100], requireVersions: false,
});
new Office("listed", "4001", { providers: [second] });
new Office("keyed", "4002", { providers: { "pulumi-nodejs": second } });
new NumberAssignment("child", { number: "4003", inboundAgents: split({ agent_desk: 1 }) }, { parent: second, provider: second });
const front = { stable: "agent_front@12", candidate: "agent_front@13", percent: ${percent} };
const support = new NumberAssignment("support", {
  number: "+15551230001", rollout: pulumi.secret(front), triggers: { reassert: "" }, weightTotal: 100,
});
const nova = new CommunityVoice("nova", {
  workspaceId: 42, voiceProvider: "acme", providerVoiceId: "v1", voiceName: "${voiceName}", publicUserId: "u1",
});
new NumberGroup("pool", {
  numbers: nova.voiceId.apply(() => ${JSON.stringify(pool)}),
  inboundAgents: [{ agentId: "agent_sales", agentVersion: 4, weight: support.endpoint.apply(() => 1) }],
  overrides: { "+15551230011": { outboundAgentId: "agent_callback" } },
});
new SmsChat("reminder", {
  workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551239999",
  metadata: { pin: pulumi.secret("pin-of-the-caller"), voice: nova.voiceId },
});
export const outputs = { split: support.inboundAgents, endpoint: support.endpoint, voice: nova.voiceId };
`;

/** The same program on a stack of its own, whose second account has an emulator of its own. */
async function withProgram(
  config: Record<string, string>,
  test: (both: PlatformStack, url: string, sentToSecond: () => number) => Promise<void>,
): Promise<void> {
  const second = await startEmulator({ token: "second-token" });
  try {
    const options = {
      program: program(second.url),
      plugin: "named",
      env: { SECOND_TOKEN: second.token },
      config,
    } as const;
    await withPlatformStack(options, (both) => test(both, second.url, () => second.requests.length));
  } finally {
    await second.close();
  }
}

describe("a Node program that moves between the dynamic edge and the plugin", () => {
  it("changes one line, sends nothing, and shows every resource as unchanged, there and back", async () => {
    await withProgram({}, async ({ stack, sent, sentNothing }, _url, sentToSecond) => {
      await stack.up();
      assert.equal(sent().length, 5);
      assert.equal(sentToSecond(), 3);
      const unmoved = { same: 11 };
      // The entry of the explicit provider: its settings have other names.
      const moved = { same: 10, update: 1 };
      for (const [plugin, types, summary] of [
        ["true", PLUGIN_TYPE, moved],
        ["true", PLUGIN_TYPE, unmoved],
        ["false", DYNAMIC_TYPE, moved],
        [undefined, DYNAMIC_TYPE, unmoved],
      ] as const) {
        stack.setConfig({ [PLUGIN]: plugin });
        if (summary === moved) {
          const preview = await stack.preview();
          assert.deepEqual([preview.steps.map(named), preview.changeSummary], [[], moved]);
        }
        const { steps, diagnostics, changeSummary } = await stack.up();
        assert.deepEqual([steps.map(named), changeSummary], [[], summary]);
        // Said by the SDK of the component whose providers have the key of the other edge. Its child has the right provider all the same.
        assert.deepEqual(
          diagnostics.map(({ message }) => message),
          plugin === "true"
            ? ["provider resource map where key pulumi-nodejs doesn't match provider agent-platform"]
            : [],
        );
        sentNothing();
        assert.equal(sentToSecond(), 3);
        for (const { type, name } of stack.resources()) {
          assert.match(type, types, name);
        }
        assert.doesNotMatch(stack.stateText(), /pin-of-the-caller|agent_front/);
      }
    });
  });

  it("refreshes and destroys what the plugin has created", async () => {
    await withProgram({ [PLUGIN]: "true" }, async ({ stack, sent, sentNothing }, _url, sentToSecond) => {
      await stack.up();
      assert.equal(sent().length, 5);
      stack.setConfig({ [PLUGIN]: undefined });
      await stack.up();
      assert.deepEqual((await stack.refresh()).changeSummary, { same: 11 });
      sentNothing();
      await stack.destroy();
      assert.deepEqual(byTarget(sent()).map(withoutIds), [
        ["POST /api/chats/<chat>/end", { workspaceId: 42 }],
        [put("+15551230001"), { inboundAgents: null }],
        [put("+15551230010"), { inboundAgents: null }],
        [put("+15551230011"), { outboundAgentId: null, inboundAgents: null }],
      ]);
      assert.equal(sentToSecond(), 6);
    });
  });

  it("updates without a request what a plugin saved that kept no text of the provider", async () => {
    const one = `import { NumberAssignment, split } from "pulumi-agent-platform";
      new NumberAssignment("support", { number: "+15551230001", inboundAgents: split({ agent_front: 1 }) });`;
    const config = { [PLUGIN]: "true" };
    await withPlatformStack({ program: one, plugin: "named", config }, async ({ stack, sent, sentNothing }) => {
      await stack.up();
      sent();
      stack.import(JSON.parse((await stack.exportText()).replace(/"__provider": "[^\n]*",/, "")));
      assert.doesNotMatch(stack.stateText(), /__provider/);
      stack.setConfig({ [PLUGIN]: undefined });
      assert.deepEqual((await stack.up()).steps.map(named), ["update support"]);
      assert.deepEqual((await stack.up()).steps.map(named), []);
      sentNothing();
      await stack.destroy();
      assert.equal(sent().length, 1);
    });
  });

  it("follows the aliases of a program that renames its resources in the same run", async () => {
    const numbers = ["+15551230001", "+15551230002", "+15551230003", "+15551230004"];
    const renamed = (aliases: readonly string[]) => `
      import * as pulumi from "@pulumi/pulumi";
      import { NumberAssignment, split } from "pulumi-agent-platform";
      const inboundAgents = split({ agent_front: 1 });
      const urn = (type: string, name: string) => "urn:pulumi:dev::test::" + type + ":NumberAssignment::" + name;
      const aliases: any[] = [${aliases.join(", ")}];
      ${JSON.stringify(numbers)}.forEach((number, index) => new NumberAssignment(
        (aliases.length ? "new" : "old") + index, { number, inboundAgents }, { aliases: aliases.slice(index, index + 1) },
      ));`;
    const aliases = (type: string) => [
      '{ name: "old0" }',
      `urn("${type}", "old1")`,
      `pulumi.output(urn("${type}", "old2"))`,
      `{ name: "old3", type: "${type}:NumberAssignment" }`,
    ];
    await withPlatformStack({ program: renamed([]), plugin: "named" }, async ({ stack, sent, sentNothing }) => {
      await stack.up();
      assert.equal(sent().length, numbers.length);
      stack.setConfig({ [PLUGIN]: "true" });
      // As the program would name them on its own edge.
      stack.write(renamed(aliases("agent-platform:index")));
      assert.deepEqual((await stack.up()).steps.map(named), []);
      stack.setConfig({ [PLUGIN]: undefined });
      stack.write(renamed(['{ type: "agent-platform:index:NumberAssignment" }']));
      assert.deepEqual((await stack.up()).steps.map(named), []);
      sentNothing();
    });
  });
});

describe("a Node program on the plugin", () => {
  it("sends what it sends on the dynamic edge: created, changed, replaced and destroyed", async () => {
    const onEdge: Record<string, unknown> = {};
    for (const plugin of ["false", "true"]) {
      await withProgram({ [PLUGIN]: plugin }, async ({ stack, sent }, url, sentToSecond) => {
        const requests = () => [byTarget(sent()).map(withoutIds), sentToSecond()];
        await stack.up();
        const created = requests();
        stack.write(program(url, { percent: 50, pool: ["+15551230011", "+15551230012"], voiceName: "Stella" }));
        const { diagnostics } = await stack.up();
        const said = diagnostics.flatMap(({ message }) => /AGP-.*/.exec(message) ?? []).sort();
        const changed = requests();
        await stack.destroy();
        onEdge[plugin] = { created, changed, said, destroyed: requests() };
      });
    }
    assert.deepEqual(onEdge.true, onEdge.false);
    const { said, ...runs } = onEdge.true as Record<string, readonly [readonly unknown[], number]>;
    assert.deepEqual(
      Object.values(runs).map(([requests, toSecond]) => [requests.length, toSecond]),
      [
        [5, 3],
        [4, 3],
        [4, 6],
      ],
    );
    assert.equal(said?.length, 3);
  });
});

/** Each platform chooses ids of its own. */
const withoutIds = (request: [string, unknown]): unknown =>
  JSON.parse(JSON.stringify(request).replace(/(chat|voice)_[0-9a-f]{16}/g, "<$1>"));

const named = ({ op, name }: { readonly op: string; readonly name: string }) => `${op} ${name}`;
