import type { Problem } from "../base/arguments";
import { series } from "../base/text";
import { type PostedKind, postedAs } from "../config/kinds";
import { wrongSettings } from "../config/messages";
import { type SettingProblem, type Settings, TOKEN_SOURCES } from "../config/settings";
import { remedyOf } from "../words/codes";
import { counted, FORGET, inBrackets, type Message, messageOf, NO_ACTION, NO_REMEDY, STAYS } from "../words/message";
import type { Reason, UnappliedReason, UncertainPost } from "./plan";

// --- reasons of a plan

/** The reasons why a routing is not applied, as shown in messages, the report, doctor and show. */
export const UNAPPLIED: Record<UnappliedReason, string> = {
  rejected: "the API rejected the request",
  unknown: "the outcome of the request is unknown",
  different: "the response differed from the request",
  "not sent": "the request was not sent",
};

/** Whether a number is certain to have kept its old routing after a failure for this reason. */
export const isUnchanged = (reason: UnappliedReason): boolean => reason === "rejected" || reason === "not sent";

/** Says what became of a routing that failed for these reasons. */
export const notApplied = (reasons: readonly UnappliedReason[]): string =>
  reasons.every(isUnchanged) ? "was not applied" : "may not have been applied";

export function reasonMessage(label: string, reason: Reason): Message {
  switch (reason.why) {
    case "unapplied": {
      const { reasons, count } = reason;
      const causes = reasons.map((unapplied) => UNAPPLIED[unapplied]).join(", or ");
      return messageOf(
        "AGP-044",
        label,
        `the routing of ${counted(count, "number")} ${notApplied(reasons)} in an earlier run (${causes}).`,
      );
    }
    case "endpoint":
      return messageOf(
        "AGP-060",
        label,
        `this change sends the routing to ${reason.to} and nothing to ${reason.from}. If these are two separate platforms, the numbers keep their agents at ${reason.from}: once they work at ${reason.to}, you can unassign those agents yourself.`,
        remedyOf("AGP-060"),
      );
    case "restart":
      return messageOf(
        "AGP-065",
        label,
        `${reason.agent} was aborted at ${reason.at}, but this change sends calls to it again.`,
      );
    case "membership": {
      const { joins, clears } = reason;
      const subject = joins.length > 0 ? "It" : "the change";
      const lines = [
        joins.length > 0 &&
          `the change adds ${counted(joins.length, "number")}${inBrackets(joins)} and overwrites ${joins.length === 1 ? "its" : "their"} current routing.`,
        // Name both exceptions, because the provider can't tell whether one applies. A resource that declares the
        // number may be checked later, and the engine doesn't pass on `retainOnDelete`.
        clears.length > 0 &&
          `${subject} removes ${counted(clears.length, "number")}${inBrackets(clears)}. A removed number loses its agents at the end of the run, unless another resource of this stack declares it, or \`retainOnDelete\` was applied in an earlier run.`,
      ];
      return messageOf("AGP-072", label, lines.filter(Boolean).join(" "));
    }
    case "voiceAddedElsewhere":
      return messageOf(
        "AGP-060",
        label,
        `this voice belongs to the platform at ${reason.from}, but the settings now point to ${reason.to}. The voice's arguments changed too, so \`pulumi up\` adds a voice at ${reason.to}, which the API cannot remove. The old voice stays at ${reason.from}.`,
        "To add no voice, undo the changes to the arguments (or to agent-platform:workspaceId), or set `adopt` to the id of an existing voice.",
      );
    case "notMoved":
      return messageOf(
        "AGP-060",
        label,
        `this voice or chat belongs to the platform at ${reason.from}, but the settings now point to ${reason.to}. Nothing is sent, because a POST would create a second voice or chat.`,
        [
          `If ${reason.to} is the same platform under a new host name, see \`npx pulumi-agent-platform help voices-and-chats\`.`,
          `To create another voice or chat at ${reason.to}, declare it under a new name. A new chat sends an SMS, and a new voice cannot be removed afterwards.`,
        ].join("\n"),
      );
    case "chatRecorded":
      return messageOf(
        "AGP-061",
        label,
        `the change to ${series(reason.fields)} is saved in the state but not sent, because the API cannot change a chat.`,
        `${NO_ACTION} To start another chat with the new values, which sends another SMS, change \`sendKey\`.`,
      );
    case "posts": {
      const { code, does } = postedAs(reason.kind).ahead;
      return messageOf(code, label, `\`pulumi up\` ${does(reason.name)}.`);
    }
    case "unresolved":
      return stillUnresolved(reason.post, label, reason.id);
  }
}

