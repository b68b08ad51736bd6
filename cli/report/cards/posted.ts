import { isObject, same } from "../../../provider/core/equality";
import { isOfNumbers } from "../../../provider/core/kinds";
import { adoptArgument, retryArgument } from "../../../provider/core/messages";
import { RECORDED, REPLACES } from "../../../provider/core/plan";
import { holdsUnknown } from "../../../provider/core/schemas";
import { groupBy } from "../../lists";
import { appliedIn } from "../../pulumi/preview";
import type { Properties } from "../../pulumi/values";
import { type Card, type Condition, card, type FieldRow, type Requests, type Undo } from "../card";
import type { Change, Changes } from "../changes";
import { id, say, shown, some, type Text } from "../text";

/** Cards of voices and chats: which are posted, and which would be posted again. */

const isVoice = ({ kind }: Change): boolean => kind === "CommunityVoice";
const replacesOf = ({ kind }: Change): readonly string[] => REPLACES[kind];
const inputs = (change: Change): Properties => change.new?.inputs ?? change.old?.inputs ?? {};
const adopts = (change: Change): boolean => change.new?.inputs.adopt !== undefined;

/** `the voice Nova`, `the chat with +15551234567`. */
const subject = (change: Change, values: Properties = inputs(change)): Text =>
  isVoice(change) ? say`the voice ${shown(values.voiceName)}` : say`the chat with ${shown(values.toNumber)}`;

const where = (values: Properties): Text => say`workspace ${shown(values.workspaceId)}`;
const by = ({ name, providerName }: Change): Text =>
  providerName === undefined ? say`${id(name)}` : say`${id(name)}, provider ${id(providerName)}`;

const sends = (change: Change): Partial<Requests> => (isVoice(change) ? { voices: 1 } : { messages: 1 });

/** The engine deletes the old resource. This ends the chat, unless the stack only forgets it. */
const endsIf = (change: Change): number => (isVoice(change) || change.isRetained ? 0 : 1);

/** The revert of a new chat ends it. The revert of a delete or of a replacement declares the old resource again, and so posts again. */
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

/** A card whose title is also what gates judge. */
const judged = (condition: Condition, title: Text) => ({ title, facts: [{ condition, text: title }] });

export function postCards({ ours, kept }: Pick<Changes, "ours" | "kept">): Card[] {
  const posts = ours.filter(({ kind }) => !isOfNumbers(kind));
  const pairs = pairsOf(posts);
  const paired = new Set(pairs.flat());
  // The ids that a resource has after the run.
  const goOn = new Set(
    [...posts, ...kept].flatMap(({ op, old, new: next }) => [next?.inputs.adopt, op === "update" && old?.id]),
  );
  return [
    ...pairs.map(renamed),
    ...posts.filter((change) => !paired.has(change)).map((change) => single(change, goOn.has(change.old?.id))),
  ];
}

function single(change: Change, isAdopted: boolean): Card {
  if (appliedIn(change.old).unresolved === true) {
    return change.op === "replace" ? resolved(change) : stillUnresolved(change);
  }
  switch (change.op) {
    case "create":
      return adopts(change) ? adopted(change) : created(change);
    case "replace":
      return replaced(change);
    case "delete":
      return deleted(change, isAdopted);
    case "update":
      return recorded(change);
  }
}

function created(change: Change): Card {
  const values = inputs(change);
  const declared = replacesOf(change).filter((field) => values[field] !== undefined);
  const parts = {
    fields: declared.map((field) => ({ field, before: [], after: shown(values[field]) })),
    requests: sends(change),
    undo: undoNew(change),
  };
  return isVoice(change)
    ? card({
        ...parts,
        rank: 6,
        family: "voice",
        ...judged("create", say`Adds ${subject(change)} to ${where(values)}'s library (${by(change)})`),
        notes: [["The API cannot change or delete it afterwards."]],
      })
    : card({
        ...parts,
        tone: "warning",
        rank: 2,
        family: "message",
        ...judged("create", say`⚠ Sends an SMS to ${shown(values.toNumber)} (${by(change)})`),
      });
}

const adopted = (change: Change): Card =>
  card({
    rank: 7,
    family: "quiet",
    title: say`Adopts ${subject(change)} (${by(change)}): ${shown(inputs(change).adopt)}. Nothing is sent`,
    undo: isVoice(change) ? undefined : { caveat: ["a revert ends the adopted chat"] },
  });

function fieldsBetween(change: Change, fields: readonly string[]): FieldRow[] {
  const [old, next] = [appliedIn(change.old), inputs(change)];
  return fields
    .filter((field) => !same(old[field], next[field]))
    .map((field) => ({ field, before: shown(old[field]), after: shown(next[field]) }));
}

const SENT_AGAIN = { tone: "danger", rank: 2, family: "replacement" } as const;

function replaced(change: Change): Card {
  const { old, isRetained } = change;
  const values = inputs(change);
  const isAdopted = adopts(change);
  const isUnknown = !isAdopted && replacesOf(change).some((field) => holdsUnknown(values[field]));
  const oldText = old?.id === undefined ? "" : say` (${id(old.id)})`;
  const again = isVoice(change)
    ? say`⚠ Adds a second voice: ${shown(values.voiceName)} (${by(change)})`
    : say`⚠ Sends an SMS again: ${shown(values.toNumber)} (${by(change)})`;
  const instead = say`⚠ Adopts ${shown(values.adopt)} instead, nothing is sent: ${subject(change)} (${by(change)})`;
  return card({
    ...SENT_AGAIN,
    ...judged("replace", isAdopted ? instead : again),
    fields: fieldsBetween(change, replacesOf(change)),
    notes: [
      isVoice(change)
        ? say`The current voice${oldText} stays in ${where(appliedIn(old))}'s library: the API cannot change or delete voices.`
        : say`The current chat${oldText} ${isRetained ? "continues, because of retainOnDelete" : "ends after the new one has started"}.`,
      isUnknown && [
        "A value is known only after apply, so the engine plans to send. If the value stays the same, nothing is sent.",
      ],
    ],
    requests: { ...(!isAdopted && sends(change)), ends: endsIf(change) },
    undo: undoGone(change),
  });
}

