import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Declaration } from "../support/miniEngine";
import { type GroupStack, group, groupStack, keepProviders, many, single, splitOf, splits } from "./groupSupport";

describe("a number that moves between declarations", () => {
  keepProviders();
  let stack: GroupStack;
  beforeEach(async () => {
    stack = await groupStack({}, { "agent-platform:maxRemove": 1000 });
  });
  afterEach(() => stack.close());

  const [first = "", ...rest] = many(5);
  const all = [first, ...rest];
  const bodiesTo = (number: string, from: number) =>
    stack.platform.requests.slice(from).flatMap((request) => (request.number === number ? [request.body] : []));
  const clears = (from: number) =>
    stack.platform.requests
      .slice(from)
      .filter(({ body }) => (body as { inboundAgents: unknown }).inboundAgents === null).length;

  const ways: [string, Declaration[], Declaration[]][] = [
    ["a group to a single assignment", [group(all)], [group(rest), single(first, {}, "zz")]],
    ["a group to a single assignment that is declared before it", [group(all)], [single(first, {}, "aa"), group(rest)]],
    ["a single assignment to a group", [single(first), group(rest)], [group(all)]],
    [
      "one group to another",
      [group(all), group(["4001"], {}, "amer")],
      [group(rest), group(["4001", first], {}, "amer")],
    ],
    [
      "one group to another that is declared before it",
      [group(["4001"], {}, "amer"), group(all)],
      [group(["4001", first], {}, "amer"), group(rest)],
    ],
    ["a group to itself under another name", [group(all)], [group(all, {}, "europe")]],
  ];
  for (const [name, before, after] of ways) {
    it(`ends assigned, and is not assigned twice in vain: from ${name}`, async () => {
      await stack.up(before);
      const from = stack.platform.requests.length;
      assert.deepEqual((await stack.up(after)).failures, []);
      assert.equal(splitOf(stack.platform, first), "90/10");
      assert.deepEqual(splits(stack.platform, all), { "90/10": 5 });
      assert.ok(bodiesTo(first, from).length <= 2);
      const settled = stack.platform.requests.length;
      const again = await stack.up(after);
      assert.deepEqual(
        again.steps.map(({ op }) => op),
        after.map(() => "same"),
      );
      assert.equal(stack.platform.requests.length, settled);
    });
  }

  it("has what is declared again after the delete of a group that took its agents away, and whose own delete had to wait", async () => {
    const hook = { inboundWebhookUrl: "https://hook.example/x" };
    const other = single("4001", {}, "other");
    const alone = single(first, hook, "alone");
    const refused = () => stack.platform.inject({ kind: "status", status: 400, number: "4001" });
    const going = { continueOnError: true };
    await stack.up([group([first], hook)]);
    refused();
    // In a run in which something fails, no delete sends anything, so both resources stay in the state.
    await stack.up([alone, other], going);
    refused();
    await stack.up([group([first], { inboundAgents: [] }), other], going);
    assert.equal(splitOf(stack.platform, first), "");
    assert.deepEqual(stack.engine.state.map(({ name }) => name).sort(), ["alone", "emea"]);
    stack.platform.clearFaults();
    assert.deepEqual((await stack.up([alone])).failures, []);
    assert.equal(splitOf(stack.platform, first), "90/10");
    assert.equal(stack.platform.routing(first)?.inboundWebhookUrl, "https://hook.example/x");
    assert.deepEqual(
      stack.engine.state.map(({ name }) => name),
      ["alone"],
    );
  });

  it("is not cleared by the group that lost it, where another has it by then: one line for all of them", async () => {
    await stack.up([group(all)]);
    const from = stack.platform.requests.length;
    const run = await stack.up([group(all, {}, "europe")]);
    assert.equal(
      run.said,
      'warning: AGP-061 NumberGroup "emea": 5 numbers not cleared, because the program now declares them elsewhere (+15551230000, +15551230001, +15551230002, +15551230003 and 1 more).\n',
    );
    assert.equal(clears(from), 0);
  });

  it("is cleared by a destroy, whoever has it", async () => {
    await stack.up([group(rest), single(first)]);
    assert.deepEqual((await stack.destroy()).failures, []);
    assert.deepEqual(splits(stack.platform, all), { "": 5 });
  });

  it("loses what only its former group bound", async () => {
    await stack.up([group(all, { inboundWebhookUrl: "https://hook.example/x" }), group(["4001"], {}, "amer")]);
    await stack.up([group(["4001", first], {}, "amer"), group(rest, { inboundWebhookUrl: "https://hook.example/x" })]);
    assert.deepEqual(stack.platform.routing(first), stack.platform.routing("4001"));
  });
});
