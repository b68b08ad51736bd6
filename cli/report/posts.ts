import { same } from "../../provider/core/equality";
import { RECORDED, REPLACES } from "../../provider/core/plan";
import { holdsUnknown } from "../../provider/core/schemas";
import { isMap, type Properties } from "../pulumi/values";
import {
  type Change,
  type Contribution,
  contribution,
  type FieldRow,
  NOTHING,
  type Requests,
  type Undo,
} from "./model";
import { beforeOf } from "./snapshot";
import { id, say, shown, some, type Text } from "./text";

/** Voices and chats in words. */

const isVoice = ({ kind }: Change): boolean => kind === "CommunityVoice";
/** Arguments whose change replaces, and those that are recorded and never sent: by the core's own tables. */
const replacesOf = ({ kind }: Change): readonly string[] => REPLACES[kind];
const recordedOf = ({ kind }: Change): readonly string[] => RECORDED[kind];
const inputs = (change: Change): Properties => change.after?.inputs ?? change.before?.inputs ?? {};

/** `the voice Nova`, `the chat with +15551234567`. */
const subject = (change: Change, values: Properties = inputs(change)): Text =>
  isVoice(change) ? say`the voice ${shown(values.voiceName)}` : say`the chat with ${shown(values.toNumber)}`;

const where = (values: Properties): Text => say`workspace ${shown(values.workspaceId)}`;
const by = ({ name, account }: Change): Text =>
  account === undefined ? say`${id(name)}` : say`${id(name)}, provider ${id(account)}`;

const sends = (change: Change): Requests => (isVoice(change) ? { ...NOTHING, voices: 1 } : { ...NOTHING, messages: 1 });

/** A revert of what declares it for the first time; a revert of anything else declares it anew, and so posts it. */
const undoNew = (change: Change): Undo => ({
  caveat: [
    isVoice(change)
      ? "a revert leaves the new voice in the library: the API cannot delete voices"
      : "a revert ends the new chat; its SMS has already been sent",
  ],
});
const undoGone = (change: Change): Undo => ({
  caveat: [isVoice(change) ? "a revert adds another voice to the library" : "a revert sends another SMS"],
});

const adopts = ({ after }: Change): boolean => after?.inputs.adopt !== undefined;

/** Voices and chats: what is posted once, and what would post it again. */

export function postContributions(changes: readonly Change[]): Contribution[] {
  const posts = changes.filter(({ kind }) => kind === "CommunityVoice" || kind === "SmsChat");
  const pairs = pairsOf(posts);
  const paired = new Set(pairs.flat());
  const adoptedIds = new Set(posts.map((change) => change.after?.inputs.adopt));
  return [
    ...pairs.map(renamed),
    ...posts.filter((change) => !paired.has(change)).map((change) => single(change, adoptedIds.has(change.before?.id))),
  ];
}

function single(change: Change, isAdopted: boolean): Contribution {
  if (beforeOf(change).values.unresolved === true) {
    return unresolvedContribution(change);
  }
  switch (change.op) {
    case "create":
      return created(change);
    case "replace":
      return replaced(change);
    case "delete":
      return deleted(change, isAdopted);
    case "update":
      return recorded(change);
  }
}

function created(change: Change): Contribution {
  const values = inputs(change);
  if (adopts(change)) {
    return adopted(change);
  }
  const title = isVoice(change)
    ? say`Adds ${subject(change)} to ${where(values)}'s library (${by(change)})`
    : say`Sends an SMS to ${shown(values.toNumber)} (${by(change)})`;
  return contribution({
    tone: isVoice(change) ? "plain" : "warning",
    rank: isVoice(change) ? 6 : 2,
    family: isVoice(change) ? "voice" : "message",
    title,
    fields: replacesOf(change)
      .filter((field) => values[field] !== undefined)
      .map((field) => ({ field, before: [], after: shown(values[field]) })),
    notes: isVoice(change) ? [["The API cannot change or delete it afterwards."]] : [],
    facts: [{ condition: "create", text: title }],
    requests: sends(change),
    undo: undoNew(change),
  });
}

