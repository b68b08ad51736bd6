import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { Run } from "../support/miniEngine";
import type { MiniStack } from "../support/miniStack";
import { urnOf } from "../support/providerCalls";
import { group, many, onStack, split, splits } from "./groupSupport";

/**
 * Tests a NumberGroup in the simulated engine. Numbers that move between resources are tested in
 * test/engine/renames.spec.ts.
 */

/** Matches the error codes and the phone numbers in a message. */
const FACTS = /AGP-\d{3}|\+\d{7,}/g;

describe("NumberGroup", () => {
  const numbers = many(20);
  const ops = ({ steps }: { steps: readonly { op: string }[] }) => steps.map(({ op }) => op);

  it("assigns every number in the first run and none in the second", () =>
    onStack({}, async (stack) => {
      const run = await stack.up([group(numbers)]);
      assert.deepEqual(run.failures, []);
      const sent = stack.sent();
      assert.equal(sent[0], numbers[0]);
      assert.deepEqual([...sent].sort(), numbers);
      assert.deepEqual(splits(stack.emulator, numbers), { "90/10": 20 });
      assert.deepEqual(ops(await stack.up([group([...numbers].reverse())])), ["same"]);
      assert.deepEqual(ops(await stack.preview([group(numbers)])), ["same"]);
      assert.deepEqual(stack.sent(), []);
    }));

  it("saves a group's inputs but no response data", () =>
    onStack({}, async (stack) => {
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
    }));

  it("sends a changed split to every number and saves the previous split", () =>
    onStack({}, async (stack) => {
      await stack.up([group(numbers)]);
      stack.sent();
      assert.deepEqual(ops(await stack.up([group(numbers, { inboundAgents: split(70, 30) })])), ["update"]);
      const inboundAgents = [
        { agent_id: "agent_a", agent_version: 1, weight: 70 },
        { agent_id: "agent_b", agent_version: 2, weight: 30 },
      ];
      assert.deepEqual(stack.bodies(), Array(20).fill({ inboundAgents }));
      assert.deepEqual(splits(stack.emulator, numbers), { "70/30": 20 });
      assert.deepEqual(stack.engine.state[0]?.outputs.previousInboundAgents, { "agent_a@1": 90, "agent_b@2": 10 });
    }));

  it("assigns an added number and unassigns a removed one", () =>
    onStack({}, async (stack) => {
      await stack.up([group(numbers)]);
      stack.sent();
      const nextNumbers = [...numbers.slice(1), "+442079460100"];
      const preview = await stack.preview([group(nextNumbers)]);
      assert.deepEqual(preview.said.match(FACTS), ["AGP-072", "+442079460100", "+15551230000"]);
      assert.deepEqual(stack.sent(), []);
      const [savedBefore] = stack.engine.state;
      const run = await stack.up([group(nextNumbers)]);
      assert.deepEqual(ops(run), ["createReplacement", "deleteReplaced"]);
      assert.deepEqual(stack.sent(), ["+442079460100", "+15551230000"]);
      assert.deepEqual(
        stack.engine.state.map(({ id }) => id),
        [savedBefore?.id],
      );
      assert.deepEqual(splits(stack.emulator, [...numbers, "+442079460100"]), { "": 1, "90/10": 20 });
      assert.deepEqual(ops(await stack.up([group(nextNumbers)])), ["same"]);
    }));

  it("saves a number's new label without sending a request", () =>
    onStack({}, async (stack) => {
      await stack.up([group(numbers)]);
      stack.sent();
      delete stack.config["agent-platform:accessToken"];
      const relabeled = Object.fromEntries(numbers.map((number, index) => [number, index === 3 ? "London" : ""]));
      const run = await stack.up([group(relabeled)]);
      assert.deepEqual([ops(run), run.said, stack.sent()], [["update"], "", []]);
      assert.match(String(stack.engine.state[0]?.outputs.numbers), /^\+15551230003\tLondon$/m);
    }));

  it("sends no requests to the old platform after the base URL changes", () =>
    onStack({}, (stack) =>
      onStack({}, async (other) => {
        await stack.up([group(numbers.slice(0, 2))]);
        stack.sent();
        stack.config = other.config;
        const run = await stack.up([group(numbers.slice(1, 3))]);
        assert.deepEqual(run.said.match(FACTS), ["AGP-060", "AGP-072", numbers[2]]);
        assert.deepEqual([stack.sent(), other.sent().sort()], [[], numbers.slice(1, 3)]);
      }),
    ));
});

