import assert from "node:assert/strict";
import {
  agentsOf,
  assertAlive,
  bindsTo,
  clears,
  failedWith,
  list,
  n,
  oneAttempt,
  program,
  range,
} from "../support/movingNumbers";
import { byTarget, withPlatformStack } from "../support/platformStack";

/**
 * Only at the end of a run is it known what the program declares. So create and update only bind, and the engine's deletes, which come
 * last, clear what nobody declares. The platform's own record is the judge.
 */
describe("a number that leaves a group", () => {
  it("goes in one request to a holder that comes forty resources later, as an output, behind the group or after an await", async () => {
    const forty = "for (let i = 0; i < 40; i++) one('still-' + i, '+1555001' + (1000 + i), 'agent_still');";
    const chat = (name: string, more: string) =>
      `new SmsChat("${name}", { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15559990000", toNumber: "+15558880000", ${more} });`;
    const before = program(`
      const g = group("g", ${list(range(1, 8))}, "agent_g");
      ${forty}
      group("kept", ${list(range(21, 22))}, "agent_kept", { retainOnDelete: true });
      ${chat("talk", "")}`);
    const after = (chatId: string) =>
      program(`
      const g = group("g", ${list(range(5, 8))}, "agent_g");
      ${forty}
      one("output", pulumi.output("${n(1)}"), "agent_output", { dependsOn: [g] });
      one("sync", "${n(2)}", "agent_sync");
      one("waiting", "${n(3)}", "agent_waiting", { dependsOn: [g] });
      group("kept", ${list([n(22)])}, "agent_kept", { retainOnDelete: true });
      module.exports = (async () => {
        await wait();
        one("late", "${n(4)}", "agent_late");
        ${chat("talk-on", `adopt: "${chatId}"`)}
      })();`);
    await withPlatformStack({ program: before }, async ({ platform, stack, sent, sentNothing }) => {
      await stack.up();
      const chatId = platform.chats[0]?.chatId ?? "";
      sent();
      stack.write(after(chatId));
      await stack.up();
      assert.deepEqual(byTarget(sent()), [
        bindsTo(n(1), "agent_output"),
        bindsTo(n(2), "agent_sync"),
        bindsTo(n(3), "agent_waiting"),
        bindsTo(n(4), "agent_late"),
      ]);
      assertAlive(platform, {
        [n(1)]: "agent_output",
        [n(2)]: "agent_sync",
        [n(3)]: "agent_waiting",
        [n(4)]: "agent_late",
        // Nobody declares it any more, and it was to be kept.
        [n(21)]: "agent_kept",
        ...agentsOf(range(5, 8), "agent_g"),
      });
      assert.deepEqual(
        platform.chats.map((one) => [one.chatId, one.ended]),
        [[chatId, false]],
      );
      assert.equal((await stack.up()).changeSummary.same, 48);
      sentNothing();
    });
  });

  it("is not cleared before its replacement, is cleared by the next run where the clear failed, and not where somebody takes it by then", async () => {
    const both = program(`group("g", ${list(range(1, 4))}, "agent_g");`);
    await withPlatformStack({ program: both, config: oneAttempt }, async ({ platform, stack, sent, sentNothing }) => {
      await stack.up();
      sent();
      const atOnce = "{ deleteBeforeReplace: true }";
      stack.write(program(`group("g", ${list(range(3, 4))}, "agent_g", ${atOnce});`));
      assert.deepEqual(failedWith(await stack.up({ expectFailure: true })), [
        [
          `AGP-075 NumberGroup "g": delete not sent: \`deleteBeforeReplace\` would clear numbers before it is known which ones the program still declares.`,
          "  The resource stays in the state, and its numbers keep their agents. Remove the resource option deleteBeforeReplace, then rerun.",
        ].join("\n"),
      ]);
      sentNothing();
      for (const number of range(1, 2)) {
        platform.inject({ kind: "status", status: 503, number, times: Number.POSITIVE_INFINITY });
      }
      stack.write(program(`group("g", ${list(range(3, 4))}, "agent_g");`));
      const failed = await stack.up({ expectFailure: true });
      assert.deepEqual(byTarget(sent()), [clears(n(1)), clears(n(2))]);
      assert.deepEqual(failedWith(failed), [
        [
          `AGP-070 NumberGroup "g": 0 of 2 cleared, 2 failed.`,
          `  2 × the platform returned 503 to PUT /api/numbers/{number}/agent: "injected 503": ${n(1)}, ${n(2)} (outcome unknown: cleared or not)`,
          "  The original stays in the state. The next `pulumi up` clears every number of it that the program does not declare by then.",
          "  Fix the problem reported above, then rerun.",
        ].join("\n"),
      ]);
      platform.clearFaults();

      const preview = await stack.preview();
      assert.match(preview.output, /delete original/);
      sentNothing();
      stack.write(
        program(`
          group("g", ${list(range(3, 4))}, "agent_g");
          module.exports = (async () => { await wait(); one("late", "${n(1)}", "agent_late"); })();`),
      );
      await stack.up();
      assert.deepEqual(sent(), [bindsTo(n(1), "agent_late"), clears(n(2))]);
      assert.deepEqual(platform.routing(n(1)), { inboundAgents: { agent_late: 100 } });
      assert.deepEqual(platform.routing(n(2)), { inboundAgents: {} });
    });
  });
});
