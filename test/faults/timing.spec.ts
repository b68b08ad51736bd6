import assert from "node:assert/strict";
import { systemRuntime } from "../../provider/client/options";
import { createTransport } from "../../provider/client/transport";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { clientFor, emulatorForEach, NUMBER } from "../client/support";
import { newRun } from "../support/session";

/** From a fault to a message that can be acted on, on the machine's clock; the figures are printed. */
describe("the time to a message is", () => {
  const start = emulatorForEach();
  const LimitMs = 1000;

  /** The create of a number: how long it took in all, and how long after the last attempt its message was there. */
  async function failed(url: string, token: string, settings: Readonly<Record<string, unknown>>) {
    let lastAttemptAt = 0;
    const run = newRun(url, token, settings);
    const { requestTimeout, deadline, attempts } = run.settings;
    const client = clientFor(
      { url, token },
      {
        requestTimeout,
        deadline,
        attempts,
        clock: systemRuntime,
        transport: (options) => {
          const send = createTransport(options);
          return async (...request) => {
            const reply = await send(...request);
            lastAttemptAt = performance.now();
            return reply;
          };
        },
      },
    );
    const inputs = { number: NUMBER, inboundAgents: { agent_a: 1 }, endpoint: url };
    const begun = performance.now();
    const message = await numberAssignment.create(inputs, { ...run, client: () => client }).then(
      () => "applied",
      (error: Error) => error.message,
    );
    const ended = performance.now();
    return { message, allMs: ended - begun, afterMs: ended - lastAttemptAt };
  }

  const shown = (ms: number) => `${ms.toFixed(1)} ms`;
  const print = (what: string, figures: string) => process.stdout.write(`      ${what}: ${figures}\n`);

  it("below a second after the last attempt: connection refused", async () => {
    const emulator = await start();
    await emulator.stopListening();
    const { message, allMs, afterMs } = await failed(emulator.url, emulator.token, { attempts: 2 });
    assert.ok(message.startsWith("AGP-035"), message);
    assert.ok(afterMs < LimitMs, shown(afterMs));
    print("connection refused, 2 attempts", `${shown(afterMs)} after the last one, ${shown(allMs)} in all`);
  });

  it("below a second after the last attempt: every 4xx", async () => {
    const emulator = await start();
    let slowest = 0;
    let longest = 0;
    const statuses = Array.from({ length: 52 }, (_, index) => 400 + index).filter(
      (status) => status !== 408 && status !== 429,
    );
    for (const status of statuses) {
      emulator.inject({ kind: "status", status, body: { error: "no" } });
      const { message, allMs, afterMs } = await failed(emulator.url, emulator.token, {});
      assert.ok(/^AGP-03[0-3] .*rejected/.test(message), message);
      slowest = Math.max(slowest, afterMs);
      longest = Math.max(longest, allMs);
    }
    assert.ok(slowest < LimitMs, shown(slowest));
    assert.ok(longest < LimitMs, shown(longest));
    print(
      `${statuses.length} statuses, one attempt each`,
      `at most ${shown(slowest)} after it, ${shown(longest)} in all`,
    );
  });

  it("within the deadline: black hole", async () => {
    const emulator = await start();
    emulator.inject({ kind: "silence", times: Number.POSITIVE_INFINITY });
    const settings = { requestTimeout: 0.4, deadline: 1, attempts: 100 };
    const { message, allMs } = await failed(emulator.url, emulator.token, settings);
    assert.ok(message.startsWith("AGP-040"), message);
    // A busy machine may be late by as much again.
    assert.ok(allMs < 2 * settings.deadline * 1000, shown(allMs));
    print("black hole, a deadline of 1 s", `${shown(allMs)} in all`);
  });
});
