import { attemptsText, causeText, type Failure, failureCode, type PlatformAccess, remedyFor } from "../api/failure";
import { clean, series } from "../base/text";
import type { UnappliedReason } from "../run/plan";
import { RERUN, remedyOf, WARN_EFFECT } from "../words/codes";
import {
  counted,
  FORGET,
  inBrackets,
  labelOfUrn,
  type Message,
  messageOf,
  NO_ACTION,
  NO_REMEDY,
  STAYS,
} from "../words/message";
import { type FailedNumber, type FailureCause, isTried } from "./result";
import { isImport, type Mismatch, type Unproven, type Verdict } from "./verify";

function mismatchText(mismatch: Mismatch): string {
  const returned = clean(mismatch.returned);
  if (isImport(mismatch)) {
    return `the platform reports an import error for this number (platform_import_error): ${returned}`;
  }
  return mismatch.field === "number"
    ? `the response does not show ${mismatch.asked}, but ${returned}`
    : `${mismatch.field} should be ${mismatch.asked}, but the response shows ${returned}`;
}

/** @param numbers the numbers to list; empty if the resource's label already contains its number */
export const agentsMissing = (numbers: readonly string[]): Message =>
  messageOf(
    "AGP-002",
    undefined,
    `no agents are declared${numbers.length === 0 ? "" : inBrackets(numbers)}: \`rollout\` and \`inboundAgents\` are both missing or null.`,
  );

export const agentsTwice = (): Message =>
  messageOf(
    "AGP-001",
    undefined,
    "Set rollout or inboundAgents, not both, and remove both from ignoreChanges.",
    NO_REMEDY,
  );

export const differsIn = (label: string, fields: readonly string[]): Message =>
  messageOf(
    "AGP-050",
    label,
    `the response differs from the request in ${series(fields)}. The change is treated as applied.`,
    "If the difference is unexpected, check the number in the platform's web application.",
  );

/**
 * Warns that the response doesn't confirm an applied change. The message names no resource, so that a run prints it
 * only once.
 */
export const unverified = (why: Unproven): Message =>
  messageOf(
    "AGP-053",
    undefined,
    `The platform accepted the change, but ${UNPROVEN[why]}. This warning is shown once per run.`,
  );

const UNPROVEN: Record<Unproven, string> = {
  "no agents": "its response lists no agents, so the change is not confirmed. Some platforms never list them",
  "no versions": "its response does not show the agents' versions, so the new split is not confirmed",
  later: "returned 202, which means that the change may take effect later",
};

export const declaredElsewhere = (label: string, numbers: readonly string[]): Message =>
  messageOf(
    "AGP-061",
    label,
    `${counted(numbers.length, "number")} ${numbers.length === 1 ? "was" : "were"} not cleared, because another resource in the program now declares ${numbers.length === 1 ? "it" : "them"}${inBrackets(numbers)}.`,
    NO_ACTION,
  );

export const notKnown = (label: string, numbers: readonly string[]): Message =>
  messageOf(
    "AGP-061",
    label,
    `${counted(numbers.length, "number")} ${numbers.length === 1 ? "does" : "do"} not exist on the platform (404), so there was nothing to clear${inBrackets(numbers)}.`,
    `${NO_ACTION} If this is unexpected, check the base URL.`,
  );

/** @param owner the URN of the resource that declares the number */
export const unconfirmed = (owner: string): string =>
  `${labelOfUrn(owner)} takes over the routing, but its own request is not confirmed yet, so no request was sent. Once that request succeeds, the next run clears only the fields that the new resource does not set`;

/**
 * Describes why a number's request failed. In the platform's message, `…` replaces the number, so that identical
 * failures of several numbers can be reported together.
 */
