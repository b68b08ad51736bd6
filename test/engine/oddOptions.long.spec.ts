import assert from "node:assert/strict";
import { ref } from "../support/engineProject";
import { bindsTo, clears, failedWith, movingFreely, n, range } from "../support/movingNumbers";
import { byTarget, type PlatformStack, withPlatformStack } from "../support/platformStack";

const group = (numbers: readonly string[], agent: string, options: object = {}) => ({
  type: "agent-platform:NumberGroup",
  properties: { numbers, inboundAgents: { [agent]: 100 } },
  options,
});
const one = (number: string, agent: string, options: object = {}) => ({
  type: "agent-platform:NumberAssignment",
  properties: { number, inboundAgents: { [agent]: 100 } },
  options,
});
const steps = (ran: { readonly steps: readonly { op: string; name: string }[] }) =>
  ran.steps.map(({ op, name }) => `${op} ${name}`).sort();
const agents = ({ platform }: PlatformStack, ...numbers: string[]) =>
  numbers.map((number) => Object.keys(platform.routing(number)?.inboundAgents ?? {}).join());
const refusedFirst = (number: string) =>
  [
    `AGP-075 NumberAssignment "a" (${number}): delete not sent: \`deleteBeforeReplace\` would clear numbers before it is known which ones the program still declares.`,
    "  The resource stays in the state, and its numbers keep their agents. Remove the resource option deleteBeforeReplace, then rerun.",
  ].join("\n");

/** Options of the engine that change when a resource is replaced or deleted, while numbers move. */
describe("numbers that move", () => {
  it("end as declared with aliases, replaceOnChanges, deleteBeforeReplace and deletedWith, in YAML", async () => {
    const first = { resources: { g: group(range(1, 6), "agent_g"), a: one(n(9), "agent_a") } };
    await withPlatformStack({ program: first, config: movingFreely }, async (both) => {
      const { stack, sent } = both;
      const up = async (resources: object, expectFailure = false) => {
        stack.write({ resources });
        return stack.up({ expectFailure });
      };
      await stack.up();
      sent();
      await up({
        g2: group(range(2, 6), "agent_g", { aliases: [{ name: "g" }] }),
        a: one(n(9), "agent_a2", { replaceOnChanges: ["inboundAgents"] }),
        one: one(n(1), "agent_one"),
      });
      assert.deepEqual(byTarget(sent()), [bindsTo(n(1), "agent_one"), bindsTo(n(9), "agent_a2")]);

      const moved = { a: one(n(2), "agent_a2"), one: one(n(1), "agent_one") };
      const late = (options: object) => one(n(9), "agent_late", options);
      await up({
        ...moved,
        g2: group(range(3, 6), "agent_g5", { replaceOnChanges: ["inboundAgents"] }),
        late: late({ dependsOn: [ref("g2")] }),
      });
      assert.deepEqual(byTarget(sent()), [
        bindsTo(n(2), "agent_a2"),
        ...range(3, 6).map((number) => bindsTo(number, "agent_g5")),
        bindsTo(n(9), "agent_late"),
      ]);

      const rest = { one: one(n(1), "agent_one"), late: late({ deletedWith: ref("g2") }) };
      const failed = await up(
        { a: one(n(5), "agent_a2", { deleteBeforeReplace: true }), g2: group(range(3, 4), "agent_g5"), ...rest },
        true,
      );
      assert.deepEqual(failedWith(failed), [refusedFirst(n(2))]);
      assert.deepEqual(agents(both, ...range(2, 6)), ["agent_a2", ...Array(4).fill("agent_g5")]);
      await up({ a: one(n(5), "agent_a2"), g2: group(range(3, 4), "agent_g5"), ...rest });
      assert.deepEqual(agents(both, ...range(1, 6), n(9)), [
        "agent_one",
        "",
        "agent_g5",
        "agent_g5",
        "agent_a2",
        "",
        "agent_late",
      ]);
      sent();

      // The engine does not ask the provider to delete what another delete is said to take along.
      await up({ one: one(n(1), "agent_one"), a: one(n(5), "agent_a2"), g3: group([n(3)], "agent_g3") });
      assert.deepEqual(byTarget(sent()), [bindsTo(n(3), "agent_g3"), clears(n(4))]);
      assert.deepEqual(agents(both, n(9)), ["agent_late"]);
      assert.deepEqual(steps(await stack.up()), []);
    });
  });
});
