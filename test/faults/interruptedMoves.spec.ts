import assert from "node:assert/strict";
import { closeProviders, declare, messagesOf, withMiniStack } from "../support/miniStack";

/** A number passes from one resource to another, the run breaks off, and the program goes back. Found by the random chains. */
describe("a number that was on its way to another resource", () => {
  after(closeProviders);

  const Chat = { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550000100", toNumber: "+15550000101" };
  const number = "+15550000002";
  const agent = (agentId: string) => [{ agentId, weight: 100 }];
  const holder = declare("numberAssignment", { number, inboundAgents: agent("agent_a") }, "holder");
  const taker = declare(
    "numberAssignment",
    { number, inboundAgents: agent("agent_b"), inboundWebhookUrl: "https://hooks.invalid/in" },
    "taker",
  );

  it("is as its holder declares it again, after another resource had taken it in a run that failed", () =>
    withMiniStack({}, async ({ up, engine, emulator }) => {
      await up([holder]);
      // Applied, and not known: the run stops before the holder's delete.
      emulator.inject({ kind: "appliedBut500" });
      await up([taker]);
      assert.deepEqual(
        engine.state.map(({ name }) => name),
        ["taker", "holder"],
      );
      // The program goes back: for the engine the holder is unchanged, and the leftover must not leave its agents behind.
      const back = await up([holder]);
      assert.deepEqual(back.failures, []);
      assert.deepEqual(back.steps, [
        { op: "same", name: "holder" },
        { op: "delete", name: "taker" },
      ]);
      assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 } });
      emulator.clearRequests();
      await up([holder]);
      assert.equal(emulator.requests.length, 0);
    }));

  it("is not taken for gone, if the platform knew it a moment ago: what only that one bound is cleared by the next run", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      await up([taker]);
      emulator.inject({ kind: "status", status: 404, after: 1, body: { error: "no such number" } });
      const { failures } = await up([holder]);
      assert.match(
        failures[0]?.message ?? "",
        /^AGP-033 NumberAssignment "taker" \(\+15550000002\): delete rejected: /,
      );
      assert.deepEqual((await up([holder])).failures, []);
      assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 } });
    }));

  it("is not let go while its new holder could not assign it, and goes with the next run", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      const other = "+15550000003";
      const group = (numbers: readonly string[]) =>
        declare("numberGroup", { numbers, inboundAgents: agent("agent_a") }, "group");
      await up([group([number, other])]);
      emulator.inject({ kind: "status", status: 422, number, times: Number.POSITIVE_INFINITY });
      const failed = await up([group([other]), taker], { continueOnError: true });
      assert.deepEqual(messagesOf(failed).at(-1)?.split("\n"), [
        'AGP-070 NumberGroup "group": 0 of 1 cleared, 1 not sent.',
        `  1 × AGP-074 another resource declares this number, but could not assign it in this run: ${number} (not cleared)`,
        "  The original stays in the state. The next `pulumi up` clears every number of it that the program does not declare by then.",
      ]);
      assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 } });
      emulator.clearFaults();
      assert.deepEqual((await up([group([other]), taker])).failures, []);
      assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_b: 100 });
      emulator.clearRequests();
      await up([group([other]), taker]);
      assert.equal(emulator.requests.length, 0);
    }));

  it("is not let go in a run in which something failed: what the program declares behind it is not known", () =>
    withMiniStack({}, async ({ up, engine, emulator }) => {
      const other = declare("numberAssignment", { number: "+15550000009", inboundAgents: agent("agent_c") }, "other");
      const chat = declare("smsChat", { ...Chat }, "chat");
      await up([holder, chat]);
      emulator.inject({ kind: "status", status: 422, body: { error: "no" } });
      emulator.clearRequests();
      const failed = await up([other], { continueOnError: true });
      assert.deepEqual(
        failed.failures.map(({ name }) => name),
        ["other", "chat", "holder"],
      );
      assert.match(
        failed.failures[2]?.message ?? "",
        /^AGP-074 NumberAssignment "holder" \(\+15550000002\): delete not sent: the program or another resource failed in this run, so it is not known what the program declares\.\n/,
      );
      assert.deepEqual([emulator.requests.length, emulator.chats[0]?.ended], [1, false]);
      assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 } });
      // The next run, in which nothing fails, lets go of both.
      assert.deepEqual((await up([other], { continueOnError: true })).failures, []);
      assert.deepEqual([emulator.routing(number)?.inboundAgents, emulator.chats[0]?.ended], [{}, true]);
      assert.deepEqual(
        engine.state.map(({ name }) => name),
        ["other"],
      );
    }));
});
