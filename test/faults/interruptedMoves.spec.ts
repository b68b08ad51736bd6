import assert from "node:assert/strict";
import { closeProviders, declare, withMiniStack } from "../support/miniStack";

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
  const takingGroup = declare("numberGroup", { numbers: [number], inboundAgents: agent("agent_b") }, "taker");

  for (const [kind, other] of [
    ["an assignment", taker],
    ["a group", takingGroup],
  ] as const) {
    it(`is as its holder declares it again, after ${kind} had taken it in a run that failed`, () =>
      withMiniStack({}, async ({ up, engine, emulator }) => {
        await up([holder]);
        // Applied, and nobody knows: the run stops before the holder's delete.
        emulator.inject({ kind: "appliedBut500" });
        await up([other]);
        assert.deepEqual(
          engine.state.map(({ name }) => name),
          ["holder", "taker"],
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
  }

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
        /^AGP-074 NumberAssignment "\+15550000002": Delete not sent: another resource failed in this run, so it is not known what the program declares\.\n/,
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

  it("gets one PUT in a rename that nothing disturbs", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      await up([holder]);
      emulator.clearRequests();
      const renamed = await up([{ ...holder, name: "renamed" }]);
      assert.deepEqual(renamed.failures, []);
      assert.equal(emulator.requests.length, 1);
    }));
});
