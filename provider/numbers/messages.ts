import { attemptsText, causeText, type Failure, failureCode, type PlatformAccess, remedyFor } from "../api/failure";
import { clean } from "../base/text";
import { NO_ACTION, STAYS } from "../run/messages";
import type { UnappliedReason } from "../run/plan";
import { remedyOf } from "../words/codes";
import { counted, inBrackets, labelOfUrn, type Message, messageOf, shortList } from "../words/message";
import { type FailedNumber, type FailureCause, isTried } from "./result";
import { isImport, type Mismatch, type Unproven, type Verdict } from "./verify";

function mismatchText(mismatch: Mismatch): string {
  const returned = clean(mismatch.returned);
  return isImport(mismatch)
    ? `the platform reports an import error: ${returned}`
    : `${mismatch.field}: sent ${mismatch.asked}, the platform returned ${returned}`;
}

export const differsIn = (label: string, fields: readonly string[]): Message =>
  messageOf(
    "AGP-050",
    label,
    `the response differs from the request in ${fields.join(", ")}. The change counts as applied.`,
    "If you do not expect that, check the number in the platform's web application.",
  );

/** Without the resource, so that it is the same line for all of them: a run prints it once. */
export const unverified = (why: Unproven): Message =>
  messageOf("AGP-053", undefined, `applied but not verified: ${UNPROVEN[why]} (shown once per run).`);

const UNPROVEN: Record<Unproven, string> = {
  "no agents": "the response lists no agents",
  "no versions": "the response does not show the versions of the agents",
  later: "the platform returned 202, so the change may not have taken effect yet",
};

export const declaredElsewhere = (label: string, numbers: readonly string[]): Message =>
  messageOf(
    "AGP-061",
    label,
    `${counted(numbers.length, "number")} ${numbers.length === 1 ? "was" : "were"} not cleared, because the program now declares ${numbers.length === 1 ? "it" : "them"} elsewhere${inBrackets(numbers)}.`,
    NO_ACTION,
  );

export const notKnown = (label: string, numbers: readonly string[]): Message =>
  messageOf(
    "AGP-061",
    label,
    `the platform does not know ${counted(numbers.length, "number")} (404), so there is nothing to clear${inBrackets(numbers)}.`,
    `${NO_ACTION} If this is unexpected, check the base URL.`,
  );

/** @param owner the URN of the resource that declares the number */
export const unconfirmed = (owner: string): string =>
  `${labelOfUrn(owner)} declares this number, but its routing may not have been applied`;

/**
 * Why a request failed, without its own number in the platform's words: failures with the same text are one line of the
 * message. An extension may be as short as `4`, so digits of other numbers stay.
 */
