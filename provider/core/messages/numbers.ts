import type { UnappliedReason } from "../change/state";
import { type Code, remedyOf } from "../common/codes";
import type { Failure } from "../platform/operations";
import { facts, remedyFor, type Target } from "./exchange";
import { counted, type Message, named, say, some } from "./message";

/** A delete, alone or of a replacement, goes to the platform that the state names. */
export const endpointDiffers = (who: string, saved: string, now: string): Message =>
  say(
    "AGP-060",
    who,
    `Nothing was sent: the state was created against ${saved}; the settings point to ${now}.`,
    `Set agent-platform:baseUrl to ${saved} and run again, or remove the resource from the state with \`pulumi state delete\`.`,
  );

// --- numbers that a delete clears, or does not clear

export const declaredElsewhere = (who: string, numbers: readonly string[]): Message =>
  say(
    "AGP-061",
    who,
    `${counted(numbers.length, "number")} not cleared, because the program now declares ${numbers.length === 1 ? "it" : "them"} elsewhere${named(numbers)}.`,
  );

export const notKnown = (who: string, numbers: readonly string[]): Message =>
  say(
    "AGP-062",
    who,
    `the platform does not know ${counted(numbers.length, "number")} (404), so there is nothing to clear${named(numbers)}.`,
  );

export function groupDeleted(who: string, numbers: readonly string[]): Message {
  const lose = numbers.length === 1 ? "loses its agents" : "lose their agents";
  return say("AGP-072", who, `is deleted: ${counted(numbers.length, "number")} ${lose}${named(numbers)}.`);
}

/** Fields that were to be cleared, and the ways that were tried. */
export const stillShown = (left: readonly string[], tried: readonly string[]): string =>
  `the platform still returns ${left.join(", ")}; tried ${tried.join(", ")}`;

/** Why a delete waits. */
export const UNCONFIRMED = "another resource declares this number, but could not assign it in this run";
const FALLBACK_SAVED =
  "The saved state names a routing in `onDelete`, which is no argument. Declare it without `onDelete`, run `pulumi up`, and remove it then. Or keep the routing of its numbers with `pulumi state delete`";
export const RUN_FAILED =
  "the program or another resource failed in this run, so it is not known what the program declares";

export const postponed = (who: string, why: string): Message =>
  say("AGP-074", who, `Delete not sent: ${why}.`, `The resource stays in the state. ${remedyOf("AGP-074")}`);

export const stackMoved = (who: string, language: string): Message =>
  say(
    "AGP-074",
    who,
    `Delete not sent: the program is in ${language} now, and one in another language applied this, so it is not known here what is still declared.`,
    `The resource stays in the state. Go back to the program of before, run \`pulumi up\`, and move to ${language} without another change.`,
  );

export const fallbackSaved = (who: string): Message =>
  say("AGP-081", who, `Delete not sent. ${FALLBACK_SAVED}.`, "The resource stays in the state.");

export const deletedFirst = (who: string): Message =>
  say(
    "AGP-075",
    who,
    "Delete not sent: `deleteBeforeReplace` would clear numbers before it is known which ones the program still declares.",
    `The resource stays in the state, and its numbers keep their agents. ${remedyOf("AGP-075")}`,
  );

/** The program marks in this folder that it has failed. */
export const unknownFailure = (why: string, folder: string): Message =>
  say(
    "AGP-076",
    undefined,
    `No number is cleared and no chat is ended, because it is not known whether the program failed: ${folder} ${why}.`,
    remedyOf("AGP-076"),
  );

// --- groups

/** A number that was not applied, or not cleared. */
export interface FailedNumber {
  readonly number: string;
  readonly reason: UnappliedReason;
  /** Why, in words that are the same for the same cause. */
  readonly cause: string;
  readonly code?: Code | undefined;
  readonly failure?: Failure | undefined;
}

interface FailedNumbers extends Omit<FailedNumber, "number"> {
  readonly numbers: string[];
}

