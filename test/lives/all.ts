import assert from "node:assert/strict";
import { type Chapter, newExploration, type Tally } from "./explore";
import type { Life } from "./life";
import type { Broken } from "./oracles";

/** Such a test takes minutes of processor time, and as much longer as the machine has other work. */
export const BUSY_MACHINE_MS = 45 * 60_000;

/** For a test: lives every life of these chapters, and says how many there were. */
export async function liveAll(title: string, chapters: Iterable<Chapter>, atLeast: number): Promise<void> {
  const begun = process.cpuUsage();
  const exploration = newExploration();
  for (const chapter of chapters) {
    await exploration.live(chapter);
  }
  const { tally, failed } = exploration;
  const { user, system } = process.cpuUsage(begun);
  process.stdout.write(`${tallyText(title, tally, (user + system) / 1e6)}\n`);
  assert.equal(failed.map(failureText).join("\n\n"), "");
  assert.ok(tally.lives >= atLeast, `${tally.lives} lives`);
}

const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, "$1: ")
    .replaceAll(/,(?=[{"[\w])/g, ", ");

/** A life in words: to be read, and to be pasted into pasted.spec.ts. */
export const lifeText = (life: Life): string => `[\n${life.map((step) => `  ${literal(step)},`).join("\n")}\n]`;

const failureText = ({ life, broken }: { readonly life: Life; readonly broken: Broken }): string =>
  `${broken.message}\n${lifeText(life)}`;

/** How many there are, how many ran, how long it took. */
const tallyText = (title: string, { lives, shared, runs, faults, refused }: Tally, seconds: number): string =>
  [
    `      ${title}: ${lives} lives, of which ${lives - shared} were lived to their end and ${shared} came to the place of another one;`,
    `      ${runs} runs of the engine, ${faults} of them with a fault, ${refused} refused by a guard; ${seconds.toFixed(0)} s of processor time`,
  ].join("\n");
