import assert from "node:assert/strict";
import { holdAll, liveAll, spoilt } from "../support/lives";
import type { Engine } from "../support/miniEngine";
import { liveOrders, orderLives } from "../support/orderLives";

/** Fixed, so that a red run is red again; `livesByHand.ts orders` for others and more of them. */
const seed = 20_261_122;

describe("numbers that move among holders declared in any order, in programs with mistakes of every kind", () => {
  it("always have an agent while they are declared, and never one that a guard or a check refused: 200 lives", () =>
    holdAll(
      orderLives,
      { seed, runs: 200, workers: 2 },
      ({ requests, failed, faults, kills }) => requests > 1000 && failed > 100 && faults > 100 && kills > 4,
    ));
});

/** The judge must see what it is there for. */
describe("the judge of the orders", () => {
  const spoiltLives = (spoil: (engine: Engine) => Partial<Engine>) =>
    liveAll(
      {
        ...orderLives,
        live: (stage, life) => liveOrders({ ...stage, machine: spoilt(stage.machine, spoil) }, life),
      },
      { seed, runs: 60, workers: 1, shrinks: false },
    );

  it("finds a number that is cleared in the middle of a run, as by an engine that declares one resource after the deletes", async () => {
    const { failures } = await spoiltLives((engine) => ({
      async up(program, options) {
        await engine.up(program.slice(0, -1), { ...options, continueOnError: false });
        return engine.up(program, options);
      },
    }));
    assert.match(failures.join("\n"), /left \+1555000000\d without its agent, and the program declares it/);
  });

  it("finds an agent that a guard should have refused", async () => {
    const { failures } = await spoiltLives((engine) => ({
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
    const { failures } = await spoiltLives((engine) => ({
      up: (program, options) => engine.up(program.slice(0, -1), options),
    }));
    assert.match(failures.join("\n"), /after a run that succeeded, and is declared|without its agent/);
  });

  it("finds a run that sends what is there already", async () => {
    const { failures } = await spoiltLives((engine) => ({
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
