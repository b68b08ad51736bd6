import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { CliKilled, type Step } from "../support/miniEngine";
import { group, many, onStack, single, splits } from "./groupSupport";

/**
 * Each delete checks `maxRemove` before it clears a number, and counts the numbers of all concurrent deletes. A preview
 * deletes nothing, so it doesn't check `maxRemove`.
 */
describe("maxRemove", () => {
  const maxRemove = (limit: number) => ({ "agent-platform:maxRemove": limit });
  const keptNumber = single("+15559990000", {}, "stays");
  const codes = (failures: readonly { readonly message: string }[]) =>
    failures.map(({ message }) => message.slice(0, 7));

  it("refuses to remove a group with more numbers than maxRemove allows", () =>
    onStack({}, async (stack) => {
      await stack.up([group(many(40)), keptNumber]);
      stack.sent();
      assert.deepEqual((await stack.preview([keptNumber])).failures, []);
      const { failures } = await stack.up([keptNumber]);
      assert.deepEqual(codes(failures), ["AGP-024"]);
      assert.deepEqual(stack.sent(), []);
      assert.deepEqual(splits(stack.emulator, many(40)), { "90/10": 40 });
      stack.config = { ...stack.config, ...maxRemove(40) };
      assert.deepEqual((await stack.up([keptNumber])).failures, []);
      assert.deepEqual(splits(stack.emulator, many(40)), { "": 40 });
    }));

  it("refuses to remove half of a group's numbers", () =>
    onStack({}, async (stack) => {
      const fullGroup = group(many(40), { inboundWebhookUrl: "https://hook.example/x" });
      const halfGroup = group(many(20), { inboundWebhookUrl: "https://hook.example/x" });
      await stack.up([fullGroup]);
      stack.sent();
      const preview = await stack.preview([halfGroup]);
      assert.deepEqual([preview.failures, /AGP-072 .*\b20\b/.test(preview.said)], [[], true]);
      assert.deepEqual(codes((await stack.up([halfGroup])).failures), ["AGP-024"]);
      assert.deepEqual([stack.sent(), splits(stack.emulator, many(40))], [[], { "90/10": 40 }]);
      assert.deepEqual((await stack.up([fullGroup])).failures, []);
      assert.deepEqual(splits(stack.emulator, many(40)), { "90/10": 40 });
    }));

  it("allows numbers to move between groups in any order", () =>
    onStack(maxRemove(1), async (stack) => {
      const numbers = many(5);
      await stack.up([group(numbers), keptNumber]);
      stack.sent();
      const smallerGroup = group(numbers.slice(2));
      const orders = [
        [smallerGroup, group(numbers.slice(0, 2), {}, "moved"), keptNumber],
        [group(numbers.slice(0, 2), {}, "moved"), smallerGroup, keptNumber],
      ];
      const outputs = new Set<string>();
      for (let count = 0; count < 20; count += 1) {
        const options = { config: stack.config, isParallel: count % 4 > 1 };
        const { failures, said } = await stack.engine.preview(orders[count % 2] ?? [], options);
        outputs.add(JSON.stringify([failures, said]));
      }
      assert.equal(outputs.size, 1, [...outputs].join("\n"));
      assert.match([...outputs].join(), /^\[\[\],"warning: AGP-072 .*\(\+15551230000, \+15551230001\)/);
      for (const order of orders) {
        assert.deepEqual((await stack.up(order)).failures, []);
        assert.deepEqual(splits(stack.emulator, numbers), { "90/10": 5 });
        assert.deepEqual((await stack.up([group(numbers), keptNumber])).failures, [], "the numbers move back");
      }
    }));

  it("restores the agents of a moved number after interrupted runs", () =>
    onStack({}, async ({ up, emulator }) => {
      const [first = "", second = ""] = many(2);
      const withoutAgents = (numbers: string[], more: object = {}) => group(numbers, { inboundAgents: [], ...more });
      const killedAfter = (name: string) => ({
        atSave(step: Step, moment: string) {
          if (step.name === name && moment === "after") {
            throw new CliKilled();
          }
        },
      });
      const taker = single(second, {}, "taker");
      await up([withoutAgents([first, second])]);
      await assert.rejects(up([taker, withoutAgents([first])], killedAfter("taker")), CliKilled);
      await assert.rejects(
        up([withoutAgents([first, second], { triggers: ["again"] })], killedAfter("emea")),
        CliKilled,
      );
      assert.deepEqual(splits(emulator, [second]), { "": 1 });
      assert.deepEqual((await up([taker, withoutAgents([first], { triggers: ["again"] })])).failures, []);
      assert.deepEqual(splits(emulator, [second]), { "90/10": 1 });
    }));

  it("refuses to remove five single numbers in one run if maxRemove is 2", () =>
    onStack(maxRemove(2), async (stack) => {
      await stack.up([...many(5).map((number) => single(number)), keptNumber]);
      stack.sent();
      const { failures } = await stack.up([keptNumber], { isParallel: true, continueOnError: true });
      assert.deepEqual(codes(failures), ["AGP-024", "AGP-024", "AGP-024", "AGP-024", "AGP-024"]);
      assert.deepEqual([stack.sent(), splits(stack.emulator, many(5))], [[], { "90/10": 5 }]);
    }));

  it("reports only the freeze, not maxRemove, while the stack is frozen", () =>
    onStack(maxRemove(1), async (stack) => {
      const resources = [
        single("+15559990001"),
        single("+15559990002"),
        group(many(1)),
        group(many(1, 10), {}, "apac"),
      ];
      await stack.up([...resources, keptNumber]);
      stack.sent();
      stack.config = { ...stack.config, "agent-platform:freeze": "holiday" };
      const { failures } = await stack.up([keptNumber], { continueOnError: true });
      assert.deepEqual(codes(failures), ["AGP-025", "AGP-025", "AGP-025", "AGP-025"]);
      assert.deepEqual(stack.sent(), []);
    }));

  it("adds up the numbers removed from several groups", () =>
    onStack(maxRemove(3), async (stack) => {
      const [first, second, third] = [many(4), many(4, 10), many(2, 20)] as const;
      await stack.up([group(first, {}, "one"), group(second, {}, "two"), group(third, {}, "three"), keptNumber]);
      const { failures } = await stack.up(
        [group(first.slice(2), {}, "one"), group(second.slice(2), {}, "two"), keptNumber],
        { continueOnError: true },
      );
      assert.deepEqual(codes(failures), ["AGP-024", "AGP-024", "AGP-024"]);
      assert.deepEqual(splits(stack.emulator, [...first, ...second, ...third]), { "90/10": 10 });
    }));

  it("counts an extension once if only one resource names its workspace", () =>
    onStack({}, async (stack) => {
      const named = single("4001", { workspaceId: 1 }, "named");
      await stack.up([single("4001", { workspaceId: undefined }, "unnamed"), keptNumber]);
      stack.emulator.inject({ kind: "reset", inBody: true, times: "always" });
      assert.deepEqual(codes((await stack.up([named, keptNumber])).failures), ["AGP-040"]);
      stack.emulator.clearFaults();
      assert.deepEqual((await stack.up([keptNumber])).failures, []);
      assert.deepEqual(splits(stack.emulator, ["4001"]), { "": 1 });
    }));

  it("does not limit how many numbers a destroy unassigns", () =>
    onStack(maxRemove(0), async (stack) => {
      await stack.up([group(many(6))]);
      assert.deepEqual((await stack.destroy()).failures, []);
      assert.deepEqual(splits(stack.emulator, many(6)), { "": 6 });
    }));
});
