import assert from "node:assert/strict";
import { type Chain, liveChain } from "../support/chains";
import { createMiniEngine, type Engine } from "../support/miniEngine";
import { createProviders, type Providers } from "../support/miniEngineProviders";
import { inWords, runChains } from "../support/runChains";

/** Fixed, so that a red run is red again; another one now and then: `CHAINS_SEED=$RANDOM`, and `CHAINS=20000` for more of them. */
const seed = Number(process.env.CHAINS_SEED ?? 20_261_121);
const runs = Number(process.env.CHAINS ?? 2000);

describe("random lives of a stack", () => {
  it(`lose nothing, send nothing twice and come to rest: ${runs} of them, seed ${seed}`, async () => {
    const result = await runChains({ seed, runs, workers: 4 });
    assert.equal(result.failures.join("\n\n"), "");
    assert.ok(result.chains >= runs, inWords(result));
    // Lives in which nothing happens would prove nothing.
    const { faults, deaths, requests } = result;
    assert.ok(requests > 4 * runs && faults > runs / 2 && deaths > runs / 40, inWords(result));
  });

  it("hold over the plugin's wire as well: a quarter as many", async () => {
    const result = await runChains({ seed: seed + 1000, runs: Math.ceil(runs / 4), workers: 4, edge: "plugin" });
    assert.equal(result.failures.join("\n\n"), "");
    assert.ok(result.requests > runs, inWords(result));
  });
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

  const live = (spoil: (engine: Engine) => Partial<Engine>) => {
    const engine = createMiniEngine(providers);
    const spoilt = Object.defineProperty({ ...engine, ...spoil(engine) }, "state", { get: () => engine.state });
    return liveChain({ engine: spoilt, providers }, chat);
  };

  it("finds nothing in a life without trouble", async () => {
    assert.deepEqual(await live(() => ({})), { runs: 4, requests: 2, faults: 0, deaths: 0 });
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
