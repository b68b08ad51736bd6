/**
 * Lives by hand: `node -r tsx/cjs test/lives/livesByHand.ts <first|one|two|posts|rollouts> [--most 20]` tries every life of an alphabet and
 * prints those that do not hold, each kind of failure once. `random [--runs 20000] [--seed 1]` draws larger ones, and makes the first that
 * does not hold as small as it can.
 */
import { parseArgs } from "node:util";
import * as fc from "fast-check";
import { firstChapters, holderChapters, postChapters, rolloutChapters } from "./alphabet";
import { type Chapter, type Failed, newExploration } from "./explore";
import type { Life } from "./life";
import { lives, liveWhole } from "./random";
import { failureText, lifeText, tallyText } from "./text";

const alphabets: Readonly<Record<string, () => Iterable<Chapter>>> = {
  first: firstChapters,
  one: () => holderChapters(1),
  two: () => holderChapters(2),
  posts: postChapters,
  rollouts: rolloutChapters,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: "string", default: "20" },
    runs: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});

async function drawLives(): Promise<void> {
  const { seed, runs } = values;
  const { counterexample, errorInstance } = await fc.check(fc.asyncProperty(lives, liveWhole), {
    seed: Number(seed),
    numRuns: Number(runs),
  });
  const [life] = (counterexample ?? []) as [Life?];
  console.log(
    `seed ${seed}: ${life === undefined ? `${runs} lives hold` : `${String(errorInstance)}\n${lifeText(life)}`}`,
  );
}

async function tryAll(title: string): Promise<void> {
  const begun = process.cpuUsage();
  const { live, tally, failed } = newExploration(Number(values.most));
  for (const chapter of alphabets[title]?.() ?? []) {
    await live(chapter);
  }
  const kinds = new Map<string, Failed[]>();
  for (const one of failed) {
    const kind = one.broken.message.replaceAll(/\d+/g, "#").slice(0, 100);
    kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
  }
  for (const [first, ...others] of kinds.values()) {
    console.log(`${first === undefined ? "" : failureText(first)}\nand ${others.length} others like it\n`);
  }
  const { user, system } = process.cpuUsage(begun);
  console.log(tallyText(title, tally, (user + system) / 1e6));
}

const [title = "first"] = positionals;
void (title === "random" ? drawLives() : tryAll(title));
