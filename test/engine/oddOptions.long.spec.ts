import assert from "node:assert/strict";
import { leftOf } from "../support/engineProcesses";
import { ref } from "../support/engineProject";
import { bindsTo, clears, failedWith, list, movingFreely, n, program, range } from "../support/movingNumbers";
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

describe("a group whose replacement is interrupted", () => {
  it("is finished by the next run, in the create and in the clear, and leaves no process", async () => {
    const config = { "agent-platform:concurrency": 1 };
    const before = program(`group("g", ${list(range(1, 6))}, "agent_g");`);
    await withPlatformStack({ program: before, config }, async (both) => {
      const { stack, sent } = both;
      await stack.up();
      sent();
      const moved = (numbers: readonly string[]) =>
        program(`group("g", ${list(numbers)}, "agent_new", { dependsOn: one("one", "${n(1)}", "agent_one") });`);
      stack.write(moved(range(3, 6)));
      // Not asserted of the clear below: that delete is the run's last step, after which the engine may call the run done.
      assert.notEqual(await interrupted(both, 1), 0);
      assert.deepEqual(agents(both, ...range(1, 6)), ["agent_one", "agent_g", ...Array(4).fill("agent_new")]);
      assert.ok(sent().every(([, body]) => (body as { inboundAgents: unknown }).inboundAgents !== null));
      await stack.up();
      // The assignment sends once more: which resource was last in a run that failed, is not known.
      assert.deepEqual(byTarget(sent()), [bindsTo(n(1), "agent_one"), clears(n(2))]);

      stack.write(moved(range(5, 6)));
      await interrupted(both, 0);
      assert.deepEqual(sent(), [clears(n(3)), clears(n(4))]);
      assert.deepEqual(steps(await stack.up()), []);
      assert.deepEqual(agents(both, ...range(1, 6)), ["agent_one", "", "", "", "agent_new", "agent_new"]);
    });
  });
});

/** The exit code of a run that gets SIGINT while a request is under way, the one after so many others. */
async function interrupted({ stack, platform }: PlatformStack, after: number): Promise<number | null> {
  const begun = platform.requests.length;
  const held = platform.inject({ kind: "hold", after });
  let heard = () => {};
  const cancelling = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const onOutput = (text: string) => (text.includes("^C received") ? heard() : undefined);
  const run = stack.spawn(["up", "--yes", "--skip-preview"], { onOutput });
  await platform.waitForRequests(begun + after + 1);
  run.child.kill("SIGINT");
  await cancelling;
  held.release();
  const { exitCode } = await run.result;
  assert.deepEqual(await leftOf(stack.processes), []);
  return exitCode;
}