function adopted(change: Change): Contribution {
  return contribution({
    rank: 7,
    family: "quiet",
    title: say`Adopts ${subject(change)} (${by(change)}): ${shown(inputs(change).adopt)}. Nothing is sent`,
    undo: isVoice(change) ? undefined : { caveat: ["a revert ends the adopted chat"] },
  });
}

function fieldsBetween(change: Change, fields: readonly string[]): FieldRow[] {
  const [old, next] = [beforeOf(change).values, inputs(change)];
  return fields
    .filter((field) => !same(old[field], next[field]))
    .map((field) => ({ field, before: shown(old[field]), after: shown(next[field]) }));
}

function replaced(change: Change): Contribution {
  const fields = fieldsBetween(change, replacesOf(change));
  const isUnknown = replacesOf(change).some((field) => holdsUnknown(inputs(change)[field]));
  const old = change.before?.id;
  const isAdopted = adopts(change);
  const oldText = old === undefined ? "" : say` (${id(old)})`;
  const retains = change.before?.retainOnDelete === true;
  const again = isVoice(change)
    ? say`⚠ Adds a second voice: ${shown(inputs(change).voiceName)} (${by(change)})`
    : say`⚠ Sends an SMS again: ${shown(inputs(change).toNumber)} (${by(change)})`;
  const name = isAdopted
    ? say`⚠ Adopts ${shown(inputs(change).adopt)} instead, nothing is sent: ${subject(change)} (${by(change)})`
    : again;
  const oldChat = retains
    ? say`The current chat${oldText} continues, because of retainOnDelete.`
    : say`The current chat${oldText} ends after the new one has started.`;
  return contribution({
    tone: "danger",
    rank: 2,
    family: "replacement",
    title: name,
    fields,
    notes: [
      isVoice(change)
        ? say`The current voice${oldText} stays in ${where(beforeOf(change).values)}'s library: the API cannot change or delete voices.`
        : oldChat,
      ...(isUnknown && !isAdopted
        ? [
            [
              "A value is known only after apply, so the engine plans to send. If the value stays the same, nothing is sent.",
            ],
          ]
        : []),
    ],
    facts: [{ condition: "replace", text: name }],
    requests: { ...(isAdopted ? NOTHING : sends(change)), ends: isVoice(change) || retains ? 0 : 1, isAtLeast: false },
    undo: undoGone(change),
  });
}

/** A chat that another declaration of the program adopts goes on (AGP-069). */
function deleted(change: Change, isAdopted: boolean): Contribution {
  const values = beforeOf(change).values;
  const retains = change.before?.retainOnDelete === true;
  const isForgotten = isVoice(change) || retains || isAdopted;
  const title = isForgotten
    ? say`Forgets ${subject(change, values)} (${by(change)})`
    : say`Ends ${subject(change, values)} (${by(change)})`;
  return contribution({
    tone: "warning",
    rank: 5,
    family: "end",
    title,
    notes: isVoice(change)
      ? [
          say`The voice stays in ${where(values)}'s library: the API cannot delete voices. It is removed from the state only.`,
        ]
      : whyItGoesOn(retains, isAdopted),
    facts: [{ condition: "delete", text: title }],
    requests: { ends: isForgotten ? 0 : 1 },
    undo: undoGone(change),
  });
}

function recorded(change: Change): Contribution {
  const fields = fieldsBetween(change, [...replacesOf(change), ...recordedOf(change)]).map((row) => ({
    ...row,
    after: differs(change, row),
  }));
  return contribution({
    rank: 8,
    family: "quiet",
    title: say`Recorded, not sent: ${
      fields.length === 0
        ? ["nothing of"]
        : some(
            fields.map(({ field }) => [field]),
            3,
          )
    } ${fields.length === 0 ? "" : "of "}${subject(change)} (${by(change)})`,
    fields,
    notes: isVoice(change) ? [] : [["The API cannot change a chat that has started."]],
  });
}

/** Free-form values are named by their keys, so that a change inside them has to be said. */
function differs(change: Change, { field, after }: FieldRow): Text {
  return isMap(inputs(change)[field]) ? say`${after} (values hidden)` : after;
}

