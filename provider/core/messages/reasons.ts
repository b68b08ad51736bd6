import type { Reason } from "../numbers/plan";
import type { UnappliedReason } from "../numbers/state";
import { remedyOf } from "./codes";
import { counted, inBrackets, type Message, messageOf } from "./message";
import { stillUnresolved } from "./posts";

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
    case "membership":
      return messageOf("AGP-072", who, membershipText(reason));
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
      return stillUnresolved(reason.it, who, reason.id);
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

/** Another resource may declare what leaves, and the engine does not tell the provider about retainOnDelete. */
const membershipText = ({ joins, clears }: { joins: readonly string[]; clears: readonly string[] }): string =>
  [
    joins.length > 0 && `${whoMoves(joins, "join")}: the present routing is overwritten.`,
    clears.length > 0 &&
      `${whoMoves(clears, "leave")}: what no other resource declares loses its agents at the end of the run, unless retainOnDelete was set before.`,
  ]
    .filter(Boolean)
    .join(" ");

const whoMoves = (numbers: readonly string[], verb: string): string =>
  `${counted(numbers.length, "number")} ${verb}${numbers.length === 1 ? "s" : ""}${inBrackets(numbers)}`;
