import assert from "node:assert/strict";
import { lifeText } from "./life";
import { openStack } from "./realEngine";
import { type Chosen, chosenLives } from "./sample";
import { type Seen, seenOf } from "./seen";

/** A run of the real engine takes a second or two; two of them keep two cores busy. */
const LANES = 2;

describe("the simulated engine", function () {
  // Minutes, and as much longer as the machine has other work.
  this.timeout(45 * 60_000);

  it("produces the same steps, requests and states as the real engine", async () => {
    const { lives, tags } = await chosenLives();
    const told = { failed: [] as string[], runs: 0 };
    const waiting = [...lives];
    await Promise.all(Array.from({ length: LANES }, () => lane(waiting, told)));
    process.stdout.write(
      `      ${lives.length} lives, ${told.runs} runs of the real engine; they show ${[...tags].sort().join(", ")}\n`,
    );
    assert.ok(told.failed.length === 0, told.failed.join("\n\n"));
    // No candidate that the real engine can live has it.
    assert.deepEqual(
      STEPS.filter((step) => !tags.has(step)),
      ["diesBefore endChat"],
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
  "contradicting assignNumber",
  ...each(["the CLI is killed"], ["before a save", "after a save"]),
  ...each(["resources"], ["serial", "together", "reversed"]),
  ...["continueOnError", "rejects", "isInline"],
  ...["freeze", "maxRemove"],
  ...["was", "adopt", "retryUnresolved", "a provider is gone"],
  ...each(
    ["after"],
    ["an original that waits for its delete", "a failure that was saved", "a POST of unknown outcome"],
  ),
];

/** Each life begins with a new stack. */
async function lane(waiting: Chosen[], told: { readonly failed: string[]; runs: number }): Promise<void> {
  const stack = await openStack();
  try {
    for (let life = waiting.shift(); life !== undefined; life = waiting.shift()) {
      told.runs += life.runs.length;
      told.failed.push(...(await differences(stack, life)));
    }
  } finally {
    await stack.close();
  }
}

async function differences(stack: Awaited<ReturnType<typeof openStack>>, { runs }: Chosen): Promise<readonly string[]> {
  stack.begin();
  for (const [index, told] of runs.entries()) {
    const seen = await stack.live(told, told.kill);
    try {
      assert.deepEqual(seen, wantedOf(seenOf(told), seen));
    } catch (error) {
      return [`run ${index + 1} of\n${lifeText(runs.map(({ step }) => step))}\n${(error as Error).message}`];
    }
  }
  return [];
}

/** Of a run that was killed, the real engine may have told a step or a failure before. */
const wantedOf = (wanted: Seen, { steps }: Seen): Seen => (wanted.steps.length > 0 ? wanted : { ...wanted, steps });