export function causeOfFailure(failure: Failure, number: string, access: PlatformAccess): FailureCause {
  const wholeNumber = new RegExp(`(?<![\\w+])${number.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "g");
  const platformMessage = failure.platformMessage?.replace(wholeNumber, "…");
  const code = failureCode(failure);
  return { code, text: causeText({ ...failure, platformMessage }), remedy: remedyFor(code, failure, access), failure };
}

/** Why an accepted request counts as failed. */
export const causeOfVerdict = ({ notCleared, mismatches }: Verdict): FailureCause =>
  notCleared.length > 0
    ? { code: "AGP-052", text: `the platform still returns ${notCleared.join(", ")}` }
    : { code: "AGP-050", text: mismatches.map(mismatchText).join("; ") };

/**
 * Failed numbers by cause, most frequent first and what was never sent last, so that 400 equal failures are one line.
 */
function byCause(failed: readonly FailedNumber[]): SameCause[] {
  const causes = new Map<string, SameCause>();
  for (const result of failed) {
    const key = `${result.became} ${result.cause.text}`;
    const cause = causes.get(key) ?? { first: result, numbers: [] };
    causes.set(key, cause);
    cause.numbers.push(result.number);
  }
  // Requests end in any order, and a reader expects sorted numbers.
  for (const { numbers } of causes.values()) {
    numbers.sort();
  }
  const isLast = ({ first }: SameCause) => Number(!isTried(first));
  return [...causes.values()].sort((a, b) => isLast(a) - isLast(b) || b.numbers.length - a.numbers.length);
}

/** Numbers that failed for the same cause, and the first of them that did. */
interface SameCause {
  readonly first: FailedNumber;
  readonly numbers: string[];
}

/**
 * What the state has of the numbers now. `nothing`: they are new. `stays`: their delete failed. `leftover`: the delete
 * of numbers that left a group failed.
 */
export type SavedAs = "saved" | "nothing" | "untouched" | "stays" | "leftover";

const OUTCOMES: Record<UnappliedReason, { applied: string; cleared: string }> = {
  rejected: { applied: "routing unchanged", cleared: "not cleared" },
  unknown: { applied: "outcome unknown: old or new routing", cleared: "outcome unknown: cleared or not" },
  different: { applied: "the response differs", cleared: "not cleared" },
  "not sent": { applied: "routing unchanged", cleared: "not cleared" },
};

const SAVED_SENTENCES: Record<SavedAs, (missed: number) => string> = {
  saved: (missed) => `Saved. The next \`pulumi up\` sends only ${missed === 1 ? "this number" : `these ${missed}`}.`,
  nothing: () => "Nothing is saved.",
  untouched: () => "The saved state is unchanged.",
  stays: () => STAYS,
  // A failed delete saves nothing, so the next one clears all of them again.
  leftover: () =>
    "The original stays in the state. The next `pulumi up` clears its numbers, except those that the program declares by then.",
};

const MAX_CAUSES = 8;

/**
 * What failed: for one number its cause, for a group the causes with counts and the first few numbers, and what to do
 * about the first cause.
 */
export function numbersFailed(
  label: string,
  failed: readonly FailedNumber[],
  { count, savedAs, isSingle }: { readonly count: number; readonly savedAs: SavedAs; readonly isSingle: boolean },
): Message {
  const verb = savedAs === "stays" || savedAs === "leftover" ? "cleared" : "applied";
  const causes = byCause(failed);
  const [single] = isSingle ? causes.map(({ first }) => first) : [];
  const firstCause = causes.map(({ first }) => first.cause).find(({ code }) => code !== undefined);
  const code = (single && firstCause?.code) ?? "AGP-070";
  const remedy = firstCause?.remedy ?? remedyOf(firstCause?.code ?? code);
  return messageOf(
    code,
    label,
    [
      ...(single
        ? [
            `${OUTCOMES[single.became][verb]}; ${single.cause.text}.`,
            single.cause.failure ? attemptsText(single.cause.failure) : "",
          ]
        : countedCauses(causes, count, verb)),
      SAVED_SENTENCES[savedAs](failed.length),
    ],
    // A failed delete may have cleared numbers, and it saves nothing. So an operator who keeps the resource has to send
    // its routing again.
    savedAs === "stays"
      ? `${remedy} If you want to keep the routing instead, change \`triggers\` and run \`pulumi up\`. After a destroy, that run also adds the voices again and starts the chats again, which sends SMS.`
      : remedy,
  );
}

function countedCauses(causes: readonly SameCause[], count: number, verb: "applied" | "cleared"): string[] {
  const missed = sumOf(causes);
  const unsent = sumOf(causes.filter(({ first }) => !isTried(first)));
  const others = sumOf(causes.slice(MAX_CAUSES));
  return [
    `${[`${count - missed} of ${count} ${verb}`, ...countIfAny(missed - unsent, "failed"), ...countIfAny(unsent, "not sent")].join(", ")}.`,
    ...causes.slice(0, MAX_CAUSES).map(({ first: { became, cause }, numbers }) => {
      const text = `${cause.code === undefined ? "" : `${cause.code} `}${cause.text.replace(/\.$/, "")}`;
      return `${numbers.length} × ${text}: ${shortList(numbers)} (${OUTCOMES[became][verb]})`;
    }),
    ...countIfAny(others, "× for other reasons"),
  ];
}

const sumOf = (causes: readonly SameCause[]): number => causes.reduce((sum, { numbers }) => sum + numbers.length, 0);

const countIfAny = (count: number, text: string): string[] => (count === 0 ? [] : [`${count} ${text}`]);