/** Failures by cause, most frequent first and what was never sent last, so that 400 equal ones are one line. */
function byCause(failed: readonly FailedNumber[]): FailedNumbers[] {
  const groups = new Map<string, FailedNumbers>();
  for (const { number, ...one } of failed) {
    const key = `${one.reason} ${one.cause}`;
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { ...one, numbers: [number] });
    } else {
      group.numbers.push(number);
    }
  }
  // Requests end in any order, and a reader expects sorted numbers.
  for (const { numbers } of groups.values()) {
    numbers.sort();
  }
  const isUnsent = ({ reason }: FailedNumbers) => Number(reason === "not sent");
  return [...groups.values()].sort((a, b) => isUnsent(a) - isUnsent(b) || b.numbers.length - a.numbers.length);
}

/** What the state has of the numbers now. `stays`: their delete failed. `left`: the delete of numbers that left a group failed. */
export type SavedAs = "saved" | "untouched" | "stays" | "left";

const OUTCOMES: Record<UnappliedReason, { applied: string; cleared: string }> = {
  rejected: { applied: "routing unchanged", cleared: "not cleared" },
  unknown: { applied: "outcome unknown: old or new routing", cleared: "outcome unknown: cleared or not" },
  different: { applied: "the response differs", cleared: "not cleared" },
  "not sent": { applied: "routing unchanged", cleared: "not cleared" },
};

const SAVED_SENTENCES: Record<SavedAs, (missed: number) => string> = {
  saved: (missed) => `Saved; the next \`pulumi up\` sends ${missed === 1 ? "this number" : `these ${missed}`} only.`,
  untouched: () => "Nothing is saved.",
  // A failed delete may have cleared numbers, and it saves nothing. So an operator who keeps the resource has to send its routing again.
  stays: () => "The resource stays in the state. To keep the routing after all, change `triggers` and run `pulumi up`.",
  // A failed delete saves nothing, so the next one clears all of them again.
  left: () =>
    "The original stays in the state. The next `pulumi up` clears every number of it that the program does not declare by then.",
};

/** How many causes are shown: the platform's words may differ from number to number. */
const MOST_CAUSES = 8;

/** What failed: of one number its cause, of a group the causes with counts and the first few numbers, and what to do about the first. */
export function numbersFailed(
  who: string,
  failed: readonly FailedNumber[],
  { all, savedAs, isSingle }: { readonly all: number; readonly savedAs: SavedAs; readonly isSingle: boolean },
  target: Target,
): Message {
  const verb = savedAs === "stays" || savedAs === "left" ? "cleared" : "applied";
  const causes = byCause(failed);
  const [single] = isSingle ? causes : [];
  const told = causes.find(({ code }) => code !== undefined);
  return say(
    (single && told?.code) ?? "AGP-070",
    who,
    ...(single
      ? [`${OUTCOMES[single.reason][verb]}; ${single.cause}.`, single.failure ? facts(single.failure) : ""]
      : countedCauses(causes, all, verb)),
    SAVED_SENTENCES[savedAs](failed.length),
    told?.code === undefined ? "" : remedyFor(told.code, told.failure, target),
  );
}

function countedCauses(causes: readonly FailedNumbers[], all: number, verb: "applied" | "cleared"): string[] {
  const missed = countOf(causes);
  const unsent = countOf(causes.filter(({ reason }) => reason === "not sent"));
  const others = countOf(causes.slice(MOST_CAUSES));
  return [
    `${[`${all - missed} of ${all} ${verb}`, ...ifAny(missed - unsent, "failed"), ...ifAny(unsent, "not sent")].join(", ")}.`,
    ...causes.slice(0, MOST_CAUSES).map((one) => causeLine(one, verb)),
    ...ifAny(others, "× for other reasons"),
  ];
}

const countOf = (causes: readonly FailedNumbers[]): number =>
  causes.reduce((sum, { numbers }) => sum + numbers.length, 0);

const ifAny = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);

const causeLine = ({ cause, code, reason, numbers }: FailedNumbers, verb: "applied" | "cleared"): string =>
  `${numbers.length} × ${code === undefined ? "" : `${code} `}${cause.replace(/\.$/, "")}: ${some(numbers)} (${OUTCOMES[reason][verb]})`;

// --- state

export const unreadableState = (who: string, fields: readonly string[]): Message =>
  say(
    "AGP-080",
    who,
    `the saved state cannot be read: ${fields.join(", ")} ${fields.length === 1 ? "is" : "are"} missing or of the wrong type.`,
    `Was it edited manually? ${remedyOf("AGP-080")}`,
  );
