import { type Place, placeText } from "../endpoint";
import type { MissedByCause } from "../fleet";
import { remedyFor } from "./exchange";
import { counted, lines, type Message, say, some } from "./message";

export const numberUnknownOutcome = (before: string, after: string): string =>
  before === after
    ? `The number holds ${after}, as far as is known.`
    : `The number holds ${before} or ${after}: which, is not known.`;

export const sentAgain = (who: string, reason: string): Message =>
  say("AGP-044", `${who}: ${reason} in an earlier run, so it is sent again.`);

export const endpointChanged = (who: string, from: Place, to: Place): Message =>
  say(
    "AGP-060",
    `${who}: moves from ${placeText(from)} to ${placeText(to)}. What is bound at ${placeText(from)} stays as it is there: clear it by hand if it must not.`,
  );

export const endpointDiffersAtDelete = (who: string, saved: string, now: string): Message =>
  say(
    "AGP-060",
    lines(
      `${who}: not sent: the state speaks of ${saved}, the settings of ${now}.`,
      `Set agent-platform:baseUrl to ${saved} and run again, or forget the resource with \`pulumi state delete\`.`,
    ),
  );

export const stillDeclared = (who: string): Message =>
  say(
    "AGP-061",
    `${who}: not cleared: the program still declares this number under another name. It keeps its agents.`,
  );

/** A delete that fails can save nothing: whoever keeps the resource must know that its routing may be gone. */
const TO_KEEP = "To keep the routing after all, change `triggers`: it is then sent again.";
export const CLEAR_AGAIN = `Run the same command again: clearing twice does no harm. ${TO_KEEP}`;
export const orKeep = ({ code, text }: Message): Message => ({ code, text: lines(text, TO_KEEP) });

export const numberGone = (who: string): Message =>
  say("AGP-062", `${who}: the platform does not know this number (404), so there is nothing to clear.`);

// --- groups

export const strangers = (numbers: readonly string[]): Message =>
  say(
    "AGP-001",
    `overrides must name numbers of the group only, and ${some(numbers)} ${numbers.length === 1 ? "is" : "are"} none.`,
  );

export const keptNumbers = (who: string, numbers: readonly string[]): Message =>
  say(
    "AGP-061",
    `${who}: ${counted(numbers.length, "number")} not cleared, because the program declares ${numbers.length === 1 ? "it" : "them"} elsewhere by now (${some(numbers)}).`,
  );

export const goneNumbers = (who: string, numbers: readonly string[]): Message =>
  say(
    "AGP-062",
    `${who}: the platform does not know ${counted(numbers.length, "number")} (404), so there is nothing to clear (${some(numbers)}).`,
  );

export function membership(who: string, joining: readonly string[], leaving: readonly string[]): Message {
  const parts = [
    joining.length === 0
      ? ""
      : `${counted(joining.length, "number")} ${joining.length === 1 ? "joins" : "join"} and what stands there is overwritten (${some(joining)})`,
    leaving.length === 0
      ? ""
      : `${counted(leaving.length, "number")} ${leaving.length === 1 ? "leaves" : "leave"} (${some(leaving)})`,
  ];
  return say("AGP-072", `${who}: ${parts.filter((part) => part !== "").join("; ")}.`);
}

/** What became of the group as a whole: saved with what is missing, not saved at all, as it was, or (at a delete) still in the state. */
export type GroupTruth = "saved" | "forgotten" | "untouched" | "stays";

export interface GroupFailure {
  all: number;
  stopped?: string | undefined;
  truth: GroupTruth;
  tokenSource: string;
  endpoint: string;
  workspaceId?: number | undefined;
}

const SHORTFALLS: Record<MissedByCause["shortfall"], { assigned: string; leaving: string }> = {
  rejected: { assigned: "rejected: as before", leaving: "rejected: not cleared" },
  unknown: { assigned: "UNKNOWN: before or after", leaving: "UNKNOWN: cleared or not" },
  different: { assigned: "accepted but different", leaving: "still bound" },
  "not sent": { assigned: "as before", leaving: "not cleared" },
};

const TRUTHS: Record<GroupTruth, (missed: number) => string> = {
  saved: (missed) => `Saved; the next \`pulumi up\` sends ${missed === 1 ? "this number" : `these ${missed}`} only.`,
  forgotten: () => "Nothing was applied, nothing is saved.",
  untouched: () => "Nothing was applied: every number keeps what it has.",
  stays: () => `The group stays in the state. ${CLEAR_AGAIN}`,
};

/** Most causes fit in a few lines; a platform whose words differ from number to number must not print thousands. */
const MOST_CAUSES = 8;

/** Failures by cause, with counts and the first few numbers. */
export function groupFailed(who: string, causes: readonly MissedByCause[], context: GroupFailure): Message {
  const missed = causes.reduce((sum, { numbers }) => sum + numbers.length, 0);
  const { all, stopped, truth } = context;
  const verb = truth === "stays" ? "cleared" : "applied";
  const failure = causes.find((cause) => cause.failure !== undefined)?.failure;
  const others = causes.slice(MOST_CAUSES).reduce((sum, { numbers }) => sum + numbers.length, 0);
  return say(
    stopped === undefined ? "AGP-070" : "AGP-071",
    lines(
      `${who}: ${all - missed} of ${all} ${verb}, ${missed} NOT.${stopped === undefined ? "" : " Stopped: the rest was not sent."}`,
      ...causes.slice(0, MOST_CAUSES).map(causeLine),
      others === 0 ? "" : `${others} × for other causes`,
      TRUTHS[truth](missed),
      failure === undefined ? "" : remedyFor(failure, { ...context, who, action: "", truth: "" }),
      failure === undefined && causes.some(({ shortfall }) => shortfall === "different") ? DIFFERENT_REMEDY : "",
    ),
  );
}

const causeLine = ({ cause, shortfall, isLeaving, numbers }: MissedByCause): string =>
  `${numbers.length} × ${cause}: ${some(numbers)} (${SHORTFALLS[shortfall][isLeaving ? "leaving" : "assigned"]})`;

const DIFFERENT_REMEDY = "If the platform is right to answer so, set agent-platform:onMismatch to warn.";

export const progress = (who: string, done: number, all: number, seconds: number): string =>
  `${who}: ${done} of ${all} sent, ${Math.round(done / Math.max(seconds, 0.001))} a second, about ${Math.ceil(((all - done) * seconds) / Math.max(done, 1))} s left`;

// --- state

export const unreadableState = (who: string, fields: readonly string[]): Message =>
  say(
    "AGP-080",
    lines(
      `${who}: the saved state cannot be read: ${fields.join(", ")} ${fields.length === 1 ? "is" : "are"} missing or of another type.`,
      "Was it edited by hand? Restore it with `pulumi stack import`, or forget the resource with `pulumi state delete` and declare it again.",
    ),
  );
