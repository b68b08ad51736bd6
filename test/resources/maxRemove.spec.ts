import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { CliKilled, type Declaration, type Step } from "../support/miniEngine";
import { group, many, onStack, single, splits } from "./groupSupport";

/** The guard's half of a run: what the report blocks, `up` blocks as well, delete by delete. */
describe("maxRemove holds for the deletes of a whole run", () => {
  const maxRemove = (limit: number) => ({ "agent-platform:maxRemove": limit });
  const stays = single("+15559990000", {}, "stays");

  it("a group of 40 that the program no longer has keeps its agents, and stays in the state until the limit allows it", () =>
    onStack(maxRemove(1), async (stack) => {
      await stack.up([group(many(40)), stays]);
      stack.sent();
      const { failures } = await stack.up([stays]);
      assert.equal(failures.length, 1);
      assert.match(
        failures[0]?.message ?? "",
        /^AGP-024 NumberGroup "emea": 40 numbers would lose their agents in this run; /,
      );
      assert.deepEqual(stack.sent(), []);
      assert.deepEqual(splits(stack.emulator, many(40)), { "90/10": 40 });
      stack.config = { ...stack.config, ...maxRemove(40) };
      assert.deepEqual((await stack.up([stays])).failures, []);
      assert.deepEqual(splits(stack.emulator, many(40)), { "": 40 });
    }));

  it("numbers that move do not count if their new resource is declared before, and a loss beside them does", () =>
    onStack({}, async (stack) => {
      const five = many(5);
      await stack.up([group(five), stays]);
      stack.sent();
      const refused = async (...program: Declaration[]) => {
        const { failures } = await stack.preview([...program, stays]);
        return failures.map(({ message }) => message);
      };
      const moved = group(five.slice(0, 2), {}, "moved");
      const named = (first: number) => `(${five[first]}, ${five[first + 1]})`;
      const text = (first: number) =>
        `AGP-024 NumberGroup "emea": numbers: 2 numbers would lose their agents at once, unless another resource declares them; limit 1 ${named(first)}. ` +
        "Nothing was sent for this resource. If they move, name their new resource in `dependsOn` of this one. Remove fewer at a time, or raise agent-platform:maxRemove.";
      assert.deepEqual(await refused(group(five.slice(2)), moved), [text(0)]);
      assert.deepEqual(await refused(moved, group(five.slice(4))), [text(2)]);
      assert.deepEqual((await stack.up([moved, group(five.slice(2)), stays])).failures, []);
      assert.deepEqual([stack.sent(), splits(stack.emulator, five)], [five.slice(0, 2), { "90/10": 5 }]);
    }));

  it("numbers without agents do not count, and nothing says that they lose some", () =>
    onStack({}, async (stack) => {
      const none = { inboundAgents: [] };
      await stack.up([group(many(4), none), stays]);
      stack.sent();
      const later = [group(many(4).slice(3), none), stays];
      const preview = await stack.preview(later);
      assert.deepEqual([preview.failures, preview.said], [[], ""]);
      const up = await stack.up(later);
      assert.deepEqual([up.failures, up.said, stack.sent()], [[], "", []]);
    }));

  it("a group without agents that gives a number away is still replaced: it may have unassigned those of the number's new resource", () =>
    onStack({}, async ({ up, emulator }) => {
      const [first = "", second = ""] = many(2);
      const without = (numbers: string[], more: object = {}) => group(numbers, { inboundAgents: [], ...more });
      const killedAfter = (name: string) => ({
        atSave(step: Step, moment: string) {
          if (step.name === name && moment === "after") {
            throw new CliKilled();
          }
        },
      });
      const taker = single(second, {}, "taker");
      await up([without([first, second])]);
      await assert.rejects(up([taker, without([first])], killedAfter("taker")), CliKilled);
      await assert.rejects(up([without([first, second], { triggers: ["again"] })], killedAfter("emea")), CliKilled);
      assert.deepEqual((await up([taker, without([first], { triggers: ["again"] })])).failures, []);
      assert.deepEqual(splits(emulator, [second]), { "90/10": 1 });
    }));

  it("of five single numbers that go, those past the limit keep their agents", () =>
    onStack(maxRemove(2), async (stack) => {
      const five = many(5).map((number) => single(number));
      await stack.up([...five, stays]);
      const { failures } = await stack.up([stays], { continueOnError: true });
      assert.deepEqual(
        failures.map(({ message }) => message.slice(0, 7)),
        ["AGP-024", "AGP-024", "AGP-024"],
      );
      assert.deepEqual(splits(stack.emulator, many(5)), { "": 2, "90/10": 3 });
    }));

  it("a number that a freeze keeps does not count, single or in a group", () =>
    onStack(maxRemove(1), async (stack) => {
      const all = [single("+15559990001"), single("+15559990002"), group(many(1)), group(many(1, 10), {}, "apac")];
      await stack.up([...all, stays]);
      stack.sent();
      stack.config = { ...stack.config, "agent-platform:freeze": "holiday" };
      const { failures } = await stack.up([stays], { continueOnError: true });
      assert.deepEqual(
        failures.map(({ message }) => message.slice(0, 7)),
        ["AGP-025", "AGP-025", "AGP-025", "AGP-025"],
      );
      assert.deepEqual(stack.sent(), []);
    }));

  it("numbers that leave two groups count together with a group that goes", () =>
    onStack(maxRemove(3), async (stack) => {
      const [one, two, three] = [many(4), many(4, 10), many(2, 20)] as const;
      await stack.up([group(one, {}, "one"), group(two, {}, "two"), group(three, {}, "three"), stays]);
      const { failures } = await stack.up([group(one.slice(2), {}, "one"), group(two.slice(2), {}, "two"), stays], {
        continueOnError: true,
      });
      assert.equal(failures.filter(({ message }) => message.startsWith("AGP-024")).length, 2);
      const lost = splits(stack.emulator, [...one, ...two, ...three]);
      assert.deepEqual(lost, { "": 2, "90/10": 8 });
    }));

  it("a number of two originals that were left over counts once", () =>
    onStack(maxRemove(1), async (stack) => {
      const [first = "", ...rest] = many(3);
      const hook = { inboundWebhookUrl: "https://hook.example/x" };
      const refuse = (number: string) => stack.emulator.inject({ kind: "status", status: 403, number });
      await stack.up([group([first, ...rest], hook), stays]);
      refuse(first);
      await stack.up([group(rest), stays]);
      refuse("4001");
      await stack.up([group([first, ...rest]), single("4001"), stays], { continueOnError: true });
      const { failures } = await stack.up([group(rest), stays]);
      assert.deepEqual(failures, []);
      assert.deepEqual(splits(stack.emulator, [first]), { "": 1 });
    }));

  it("what a failed delete left over of a group is not judged again by the default for one group", () =>
    onStack(maxRemove(3), async (stack) => {
      await stack.up([group(many(6)), stays]);
      stack.emulator.inject({ kind: "status", status: 403, number: many(1)[0] ?? "" });
      assert.equal((await stack.up([group(many(3, 3)), stays])).failures.length, 1);
      const { "agent-platform:maxRemove": _, ...without } = stack.config;
      stack.config = without;
      assert.deepEqual((await stack.up([group(many(3, 3)), stays])).failures, []);
      assert.deepEqual(splits(stack.emulator, many(6)), { "": 3, "90/10": 3 });
    }));

  it("numbers that another resource declares do not count, and a destroy is not blocked", () =>
    onStack(maxRemove(0), async (stack) => {
      await stack.up([group(many(6)), stays]);
      assert.deepEqual((await stack.up([group(many(6), {}, "renamed"), stays])).failures, []);
      assert.deepEqual(splits(stack.emulator, many(6)), { "90/10": 6 });
      assert.deepEqual((await stack.destroy()).failures, []);
      assert.deepEqual(splits(stack.emulator, many(6)), { "": 6 });
    }));

  it("without a limit a group that goes is said as loudly as numbers that leave one", () =>
    onStack({}, async (stack) => {
      await stack.up([group(many(6)), stays]);
      const { said, failures } = await stack.up([stays]);
      assert.deepEqual(failures, []);
      assert.equal(
        said,
        'warning: AGP-072 NumberGroup "emea": is deleted: 6 numbers lose their agents (+15551230000, +15551230001, +15551230002, +15551230003 and 2 more). If that is wrong, declare them again and run `pulumi up`.\n',
      );
    }));
});
