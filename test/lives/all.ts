import assert from "node:assert/strict";
import { it } from "mocha";
import { type Chapter, type Failed, newExploration, type Tally } from "./explore";
import type { Life } from "./life";

/** Such a test takes minutes of processor time, and as much longer as the machine has other work. */
export const BUSY_MACHINE_MS = 45 * 60_000;

/** The failure's text begins with the name of the oracle that saw it. */
export function everyOracleHolds(explore: () => Promise<readonly Failed[]>): void {
  it("every oracle holds", async () => {
    const text = (await explore()).map(failureText).join("\n\n");
    assert.equal(text, "", text);
  }).timeout(BUSY_MACHINE_MS);
}

/** The same for every life of these chapters. Says how many there were. */
export function everyLife(title: string, chapters: () => Iterable<Chapter>, atLeast: number): void {
  everyOracleHolds(async () => {
    const begun = process.cpuUsage();
    const { tally, failed, live } = newExploration();
    for (const chapter of chapters()) {
      await live(chapter);
    }
    const { user, system } = process.cpuUsage(begun);
    process.stdout.write(`${tallyText(title, tally, (user + system) / 1e6)}\n`);
    assert.ok(failed.length > 0 || tally.lives >= atLeast, `${tally.lives} lives, and at least ${atLeast} are there`);
    return failed;
  });
}

const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, "$1: ")
    .replaceAll(/,(?=[{"[\w])/g, ", ");

/** A life in words: to be read, and to be pasted into pasted.spec.ts. */
export const lifeText = (life: Life): string => `[\n${life.map((step) => `  ${literal(step)},`).join("\n")}\n]`;

const failureText = ({ life, broken }: Failed): string => `${broken.message}\n${lifeText(life)}`;

/** How many there are, how many ran, how long it took. */
const tallyText = (title: string, { lives, shared, runs, faults, refused }: Tally, seconds: number): string =>
  [
    `      ${title}: ${lives} lives, of which ${lives - shared} were lived to their end and ${shared} came to the place of another one;`,
    `      ${runs} runs of the engine, ${faults} of them with a fault, ${refused} refused by a guard; ${seconds.toFixed(0)} s of processor time`,
  ].join("\n");
