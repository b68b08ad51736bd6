import type { Properties } from "../support/providerCalls";
import { after, BEGINNING, declaring, type History } from "./history";
import { judgeIdle, judgePreview, judgeRest, judgeRun } from "./oracles";
import { isOfNumbers, numberOf, type Piece, type Program } from "./program";
import { type Lived, live, NOTHING, type Step, type World } from "./world";

/** Where a life has come to. */
export interface Place {
  readonly world: World;
  readonly history: History;
}

export const BIRTH: Place = { world: NOTHING, history: BEGINNING };

/** A life as data, to be read and pasted. */
export type Life = readonly Step[];

/** A life in words: to be read, and to be pasted into pasted.spec.ts. */
export const lifeText = (life: Life): string => `[\n${life.map((step) => `  ${literal(step)},`).join("\n")}\n]`;

const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, "$1: ")
    .replaceAll(/,(?=[{"[\w])/g, ", ");

/** One run, judged. */
export async function lived(place: Place, step: Step): Promise<Place & { readonly lived: Lived }> {
  const declared = declaring(place.history, step);
  const result = await live(place.world, step, "up", place.history.triggers);
  const history = after(declared, step, result, place.world);
  // What is new is judged against what was declared before the run began, and by what it did.
  const { last, isCalm } = place.history;
  judgeRun({ ...history, last, isCalm }, step, place.world, result);
  return { world: result.world, history, lived: result };
}

export async function previewed(place: Place, step: Step): Promise<Lived> {
  const result = await live(place.world, step, "preview", place.history.triggers);
  judgePreview(result);
  return result;
}

/** The faults are over: after two runs the platform has what is declared, and the next one sends nothing. */
export async function broughtToRest(place: Place, { program, guards }: Step): Promise<Place> {
  let next = recovering(place, { program, ...(guards !== undefined && { guards }) });
  let at = await lived(next.place, next.step);
  if (isAmiss(at)) {
    next = recovering(at, next.step);
    at = await lived(next.place, next.step);
  }
  judgeRest(at.history, program, at.lived);
  const idle = await lived(at, next.step);
  judgeIdle(idle.lived);
  return at;
}

/** The run that an operator starts next, following the runbooks. */
export function recovering(place: Place, step: Step): { readonly place: Place; readonly step: Step } {
  const from = afterRunbook(place, step.program);
  return { place: from, step: { ...step, program: resolved(step.program, from), continueOnError: true } };
}

/** Whether the operator has to start another run. */
export const isAmiss = (place: Place & { readonly lived: Lived }): boolean =>
  place.lived.failures.length > 0 || isUnresolved(place);

/** The place from which the next run sends what the runbooks ask for: `triggers` are changed after a death. */
const afterRunbook = (place: Place, program: Program): Place => ({
  ...place,
  history: { ...place.history, triggers: nextTriggers(place.history, program) },
});

/** What the runbooks ask for after a death, and after a delete of unknown outcome. */
const nextTriggers = ({ touched, triggers }: History, program: Program): number =>
  program.some(({ numbers = [] }) => numbers.some((digit) => touched.has(numberOf(digit)))) ? triggers + 1 : triggers;

const isUnresolved = ({ world }: Place): boolean => world.kept.state.some(({ outputs }) => outputs.unresolved === true);

/** The operator looks for what an unresolved POST has left on the platform: it is adopted if it is there, else sent once more. */
function resolved(program: Program, { world }: Place): Program {
  const { kept, store } = world;
  const known = new Set(kept.state.map(({ id }) => id));
  return program.map((piece): Piece => {
    const open = kept.state.find(({ name, outputs }) => name === piece.name && outputs.unresolved === true);
    if (open === undefined || isOfNumbers(piece)) {
      return piece;
    }
    const { metadata, voiceName: logical = (metadata as Properties | undefined)?.logical } = open.outputs;
    const found =
      piece.kind === "chat"
        ? store.chats.find(
            ({ metadata, chatId, ended }) => metadata?.logical === logical && !ended && !known.has(chatId),
          )?.chatId
        : store.voices.find(({ voiceName, voiceId }) => voiceName === logical && !known.has(voiceId))?.voiceId;
    return found === undefined ? { ...piece, retryUnresolved: open.id } : { ...piece, adopt: found };
  });
}
