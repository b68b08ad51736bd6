import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";

const program = `
  import * as pulumi from "@pulumi/pulumi";
  import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  const any = (args: object): any => args;
  const inboundAgents = split({ agent_front: 1 });
  const office = new pulumi.ComponentResource("phones:index:Office", "office");

  const good = new NumberAssignment("good", { number: "+15551230001", inboundAgents });
  const plus = new NumberAssignment("plus", { number: "+4420 7946", inboundAgents });
  new NumberAssignment("misspelt", any({ number: "+15551230003", inboundAgent: inboundAgents }));
  new NumberAssignment("weights", { number: pulumi.output("+15551230004"), inboundAgents: [
    { agentId: "agent_front", weight: -1 }, { agentId: "front", weight: 1 },
  ] });
  new NumberGroup("none", any({ numbers: null, inboundAgents }));
  new NumberGroup("twice", { numbers: ["+15551230005", "+15551230005"], inboundAgents }, { parent: office });
  new CommunityVoice("voice", any({ workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", publicUserId: "u" }));
  const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001" };
  new SmsChat("chat", { ...chat, toNumber: pulumi.secret("not a number"), agentId: "agent_1" });

  new NumberAssignment("imported", { number: "+15551230008", inboundAgents }, { import: "+15551230008" });
  new SmsChat("imported-chat", { ...chat, toNumber: "+15551230009", agentId: "chat_agent_1" }, { import: "chat_1" });

  // What depends on a wrong one waits for it, and the run ends all the same.
  new NumberAssignment("dependent", { number: "+15551230007", inboundAgents, triggers: [plus.endpoint] }, { dependsOn: [plus] });
  export const endpoint = plus.endpoint;`;

const PREFIX = "must start with `agent_` and name an agent";

/** In the order of the program. */
const mistakes = [
  [
    "NumberAssignment plus",
    'AGP-001 NumberAssignment "plus" (+4420 7946): number ("+4420 7946") has spaces: write +44207946.',
  ],
  [
    "NumberAssignment misspelt",
    'AGP-001 NumberAssignment "misspelt" (+15551230003): has no argument `inboundAgent` (did you mean `inboundAgents`?).',
  ],
  [
    "NumberAssignment misspelt",
    'AGP-002 NumberAssignment "misspelt" (+15551230003): nothing says who answers: both arguments are missing or blank. Write `rollout` or `inboundAgents`. To unassign all agents, write `inboundAgents: []`.',
  ],
  [
    "NumberAssignment weights",
    'AGP-001 NumberAssignment "weights": inboundAgents[0].weight (-1) must not be negative.',
  ],
  ["NumberAssignment weights", `AGP-001 NumberAssignment "weights": inboundAgents[1].agentId ("front") ${PREFIX}.`],
  ["NumberGroup none", 'AGP-001 NumberGroup "none": numbers must be given.'],
  [
    "NumberGroup twice",
    'AGP-001 NumberGroup "twice": numbers[1] ("+15551230005") names the same number as an earlier entry: remove one of the two.',
  ],
  ["CommunityVoice voice", 'AGP-001 CommunityVoice "voice": voiceName must be given.'],
  ["SmsChat chat", 'AGP-001 SmsChat "chat": agentId ("agent_1") must start with `chat_agent_` and name an agent.'],
  [
    "NumberAssignment imported",
    'AGP-007 NumberAssignment "imported" (+15551230008): the API has no read endpoint, so nothing can be imported by its id alone. Write an import file with `npx pulumi-agent-platform takeover --import`, then run `pulumi import --file`.',
  ],
  [
    "SmsChat imported-chat",
    'AGP-007 SmsChat "imported-chat": the API has no read endpoint, so nothing can be imported by its id alone. Declare it with adopt: "chat_1". That records it, and sends nothing.',
  ],
] as const;

describe("a program with ten wrong resources", () => {
  it("shows all of them in one preview, each at its resource and once, and nothing is sent", async () => {
    await withPlatformStack({ program }, async ({ stack, sentNothing }) => {
      const { diagnostics, output } = await stack.preview({ expectFailure: true });
      const at = (urn = "") => /:(\w+)::([\w-]+)$/.exec(urn)?.slice(1).join(" ") ?? "the program";
      const errors = diagnostics.map(({ urn, message }) => [at(urn), message] as const);
      const isRefusal = ([, message]: readonly [string, string]) => message.includes("has a problem: ");
      assert.deepEqual(
        errors.filter((error) => !isRefusal(error)),
        mistakes,
      );
      // The engine stops at the first refusal. It checks several resources at once, so which one comes first, and how many, it decides.
      const refused = errors.filter(isRefusal);
      assert.notEqual(refused.length, 0);
      for (const [resource, message] of refused) {
        const [kind, name] = resource.split(" ");
        assert.ok(
          message.startsWith(`pulumi-nodejs:dynamic/agent-platform:${kind} resource '${name}' has a problem: `),
        );
        assert.match(
          message,
          /: refused because of the (2 mistakes|mistake) above\. Nothing was sent\. Fix (?:that|these), then rerun\.$/,
        );
      }
      // As people read it: the last part of the output, a line each.
      const shown = output.slice(output.indexOf("\nDiagnostics:")).split("\n");
      for (const [, message] of errors) {
        assert.equal(shown.filter((line) => line === `    error: ${message}`).length, 1, message);
      }
      assert.equal(shown.filter((line) => line.includes("error: ")).length, errors.length);
      sentNothing();
    });
  });
});

describe("a number that a program declares twice", () => {
  const number = "+15551230001";
  const first = [
    'NumberAssignment "old"',
    `{ number: "${number}", inboundAgents: split({ agent_front: 1 }) }`,
  ] as const;
  const single = [
    'NumberAssignment "new"',
    `{ number: "${number}", inboundAgents: split({ agent_new: 1 }) }, { ignoreChanges: ["triggers"] }`,
  ] as const;
  const group = [
    'NumberGroup "new"',
    `{ numbers: ["+15551230002", "${number}"], inboundAgents: split({ agent_new: 1 }) }`,
  ] as const;
  const program = (...all: readonly (readonly [who: string, args: string])[]) =>
    [
      'import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";',
      ...all.map(([who, args]) => `new ${who.replace(" ", "(")}, ${args});`),
    ].join("\n");

  it("is refused at both resources without a preview as well, in either order, and nothing is sent", () =>
    withPlatformStack({ program: program(first) }, async ({ stack, sent, sentNothing, platform }) => {
      await stack.up();
      sent();
      for (const [all, ...args] of [[[single, first]], [[first, group], "--continue-on-error"]] as const) {
        stack.write(program(...all));
        const { diagnostics } = await stack.up({ expectFailure: true, args: ["--skip-preview", ...args] });
        const both = all.map(([who]) => who);
        const texts = both.map(
          (who) =>
            `AGP-003 ${who}: number ${number} is declared twice: by ${both.join(" and by ")}. Remove one of the two: otherwise they overwrite each other in every run.`,
        );
        const told = diagnostics.filter(({ message }) => message.startsWith("AGP-003 "));
        assert.deepEqual(told.map(({ message }) => message).sort(), texts.sort());
        sentNothing();
        assert.deepEqual(platform.routing(number), { inboundAgents: { agent_front: 1 } });
      }
      stack.write(program(first));
      await stack.up({ args: ["--expect-no-changes"] });
      sentNothing();
    }));
});
