import assert from "node:assert/strict";
import { lifeText } from "./life";
import { openStack } from "./realEngine";
import { type Chosen, chosenLives } from "./sample";
import { type Observed, observedIn, type SimulatedRun } from "./seen";

/** How many lives run at once. A run of the real engine takes a second or two, and two runs keep two cores busy. */
const LANES = 2;

describe("the simulated engine", function () {
  // This takes minutes, and longer on a busy machine.
  this.timeout(45 * 60_000);

  it("produces the same steps, requests and states as the real engine", async () => {
    const { lives, tags } = await chosenLives();
    const progress = { failures: [] as string[], runs: 0 };
    const waiting = [...lives];
    await Promise.all(Array.from({ length: LANES }, () => lane(waiting, progress)));
    process.stdout.write(
      `      ${lives.length} lives, ${progress.runs} runs of the real engine, covering ${[...tags].sort().join(", ")}\n`,
    );
    assert.ok(progress.failures.length === 0, progress.failures.join("\n\n"));
    // The real engine can't reproduce any candidate that contains this step.
    assert.deepEqual(
      STEPS.filter((step) => !tags.has(step)),
      ["diesBefore endChat"],
    );
  });
});

const KINDS_OF_NUMBERS = ["numberAssignment", "numberGroup"];
const POSTED = ["smsChat", "communityVoice"];
const FAULTS_OF_ALL = ["refused", "lostBefore", "lostAfter", "tooMany", "diesBefore", "diesAfter"];
const pairs = (firsts: readonly string[], seconds: readonly string[]) =>
  firsts.flatMap((first) => seconds.map((second) => `${first} ${second}`));

/**
 * A tag for everything that can happen in the model (see `tagsOf`). The chosen lives should cover all of these tags.
 */
const STEPS: readonly string[] = [
  ...pairs(["create", "same", "delete", "createReplacement", "deleteReplaced"], [...KINDS_OF_NUMBERS, ...POSTED]),
  ...pairs(["update"], KINDS_OF_NUMBERS),
  ...pairs(FAULTS_OF_ALL, ["assignNumber", "createSmsChat", "addCommunityVoice", "endChat"]),
  "contradicting assignNumber",
  ...pairs(["the CLI is killed"], ["before a save", "after a save"]),
  ...pairs(["resources"], ["serial", "together", "reversed"]),
  ...["continueOnError", "rejects", "isInline"],
  ...["freeze", "maxRemove"],
  ...["was", "adopt", "retryUnresolved", "a provider is gone"],
  ...pairs(
    ["after"],
    ["an original that waits for its delete", "a failure that was saved", "a POST of unknown outcome"],
  ),
];

/**
 * Takes lives from the list until it is empty, and compares each with the real engine. Each life starts with an empty
 * stack.
 */
async function lane(waiting: Chosen[], progress: { readonly failures: string[]; runs: number }): Promise<void> {
  const stack = await openStack();
  try {
    for (let life = waiting.shift(); life !== undefined; life = waiting.shift()) {
      progress.runs += life.runs.length;
      progress.failures.push(...(await differences(stack, life)));
    }
  } finally {
    await stack.close();
  }
}

async function differences(stack: Awaited<ReturnType<typeof openStack>>, { runs }: Chosen): Promise<readonly string[]> {
  stack.begin();
  for (const [index, simulated] of runs.entries()) {
    const observed = await stack.run(simulated, simulated.kill);
    try {
      assert.deepEqual(observed, expectedOf(simulated, observed));
    } catch (error) {
      return [`run ${index + 1} of\n${lifeText(runs.map(({ step }) => step))}\n${(error as Error).message}`];
    }
  }
  return [];
}

/** Returns the results to expect from the real engine. The model of a killed CLI has no steps to compare. */
const expectedOf = (simulated: SimulatedRun, { steps }: Observed): Observed =>
  simulated.result.run === undefined ? { ...observedIn(simulated), steps } : observedIn(simulated);