/** A chat that another resource of the program has goes on (AGP-069). */
function deleted(change: Change, isAdopted: boolean): Card {
  const values = appliedIn(change.old);
  const ends = isAdopted ? 0 : endsIf(change);
  const goesOn = change.isRetained
    ? "Nothing is sent, because of retainOnDelete: the chat continues."
    : "Another resource of the program has it: nothing is sent, and the chat continues.";
  return card({
    tone: "warning",
    rank: 5,
    family: "end",
    ...judged("delete", say`${ends === 0 ? "Forgets" : "Ends"} ${subject(change, values)} (${by(change)})`),
    notes: [
      isVoice(change)
        ? say`The voice stays in ${where(values)}'s library: the API cannot delete voices. It is removed from the state only.`
        : ends === 0 && [goesOn],
    ],
    requests: { ends },
    undo: undoGone(change),
  });
}

function recorded(change: Change): Card {
  const fields = fieldsBetween(change, [...replacesOf(change), ...RECORDED[change.kind]]).map((row) => ({
    ...row,
    // Free-form values are only named by their keys, so both sides may look the same.
    after: isObject(inputs(change)[row.field]) ? say`${row.after} (values hidden)` : row.after,
  }));
  const names = fields.map(({ field }) => [field]);
  return card({
    rank: 8,
    family: "quiet",
    title: say`Recorded, not sent: ${names.length === 0 ? "nothing" : some(names, 3)} of ${subject(change)} (${by(change)})`,
    fields,
    notes: [!isVoice(change) && ["The API cannot change a chat that has started."]],
  });
}

/** A created and a deleted resource with equal inputs are one resource with another name: the engine sends it again. */
function pairsOf(posts: readonly Change[]): [Change, Change][] {
  return groupBy(posts, sameness).flatMap((all) => {
    const gone = all.filter(({ op }) => op === "delete");
    const made = all.filter((change) => change.op === "create" && !adopts(change));
    return made.slice(0, gone.length).map((one, index): [Change, Change] => [gone[index] as Change, one]);
  });
}

function sameness(change: Change): string {
  const values = inputs(change);
  return JSON.stringify([change.kind, change.providerName, replacesOf(change).map((field) => values[field] ?? null)]);
}

function renamed([old, made]: [Change, Change]): Card {
  const then = old.isRetained ? "keeps the first chat open, because of retainOnDelete" : "ends the first chat";
  return card({
    ...SENT_AGAIN,
    title:
      old.name === made.name
        ? say`⚠ Moved in the program: ${subject(made)} will be sent again (${id(made.name)})`
        : say`⚠ Renamed: ${subject(made)} will be sent again (${id(old.name)} → ${id(made.name)})`,
    notes: [
      isVoice(made)
        ? say`Adds a second voice to ${where(inputs(made))}'s library; the first one stays there.`
        : say`Sends an SMS to ${shown(inputs(made).toNumber)} again, and ${then}.`,
      aliasNote(old, made),
    ],
    facts: [{ condition: "replace", text: say`${subject(made)}: renamed, will be sent again` }],
    requests: { ...sends(made), ends: endsIf(old) },
    undo: undoGone(made),
  });
}

/** If the parent or the type changes, the alias needs the whole URN, which has the name of one stack. */
function aliasNote(old: Change, made: Change): Text {
  const placeOf = ({ urn, name }: Change) => urn.slice(0, -name.length);
  const [where, alias] =
    placeOf(old) === placeOf(made) ? ["", `{ name: "${old.name}" }`] : [" in this stack", `"${old.urn}"`];
  return say`To send nothing${where}, write ${id(`aliases: [${alias}]`)} on ${id(made.name)}.`;
}

// --- a POST of an earlier run with an unknown outcome

const UNRESOLVED = { tone: "danger", rank: 0, family: "unresolved" } as const;

/** The operator has resolved it: it exists, or it may be sent once more. */
function resolved(change: Change): Card {
  const what = say`${subject(change, appliedIn(change.old))} (${by(change)})`;
  if (adopts(change)) {
    const title = say`Resolves ${what}: adopts ${shown(inputs(change).adopt)}, nothing is sent`;
    return card({ rank: 6, family: "quiet", title });
  }
  const title = say`⚠ Resolves ${what}: sent once more, as ${id("retryUnresolved")} allows`;
  return card({ ...UNRESOLVED, ...judged("create", title), requests: sends(change) });
}

function stillUnresolved(change: Change): Card {
  const values = appliedIn(change.old);
  const what = say`${subject(change, values)} (${by(change)}) may or may not be in ${where(values)}`;
  const adopt = id(adoptArgument(isVoice(change) ? "voice" : "chat"));
  const retry = id(retryArgument(change.old?.id ?? ""));
  return card({
    ...UNRESOLVED,
    ...judged("unresolved", say`⚠ Unresolved since an earlier run: ${what}`),
    notes:
      change.op === "delete"
        ? [["It is removed from the state without being resolved. Check there whether it exists."]]
        : [
            ["This pull request does not send it again."],
            say`Check there, then set ONE of: ${adopt} if it exists, ${retry} if it does not (sends once).`,
          ],
  });
}
