import { attemptsText, causeText, failureCode, type PlatformAccess, remedyFor } from "../api/failure";
import { clean } from "../base/text";
import { STAYS } from "../run/messages";
import type { UnappliedReason } from "../run/plan";
import { type Code, remedyOf } from "../words/codes";
import { counted, inBrackets, labelOfUrn, type Message, messageOf, shortList } from "../words/message";
import { type FailedResult, isTried } from "./state";
import { isImport, type Mismatch, type Unproven } from "./verify";

function mismatchText(mismatch: Mismatch): string {
  const returned = clean(mismatch.returned);
  return isImport(mismatch)
    ? `the platform reports an import error: ${returned}`
    : `${mismatch.field}: sent ${mismatch.asked}, the platform returned ${returned}`;
}

export const differsIn = (who: string, fields: readonly string[]): Message =>
  messageOf(
    "AGP-050",
    who,
    `the response differs from the request in ${fields.join(", ")}. It counts as applied.`,
    "If that is not expected, check the number in the platform's web application.",
  );

/** Without the resource, so that it is the same line for all of them: a run prints it once. */
export const unverified = (why: Unproven): Message =>
  messageOf("AGP-053", undefined, `applied but not verified: ${UNPROVEN[why]} (shown once per run).`);

const UNPROVEN: Record<Unproven, string> = {
  "no agents": "the response lists no agents",
  "no versions": "the response does not show the versions of the agents",
  later: "the platform returned 202, so the change may still be to come",
};

export const declaredElsewhere = (who: string, numbers: readonly string[]): Message =>
  messageOf(
    "AGP-061",
    who,
    `${counted(numbers.length, "number")} not cleared, because the program now declares ${numbers.length === 1 ? "it" : "them"} elsewhere${inBrackets(numbers)}.`,
  );

export const notKnown = (who: string, numbers: readonly string[]): Message =>
  messageOf(
    "AGP-062",
    who,
    `the platform does not know ${counted(numbers.length, "number")} (404), so there is nothing to clear${inBrackets(numbers)}.`,
  );

/** @param owner the URN of the resource that declares the number */
export const unconfirmed = (owner: string): string =>
  `${labelOfUrn(owner)} declares this number, but it is not certain that its routing was applied`;

/** Numbers that failed for the same cause. */
interface FailedNumbers extends Pick<FailedResult, "became" | "failure"> {
  /** In words that are the same for the same cause. */
  readonly cause: string;
  readonly code: Code | undefined;
  readonly numbers: string[];
}

