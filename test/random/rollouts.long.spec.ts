import assert from "node:assert/strict";
import * as fc from "fast-check";
import { checkLives } from "../support/checkLives";
import type { EdgeName } from "../support/edges";
import { createMiniEngine } from "../support/miniEngine";
import { createProviders } from "../support/miniEngineProviders";
import { createRealEngine } from "../support/realEngine";
import {
  abortLives,
  liveToAbort,
  type RolloutLife,
  type RolloutMachine,
  type RolloutTally,
  token,
  walkBySteps,
  walks,
} from "../support/rolloutLives";

/**
 * Fixed, so that a red run is red again. More of them: `ROLLOUTS=5000`, each test for at most `ROLLOUTS_SECONDS`; another seed:
 * `ROLLOUTS_SEED=$RANDOM`; a life that failed once more: `ROLLOUTS_PATH=…` as printed. With the real CLI: `ROLLOUTS_REAL=100`.
 */
const seed = Number(process.env.ROLLOUTS_SEED ?? 20_261_123);
const runs = Number(process.env.ROLLOUTS ?? 300);
const real = Number(process.env.ROLLOUTS_REAL ?? 2);
const { ROLLOUTS_SECONDS: seconds } = process.env;

type Live = (machine: RolloutMachine, life: RolloutLife, tally: RolloutTally) => Promise<void>;

async function check(
  lives: fc.Arbitrary<RolloutLife>,
  live: Live,
  numRuns: number,
  open: () => Promise<RolloutMachine & { close?(): Promise<void> }>,
  more: { readonly shrinks?: boolean } = {},
) {
  let lived = 0;
  const tally: RolloutTally = { runs: 0, refused: 0, failed: 0, kills: 0, aborts: 0 };
  const property = fc.asyncProperty(lives, async (life) => {
    const machine = await open();
    lived += 1;
    await live(machine, life, tally).finally(() => machine.close?.());
  });
  const limit = seconds === undefined ? {} : { seconds: Number(seconds) };
  const options = { seed, runs: numRuns, path: process.env.ROLLOUTS_PATH, ...limit, ...more };
  const failure = await checkLives(property, options, (seedAndPath, life) => [
    `To live it again, ROLLOUTS_SEED and ROLLOUTS_PATH: ${seedAndPath}`,
    JSON.stringify(life),
  ]);
  const { runs: ups, refused, failed, kills, aborts } = tally;
  process.stdout.write(
    `      ${lived} lives: ${ups} runs, ${refused} refused, ${failed} failed, ${kills} killed, ${aborts} aborts\n`,
  );
  // At once: the other lives of a long run go on for minutes.
  process.stdout.write(failure === undefined ? "" : `${failure}\n`);
  assert.ok(failure === undefined, "see above");
  return { ...tally, lived };
}

async function onSmallEngine(edge: EdgeName, lives: fc.Arbitrary<RolloutLife>, live: Live, numRuns: number) {
  const providers = createProviders(edge);
  try {
    return await check(lives, live, numRuns, async () => ({
      engine: createMiniEngine(providers),
      kill: () => providers.killAll(),
    }));
  } finally {
    await providers.close();
  }
}

for (const edge of ["dynamic", "plugin"] as const) {
  const numRuns = edge === "dynamic" ? runs : Math.ceil(runs / 2);
  describe(`random rollouts over the ${edge} edge, seed ${seed}`, () => {
    it(`an abort is heard in every state: ${numRuns} lives`, async () => {
      const { aborts, failed, kills, refused, lived } = await onSmallEngine(edge, abortLives, liveToAbort, numRuns);
      // Lives in which nothing happens would prove nothing.
      assert.ok(aborts > lived / 3 && failed > lived / 10 && kills > lived / 20 && refused > lived / 10);
    });

    it(`with the guard steps no agent rises by more than one step: ${numRuns} lives`, async () => {
      const { failed, refused, lived } = await onSmallEngine(edge, walks, walkBySteps, numRuns);
      assert.ok(failed > lived / 10 && refused > lived / 10);
    });
  });
}

describe("random rollouts with the real CLI", () => {
  it(`an abort is heard in every state: ${real} lives, seed ${seed}`, async () => {
    const open = async () => {
      const engine = await createRealEngine(token);
      return { engine, kill: async () => engine.kill("cli"), close: () => engine.close() };
    };
    await check(abortLives, liveToAbort, real, open, { shrinks: false });
  });
});
