import {
  adoptArgument,
  holdsUnknown,
  isObject,
  isOfNumbers,
  type PostedFamily,
  type PostedKind,
  postedAs,
  retryArgument,
  same,
} from "../../../provider/review";
import { groupBy, present } from "../../lists";
import { appliedIn } from "../../pulumi/preview";
import type { Properties } from "../../pulumi/values";
import { type Card, type Condition, card, type FieldRow, LOUD, type Requests, type Undo } from "../card";
import type { Change, Changes } from "../changes";
import { filled, id, say, shown, some, type Text } from "../text";

/** Cards of what is posted, by the words of its row: which is posted, and which would be posted again. */

/** A change of such a resource. */
interface PostChange extends Change {
  readonly kind: PostedKind;
}
const isPost = (change: Change): change is PostChange => !isOfNumbers(change.kind);

const rowOf = ({ kind }: PostChange) => postedAs(kind);
const inputs = (change: PostChange): Properties => change.new?.inputs ?? change.old?.inputs ?? {};
const adopts = (change: PostChange): boolean => change.new?.inputs.adopt !== undefined;

/** The slots of a row's texts. */
const slots = (change: PostChange, values: Properties = inputs(change)) => ({
  value: shown(values[rowOf(change).foundBy]),
  where: where(values),
});

/** `the voice Nova`, `the chat with +15551234567`. */
const subject = (change: PostChange, values?: Properties): Text => filled(rowOf(change).title, slots(change, values));

const where = (values: Properties): Text => say`workspace ${shown(values.workspaceId)}`;
const by = ({ name, providerName }: PostChange): Text =>
  providerName === undefined ? say`${id(name)}` : say`${id(name)}, provider ${id(providerName)}`;

const sends = (change: PostChange): Partial<Requests> => ({ [rowOf(change).sends.count]: 1 });

/** The engine deletes the old resource. This ends what was posted, unless it stays or the stack only forgets it. */
const endsIf = (change: PostChange): Partial<Requests> => {
  const { end } = rowOf(change);
  return end === undefined || change.isRetained ? {} : { [end.count]: 1 };
};

/** The revert of a delete or of a replacement declares the old resource again, and so posts again. */
const undoNew = (change: PostChange): Undo => ({ caveat: [rowOf(change).caveat.made] });
const undoGone = (change: PostChange): Undo => ({ caveat: [rowOf(change).caveat.gone] });

/** A card whose title is also what gates judge. */
const judged = (condition: Condition, title: Text) => ({ title, facts: [{ condition, text: title }] });

export function postCards({ ours, kept }: Pick<Changes, "ours" | "kept">): Card[] {
  const posts = ours.filter(isPost);
  const pairs = pairsOf(posts);
  const paired = new Set(pairs.flat());
  // The ids that a resource has after the run.
  const goOn = new Set(
    present([...posts, ...kept].flatMap(({ op, old, new: next }) => [next?.inputs.adopt, op === "update" && old?.id])),
  );
  return [
    ...pairs.map(renamed),
    ...posts.filter((change) => !paired.has(change)).map((change) => single(change, goOn.has(change.old?.id))),
  ];
}

