import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { CliKilled, type Step } from "../support/miniEngine";
import { group, many, onStack, single, splits } from "./groupSupport";

/** Losses are judged together at the end of a run, before a number is cleared. The report judges them over a preview. */
describe("maxRemove", () => {
  const maxRemove = (limit: number) => ({ "agent-platform:maxRemove": limit });
  const stays = single("+15559990000", {}, "stays");
  const codes = (failures: readonly { readonly message: string }[]) =>
    failures.map(({ message }) => message.slice(0, 7));

  it("refuses to remove a group with more numbers than maxRemove allows", () =>
    onStack({}, async (stack) => {
      await stack.up([group(many(40)), stays]);
      stack.sent();
      assert.deepEqual((await stack.preview([stays])).failures, []);
      const { failures } = await stack.up([stays]);
      assert.deepEqual(codes(failures), ["AGP-024"]);
      assert.deepEqual(stack.sent(), []);
      assert.deepEqual(splits(stack.emulator, many(40)), { "90/10": 40 });
      stack.config = { ...stack.config, ...maxRemove(40) };
      assert.deepEqual((await stack.up([stays])).failures, []);
      assert.deepEqual(splits(stack.emulator, many(40)), { "": 40 });
    }));

  it("refuses to remove half of a group's numbers", () =>
    onStack({}, async (stack) => {
      const whole = group(many(40), { inboundWebhookUrl: "https://hook.example/x" });
      const cut = group(many(20), { inboundWebhookUrl: "https://hook.example/x" });
      await stack.up([whole]);
      stack.sent();
      const preview = await stack.preview([cut]);
      assert.deepEqual([preview.failures, /AGP-072 .*\b20\b/.test(preview.said)], [[], true]);
      assert.deepEqual(codes((await stack.up([cut])).failures), ["AGP-024"]);
      assert.deepEqual([stack.sent(), splits(stack.emulator, many(40))], [[], { "90/10": 40 }]);
      assert.deepEqual((await stack.up([whole])).failures, []);
      assert.deepEqual(splits(stack.emulator, many(40)), { "90/10": 40 });
    }));

  it("allows numbers to move between groups in any order", () =>
    onStack(maxRemove(1), async (stack) => {
      const five = many(5);
      await stack.up([group(five), stays]);
      stack.sent();
      const less = group(five.slice(2));
      const orders = [
        [less, group(five.slice(0, 2), {}, "moved"), stays],
        [group(five.slice(0, 2), {}, "moved"), less, stays],
      ];
      const told = new Set<string>();
      for (let count = 0; count < 20; count += 1) {
        const options = { config: stack.config, isParallel: count % 4 > 1 };
        const { failures, said } = await stack.engine.preview(orders[count % 2] ?? [], options);
        told.add(JSON.stringify([failures, said]));
      }
      assert.equal(told.size, 1, [...told].join("\n"));
      assert.match([...told].join(), /^\[\[\],"warning: AGP-072 .*\(\+15551230000, \+15551230001\)/);
      for (const order of orders) {
        assert.deepEqual((await stack.up(order)).failures, []);
        assert.deepEqual(splits(stack.emulator, five), { "90/10": 5 });
      }
    }));

  it("allows replacing a group without agents after an interrupted move", () =>
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

  it("refuses to remove five single numbers in one run if maxRemove is 2", () =>
    onStack(maxRemove(2), async (stack) => {
      await stack.up([...many(5).map((number) => single(number)), stays]);
      stack.sent();
      const { failures } = await stack.up([stays], { isParallel: true, continueOnError: true });
      assert.deepEqual(codes(failures), ["AGP-024", "AGP-024", "AGP-024", "AGP-024", "AGP-024"]);
      assert.deepEqual([stack.sent(), splits(stack.emulator, many(5))], [[], { "90/10": 5 }]);
    }));

  it("reports only the freeze, not maxRemove, while the stack is frozen", () =>
    onStack(maxRemove(1), async (stack) => {
      const all = [single("+15559990001"), single("+15559990002"), group(many(1)), group(many(1, 10), {}, "apac")];
      await stack.up([...all, stays]);
      stack.sent();
      stack.config = { ...stack.config, "agent-platform:freeze": "holiday" };
      const { failures } = await stack.up([stays], { continueOnError: true });
      assert.deepEqual(codes(failures), ["AGP-025", "AGP-025", "AGP-025", "AGP-025"]);
      assert.deepEqual(stack.sent(), []);
    }));

  it("adds up the numbers removed from several groups", () =>
    onStack(maxRemove(3), async (stack) => {
      const [one, two, three] = [many(4), many(4, 10), many(2, 20)] as const;
      await stack.up([group(one, {}, "one"), group(two, {}, "two"), group(three, {}, "three"), stays]);
      const { failures } = await stack.up([group(one.slice(2), {}, "one"), group(two.slice(2), {}, "two"), stays], {
        continueOnError: true,
      });
      assert.deepEqual(codes(failures), ["AGP-024", "AGP-024", "AGP-024"]);
      assert.deepEqual(splits(stack.emulator, [...one, ...two, ...three]), { "90/10": 10 });
    }));

  it("counts an extension once if only one resource names its workspace", () =>
    onStack({}, async (stack) => {
      const named = single("4001", { workspaceId: 1 }, "named");
      await stack.up([single("4001", { workspaceId: undefined }, "unnamed"), stays]);
      stack.emulator.inject({ kind: "reset", inBody: true, times: "always" });
      assert.deepEqual(codes((await stack.up([named, stays])).failures), ["AGP-040"]);
      stack.emulator.clearFaults();
      assert.deepEqual((await stack.up([stays])).failures, []);
      assert.deepEqual(splits(stack.emulator, ["4001"]), { "": 1 });
    }));

  it("does not limit how many numbers a destroy unassigns", () =>
    onStack(maxRemove(0), async (stack) => {
      await stack.up([group(many(6))]);
      assert.deepEqual((await stack.destroy()).failures, []);
      assert.deepEqual(splits(stack.emulator, many(6)), { "": 6 });
    }));
});
