import { same } from "../base/json";
import { type PostedKind, postedAs } from "../stack/kinds";
import { remedyOf } from "../words/codes";
import { counted, inBrackets, type Message, messageOf } from "../words/message";
import type { PlacedNumber } from "./ledger";
import type { Violation } from "./violation";

/** Why a number may not have what is declared. `different`: the platform accepted the request and shows something else. `not sent`: the run stopped before it. */
export const UNAPPLIED_REASONS = ["rejected", "unknown", "different", "not sent"] as const;

export type UnappliedReason = (typeof UNAPPLIED_REASONS)[number];

/**
 * What a run would do with a resource. numbers/plan.ts decides it for numbers, posts/lifecycle.ts for voices and chats. diff tells it to the
 * engine, create, update and delete carry it out, and the report puts it into words.
 */
export interface Plan {
  /** Is there anything to do, even if it is only to record a value? */
  readonly changes: boolean;
  /** Properties whose change makes the engine create a replacement and delete the original at the end of the run. */
  readonly replaces: readonly string[];
  /** Numbers that get a PUT; undefined if they are not known yet. */
  readonly assigns: readonly string[] | undefined;
  /** The numbers of `assigns` that are new here: the routing that they have today is overwritten. */
  readonly joins: readonly string[];
  /** Numbers that are no longer declared here. */
  readonly leaves: readonly string[];
  /** The numbers of `leaves` that the delete of the original clears, unless another resource declares them by then. */
  readonly clears: readonly PlacedNumber[];
  /** The split to which calls return by the change. */
  readonly returnsTo?: ReturnTarget | undefined;
  /** Is what was posted ended? */
  readonly ends: boolean;
  readonly reasons: readonly Reason[];
  readonly violations: readonly Violation[];
}

/** Why a run does something that the change of the inputs does not show, or does not do what they seem to ask for. */
export type Reason =
  /** Numbers that an earlier run did not apply. */
  | { readonly why: "unapplied"; readonly count: number; readonly reasons: readonly UnappliedReason[] }
  | { readonly why: "endpoint"; readonly from: string; readonly to: string }
  | { readonly why: "restart"; readonly agent: string; readonly at: string }
  | { readonly why: "membership"; readonly joins: readonly string[]; readonly clears: readonly string[] }
  | { readonly why: "notMoved"; readonly from: string; readonly to: string }
  | { readonly why: "recorded"; readonly fields: readonly string[]; readonly noun: string }
  | { readonly why: "unresolved"; readonly post: InDoubt; readonly id: string };

/** What was posted and may exist. */
export interface InDoubt {
  readonly kind: PostedKind;
  /** How people find it: `chat to +15557654321`, or the noun alone if the number is secret. */
  readonly what: string;
  readonly where: string;
}

export const NOTHING: Omit<Plan, "changes"> = {
  replaces: [],
  assigns: [],
  joins: [],
  leaves: [],
  clears: [],
  ends: false,
  reasons: [],
  violations: [],
};

export const changedFields = (fields: readonly string[], olds: object, news: object): string[] =>
  fields.filter((field) => !same(Reflect.get(olds, field), Reflect.get(news, field)));

/**
 * The split to which a change returns: that of the stable agent of the rollout, as an abort does, or the split before. An agent that was aborted does
 * not return: it starts again, whatever the split before was.
 */
export type ReturnTarget = "stable" | "previous";

/** Why a number may not have its routing: the one table for messages, report, doctor and show. */
export const UNAPPLIED: Record<UnappliedReason, string> = {
  rejected: "the API rejected it",
  unknown: "the outcome of the request was not known",
  different: "the response differed from what was sent",
  "not sent": "it was not sent",
};

export function reasonMessage(who: string, reason: Reason): Message {
  switch (reason.why) {
    case "unapplied": {
      const causes = reason.reasons.map((one) => UNAPPLIED[one]).join("; ");
      return messageOf("AGP-044", who, `${counted(reason.count, "number")} not applied in an earlier run (${causes}).`);
    }
    case "endpoint":
      return messageOf(
        "AGP-060",
        who,
        `moves from ${reason.from} to ${reason.to}. The routing at ${reason.from} is unchanged; remove it there if unwanted.`,
        remedyOf("AGP-060"),
      );
    case "restart":
      return messageOf("AGP-065", who, `${reason.agent} was aborted at ${reason.at}, and gets calls again.`);
    case "membership": {
      const { joins, clears } = reason;
      const lines = [
        joins.length > 0 && `${whoMoves(joins, "join")}: the present routing is overwritten.`,
        // Another resource may declare what leaves, and the engine does not tell the provider about retainOnDelete.
        clears.length > 0 &&
          `${whoMoves(clears, "leave")}: what no other resource declares loses its agents at the end of the run, unless retainOnDelete was set before.`,
      ];
      return messageOf("AGP-072", who, lines.filter(Boolean).join(" "));
    }
    case "notMoved":
      return messageOf(
        "AGP-060",
        who,
        `belongs to ${reason.from}, but the settings now name ${reason.to}. Nothing is sent, because a POST would create a second voice or chat.`,
        `To create one at ${reason.to}, declare it under a new name.`,
      );
    case "recorded":
      return messageOf(
        "AGP-064",
        who,
        `${reason.fields.join(", ")} recorded, not sent: the API has no call to change a ${reason.noun}.`,
      );
    case "unresolved":
      return stillUnresolved(reason.post, who, reason.id);
  }
}

/** What a preview says before the first `up` of real numbers. The report counts them. */
export const firstAssignment = (): Message =>
  messageOf(
    "AGP-072",
    undefined,
    "New resources assign numbers, and the routing that these have today is overwritten.",
    "To keep it, record it first: `npx pulumi-agent-platform takeover --import` sends nothing (shown once per run).",
  );

const whoMoves = (numbers: readonly string[], verb: string): string =>
  `${counted(numbers.length, "number")} ${verb}${numbers.length === 1 ? "s" : ""}${inBrackets(numbers)}`;

/** What is true after a POST of unknown outcome. */
export const mayExist = ({ kind, what, where }: InDoubt): string =>
  `The ${what} may have been ${postedAs(kind).begun} ${where}, and is not sent again by itself.`;

/** The two ways out of an unknown outcome. @param id of the unresolved resource */
export const howToResolve = ({ kind }: InDoubt, who: string, id: string): string =>
  [`Check ${postedAs(kind).place}, then set one of these arguments on ${who}:`, ...waysToResolve(kind, id)].join("\n");

/** The argument for one that exists. */
export const adoptArgument = (kind: PostedKind): string => `adopt: "<${postedAs(kind).idName}>"`;

/** The argument for one that does not exist. @param id of the unresolved resource */
export const retryArgument = (id: string): string => `retryUnresolved: "${id}"`;

export const waysToResolve = (kind: PostedKind, id: string): string[] => [
  `if it exists:          ${adoptArgument(kind)}`,
  `if it does not exist:  ${retryArgument(id)}   (sends once)`,
];

export const stillUnresolved = (post: InDoubt, who: string, id: string): Message =>
  messageOf("AGP-041", who, `unresolved since an earlier run. ${mayExist(post)}`, howToResolve(post, who, id));
