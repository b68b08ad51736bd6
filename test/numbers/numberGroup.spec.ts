import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { Run } from "../support/miniEngine";
import type { MiniStack } from "../support/miniStack";
import { urnOf } from "../support/providerCalls";
import { group, many, onStack, split, splits } from "./groupSupport";

/** A group under the small engine. Moves are in test/engine/renames.spec.ts. */
describe("NumberGroup", () => {
  const numbers = many(20);
  const ops = ({ steps }: { steps: readonly { op: string }[] }) => steps.map(({ op }) => op);

  it("assigns every number in the first run and sends nothing in the next", () =>
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

  it("saves the group's inputs and nothing from the responses", () =>
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

  it("sends a changed split to all numbers and saves the previous one", () =>
    onStack({}, async (stack) => {
      await stack.up([group(numbers)]);
      stack.sent();
      assert.deepEqual(ops(await stack.up([group(numbers, { inboundAgents: split(70, 30) })])), ["update"]);
      const inboundAgents = [
        { agent_id: "agent_a", agent_version: 1, weight: 70 },
        { agent_id: "agent_b", agent_version: 2, weight: 30 },
      ];
      assert.deepEqual(stack.bodies(), Array(20).fill({ inboundAgents }));
      assert.deepEqual(stack.engine.state[0]?.outputs.previousInboundAgents, { "agent_a@1": 90, "agent_b@2": 10 });
    }));

  it("assigns a number added to the group and clears a removed one", () =>
    onStack({}, async (stack) => {
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
    }));

  it("saves a new label without a request or a token", () =>
    onStack({}, async (stack) => {
      await stack.up([group(numbers)]);
      stack.sent();
      delete stack.config["agent-platform:accessToken"];
      const labelled = Object.fromEntries(numbers.map((number, index) => [number, index === 3 ? "London" : ""]));
      const run = await stack.up([group(labelled)]);
      assert.deepEqual([ops(run), run.said, stack.sent()], [["update"], "", []]);
      assert.match(String(stack.engine.state[0]?.outputs.numbers), /^\+15551230003\tLondon$/m);
    }));

  it("moves a group to another platform without a request to the old platform", () =>
    onStack({}, (stack) =>
      onStack({}, async (other) => {
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
      }),
    ));
});

describe("a NumberGroup with failed numbers", () => {
  const numbers = many(40);
  const n = (index: number) => numbers[index] ?? "";
  const message = ({ failures }: Run): string => failures[0]?.message ?? "";
  const refuse = ({ emulator }: MiniStack, index: number, status: number, error: string, number = n(index)) =>
    emulator.inject({ kind: "status", status, number, body: { error }, times: "always" });

  it("lists the failed numbers and resends only those in the next run", () =>
    onStack({}, async (stack) => {
      // A number that the platform does not know says nothing of the change, were it the first three.
      for (const index of [0, 1, 2, 31]) {
        refuse(stack, index, 404, `number ${n(index)} is not in this workspace`);
      }
      for (const index of [10, 11]) {
        refuse(stack, index, 503, "try later");
      }
      const run = await stack.up([group(numbers)]);
      assert.equal(
        message(run),
        [
          'AGP-070 NumberGroup "emea": 34 of 40 applied, 6 failed.',
          '  4 × AGP-033 the platform returned 404 to PUT /api/numbers/{number}/agent: "number … is not in this workspace": +15551230000, +15551230001, +15551230002, +15551230031 (routing unchanged)',
          '  2 × AGP-040 the platform returned 503 to PUT /api/numbers/{number}/agent: "try later": +15551230010, +15551230011 (outcome unknown: old or new routing)',
          "  Saved. The next `pulumi up` sends only these 6.",
          "  Check the number or id, and the workspace.",
          "  More: npx pulumi-agent-platform help AGP-070",
        ].join("\n"),
      );
      // Of the refused ones nothing is the group's, so no delete clears them.
      assert.deepEqual(stack.engine.state[0]?.outputs.unapplied, [
        { numbers: [0, 1, 2, 31].map((index) => `${n(index)}\n`).join(""), reason: "rejected" },
        {
          numbers: `${n(10)}\n${n(11)}\n`,
          reason: "unknown",
          maybe: [{ inboundAgents: { "agent_a@1": 90, "agent_b@2": 10 } }],
        },
      ]);
      stack.emulator.clearFaults();
      stack.sent();
      const next = await stack.up([group(numbers)]);
      assert.equal(
        next.said,
        'warning: AGP-044 NumberGroup "emea": 6 numbers not applied in an earlier run (the API rejected it; the outcome of the request was not known). Run `pulumi up`: it sends them again.\n',
      );
      assert.deepEqual([next.failures, stack.sent().sort()], [[], [0, 1, 2, 10, 11, 31].map(n)]);
      assert.deepEqual(splits(stack.emulator, numbers), { "90/10": 40 });
      assert.equal(stack.engine.state[0]?.outputs.unapplied, undefined);
      assert.deepEqual((await stack.up([group(numbers)])).steps, [{ op: "same", name: "emea" }]);
    }));

  it("treats a number that the platform does not know as cleared", () =>
    onStack({}, async (stack) => {
      await stack.up([group(numbers)]);
      refuse(stack, 7, 404, "no such number");
      const run = await stack.destroy();
      assert.deepEqual(
        [run.failures, run.said],
        [
          [],
          'warning: AGP-061 NumberGroup "emea": the platform does not know 1 number (404), so there is nothing to clear (+15551230007). No action is needed. If this is unexpected, check the base URL.\n',
        ],
      );
    }));

  it("prints at most 13 lines for 29 different failures", () =>
    onStack({}, async (stack) => {
      for (let index = 1; index < 30; index += 1) {
        refuse(stack, index, 404, `ticket ${index}`);
      }
      const lines = message(await stack.up([group(numbers)])).split("\n");
      assert.deepEqual([lines.length, lines[9]], [13, "  21 × for other reasons"]);
    }));

  it("replaces the number in a failure message but keeps other digits", () =>
    onStack({}, async (stack) => {
      refuse(stack, 0, 404, "no number 4 in workspace 42", "4");
      assert.match(message(await stack.up([group(["4", ...numbers])])), /: "no number … in workspace 42": 4 \(/);
    }));
});
