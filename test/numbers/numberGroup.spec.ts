import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type MiniStack, startMiniStack } from "../support/miniStack";
import { urnOf } from "../support/providerCalls";
import { group, many, split, splits } from "./groupSupport";

/** A group under the small engine. What the engine makes of one is in test/engine/group.long.spec.ts, moves in test/engine/renames.spec.ts. */
describe("NumberGroup", () => {
  let stack: MiniStack;
  beforeEach(async () => {
    stack = await startMiniStack();
  });
  afterEach(() => stack.close());

  const numbers = many(20);
  const ops = ({ steps }: { steps: readonly { op: string }[] }) => steps.map(({ op }) => op);

  it("assigns every number, one first, and then sends nothing", async () => {
    const run = await stack.up([group(numbers)]);
    assert.deepEqual(run.failures, []);
    const sent = stack.sent();
    assert.equal(sent[0], numbers[0]);
    assert.deepEqual([...sent].sort(), numbers);
    assert.deepEqual(splits(stack.emulator, numbers), { "90/10": 20 });
    assert.deepEqual(ops(await stack.up([group([...numbers].reverse())])), ["same"]);
    assert.deepEqual(ops(await stack.preview([group(numbers)])), ["same"]);
    assert.deepEqual(stack.sent(), []);
  });

  it("saves what the inputs say, once, and nothing of the responses", async () => {
    await stack.up([group({ "+15551230001": "sales", "4001": "" }, { workspaceId: 42 })]);
    const [saved] = stack.engine.state;
    assert.match(saved?.id ?? "", /^group-[0-9a-f-]{36}$/);
    const { __provider, since, ...outputs } = saved?.outputs ?? {};
    assert.match(String(since), /^20.*Z$/);
    assert.deepEqual(outputs, {
      __urn: urnOf("numberGroup", "emea"),
      numbers: "+15551230001\tsales\n4001\n",
      inboundAgents: { "agent_a@1": 90, "agent_b@2": 10 },
      workspaceId: 42,
      endpoint: stack.emulator.url,
    });
  });

  it("sends a changed split to all, in one body, and keeps the one before for the way back", async () => {
    await stack.up([group(numbers)]);
    stack.sent();
    assert.deepEqual(ops(await stack.up([group(numbers, { inboundAgents: split(70, 30) })])), ["update"]);
    const inboundAgents = [
      { agent_id: "agent_a", agent_version: 1, weight: 70 },
      { agent_id: "agent_b", agent_version: 2, weight: 30 },
    ];
    assert.deepEqual(stack.bodies(), Array(20).fill({ inboundAgents }));
    assert.deepEqual(stack.engine.state[0]?.outputs.previousInboundAgents, { "agent_a@1": 90, "agent_b@2": 10 });
  });

  it("sends to a number that joins, clears one that leaves, and says so at preview", async () => {
    await stack.up([group(numbers)]);
    stack.sent();
    const next = [...numbers.slice(1), "+442079460100"];
    const preview = await stack.preview([group(next)]);
    assert.equal(
      preview.said,
      'warning: AGP-072 NumberGroup "emea": 1 number joins (+442079460100): the present routing is overwritten. 1 number leaves (+15551230000): what no other resource declares loses its agents at the end of the run, unless retainOnDelete was set before. Check the list of numbers before `pulumi up`, and change the program if it is wrong.\n',
    );
    assert.deepEqual(stack.sent(), []);
    const [before] = stack.engine.state;
    const run = await stack.up([group(next)]);
    assert.deepEqual(ops(run), ["createReplacement", "deleteReplaced"]);
    assert.deepEqual(stack.sent(), ["+442079460100", "+15551230000"]);
    assert.deepEqual(
      stack.engine.state.map(({ id }) => id),
      [before?.id],
    );
    assert.deepEqual(splits(stack.emulator, [...numbers, "+442079460100"]), { "": 1, "90/10": 20 });
    assert.deepEqual(ops(await stack.up([group(next)])), ["same"]);
  });

  it("records a label without a request, which needs no token", async () => {
    await stack.up([group(numbers)]);
    stack.sent();
    delete stack.config["agent-platform:accessToken"];
    const labelled = Object.fromEntries(numbers.map((number, index) => [number, index === 3 ? "London" : ""]));
    const run = await stack.up([group(labelled)]);
    assert.deepEqual([ops(run), run.said, stack.sent()], [["update"], "", []]);
    assert.ok(String(stack.engine.state[0]?.outputs.numbers).includes("+15551230003\tLondon\n"));
  });

  it("moves to another platform without a word to the old one, and says so", async () => {
    const other = await startMiniStack();
    try {
      await stack.up([group(numbers.slice(0, 2))]);
      stack.sent();
      stack.config = other.config;
      const run = await stack.up([group(numbers.slice(1, 3))]);
      const who = 'NumberGroup "emea"';
      assert.equal(
        run.said,
        `warning: AGP-060 ${who}: moves from ${stack.emulator.url} to ${other.emulator.url}. The routing at ${stack.emulator.url} is unchanged; remove it there if unwanted. If the move was not intended, restore the base URL.\n` +
          `warning: AGP-072 ${who}: 1 number joins (${numbers[2]}): the present routing is overwritten. Check the list of numbers before \`pulumi up\`, and change the program if it is wrong.\n`,
      );
      assert.deepEqual([stack.sent(), other.sent().sort()], [[], numbers.slice(1, 3)]);
    } finally {
      await other.close();
    }
  });
});