function causeOf({ number, failure, verdict, why }: FailedResult): Pick<FailedNumbers, "cause" | "code"> {
  if (failure !== undefined) {
    // Without the number in the platform's words: failures with equal causes are one line of the message. An extension may be as short as `4`, so
    // the digits of other numbers stay.
    const alone = new RegExp(`(?<![\\w+])${number.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "g");
    const platformMessage = failure.platformMessage?.replace(alone, "…");
    return { cause: causeText({ ...failure, platformMessage }), code: failureCode(failure) };
  }
  if (verdict !== undefined) {
    return verdict.notCleared.length > 0
      ? { cause: `the platform still returns ${verdict.notCleared.join(", ")}`, code: "AGP-052" }
      : { cause: verdict.mismatches.map(mismatchText).join("; "), code: "AGP-050" };
  }
  return { cause: why?.text ?? "", code: why?.code };
}

/** Failures by cause, most frequent first and what was never sent last, so that 400 equal ones are one line. */
function byCause(failed: readonly FailedResult[]): FailedNumbers[] {
  const groups = new Map<string, FailedNumbers>();
  for (const result of failed) {
    const { became, failure, number } = result;
    const { cause, code } = causeOf(result);
    const key = `${became} ${cause}`;
    const group = groups.get(key) ?? { became, failure, cause, code, numbers: [] };
    groups.set(key, group);
    group.numbers.push(number);
  }
  // Requests end in any order, and a reader expects sorted numbers.
  for (const { numbers } of groups.values()) {
    numbers.sort();
  }
  const isLast = (one: FailedNumbers) => Number(!isTried(one));
  return [...groups.values()].sort((a, b) => isLast(a) - isLast(b) || b.numbers.length - a.numbers.length);
}

/** What the state has of the numbers now. `nothing`: they are new. `stays`: their delete failed. `leftover`: the delete of numbers that left a group failed. */
export type SavedAs = "saved" | "nothing" | "untouched" | "stays" | "leftover";

const OUTCOMES: Record<UnappliedReason, { applied: string; cleared: string }> = {
  rejected: { applied: "routing unchanged", cleared: "not cleared" },
  unknown: { applied: "outcome unknown: old or new routing", cleared: "outcome unknown: cleared or not" },
  different: { applied: "the response differs", cleared: "not cleared" },
  "not sent": { applied: "routing unchanged", cleared: "not cleared" },
};

const SAVED_SENTENCES: Record<SavedAs, (missed: number) => string> = {
  saved: (missed) => `Saved; the next \`pulumi up\` sends ${missed === 1 ? "this number" : `these ${missed}`} only.`,
  nothing: () => "Nothing is saved.",
  untouched: () => "The saved state is unchanged.",
  stays: () => STAYS,
  // A failed delete saves nothing, so the next one clears all of them again.
  leftover: () =>
    "The original stays in the state, and the next `pulumi up` clears its numbers that the program does not declare by then.",
};

const MOST_CAUSES = 8;

/** What failed: of one number its cause, of a group the causes with counts and the first few numbers, and what to do about the first. */
export function numbersFailed(
  who: string,
  failed: readonly FailedResult[],
  { count, savedAs, isSingle }: { readonly count: number; readonly savedAs: SavedAs; readonly isSingle: boolean },
  target: PlatformAccess,
): Message {
  const verb = savedAs === "stays" || savedAs === "leftover" ? "cleared" : "applied";
  const causes = byCause(failed);
  const [single] = isSingle ? causes : [];
  const first = causes.find(({ code }) => code !== undefined);
  const code = (single && first?.code) ?? "AGP-070";
  const remedy = first?.code === undefined ? remedyOf(code) : remedyFor(first.code, first.failure, target);
  return messageOf(
    code,
    who,
    [
      ...(single
        ? [`${OUTCOMES[single.became][verb]}; ${single.cause}.`, single.failure ? attemptsText(single.failure) : ""]
        : countedCauses(causes, count, verb)),
      SAVED_SENTENCES[savedAs](failed.length),
    ],
    // A failed delete may have cleared numbers, and it saves nothing. So an operator who keeps the resource has to send its routing again.
    savedAs === "stays"
      ? `${remedy}\nTo keep the routing after all, change \`triggers\` and run \`pulumi up\`.`
      : remedy,
  );
}

function countedCauses(causes: readonly FailedNumbers[], count: number, verb: "applied" | "cleared"): string[] {
  const missed = sumOf(causes);
  const unsent = sumOf(causes.filter((one) => !isTried(one)));
  const others = sumOf(causes.slice(MOST_CAUSES));
  return [
    `${[`${count - missed} of ${count} ${verb}`, ...ifAny(missed - unsent, "failed"), ...ifAny(unsent, "not sent")].join(", ")}.`,
    ...causes.slice(0, MOST_CAUSES).map(({ cause, code, became, numbers }) => {
      const words = `${code === undefined ? "" : `${code} `}${cause.replace(/\.$/, "")}`;
      return `${numbers.length} × ${words}: ${shortList(numbers)} (${OUTCOMES[became][verb]})`;
    }),
    ...ifAny(others, "× for other reasons"),
  ];
}

const sumOf = (causes: readonly FailedNumbers[]): number =>
  causes.reduce((sum, { numbers }) => sum + numbers.length, 0);

const ifAny = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);
