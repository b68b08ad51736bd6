import * as fc from "fast-check";
import { describe, it } from "mocha";
import { lifeText } from "./life";
import { lives, runLife } from "./random";

/** A fixed seed, so that a failure can be reproduced. Change the seed or the number of runs to test other lives. */
const SEED = 20_261_124;
const RUNS = 8000;

describe("a simulated stack", () => {
  it("maintains all invariants in random scenarios with faults", async function () {
    // This takes minutes of CPU time, and longer on a busy machine.
    this.timeout(45 * 60_000);
    const property = fc.asyncProperty(lives, runLife);
    const { counterexample, errorInstance } = await fc.check(property, { seed: SEED, numRuns: RUNS });
    if (counterexample !== null) {
      // If an invariant was violated, the error starts with the name of its oracle. Any other error was thrown by the
      // provider or the model.
      throw new Error(`${errorInstance}\n${lifeText(counterexample[0])}`, { cause: errorInstance });
    }
  });
});