function single(change: PostChange, isAdopted: boolean): Card {
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

function created(change: PostChange): Card {
  const values = inputs(change);
  const declared = rowOf(change).replaces.filter((field) => values[field] !== undefined);
  const { first, isLoud, note } = rowOf(change).sends;
  return card({
    ...(isLoud && { tone: "warning" }),
    rank: isLoud ? 2 : 6,
    family: familyOf(change),
    ...judged("create", say`${isLoud ? LOUD : ""}${filled(first, slots(change))} (${by(change)})`),
    fields: declared.map((field) => ({ field, before: [], after: shown(values[field]) })),
    notes: [note !== undefined && [note]],
    requests: sends(change),
    undo: undoNew(change),
  });
}

/** The type of the rows names every family. */
const familyOf = (change: PostChange) => rowOf(change).sends.family as PostedFamily;

function adopted(change: PostChange): Card {
  const { adopted: caveat } = rowOf(change).caveat;
  return card({
    rank: 7,
    family: "quiet",
    title: say`Adopts ${subject(change)} (${by(change)}): ${shown(inputs(change).adopt)}. Nothing is sent`,
    undo: caveat === undefined ? undefined : { caveat: [caveat] },
  });
}

function fieldsBetween(change: PostChange, fields: readonly string[]): FieldRow[] {
  const [old, next] = [appliedIn(change.old), inputs(change)];
  return fields
    .filter((field) => !same(old[field], next[field]))
    .map((field) => ({ field, before: shown(old[field]), after: shown(next[field]) }));
}

const SENT_AGAIN = { tone: "danger", rank: 2, family: "replacement" } as const;

function replaced(change: PostChange): Card {
  const { old, isRetained } = change;
  const { noun, stays } = rowOf(change);
  const values = inputs(change);
  const isAdopted = adopts(change);
  const isUnknown = !isAdopted && rowOf(change).replaces.some((field) => holdsUnknown(values[field]));
  const oldText = old?.id === undefined ? [] : say` (${id(old.id)})`;
  const again = say`⚠ ${filled(rowOf(change).sends.again, slots(change))} (${by(change)})`;
  const instead = say`⚠ Adopts ${shown(values.adopt)} instead, nothing is sent: ${subject(change)} (${by(change)})`;
  return card({
    ...SENT_AGAIN,
    ...judged("replace", isAdopted ? instead : again),
    fields: fieldsBetween(change, rowOf(change).replaces),
    notes: [
      filled(stays?.replacedNote ?? `The current ${noun}{id} {end}.`, {
        ...slots(change, appliedIn(old)),
        id: oldText,
        end: [isRetained ? "continues, because of retainOnDelete" : "ends after the new one has started"],
      }),
      isUnknown && [
        "A value is known only after apply, so the engine plans to send. If the value stays the same, nothing is sent.",
      ],
    ],
    requests: { ...(!isAdopted && sends(change)), ...endsIf(change) },
    undo: undoGone(change),
  });
}

/** @param isAdopted does another resource of the program have it? Then it is not ended (AGP-069) */
function deleted(change: PostChange, isAdopted: boolean): Card {
  const values = appliedIn(change.old);
  const { noun, stays } = rowOf(change);
  const ends = isAdopted ? {} : endsIf(change);
  const isEnded = Object.keys(ends).length > 0;
  const goesOn = change.isRetained
    ? `Nothing is sent, because of retainOnDelete: the ${noun} continues.`
    : `Another resource of the program has it: nothing is sent, and the ${noun} continues.`;
  return card({
    tone: "warning",
    rank: 5,
    family: "end",
    ...judged("delete", say`${isEnded ? "Ends" : "Forgets"} ${subject(change, values)} (${by(change)})`),
    notes: [stays === undefined ? !isEnded && [goesOn] : filled(stays.deletedNote, slots(change, values))],
    requests: ends,
    undo: undoGone(change),
  });
}

function recorded(change: PostChange): Card {
  const { replaces, recorded: unsent, sends: words } = rowOf(change);
  const { changeNote } = words;
  const fields = fieldsBetween(change, [...replaces, ...unsent]).map((row) => ({
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
    notes: [changeNote !== undefined && [changeNote]],
  });
}

/** A created and a deleted resource with equal inputs are one resource with another name: the engine sends it again. */
function pairsOf(posts: readonly PostChange[]): [PostChange, PostChange][] {
  return groupBy(posts, sameness).flatMap((all) => {
    const gone = all.filter(({ op }) => op === "delete");
    const made = all.filter((change) => change.op === "create" && !adopts(change));
    return made.slice(0, gone.length).map((one, index): [PostChange, PostChange] => [gone[index] as PostChange, one]);
  });
}

function sameness(change: PostChange): string {
  const values = inputs(change);
  return JSON.stringify([
    change.kind,
    change.providerName,
    rowOf(change).replaces.map((field) => values[field] ?? null),
  ]);
}

function renamed([old, made]: [PostChange, PostChange]): Card {
  const { noun, sends: words } = rowOf(made);
  const end = old.isRetained ? `keeps the first ${noun} open, because of retainOnDelete` : `ends the first ${noun}`;
  return card({
    ...SENT_AGAIN,
    title:
      old.name === made.name
        ? say`⚠ Moved in the program: ${subject(made)} will be sent again (${id(made.name)})`
        : say`⚠ Renamed: ${subject(made)} will be sent again (${id(old.name)} → ${id(made.name)})`,
    notes: [filled(words.againBy, { ...slots(made), end: [end] }), aliasNote(old, made)],
    facts: [{ condition: "replace", text: say`${subject(made)}: renamed, will be sent again` }],
    requests: { ...sends(made), ...endsIf(old) },
    undo: undoGone(made),
  });
}

/** If the parent or the type changes, the alias needs the whole URN, which has the name of one stack. */
function aliasNote(old: PostChange, made: PostChange): Text {
  const placeOf = ({ urn, name }: PostChange) => urn.slice(0, -name.length);
  const [where, alias] =
    placeOf(old) === placeOf(made) ? ["", `{ name: "${old.name}" }`] : [" in this stack", `"${old.urn}"`];
  return say`To send nothing${where}, write ${id(`aliases: [${alias}]`)} on ${id(made.name)}.`;
}

// --- a POST of an earlier run with an unknown outcome

const UNRESOLVED = { tone: "danger", rank: 0, family: "unresolved" } as const;

/** The operator has resolved it: it exists, or it may be sent once more. */
function resolved(change: PostChange): Card {
  const what = say`${subject(change, appliedIn(change.old))} (${by(change)})`;
  if (adopts(change)) {
    const title = say`Resolves ${what}: adopts ${shown(inputs(change).adopt)}, nothing is sent`;
    return card({ rank: 6, family: "quiet", title });
  }
  const title = say`⚠ Resolves ${what}: sent once more, as ${id("retryUnresolved")} allows`;
  return card({ ...UNRESOLVED, ...judged("create", title), requests: sends(change) });
}

function stillUnresolved(change: PostChange): Card {
  const values = appliedIn(change.old);
  const what = say`${subject(change, values)} (${by(change)}) may or may not be in ${where(values)}`;
  const adopt = id(adoptArgument(change.kind));
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
