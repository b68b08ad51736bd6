import assert from "node:assert/strict";
import { BUSY_MACHINE_MS } from "./all";
import { openStack, type Seen, seenOf } from "./bothEngines";
import { type Chosen, chosenLives } from "./sample";
import { lifeText } from "./text";

/** A run of the real engine takes a second or two; two of them keep two cores busy. */
const LANES = 2;

describe("lives of the small engine, lived by the real one", function () {
  this.timeout(BUSY_MACHINE_MS);

  it("do the same, send the same and leave the same, run by run", async () => {
    const { lives, tags } = await chosenLives();
    const told = { failed: [] as string[], runs: 0 };
    const waiting = [...grouped(lives).values()];
    await Promise.all(Array.from({ length: LANES }, () => lane(waiting, told)));
    process.stdout.write(
      `      ${lives.length} lives, ${told.runs} runs of the real engine; they show ${[...tags].sort().join(", ")}\n`,
    );
    assert.ok(told.failed.length === 0, told.failed.join("\n\n"));
    assert.deepEqual(
      STEPS.filter((step) => !tags.has(step)),
      [],
    );
  });
});

const KINDS_OF_NUMBERS = ["numberAssignment", "numberGroup"];
const POSTED = ["smsChat", "communityVoice"];
const FAULTS_OF_ALL = ["refused", "lostBefore", "lostAfter", "tooMany", "diesBefore", "diesAfter"];
const each = (ones: readonly string[], others: readonly string[]) =>
  ones.flatMap((one) => others.map((other) => `${one} ${other}`));

/** Every step of the model. */
const STEPS: readonly string[] = [
  ...each(["create", "same", "delete", "createReplacement", "deleteReplaced"], [...KINDS_OF_NUMBERS, ...POSTED]),
  ...each(["update"], KINDS_OF_NUMBERS),
  ...each(FAULTS_OF_ALL, ["assignNumber", "createSmsChat", "addCommunityVoice", "endChat"]),
  ...each(["contradicting", "stale"], ["assignNumber"]),
  ...each(["the CLI is killed"], ["before a save", "after a save"]),
  ...each(["resources"], ["serial", "together", "reversed"]),
  ...["--continue-on-error", "rejects inline", "rejects with the CLI"],
  ...["freeze", "maxRemove", "maxShift", "steps", "approvedAgents"],
  ...each(["renamed"], ["with an alias", "without an alias"]),
  ...each(["to"], ["another kind", "other numbers"]),
  ...["adopts", "retries", "a provider is gone"],
  ...each(
    ["after"],
    ["an original that waits for its delete", "a failure that was saved", "a POST of unknown outcome"],
  ),
];

type Runs = Chosen["runs"];

function grouped(lives: readonly Chosen[]): ReadonlyMap<string, Chosen[]> {
  const groups = new Map<string, Chosen[]>();
  for (const one of lives) {
    const { fault: _, ...first } = one.runs[0]?.step ?? { program: [] };
    const key = JSON.stringify(first);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

/** Lives with the same first run follow each other, so that what they have in common is lived once. */
async function lane(waiting: (readonly Chosen[])[], told: { readonly failed: string[]; runs: number }): Promise<void> {
  const stack = await openStack();
  try {
    for (let lives = waiting.shift(); lives !== undefined; lives = waiting.shift()) {
      const places = new Map([["", stack.birth]]);
      for (const { runs } of lives) {
        const known = places.size;
        told.failed.push(...(await differences(stack, runs, places)));
        told.runs += places.size - known;
      }
    }
  } finally {
    await stack.close();
  }
}

async function differences(
  stack: Awaited<ReturnType<typeof openStack>>,
  runs: Runs,
  places: Map<string, (typeof stack)["birth"]>,
): Promise<readonly string[]> {
  for (const [index, told] of runs.entries()) {
    const lived = keyOf(runs.slice(0, index + 1));
    if (places.has(lived)) {
      continue;
    }
    const from = places.get(keyOf(runs.slice(0, index)));
    if (from === undefined) {
      return [];
    }
    stack.goTo(from);
    const { seen, place } = await stack.live(told, told.kill);
    try {
      assert.deepEqual(seen, wantedOf(seenOf(told), seen));
    } catch (error) {
      return [`run ${index + 1} of\n${lifeText(runs.map(({ step }) => step))}\n${(error as Error).message}`];
    }
    places.set(lived, place);
  }
  return [];
}

/** Of a run that was killed, the real engine may have told a step or a failure before. */
const wantedOf = (wanted: Seen, { steps }: Seen): Seen => (wanted.steps.length > 0 ? wanted : { ...wanted, steps });

const keyOf = (runs: Runs): string =>
  runs.length === 0 ? "" : JSON.stringify(runs.map(({ step, triggers }) => [step, triggers]));