export function causeOfFailure(failure: Failure, number: string, access: PlatformAccess): FailureCause {
  // Don't replace the number inside a longer word or number: an extension can be as short as `4`, which also occurs in
  // `404`.
  const wholeNumber = new RegExp(`(?<![\\w+])${number.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "g");
  const platformMessage = failure.platformMessage?.replace(wholeNumber, "…");
  const code = failureCode(failure);
  return { code, text: causeText({ ...failure, platformMessage }), remedy: remedyFor(code, failure, access), failure };
}

/** What a request was to do with a number: assign a routing, or clear the number as part of a delete. */
type Verb = "applied" | "cleared";

const CHECK_IMPORT =
  "The API does not specify what an import error means, so check the number in the platform's web application.";

/** Describes why a request counts as failed although the platform accepted it. */
export const causeOfVerdict = ({ notCleared, mismatches }: Verdict): FailureCause =>
  notCleared.length > 0
    ? { code: "AGP-052", text: `the platform still returns ${series(notCleared)}, which should be cleared` }
    : {
        code: "AGP-050",
        text: mismatches.map(mismatchText).join("; "),
        mismatch: mismatches[0]?.field,
      };

/** When and how to remove a resource from the state if its delete keeps failing. */
const FORGET_IF_CLEARED = `A number that the program still declares must have its declared agents there; if it does not, change \`triggers\` of the resource that declares it. If no other number of the resource has agents there, remove the resource from the state with ${FORGET}. If Pulumi lists two entries, choose the one marked Pending Deletion.`;

/**
 * The advice for a mismatch. After a failed delete, don't suggest `onMismatch: warn`: the next delete would succeed,
 * although callers might still reach the agents of a number that no resource manages any more.
 */
const MISMATCH_REMEDIES: Readonly<Record<Mismatch["field"], Readonly<Record<Verb, string>>>> = {
  inboundAgents: {
    applied: remedyOf("AGP-050"),
    // In a delete, this mismatch occurs only if the delete resends another resource's routing.
    cleared: `Check the number in the platform's web application, because the response does not show the declared agents. ${FORGET_IF_CLEARED} ${RERUN}`,
  },
  number: {
    applied: remedyOf("AGP-050"),
    cleared: `Check the number in the platform's web application, because the response does not show it. ${FORGET_IF_CLEARED} Otherwise, check the base URL and the workspace. ${RERUN}`,
  },
  platformImportError: {
    applied: `${CHECK_IMPORT} If the number has the declared agents there, only the response is wrong, and you can set \`agent-platform:onMismatch\` to \`warn\`. ${WARN_EFFECT} Otherwise, fix the import. ${RERUN}`,
    cleared: `${CHECK_IMPORT} ${FORGET_IF_CLEARED} Otherwise, fix the import. ${RERUN}`,
  },
};

/**
 * Groups failed numbers by cause, so that 400 identical failures take one line. The most frequent cause comes first;
 * numbers that got no request come last.
 */
function byCause(failed: readonly FailedNumber[]): SameCause[] {
  const causes = new Map<string, SameCause>();
  for (const result of failed) {
    const { number, became, cause } = result;
    // Numbers with the same key share a line in the message, so the key consists of everything else in that line.
    const key = JSON.stringify([became, cause.code, cause.text]);
    const group = causes.get(key) ?? { first: result, numbers: [] };
    causes.set(key, group);
    group.numbers.push(number);
  }
  // Sort the numbers, because requests finish in no particular order.
  for (const { numbers } of causes.values()) {
    numbers.sort();
  }
  const isLast = ({ first }: SameCause) => Number(!isTried(first));
  return [...causes.values()].sort((a, b) => isLast(a) - isLast(b) || b.numbers.length - a.numbers.length);
}

/** Numbers that failed for the same cause. */
interface SameCause {
  readonly first: FailedNumber;
  readonly numbers: string[];
}

/**
 * What remains in the saved state after a failed create, update or delete.
 * - `saved`: the new state, which records the failed numbers.
 * - `nothing`: no state, because the resource is new.
 * - `untouched`: the earlier state.
 * - `stays`: the resource, because its delete failed.
 * - `leftover`: the replaced group, because numbers that left it were not cleared.
 */
export type SavedAs = "saved" | "nothing" | "untouched" | "stays" | "leftover";

/**
 * Clauses that say what became of numbers whose request failed. The message continues with a colon and the cause.
 * `numbers` is, for example, `the number` or `12 numbers`.
 */
type OutcomeTexts = Readonly<Record<Verb, (numbers: string, isPlural: boolean) => string>>;

const UNCHANGED: OutcomeTexts = {
  applied: (numbers, isPlural) => `${numbers} ${isPlural ? "keep their" : "keeps its"} current routing`,
  cleared: (numbers, isPlural) => `${numbers} ${isPlural ? "were" : "was"} not cleared`,
};

const OUTCOMES: Record<UnappliedReason, OutcomeTexts> = {
  rejected: UNCHANGED,
  unknown: {
    applied: (numbers) => `the outcome is unknown, so ${numbers} may have either the old or the new routing`,
    cleared: (numbers) => `the outcome is unknown, so ${numbers} may or may not be cleared`,
  },
  different: {
    applied: (numbers) => `the response for ${numbers} differs from the request`,
    cleared: (numbers, isPlural) => `it is not confirmed that ${numbers} ${isPlural ? "were" : "was"} cleared`,
  },
  "not sent": UNCHANGED,
};

const SAVED_SENTENCES: Record<SavedAs, (missed: number) => string> = {
  saved: (missed) =>
    missed === 1
      ? "This failure is recorded in the state, so the next `pulumi up` sends a request for this number only."
      : `These failures are recorded in the state, so the next \`pulumi up\` sends requests for these ${missed} numbers only.`,
  nothing: () => "Nothing was saved in the state.",
  untouched: () => "The saved state was not changed.",
  stays: () => STAYS,
  // A failed delete doesn't record which numbers it has cleared, so the next delete clears those numbers again.
  leftover: () =>
    "The replaced group stays in the state. The next `pulumi up` clears its numbers, except those that the program then declares.",
};

const MAX_CAUSES = 8;

/**
 * Builds the error message for failed numbers. For a NumberGroup, it lists the most frequent causes with their numbers.
 * The remedy is for the first cause that has an error code.
 */
export function numbersFailed(
  label: string,
  failed: readonly FailedNumber[],
  { count, savedAs, isSingle }: { readonly count: number; readonly savedAs: SavedAs; readonly isSingle: boolean },
): Message {
  const verb: Verb = savedAs === "stays" || savedAs === "leftover" ? "cleared" : "applied";
  const causes = byCause(failed);
  const [single] = isSingle ? causes.map(({ first }) => first) : [];
  const firstCause = causes.map(({ first }) => first.cause).find(({ code }) => code !== undefined);
  const code = (single && firstCause?.code) ?? "AGP-070";
  const remedy = firstCause?.mismatch
    ? MISMATCH_REMEDIES[firstCause.mismatch][verb]
    : (firstCause?.remedy ?? remedyOf(firstCause?.code ?? code));
  return messageOf(
    code,
    label,
    [
      ...(single
        ? [
            `${OUTCOMES[single.became][verb]("the number", false)}: ${single.cause.text}.`,
            single.cause.failure ? attemptsText(single.cause.failure) : "",
          ]
        : countedCauses(causes, count, verb)),
      SAVED_SENTENCES[savedAs](failed.length),
    ],
    // A failed delete may already have cleared some numbers. To keep the resource after all, the operator has to send
    // its routing again.
    savedAs === "stays"
      ? `${remedy} To keep the routing instead, change \`triggers\` and run \`pulumi up\`. If you ran \`pulumi destroy\`, that \`pulumi up\` also adds the voices again and starts the chats again, which sends SMS.`
      : remedy,
  );
}

function countedCauses(causes: readonly SameCause[], count: number, verb: Verb): string[] {
  const missed = sumOf(causes);
  const unsent = sumOf(causes.filter(({ first }) => !isTried(first)));
  const others = sumOf(causes.slice(MAX_CAUSES));
  const done = count - missed;
  const verbs = {
    applied: "received the new routing",
    cleared: done === 1 || count === 1 ? "was cleared" : "were cleared",
  };
  // For example: `8 of 44 numbers received the new routing, 24 failed and 12 got no request`.
  const summary = series([
    `${done} of ${counted(count, "number")} ${verbs[verb]}`,
    ...countIfAny(missed - unsent, "failed"),
    ...countIfAny(unsent, "got no request"),
  ]);
  return [
    `${summary}.`,
    ...causes.slice(0, MAX_CAUSES).map(({ first: { became, cause }, numbers }) => {
      const text = `${cause.code === undefined ? "" : `${cause.code} `}${cause.text.replace(/\.$/, "")}`;
      const outcome = OUTCOMES[became][verb](counted(numbers.length, "number"), numbers.length !== 1);
      return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}: ${text}${inBrackets(numbers)}.`;
    }),
    ...(others === 0 ? [] : [`${counted(others, "number")} failed for other reasons.`]),
  ];
}

const sumOf = (causes: readonly SameCause[]): number => causes.reduce((sum, { numbers }) => sum + numbers.length, 0);

const countIfAny = (count: number, text: string): string[] => (count === 0 ? [] : [`${count} ${text}`]);
