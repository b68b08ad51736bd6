import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { startEmulator } from "../../emulator";
import { systemRuntime } from "../../provider/client/options";
import { readSettings } from "../../provider/core/config/readSettings";
import { handlerFor } from "../../provider/edge/handler";
import { newSession, thisMachine } from "../../provider/edge/session";
import { LIFECYCLES } from "../../provider/resources/lifecycles";

const NUMBER = "+15551234567";

describe("a program that failed", () => {
  it("is heard by the first delete of the run, although its process could mark that only a moment later", async () => {
    const emulator = await startEmulator();
    try {
      const get = (key: string) => (key === "baseUrl" ? emulator.url : undefined);
      const env = { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token };
      const read = readSettings({ get, env, readApproved: () => "" });
      assert.ok("settings" in read);
      let isMarked = false;
      const delay = async () => {
        isMarked = true;
      };
      const machine = {
        ...thisMachine,
        clock: { ...systemRuntime, delay },
        markReader: () => () => isMarked,
      };
      const silent = () => undefined;
      const sessionAt = (address: string | undefined) => newSession(read.settings, address, silent, machine);
      const handlerAt = (address: string | undefined) => {
        const session = sessionAt(address);
        return handlerFor(
          LIFECYCLES.NumberAssignment,
          () => ({ session }),
          () => undefined,
        );
      };
      const [first, next] = [handlerAt("127.0.0.1:1"), handlerAt("127.0.0.1:1")];
      const checked = first.check({}, { number: NUMBER, inboundAgents: { "agent_front@12": 100 } });
      assert.ok("inputs" in checked);
      const { id, state } = await first.create(checked.inputs);
      emulator.clearRequests();
      await assert.rejects(next.delete(id, { ...state }), ({ message }: Error) => message.startsWith("AGP-074 "));
      assert.deepEqual([emulator.requests, isMarked], [[], true]);
    } finally {
      await emulator.close();
    }
  });
});
