import { same } from "../../provider/core/same";
import { holdsUnknown } from "../../provider/core/unknown";
import { type Change, type Contribution, card, type FieldRow, NOTHING } from "./model";
import { pairsOf, renamed } from "./postPairs";
import { adopts, by, CHAT_RECORDED, inputs, isVoice, replacesOf, sends, subject, undoOf, where } from "./postWords";
import { beforeOf } from "./sides";
import { id, say, some, type Text } from "./text";
import { unresolved } from "./unresolved";
import { isMap, shown } from "./values";

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
  if (beforeOf(change).values.unresolved === true) return unresolved(change);
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
  if (adopts(change)) return adopted(change);
  const title = isVoice(change)
    ? say`Adds ${subject(change)} to ${where(values)}'s library (${by(change)})`
    : say`Sends an SMS to ${shown(values.toNumber)} (${by(change)})`;
  return {
    card: card({
      tone: isVoice(change) ? "plain" : "warning",
      rank: isVoice(change) ? 6 : 2,
      family: isVoice(change) ? "voice" : "message",
      title,
      fields: replacesOf(change)
        .filter((field) => values[field] !== undefined)
        .map((field) => ({ field, before: [], after: shown(values[field]) })),
      notes: isVoice(change) ? [["The platform shows no way to change or remove it afterwards."]] : [],
    }),
    facts: [{ condition: "create", text: title }],
    requests: sends(change),
    undo: undoOf(change),
  };
}

function adopted(change: Change): Contribution {
  return {
    card: card({
      rank: 7,
      family: "quiet",
      title: say`Adopts ${subject(change)} (${by(change)}): ${shown(inputs(change).adopt)}. Nothing is sent`,
    }),
    facts: [],
    requests: NOTHING,
    undo: undefined,
  };
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
  const name = isAdopted
    ? say`⚠ Goes over to ${shown(inputs(change).adopt)}, nothing is sent: ${subject(change)} (${by(change)})`
    : isVoice(change)
      ? say`⚠ Adds a second voice: ${shown(inputs(change).voiceName)} (${by(change)})`
      : say`⚠ Sends an SMS again: ${shown(inputs(change).toNumber)} (${by(change)})`;
  const oldText = old === undefined ? "" : say` (${id(old)})`;
  const retains = change.before?.retainOnDelete === true;
  return {
    card: card({
      tone: "danger",
      rank: 2,
      family: "replacement",
      title: name,
      fields,
      notes: [
        isVoice(change)
          ? say`The voice of today${oldText} stays in ${where(beforeOf(change).values)}'s library: the platform shows no way to change or remove it.`
          : retains
            ? say`The chat of today${oldText} goes on: retainOnDelete.`
            : say`The chat of today${oldText} is ended first.`,
        ...(isUnknown && !isAdopted
          ? [
              [
                "A value is known after apply alone, so that the engine plans to send; where it stays the same, nothing is sent.",
              ],
            ]
          : []),
      ],
    }),
    facts: [{ condition: "replace", text: name }],
    requests: { ...(isAdopted ? NOTHING : sends(change)), ends: isVoice(change) || retains ? 0 : 1, isAtLeast: false },
    undo: isAdopted ? undefined : undoOf(change),
  };
}

/** A chat that another declaration of the program adopts goes on (AGP-069). */
function deleted(change: Change, isAdopted: boolean): Contribution {
  const values = beforeOf(change).values;
  const retains = change.before?.retainOnDelete === true;
  const isForgotten = isVoice(change) || retains || isAdopted;
  const title = isForgotten
    ? say`Forgets ${subject(change, values)} (${by(change)})`
    : say`Ends ${subject(change, values)} (${by(change)})`;
  return {
    card: card({
      tone: "warning",
      rank: 5,
      family: "end",
      title,
      notes: isVoice(change)
        ? [
            say`The voice stays in ${where(values)}'s library: the platform shows no way to remove it. Only the state forgets it.`,
          ]
        : retains
          ? [["retainOnDelete: nothing is sent, the chat goes on."]]
          : isAdopted
            ? [["The program adopts it under another name: nothing is sent, the chat goes on."]]
            : [],
    }),
    facts: [{ condition: "delete", text: title }],
    requests: { ...NOTHING, ends: isForgotten ? 0 : 1 },
    undo: undoOf(change),
  };
}

function recorded(change: Change): Contribution {
  const fields = fieldsBetween(change, [...replacesOf(change), ...CHAT_RECORDED, "endMissing"]).map((row) => ({
    ...row,
    after: differs(change, row),
  }));
  return {
    card: card({
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
      notes: isVoice(change) ? [] : [["The platform shows no way to change a chat that has started."]],
    }),
    facts: [],
    requests: NOTHING,
    undo: undefined,
  };
}

/** Free-form values are named by their keys, so that a change inside them has to be said. */
function differs(change: Change, { field, after }: FieldRow): Text {
  return isMap(inputs(change)[field]) ? say`${after} (values not shown)` : after;
}