describe("a NumberGroup with failed numbers", () => {
  const numbers = many(40);
  const numberAt = (index: number) => numbers[index] ?? "";
  const message = ({ failures }: Run): string => failures[0]?.message ?? "";
  const injectError = (
    { emulator }: MiniStack,
    index: number,
    status: number,
    error: string,
    number = numberAt(index),
  ) => emulator.inject({ kind: "status", status, number, body: { error }, times: "always" });

  it("retries only the failed numbers in the next run", () =>
    onStack({}, async (stack) => {
      // A 404 says nothing about the new split, so the run continues even though the first three numbers get a 404.
      for (const index of [0, 1, 2, 31]) {
        injectError(stack, index, 404, `number ${numberAt(index)} is not in this workspace`);
      }
      for (const index of [10, 11]) {
        injectError(stack, index, 503, "try later");
      }
      const run = await stack.up([group(numbers)]);
      assert.deepEqual(message(run).match(FACTS), [
        "AGP-070",
        ...["AGP-033", ...[0, 1, 2, 31].map(numberAt)],
        ...["AGP-040", ...[10, 11].map(numberAt)],
      ]);
      // The entry for the rejected numbers contains no routing, because the group never assigned them. A later delete
      // therefore won't clear them.
      assert.deepEqual(stack.engine.state[0]?.outputs.unapplied, [
        { numbers: [0, 1, 2, 31].map((index) => `${numberAt(index)}\n`).join(""), reason: "rejected" },
        {
          numbers: `${numberAt(10)}\n${numberAt(11)}\n`,
          reason: "unknown",
          maybe: [{ inboundAgents: { "agent_a@1": 90, "agent_b@2": 10 } }],
        },
      ]);
      stack.emulator.clearFaults();
      stack.sent();
      const nextRun = await stack.up([group(numbers)]);
      assert.deepEqual(nextRun.said.match(FACTS), ["AGP-044"]);
      assert.deepEqual([nextRun.failures, stack.sent().sort()], [[], [0, 1, 2, 10, 11, 31].map(numberAt)]);
      assert.deepEqual(splits(stack.emulator, numbers), { "90/10": 40 });
      assert.equal(stack.engine.state[0]?.outputs.unapplied, undefined);
      assert.deepEqual((await stack.up([group(numbers)])).steps, [{ op: "same", name: "emea" }]);
    }));

  it("excludes numbers declared by another resource from the cleared count", () =>
    onStack({}, async (stack) => {
      const [kept = "", moved = "", removed = ""] = numbers;
      await stack.up([group([kept, moved, removed])]);
      stack.emulator.inject({ kind: "status", status: 503, number: removed, times: "always" });
      const other = group([kept, moved], {}, "other");
      const run = await stack.up([other]);
      assert.match(message(run), /: 0 of 1 number was cleared and 1 failed\./);
    }));

  it("completes a destroy with a warning if the platform returns a 404", () =>
    onStack({}, async (stack) => {
      await stack.up([group(numbers)]);
      injectError(stack, 7, 404, "no such number");
      const run = await stack.destroy();
      assert.deepEqual(run.failures, []);
      assert.deepEqual(run.said.match(FACTS), ["AGP-061", numberAt(7)]);
    }));

  it("limits the error message for 29 different failures to 12 lines", () =>
    onStack({}, async (stack) => {
      for (let index = 1; index < 30; index += 1) {
        injectError(stack, index, 404, `ticket ${index}`);
      }
      const lines = message(await stack.up([group(numbers)])).split("\n");
      assert.equal(lines.length, 12, lines.join("\n"));
    }));

  it("masks the failed number but not other digits in an error message", () =>
    onStack({}, async (stack) => {
      injectError(stack, 0, 404, "no number 4 in workspace 42", "4");
      assert.match(message(await stack.up([group(["4", ...numbers])])), /: "no number … in workspace 42" \(4\)\.$/m);
    }));
});
