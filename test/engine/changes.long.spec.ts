import assert from "node:assert/strict";
import { byTarget, diffBlock, platformStack, put } from "../support/platformStack";

const many = Array.from({ length: 12 }, (_, index) => `+1555000${1000 + index}`);

const program = (body: string) => `
  import * as pulumi from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  const agent = (agentVersion: number, weight: number) => ({ agentId: "agent_front", agentVersion, weight });
  ${body}`;

/** `first` and `second` are the arguments of the numbers that change. */
const all = (first: string, second: string, others: string) =>
  program(`
  ${JSON.stringify(many)}.forEach((number, index) => new NumberAssignment("line-" + index, {
    number, ...[{ ${first} }, { ${second} }][index] ?? { inboundAgents: [${others}] },
  }));`);

const [toFirst, toSecond] = [put(many[0] ?? ""), put(many[1] ?? "")];
const entry = (agent_version: number, weight: number) => ({ agent_id: "agent_front", agent_version, weight });

const before = "inboundAgents: [agent(11, 20), agent(12, 70), agent(13, 10)]";
const after = "inboundAgents: [agent(14, 20), agent(13, 30), agent(12, 50)]";
const unordered = "agent(13, 10), agent(12, 90)";

const LOST =
  "both arguments are missing or blank. Write `rollout` or `inboundAgents`. To unassign all agents, write `inboundAgents: []`.";

describe("a change of a number", () => {
  const whole =
    'inboundAgents: [agent(12, 1)], outboundAgentId: "agent_out", outboundAgentVersion: 3, isTimeRoutingEnabled: true, ' +
    'inboundWebhookUrl: "https://hooks.example.com/", extraFields: { outboundAgents: 1 }';
  const both = platformStack({ program: all(before, whole, "agent(12, 90), agent(13, 10)") });

  it("begins with a request for each number", async () => {
    await both().stack.up();
    assert.equal(both().sent().length, many.length);
  });

  it("is one line of a preview for each changed agent", async () => {
    const { stack, sentNothing, platform } = both();
    stack.write(all(after, "inboundAgents: [agent(12, 1)]", unordered));
    const { output, steps } = await stack.preview({ diff: true });
    sentNothing();
    assert.deepEqual(steps.map(({ op, name }) => `${op} ${name}`).sort(), ["update line-0", "update line-1"]);
    assert.deepEqual(diffBlock(output, "line-0"), [
      `        endpoint     : "${platform.url}"`,
      "      ~ inboundAgents: {",
      "          - agent_front@11: 20",
      "          ~ agent_front@12: 70 => 50",
      "          ~ agent_front@13: 10 => 30",
      "          + agent_front@14: 20",
      "        }",
      `        number       : "${many[0]}"`,
    ]);
  });

  it("sends changed numbers alone, and null for what left", async () => {
    const { stack, sent, platform } = both();
    const { changeSummary } = await stack.up();
    assert.deepEqual(changeSummary, { same: many.length - 1, update: 2 });
    assert.deepEqual(byTarget(sent()), [
      [toFirst, { inboundAgents: [entry(12, 50), entry(13, 30), entry(14, 20)] }],
      [
        toSecond,
        {
          inboundAgents: [entry(12, 1)],
          outboundAgentId: null,
          outboundAgentVersion: null,
          inboundWebhookUrl: null,
          isTimeRoutingEnabled: null,
          outboundAgents: null,
        },
      ],
    ]);
    assert.deepEqual(platform.routing(many[1] ?? ""), { inboundAgents: { "agent_front@12": 1 } });
  });

  // Without a word an agent would leave its split: the SDK leaves out of a map what is undefined.
  it("is refused without who answers, or with an undefined value", async () => {
    const { stack, sentNothing } = both();
    const rows: readonly (readonly [args: string, expected: string])[] = [
      [
        `numbers: ["${many[2]}"], rollout: ({} as Record<string, string>).nobody, workspaceId: 42`,
        `AGP-002 NumberGroup "g": nothing says who answers (${many[2]}): ${LOST}`,
      ],
      [
        `inboundAgents: [agent(12, 1)], numbers: pulumi.output(Promise.resolve({ "4001": "London", "4002": undefined })) as any`,
        'AGP-001 NumberGroup "g": numbers["4002"] is undefined: write its value, or remove its key.',
      ],
    ];
    for (const [args, expected] of rows) {
      stack.write(program(`new NumberGroup("g", { ${args} }, { ignoreChanges: ["triggers"] });`));
      const { diagnostics } = await stack.preview({ expectFailure: true });
      const text = diagnostics.map(({ message }) => message).join("\n");
      assert.ok(text.includes(expected), text);
      sentNothing();
    }
  });

  it("unassigns by an empty list, and sends again for triggers", async () => {
    const { stack, sent, platform } = both();
    stack.write(all(`${after}, triggers: { reviewed: "today" }`, "inboundAgents: []", unordered));
    assert.deepEqual((await stack.up()).changeSummary, { same: many.length - 1, update: 2 });
    assert.deepEqual(byTarget(sent()), [
      [toFirst, { inboundAgents: [entry(12, 50), entry(13, 30), entry(14, 20)] }],
      [toSecond, { inboundAgents: [] }],
    ]);
    assert.deepEqual(platform.routing(many[1] ?? ""), { inboundAgents: {} });
  });
});
