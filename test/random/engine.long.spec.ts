import assert from "node:assert/strict";
import { inWords, runChains } from "../support/runChains";

/** Each takes the CLI some ten seconds; `ENGINE_CHAINS=100` lives more of them. */
const seed = Number(process.env.CHAINS_SEED ?? 20_261_121);
const runs = Number(process.env.ENGINE_CHAINS ?? 20);

describe("random lives of a stack with the real engine", () => {
  it(`lose nothing, send nothing twice and come to rest: ${runs} of them, seed ${seed}`, async () => {
    const result = await runChains({ engine: "real", seed, runs, workers: 2 });
    assert.equal(result.failures.join("\n\n"), "");
    assert.ok(result.chains >= runs && result.faults > runs / 4, inWords(result));
  });
});
