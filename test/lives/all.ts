import assert from "node:assert/strict";
import { type Chapter, newExploration } from "./explore";
import { failureText, tallyText } from "./text";

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
