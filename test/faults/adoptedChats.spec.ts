import assert from "node:assert/strict";
import { closeProviders, declare, withMiniStack } from "../support/miniStack";

/** A chat goes on under a new name, without an alias: the new name adopts it, and what is left of the old one must not end it. */
describe("a chat that has a new name", () => {
  after(closeProviders);

  const args = { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15559990000", toNumber: "+15560000001" };
  const line = declare(
    "numberAssignment",
    { number: "+15550000001", inboundAgents: [{ agentId: "agent_a", weight: 1 }] },
    "line",
  );

  it("goes on where the old name is deleted in a later run, and adopt has gone from the program by then", () =>
    withMiniStack({}, async ({ up, emulator, engine }) => {
      await up([declare("smsChat", args, "old")]);
      const [chat] = emulator.chats;
      // The run breaks off before it deletes anything.
      emulator.inject({ kind: "status", status: 400, operation: "assignNumber" });
      await up([declare("smsChat", { ...args, adopt: chat?.chatId }, "new"), line]);
      assert.deepEqual(
        engine.state.map(({ name, id }) => [name, id]),
        [
          ["new", chat?.chatId],
          ["old", chat?.chatId],
        ],
      );
      const { failures, steps } = await up([declare("smsChat", args, "new"), line]);
      assert.deepEqual(failures, []);
      assert.deepEqual(steps.at(-1), { op: "delete", name: "old" });
      assert.equal(emulator.chats[0]?.ended, false);
    }));

  it("is ended where the new name is replaced, whatever it once adopted", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      await up([declare("smsChat", args, "old")]);
      const [chat] = emulator.chats;
      await up([declare("smsChat", { ...args, adopt: chat?.chatId }, "new")]);
      const { steps } = await up([declare("smsChat", { ...args, sendKey: "again" }, "new")]);
      assert.deepEqual(
        steps.map(({ op }) => op),
        ["createReplacement", "deleteReplaced"],
      );
      assert.deepEqual(
        emulator.chats.map(({ ended }) => ended),
        [true, false],
      );
    }));
});
