import type { Properties } from "../support/providerCalls";
import { BEGINNING, type History, withProgram, withRun } from "./history";
import { judgeIdle, judgePreview, judgeRest, judgeRun } from "./oracles";
import { isOfNumbers, numberOf, type Program, type Resource } from "./program";
import { NOTHING, type RunResult, runStep, type Step, type World } from "./world";

/** The state of a life between two runs. */
export interface Place {
  readonly world: World;
  readonly history: History;
}

export const BIRTH: Place = { world: NOTHING, history: BEGINNING };

/** All runs of a simulated stack, starting with an empty stack. */
export type Life = readonly Step[];

/** Formats a life as source code that can be pasted into pasted.spec.ts. */
export const lifeText = (life: Life): string => `[\n${life.map((step) => `  ${literal(step)},`).join("\n")}\n]`;

const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, "$1: ")
    .replaceAll(/,(?=[{"[\w])/g, ", ");

/** Simulates one `pulumi up`, and checks the invariants that hold after every run. */
export async function upAndJudge(place: Place, step: Step): Promise<Place & { readonly result: RunResult }> {
  const declared = withProgram(place.history, step);
  const result = await runStep(place.world, step, "up", place.history.triggers);
  const history = withRun(declared, step, result, place.world);
  // `judgeRun` needs the history after this run, but `last` and `isCalm` from before it.
  const { last, isCalm } = place.history;
  judgeRun({ ...history, last, isCalm }, step, place.world, result);
  return { world: result.world, history, result };
}

/** Simulates one `pulumi preview`, and checks that it sends nothing. */
export async function previewAndJudge(place: Place, step: Step): Promise<RunResult> {
  const result = await runStep(place.world, step, "preview", place.history.triggers);
  judgePreview(result);
  return result;
}

/**
 * Recovers in one or two runs without faults, following the runbooks. Then checks that the platform matches the
 * program, and that another run does nothing.
 */
export async function bringToRest(place: Place, { program, guards }: Step): Promise<Place> {
  let next = recoveryFrom(place, { program, ...(guards !== undefined && { guards }) });
  let recovered = await upAndJudge(next.place, next.step);
  if (needsAnotherRun(recovered)) {
    next = recoveryFrom(recovered, next.step);
    recovered = await upAndJudge(next.place, next.step);
  }
  judgeRest(recovered.history, program, recovered.result);
  const idle = await upAndJudge(recovered, next.step);
  judgeIdle(idle.result);
  return recovered;
}

/** Returns the run that an operator would start next, following the runbooks. */
export function recoveryFrom(place: Place, step: Step): { readonly place: Place; readonly step: Step } {
  const from = afterRunbook(place, step.program);
  return { place: from, step: { ...step, program: resolved(step.program, from), continueOnError: true } };
}

/** Whether the operator has to start another run. */
export const needsAnotherRun = (place: Place & { readonly result: RunResult }): boolean =>
  place.result.failures.length > 0 || isUnresolved(place);

/** Changes `triggers` if a runbook says so, so that the next run sends the routing of the affected numbers again. */
const afterRunbook = (place: Place, program: Program): Place => ({
  ...place,
  history: { ...place.history, triggers: nextTriggers(place.history, program) },
});

/**
 * Returns the next value of `triggers`. The runbooks say to change it after a killed run, or after a delete with an
 * unknown outcome.
 */
const nextTriggers = ({ touched, triggers }: History, program: Program): number =>
  program.some(({ numbers = [] }) => numbers.some((digit) => touched.has(numberOf(digit)))) ? triggers + 1 : triggers;

const isUnresolved = ({ world }: Place): boolean => world.kept.state.some(({ outputs }) => outputs.unresolved === true);

/**
 * Resolves each unresolved voice and chat as an operator would: sets `adopt` if it exists on the platform, and
 * otherwise `retryUnresolved`, which sends the request again.
 */
function resolved(program: Program, { world }: Place): Program {
  const { kept, store } = world;
  const known = new Set(kept.state.map(({ id }) => id));
  return program.map((resource): Resource => {
    const unresolved = kept.state.find(({ name, outputs }) => name === resource.name && outputs.unresolved === true);
    if (unresolved === undefined || isOfNumbers(resource)) {
      return resource;
    }
    const { metadata, voiceName: logical = (metadata as Properties | undefined)?.logical } = unresolved.outputs;
    const found =
      resource.kind === "chat"
        ? store.chats.find(
            ({ metadata, chatId, ended }) => metadata?.logical === logical && !ended && !known.has(chatId),
          )?.chatId
        : store.voices.find(({ voiceName, voiceId }) => voiceName === logical && !known.has(voiceId))?.voiceId;
    return found === undefined ? { ...resource, retryUnresolved: unresolved.id } : { ...resource, adopt: found };
  });
}
