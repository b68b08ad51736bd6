import assert from "node:assert/strict";
import type { Chain } from "../support/chainArbitraries";
import { chainLives, liveChain } from "../support/chains";
import { holdAll, newTally, spoilt } from "../support/lives";
import { createMiniEngine, type Engine } from "../support/miniEngine";
import { createProviders, type Providers } from "../support/miniEngineProviders";

/** Fixed, so that a red run is red again; `livesByHand.ts chains` for others and more of them. */
const seed = 20_261_121;

describe("random lives of a stack", () => {
  it("lose nothing, send nothing twice and come to rest: 2000 of them", () =>
    holdAll(
      chainLives,
      { seed, runs: 2000 },
      ({ requests, faults, kills }) => requests > 8000 && faults > 1000 && kills > 50,
    ));

  it("hold over the plugin's wire as well: a quarter as many", () =>
    holdAll(chainLives, { seed: seed + 1000, runs: 500, edge: "plugin" }, ({ requests }) => requests > 2000));

  // Each takes the CLI some ten seconds.
  it("hold with the real engine: 20 of them", () =>
    holdAll(chainLives, { seed, runs: 20, workers: 2, engine: "real" }, ({ faults }) => faults > 5));
});

/** The judge must see what it is there for. */
describe("the judge of the random lives", () => {
  let providers: Providers;
  before(() => {
    providers = createProviders();
  });
  after(() => providers.close());

  const chat: Chain = {
    profile: "default",
    isScoped: false,
    attempts: 1,
    idle: ["preview"],
    steps: [
      {
        changes: [
          {
            do: "edit",
            slot: "c1",
            edit: {
              routing: { split: 0, hasWebhook: false, outbound: "none", timeRouting: undefined, hasFallback: false },
              numbers: 0,
              chat: "to",
            },
          },
        ],
        run: { command: "up", continueOnError: true, target: undefined, faults: [], kill: undefined },
      },
    ],
  };

  const live = async (spoil: (engine: Engine) => Partial<Engine>) => {
    const tally = newTally();
    const machine = spoilt({ engine: createMiniEngine(providers), providers }, spoil);
    await liveChain({ machine, tally, trace() {} }, chat);
    return tally;
  };

  it("finds nothing in a life without trouble", async () => {
    assert.deepEqual(await live(() => ({})), { ...newTally(), runs: 4, requests: 2 });
  });

  it("finds a chat of which the state does not know", () =>
    assert.rejects(
      live((engine) => ({
        async up(program, options) {
          const result = await engine.up(program, options);
          engine.load(engine.state.map((saved) => ({ ...saved, id: "another" })));
          return result;
        },
      })),
      /chat to \+15560000002 is lost/,
    ));

  it("finds a message that was sent twice", () =>
    assert.rejects(
      live((engine) => ({
        async up(program, options) {
          const result = await engine.up(program, options);
          engine.load([]);
          return result;
        },
      })),
      /c1-2 was posted 2 times/,
    ));

  it("finds a change that is seen again and again", () =>
    assert.rejects(
      live(() => ({
        preview: async () => ({ steps: [{ op: "update", name: "c1-2" }], failures: [], said: "", isOk: true }),
      })),
      /preview without a change has steps/,
    ));
});