function whyItGoesOn(retains: boolean, isAdopted: boolean): Text[] {
  if (retains) {
    return [["Nothing is sent, because of retainOnDelete: the chat continues."]];
  }
  return isAdopted ? [["The program adopts it under another name: nothing is sent, and the chat continues."]] : [];
}

/** Voices and chats that only got another name. */

/** A created and a deleted one with equal inputs are one that got another name: the engine sends it again. */
function pairsOf(posts: readonly Change[]): [Change, Change][] {
  const open = new Map<string, Change[]>();
  for (const change of posts.filter(({ op }) => op === "delete")) {
    const key = sameness(change);
    open.set(key, [...(open.get(key) ?? []), change]);
  }
  return posts
    .filter(({ op }) => op === "create")
    .flatMap((created): [Change, Change][] => {
      if (adopts(created)) {
        return [];
      }
      const deleted = open.get(sameness(created))?.shift();
      return deleted === undefined ? [] : [[deleted, created]];
    });
}

function sameness(change: Change): string {
  const values = inputs(change);
  return JSON.stringify([change.kind, change.account, replacesOf(change).map((field) => values[field] ?? null)]);
}

function renamed([deleted, created]: [Change, Change]): Contribution {
  const retains = deleted.before?.retainOnDelete === true;
  const alias = say`To send nothing, write ${id(`aliases: [{ name: "${deleted.name}" }]`)} on ${id(created.name)}.`;
  return contribution({
    tone: "danger",
    rank: 2,
    family: "replacement",
    title: say`⚠ Renamed: ${subject(created)} will be sent again (${id(deleted.name)} → ${id(created.name)})`,
    notes: [
      isVoice(created)
        ? say`Adds a second voice to ${where(inputs(created))}'s library; the first one stays there.`
        : say`Sends an SMS to ${shown(inputs(created).toNumber)} again, and ${retains ? "keeps the first chat open, because of retainOnDelete" : "ends the first chat"}.`,
      alias,
    ],
    facts: [{ condition: "replace", text: say`${subject(created)}: renamed, will be sent again` }],
    requests: { ...sends(created), ends: isVoice(created) || retains ? 0 : 1 },
    undo: undoGone(created),
  });
}

/** A POST of an earlier run whose outcome nobody knows. */
function unresolvedContribution(change: Change): Contribution {
  return change.op === "replace" ? resolved(change) : stillUnresolved(change);
}

/** The operator has resolved it: it exists, or it may be sent once more. */
function resolved(change: Change): Contribution {
  const what = say`${subject(change, beforeOf(change).values)} (${by(change)})`;
  const isAdopted = adopts(change);
  const title = isAdopted
    ? say`Resolves ${what}: adopts ${shown(inputs(change).adopt)}, nothing is sent`
    : say`⚠ Resolves ${what}: sent once more, as ${id("retryUnresolved")} allows`;
  return contribution({
    tone: isAdopted ? "plain" : "danger",
    rank: isAdopted ? 6 : 0,
    family: isAdopted ? "quiet" : "unresolved",
    title,
    facts: isAdopted ? [] : [{ condition: "create", text: title }],
    requests: isAdopted ? NOTHING : sends(change),
  });
}

function stillUnresolved(change: Change): Contribution {
  const { values } = beforeOf(change);
  const title = say`⚠ Unresolved since an earlier run: ${subject(change, values)} (${by(change)}) may or may not be in ${where(values)}`;
  return contribution({
    tone: "danger",
    rank: 0,
    family: "unresolved",
    title,
    notes: change.op === "delete" ? FORGOTTEN : whatToWrite(change),
    facts: [{ condition: "unresolved", text: title }],
  });
}

const FORGOTTEN: readonly Text[] = [
  ["It is removed from the state without being resolved. Check there whether it exists."],
];

function whatToWrite(change: Change): Text[] {
  const adopt = id(`adopt: "<${isVoice(change) ? "voiceId" : "chatId"}>"`);
  const retry = id(`retryUnresolved: "${change.before?.id ?? ""}"`);
  return [
    ["This pull request does not send it again."],
    say`Check there, then set ONE of: ${adopt} if it exists, ${retry} if it does not (sends once).`,
  ];
}
