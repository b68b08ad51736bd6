import assert from "node:assert/strict";
import { bindsTo, clears, failedWith, list, n, program, range } from "../support/movingNumbers";
import { byTarget, type PlatformStack, withPlatformStack } from "../support/platformStack";

const targets = ["NumberGroup::g", "NumberAssignment::a"].flatMap((one) => [
  "--target",
  `urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:${one}`,
]);
const desk = (number: string, options: string) => `one("desk", "${number}", "agent_desk", ${options});`;
const before = program(`
  group("g", ${list(range(1, 4))}, "agent_g");
  one("a", "${n(5)}", "agent_a");
  group("h", ${list([n(9)])}, "agent_h");
  ${desk("4001", "{}")}`);
const after = program(`
  const g = group("g", ${list([n(4)])}, "agent_g");
  one("a", "${n(6)}", "agent_a");
  one("new", pulumi.output("${n(1)}"), "agent_new");
  one("waiting", "${n(5)}", "agent_waiting", { dependsOn: [g] });
  group("h", ${list([n(2), n(9)])}, "agent_h");
  ${desk("4001", "{}")}`);

const because =
  "the program still declares this number, but this run leaves out its resource: it failed, or `--target` or `--exclude` is set (run `pulumi up` without them)";

/** The engine asks no provider for a resource that a run leaves out: what it declares, the program alone knows. */
describe("a run of a part of the program", () => {
  it("clears no number that a resource declares which it leaves out, says so, and the whole run binds it there", async () => {
    await withPlatformStack({ program: before }, async (both) => {
      const { stack, sent } = both;
      await stack.up();
      sent();
      stack.write(after);
      await leavesOut(both);
      await stack.up();
      assert.deepEqual(byTarget(sent()), [
        bindsTo(n(1), "agent_new"),
        bindsTo(n(2), "agent_h"),
        // The delete that failed could save nothing of what it had cleared.
        clears(n(3)),
        bindsTo(n(5), "agent_waiting"),
      ]);
      assert.deepEqual(
        stack
          .resources()
          .map(({ name, ...saved }) => `${name}${saved.delete ? " original" : ""}`)
          .sort(),
        ["a", "desk", "g", "h", "new", "waiting"],
      );
      // The program runs, and nothing of it is to stay.
      await stack.destroy({ args: ["--run-program"] });
      assert.deepEqual(
        byTarget(sent()),
        byTarget([...[1, 2, 4, 5, 6, 9].map((index) => clears(n(index))), clears("4001")]),
      );
    });
  });
});

async function leavesOut({ stack, sent, platform }: PlatformStack) {
  // Else the engine may call off the one delete because of the other.
  const failed = await stack.up({ args: [...targets, "--continue-on-error"], expectFailure: true });
  assert.deepEqual(byTarget(sent()), [clears(n(3)), bindsTo(n(6), "agent_a")]);
  assert.deepEqual(failedWith(failed).sort(), [
    [
      `AGP-070 NumberGroup "g": 1 of 3 cleared, 2 not sent.`,
      `  2 × ${because}: ${n(1)}, ${n(2)} (not cleared)`,
      "  The original stays in the state. The next `pulumi up` clears every number of it that the program does not declare by then.",
    ].join("\n"),
    [
      `AGP-074 NumberAssignment "a" (${n(5)}): delete not sent: ${because}.`,
      "  This resource stays in the state. Fix any other resource that failed, then rerun.",
    ].join("\n"),
  ]);
  for (const [number, agent] of [
    [n(1), "agent_g"],
    [n(2), "agent_g"],
    [n(5), "agent_a"],
  ] as const) {
    assert.deepEqual(platform.routing(number), { inboundAgents: { [agent]: 100 } });
  }
}