/** Says that a voice or chat may exist, because the outcome of its POST is unknown. */
export const mayExist = ({ kind, name, place }: UncertainPost): string =>
  `The ${name} may have been ${postedAs(kind).created} ${place}.`;

/**
 * Explains the two ways to resolve a POST whose outcome is unknown: adopt the voice or chat, or send the POST again.
 * @param id the ID of the unresolved resource
 */
export const howToResolve = ({ kind }: UncertainPost, label: string, id: string): string =>
  [`Check ${postedAs(kind).place}, then set one of these arguments on ${label}:`, ...waysToResolve(kind, id)].join(
    "\n",
  );

/** Returns the argument to add to the program if the voice or chat exists, such as `adopt: "<chatId>"`. */
export const adoptArgument = (kind: PostedKind): string => `adopt: "<${postedAs(kind).idName}>"`;

/**
 * Returns the argument to add to the program if the voice or chat doesn't exist, so that the POST is sent again.
 * @param id the ID of the unresolved resource
 */
export const retryArgument = (id: string): string => `retryUnresolved: "${id}"`;

export const waysToResolve = (kind: PostedKind, id: string): string[] => [
  `if the ${postedAs(kind).noun} exists:          ${adoptArgument(kind)}`,
  `if the ${postedAs(kind).noun} does not exist:  ${retryArgument(id)}   (${postedAs(kind).sends} once, with the arguments that the program has now)`,
];

export const stillUnresolved = (post: UncertainPost, label: string, id: string): Message =>
  messageOf(
    "AGP-041",
    label,
    `unresolved since an earlier run, because the outcome of its POST is unknown. ${mayExist(post)} ${postedAs(post.kind).notRepeated}`,
    howToResolve(post, label, id),
  );

// --- invalid input

/** @param problem a problem without a path is about the whole resource, such as an argument that it does not accept */
export const invalid = ({ path, rule }: Problem): Message =>
  messageOf("AGP-001", undefined, `${path === "" ? "this resource" : path} ${rule}.`, NO_REMEDY);

// --- settings

export const settingRefused = ({ code, text }: Pick<SettingProblem, "code" | "text">): Message =>
  code === "AGP-015" ? wrongSettings([text]) : messageOf(code, undefined, text);

// --- refused requests and deletes

export const endpointDiffers = (label: string, saved: string, now: string): Message =>
  messageOf(
    "AGP-060",
    label,
    `nothing was sent, because the saved state belongs to the platform at ${saved}, but the settings point to ${now}.`,
    [
      `To send the request to ${saved}, set agent-platform:baseUrl to that address and run \`pulumi up\` again. A destroy uses the base URL of the last \`pulumi up\`.`,
      `For a destroy, or to leave everything at ${saved} as it is, remove the resource from the state with ${FORGET}. If the program still declares the resource, the next \`pulumi up\` creates the resource again, which overwrites a number, adds a voice a second time, or sends another SMS.`,
    ].join("\n"),
  );

/**
 * Why a delete sends nothing after a failure. The failure may be from another run, because the file that marks a failed
 * program is valid for a day (engine/marks.ts).
 */
export const RUN_FAILED =
  "the program or an operation failed, or something was skipped, in this run or in another run within the last 24 hours, so the provider may not know everything that the program declares";

export const postponed = (label: string, why: string): Message =>
  messageOf("AGP-074", label, [`the delete was not sent, because ${why}.`, STAYS]);

/**
 * Refuses a create or a delete during `abort --up`. The engine asks for them if the program in the working tree differs
 * from the deployed one.
 */
export const notInAbort = (label: string, call: "create" | "delete"): Message =>
  messageOf(
    "AGP-077",
    label,
    call === "create"
      ? "this run only aborts a rollout, so this resource was not created, and no request was sent for it."
      : [
          "this run only aborts a rollout, so the resource that the program replaces or no longer declares was not deleted, and no request was sent to delete it.",
          STAYS,
        ],
  );

// --- state

export const unreadableState = (label: string, fields: readonly string[]): Message =>
  messageOf(
    "AGP-080",
    label,
    `the saved state cannot be read: ${series(fields)} ${fields.length === 1 ? "is" : "are"} missing or of the wrong type, perhaps after a manual edit.`,
  );

// --- the client

export const tokenMissing = ({ tokenSource }: Pick<Settings, "tokenSource">): Message =>
  messageOf("AGP-013", undefined, `No access token was found in ${TOKEN_SOURCES[tokenSource]}. Nothing was sent.`);

/** @param rule what is wrong with the address of the proxy, and how to write it */
export const clientRefused = (rule: string): Message => wrongSettings([`Nothing was sent. ${rule}`]);
