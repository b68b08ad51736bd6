import assert from "node:assert/strict";
import { before, it } from "mocha";
import { type Chapter, type Failed, newExploration, type Tally } from "./explore";
import type { Life } from "./life";
import type { Oracle } from "./oracles";

/** Such a test takes minutes of processor time, and as much longer as the machine has other work. */
export const BUSY_MACHINE_MS = 45 * 60_000;

/** What each oracle of oracles.ts looks for, as the title of a test. */
const PROMISES: Readonly<Record<Oracle, string>> = {
  agents: "no declared number loses its agents, and none gets others",
  posts: "nothing is posted twice, and no chat ends that stays",
  silence: "what is not changed sends nothing, and no preview does",
  guards: "no guard is passed",
  rest: "after two calm runs all is as declared",
  words: "each failure is said with a code",
};

/** A test for each of these oracles. They share one exploration; what another oracle finds is red, too. */
export function judgedBy(oracles: readonly Oracle[], explore: () => Promise<readonly Failed[]>): void {
  let failed: readonly Failed[] = [];
  before(async function () {
    this.timeout(BUSY_MACHINE_MS);
    failed = await explore();
  });
  const found = (isAsked: (oracle: Oracle) => boolean): string =>
    failed
      .filter(({ broken }) => isAsked(broken.oracle))
      .map(failureText)
      .join("\n\n");
  for (const asked of oracles) {
    it(PROMISES[asked], () =>
      assert.equal(
        found((oracle) => oracle === asked),
        "",
      ),
    );
  }
  it("nothing else is broken", () =>
    assert.equal(
      found((oracle) => !oracles.includes(oracle)),
      "",
    ));
}

/** The same for every life of these chapters. Says how many there were. */
export function everyLife(
  title: string,
  chapters: () => Iterable<Chapter>,
  atLeast: number,
  oracles: readonly Oracle[],
): void {
  let lives = 0;
  judgedBy(oracles, async () => {
    const begun = process.cpuUsage();
    const { tally, failed, live } = newExploration();
    for (const chapter of chapters()) {
      await live(chapter);
    }
    const { user, system } = process.cpuUsage(begun);
    process.stdout.write(`${tallyText(title, tally, (user + system) / 1e6)}\n`);
    lives = tally.lives;
    return failed;
  });
  it(`there are at least ${atLeast} lives`, () => assert.ok(lives >= atLeast, `${lives} lives`));
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
