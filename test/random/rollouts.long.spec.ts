import type { EdgeName } from "../support/edges";
import { holdAll } from "../support/lives";
import { abortLives, walkLives } from "../support/rolloutLives";

/** Fixed, so that a red run is red again; `livesByHand.ts aborts` and `walks` for others and more of them. */
const seed = 20_261_123;

const lives: readonly [EdgeName, number][] = [
  ["dynamic", 300],
  ["plugin", 150],
];

for (const [edge, runs] of lives) {
  describe(`random rollouts over the ${edge} edge`, () => {
    it(`an abort is heard in every state: ${runs} lives`, () =>
      holdAll(
        abortLives,
        { seed, runs, workers: 1, edge },
        ({ aborts, failed, kills, refused }) =>
          aborts > runs / 3 && failed > runs / 10 && kills > runs / 20 && refused > runs / 10,
      ));

    it(`with the guard steps no agent rises by more than one step: ${runs} lives`, () =>
      holdAll(
        walkLives,
        { seed, runs, workers: 1, edge },
        ({ failed, refused }) => failed > runs / 10 && refused > runs / 10,
      ));
  });
}

describe("random rollouts with the real CLI", () => {
  it("an abort is heard in every state: 2 lives", () =>
    holdAll(abortLives, { seed, runs: 2, workers: 1, engine: "real", shrinks: false }, ({ aborts }) => aborts > 0));
});
