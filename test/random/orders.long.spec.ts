import assert from "node:assert/strict";
import type { Engine } from "../support/miniEngine";
import { ordersInWords, runOrders } from "../support/runOrders";

/** Fixed, so that a red run is red again; `ORDERS=5000 ORDERS_SEED=$RANDOM` for more and others of them. */
const seed = Number(process.env.ORDERS_SEED ?? 20_261_122);
const runs = Number(process.env.ORDERS ?? 200);

describe("numbers that move among holders declared in any order, in programs with mistakes of every kind", () => {
  it(`always have an agent while they are declared, and never one that a guard or a check refused: ${runs} lives, seed ${seed}`, async () => {
    const result = await runOrders({ seed, runs, workers: 2 });
    assert.equal(result.failures.join("\n\n"), "");
    const { lives, failed, requests, faults, kills } = result;
    assert.ok(lives >= runs, ordersInWords(result));
    // Lives in which nothing happens would prove nothing.
    assert.ok(
      requests > 5 * runs && failed > runs / 2 && faults > runs / 2 && kills > runs / 50,
      ordersInWords(result),
    );
  });
});

/** The judge must see what it is there for. */
describe("the judge of the orders", () => {
  const spoilt = (spoil: (engine: Engine) => Partial<Engine>) =>
    runOrders({
      seed,
      runs: 60,
      workers: 1,
      shrinks: false,
      spoil: (machine) => {
        const { engine } = machine;
        const state = { get: () => engine.state };
        return { ...machine, engine: Object.defineProperty({ ...engine, ...spoil(engine) }, "state", state) };
      },
    });

  it("finds a number that is cleared in the middle of a run, as by an engine that declares one resource after the deletes", async () => {
    const { failures } = await spoilt((engine) => ({
      async up(program, options) {
        await engine.up(program.slice(0, -1), { ...options, continueOnError: false });
        return engine.up(program, options);
      },
    }));
    assert.match(failures.join("\n"), /left \+1555000000\d without its agent, and the program declares it/);
  });

  it("finds an agent that a guard should have refused", async () => {
    const { failures } = await spoilt((engine) => ({
      up(program, options) {
        const { default: main, second } = options.configs;
        const open = { "agent-platform:maxUnapproved": 100 };
        return engine.up(program, {
          ...options,
          configs: { default: { ...main, ...open }, second: { ...second, ...open } },
        });
      },
    }));
    assert.match(failures.join("\n"), /bound an agent to \+1555000000\d that the guard refuses/);
  });

  it("finds a number that a run that succeeded leaves without what is declared", async () => {
    const { failures } = await spoilt((engine) => ({
      up: (program, options) => engine.up(program.slice(0, -1), options),
    }));
    assert.match(failures.join("\n"), /after a run that succeeded, and is declared|without its agent/);
  });

  it("finds a run that sends what is there already", async () => {
    const { failures } = await spoilt((engine) => ({
      up: (program, options) => {
        engine.load([]);
        return engine.up(program, options);
      },
    }));
    assert.match(
      failures.join("\n"),
      /a run without a change sent something|after a run that succeeded, and is declared/,
    );
  });
});
