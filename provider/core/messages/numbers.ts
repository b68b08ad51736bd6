import type { UnappliedReason } from "../change/state";
import { type Code, remedyOf } from "../common/codes";
import type { Failure } from "../platform/operations";
import { DIFFERENT_REMEDY, type RemedyContext, remedyFor } from "./exchange";
import { counted, type Message, named, say, some } from "./message";

/** Both splits may be the same: then other fields differ. */
export function numberUnknownOutcome(before: string | undefined, after: string | undefined): string {
  const isSame = before !== undefined && before === after;
  return isSame
    ? `The number now has either its previous routing or the new one, both with ${after}.`
    : `The number now has either its previous routing${inBrackets(before)} or the new one${inBrackets(after)}.`;
}

export const numberKept = (split: string | undefined): string => `The number keeps its routing${inBrackets(split)}.`;

const inBrackets = (split: string | undefined): string => (split === undefined ? "" : ` (${split})`);

export const endpointDiffersAtDelete = (who: string, saved: string, now: string): Message =>
  say(
    "AGP-060",
    who,
    `Delete not sent: the state was created against ${saved}; the settings point to ${now}.`,
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

/** A failed delete may have cleared the number, and it saves nothing. So an operator who keeps the resource has to send its routing again. */
const TO_KEEP = "To keep the routing, change `triggers` and run `pulumi up`.";
export const CLEAR_AGAIN = `Run the same command again: clearing twice does no harm. ${TO_KEEP}`;

/** The response to a delete contradicts it. */
export const DELETE_DIFFERS = `The resource stays in the state. ${CLEAR_AGAIN} ${DIFFERENT_REMEDY}`;

/** Of fields that were to be cleared. */
export const stillShown = (left: readonly string[]): string => `the platform still returns ${left.join(", ")}`;

/** The response still shows fields that a change or a delete was to clear. */
export const notCleared = (
  by: "change" | "delete",
  who: string,
  left: readonly string[],
  tried: readonly string[],
): Message =>
  say(
    "AGP-052",
    who,
    `not cleared; tried ${tried.join(", ")}: ${stillShown(left)}.`,
    `${by === "change" ? "Saved as not applied; the next `pulumi up` tries again." : "The resource stays in the state."} Clear it in the platform's web application, or set agent-platform:clearWith to \`null\`, \`empty\` or \`omit\`, whichever the platform accepts.`,
    by === "change" ? "" : TO_KEEP,
  );

/** Why a delete waits. */
export const UNCONFIRMED = "another resource declares this number, but could not assign it in this run";
const FALLBACK_SAVED =
  "The saved state names a routing in `onDelete`, which is no argument. Declare it without `onDelete`, run `pulumi up`, and remove it then. Or keep the routing of its numbers with `pulumi state delete`";
export const RUN_FAILED =
  "the program or another resource failed in this run, so it is not known what the program declares";

export const postponed = (who: string, why: string): Message =>
  say(
    "AGP-074",
    who,
    `Delete not sent: ${why}.`,
    "This resource stays in the state. Fix any other resource that failed, then rerun.",
  );

export const fallbackSaved = (who: string): Message =>
  say("AGP-081", who, `Delete not sent. ${FALLBACK_SAVED}.`, "The resource stays in the state.");

export const deletedFirst = (who: string): Message =>
  say(
    "AGP-075",
    who,
    "Delete not sent: `deleteBeforeReplace` would clear numbers before it is known which ones the program still declares.",
    "The resource stays in the state, and its numbers keep their agents. Remove the resource option deleteBeforeReplace, then rerun.",
  );

/** The program marks in this folder that it has failed. */
export const unknownFailure = (why: string, folder: string): Message =>
  say(
    "AGP-076",
    undefined,
    `No number is cleared and no chat is ended, because it is not known whether the program failed: ${folder} ${why}.`,
    "Make it a folder that you own, with mode 0700 and free disk space, or set TMPDIR to another folder. Then rerun.",
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

/** What the state has of the group now. `stays`: its delete failed. `left`: the delete of numbers that left it failed. */
export type SavedAs = "saved" | "forgotten" | "untouched" | "stays" | "left";

export interface GroupFailure extends RemedyContext {
  readonly all: number;
  readonly savedAs: SavedAs;
}

const OUTCOMES: Record<UnappliedReason, { applied: string; cleared: string }> = {
  rejected: { applied: "routing unchanged", cleared: "not cleared" },
  unknown: { applied: "outcome unknown: old or new routing", cleared: "outcome unknown: cleared or not" },
  different: { applied: "the response differs", cleared: "not cleared" },
  "not sent": { applied: "routing unchanged", cleared: "not cleared" },
};

const SAVED_SENTENCES: Record<SavedAs, (missed: number) => string> = {
  saved: (missed) => `Saved; the next \`pulumi up\` sends ${missed === 1 ? "this number" : `these ${missed}`} only.`,
  forgotten: () => "Nothing was applied, and nothing is saved.",
  untouched: () => "Nothing was applied: every number keeps its routing.",
  stays: () => `The group stays in the state. ${CLEAR_AGAIN}`,
  // A failed delete saves nothing, so the next one clears all of them again.
  left: () =>
    "The original stays in the state. The next `pulumi up` clears every number of it that the program does not declare by then.",
};

/** How many causes are shown: the platform's words may differ from number to number. */
const MOST_CAUSES = 8;

/** Failures by cause, with counts and the first few numbers. */
export function groupFailed(who: string, failed: readonly FailedNumber[], context: GroupFailure): Message {
  const causes = byCause(failed);
  const missed = countOf(causes);
  const { all, savedAs } = context;
  const verb = savedAs === "stays" || savedAs === "left" ? "cleared" : "applied";
  const failure = causes.find((cause) => cause.failure !== undefined)?.failure;
  const others = countOf(causes.slice(MOST_CAUSES));
  const unsent = countOf(causes.filter(({ reason }) => reason === "not sent"));
  return say(
    "AGP-070",
    who,
    `${[`${all - missed} of ${all} ${verb}`, ...ifAny(missed - unsent, "failed"), ...ifAny(unsent, "not sent")].join(", ")}.`,
    ...causes.slice(0, MOST_CAUSES).map((one) => causeLine(one, verb)),
    others === 0 ? "" : `${others} × for other reasons`,
    SAVED_SENTENCES[savedAs](missed),
    failure === undefined ? "" : remedyFor(failure, context),
    failure === undefined && causes.some(({ reason }) => reason === "different") ? DIFFERENT_REMEDY : "",
  );
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
