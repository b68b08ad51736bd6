import assert from "node:assert/strict";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { assign } from "../../provider/resources/numbers/assign";
import { emulatorForEach, NUMBER } from "../client/support";
import { newRun } from "../support/session";

describe("what the platform answers", () => {
  const start = emulatorForEach();

  it("an answer that is stale for a moment is asked for again, and one that stays so is told", async () => {
    const emulator = await start({ token: "an-access-token" });
    const waits: number[] = [];
    const session = { ...newRun(emulator.url, "an-access-token"), wait: async (ms: number) => void waits.push(ms) };
    const task = { number: NUMBER, routing: { inboundAgents: { agent_a: 1 } }, held: {} };
    const stale = { kind: "contradict", record: { inbound_agents: [] } } as const;
    emulator.inject({ ...stale, times: 2 });
    assert.equal((await assign(task, session)).result, "applied");
    emulator.inject({ ...stale, times: 9 });
    assert.equal((await assign(task, session)).result, "different");
    assert.deepEqual([waits, emulator.requests.length], [[500, 1500, 500, 1500], 6]);
  });

  it("what the answer holds cannot drive a terminal: an import error, an agent's id", async () => {
    const emulator = await start({ token: "an-access-token" });
    const evil = "\u001b[2J\u202ered\r\n";
    const message = async (record: Readonly<Record<string, unknown>>) => {
      emulator.inject({ kind: "contradict", record, times: 3 });
      const session = newRun(emulator.url, "an-access-token");
      const inputs = { number: NUMBER, inboundAgents: { agent_a: 1 }, endpoint: emulator.url };
      const error = await numberAssignment.create(inputs, session).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      emulator.clearFaults();
      return error?.message.split("\n")[0];
    };
    assert.deepEqual(
      [
        await message({ platform_import_error: true, platform_import_error_message: evil }),
        await message({ inbound_agents: [{ agent_id: evil, weight: 1 }] }),
      ],
      [
        `AGP-050 NumberAssignment "${NUMBER}": the response differs; the platform reports an import error: \\u{1b}[2J\\u{202e}red.`,
        `AGP-050 NumberAssignment "${NUMBER}": the response differs; inboundAgents: sent agent_a 1, the platform returned \\u{1b}[2J\\u{202e}red\\r\\n 1.`,
      ],
    );
  });
});
