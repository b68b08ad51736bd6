import { same } from "../../provider/base/json";
import { series } from "../../provider/base/text";
import { isOfNumbers, type PostedKind, postedAs } from "../../provider/config/kinds";
import { adoptArgument, retryArgument } from "../../provider/run/messages";
import { changedFields } from "../../provider/run/plan";
import { present } from "../lists";
import { appliedIn } from "../pulumi/preview";
import type { Properties } from "../pulumi/values";
import type { Card, Condition, FieldChange, Requests } from "./card";
import type { Changes, ResourceChange } from "./changes";
import { quoted, type Text, valueText, words } from "./text";

/**
 * Builds the report's cards for voices and chats. They warn if a run creates a voice or chat again, for example because
 * its resource was renamed.
 */

interface PostChange extends ResourceChange {
  readonly kind: PostedKind;
}
const isPost = (change: ResourceChange): change is PostChange => !isOfNumbers(change.kind);

/** The card kinds, CI gate and phrases that the report uses for voices or for chats. */
interface PostTexts {
  readonly family: "voice" | "message";
  readonly again: "again" | "smsAgain";
  readonly condition: "voice" | "sms";
  /** What a create does, such as `sends an SMS`. */
  readonly does: string;
  readonly sends: Partial<Requests>;
  /** What reverting a create does. */
  readonly undoSend: string;
  /** What reverting a delete, a replacement or a rename does. */
  readonly undoDelete: string;
}

const POSTS: Readonly<Record<PostedKind, PostTexts>> = {
  CommunityVoice: {
    family: "voice",
    again: "again",
    condition: "voice",
    does: "adds a voice",
    sends: { voices: 1 },
    undoSend: "reverting leaves the new voice in the library, because the API cannot delete voices",
    undoDelete: "reverting adds another voice to the library",
  },
  SmsChat: {
    family: "message",
    again: "smsAgain",
    condition: "sms",
    does: "sends an SMS",
    sends: { messages: 1 },
    undoSend: "reverting ends the new chat, but its SMS has been sent",
    undoDelete: "reverting sends another SMS",
  },
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const inputs = (change: PostChange): Properties => change.new?.inputs ?? change.old?.inputs ?? {};
const isAdopting = (change: PostChange): boolean => change.new?.inputs.adopt !== undefined;

/** Returns a phrase such as `Nova (nova)`: the name of a voice or the number of a chat, and the resource's name. */
const postName = ({ kind, name }: PostChange, values: Properties): Text =>
  words`${valueText(values[postedAs(kind).foundBy])} (${quoted(name)})`;

/** Returns a phrase such as `the voice Nova (nova)`. */
const postText = (change: PostChange, values = inputs(change)): Text =>
  words`the ${postedAs(change.kind).noun} ${postName(change, values)}`;

/** Returns a card's title, and a fact with the same text, which the CI gates check. */
const withFact = (condition: Condition, title: Text) => ({ title, facts: [{ condition, text: title }] });

/** Counts the request that ends the old resource's chat. Voices and retained chats stay on the platform. */
const endIf = ({ kind, isRetained }: PostChange): Partial<Requests> =>
  !postedAs(kind).ends || isRetained ? {} : { ends: 1 };

/** Says what happens to the existing voice or chat if its resource is replaced or deleted. */
function fateOf(change: PostChange): Text {
  const stays: Text = postedAs(change.kind).ends
    ? words`continues, because ${quoted("retainOnDelete")} is set`
    : ["stays, because the API cannot delete it"];
  const { adopt } = inputs(change);
  const ends =
    adopt === undefined
      ? ["ends after the new one has started"]
      : words`ends after ${valueText(adopt)} has been adopted`;
  return endIf(change).ends === undefined ? stays : ends;
}

export function postCards({ ours, kept }: Pick<Changes, "ours" | "kept">): Card[] {
  const posts = ours.filter(isPost).filter(({ isStranded }) => !isStranded);
  // The IDs of the voices and chats that a resource still manages after the run.
  const managed = new Set(
    present([...posts, ...kept].flatMap(({ op, old, new: next }) => [next?.inputs.adopt, op === "update" && old?.id])),
  );
  return posts.map((change) => cardOf(change, managed.has(change.old?.id), posts));
}

function cardOf(change: PostChange, isAdopted: boolean, posts: readonly PostChange[]): Card {
  if (appliedIn(change.old).unresolved === true) {
    return unresolvedPost(change);
  }
  switch (change.op) {
    case "create":
      return createdPost(change, posts);
    case "replace":
      return replacedPost(change);
    case "delete":
      return deletedPost(change, isAdopted);
    case "update":
      return recordedPost(change);
  }
}

function createdPost(change: PostChange, posts: readonly PostChange[]): Card {
  const values = inputs(change);
  const { family, again, condition, does, sends, undoSend, undoDelete } = POSTS[change.kind];
  if (isAdopting(change)) {
    const title = words`Adopts ${valueText(values.adopt)} (nothing is sent): ${postText(change)}`;
    return {
      family: "quiet",
      title,
      ...(postedAs(change.kind).ends && { undo: ["reverting ends the adopted chat"] }),
    };
  }
  const old = posts.find((post) => post.op === "delete" && isSamePost(post, change));
  if (old === undefined) {
    const title = words`${family === "voice" ? "" : "⚠ "}${capital(does)}: ${postName(change, values)}`;
    return {
      family,
      ...withFact(condition, title),
      rows: postFields(change, sentIn(change)),
      requests: sends,
      undo: [undoSend],
    };
  }
  return {
    family: again,
    ...withFact(condition, words`⚠ Renamed, so it ${does} again: ${postName(change, values)}`),
    rows: postFields(change, sentIn(change)),
    notes: [
      words`To send nothing, set ${quoted(`aliases: [{ name: "${old.name}" }]`)} on ${quoted(change.name)}. If its parent changes too, add the old parent to the alias.`,
    ],
    requests: sends,
    undo: [undoDelete],
  };
}

/**
 * Whether the program probably only renamed the resource. To the engine, a renamed resource is a new one, so another
 * POST is sent.
 */
const isSamePost = (deleted: PostChange, created: PostChange): boolean =>
  deleted.kind === created.kind &&
  changedFields(postedAs(deleted.kind).replaces, inputs(deleted), inputs(created)).length === 0;

/** Returns the fields that a POST sends, except the one in the card's title. */
function sentIn(change: PostChange): string[] {
  const { replaces, recorded, foundBy } = postedAs(change.kind);
  return [...replaces, ...recorded].filter((field) => field !== foundBy && inputs(change)[field] !== undefined);
}

function postFields(change: PostChange, fields: readonly string[]): FieldChange[] {
  const [old, next] = [change.op === "create" ? undefined : appliedIn(change.old), inputs(change)];
  return fields.map((field) => {
    const isSame = old === undefined || same(old[field], next[field]);
    return { field, before: isSame ? undefined : valueText(old[field]), after: valueText(next[field]) };
  });
}

function replacedPost(change: PostChange): Card {
  const { noun, replaces } = postedAs(change.kind);
  const { does, again: family, condition, sends, undoDelete } = POSTS[change.kind];
  const values = inputs(change);
  const isAdopted = isAdopting(change);
  const again = words`⚠ ${capital(does)} again: ${postName(change, values)}`;
  const adopts = words`⚠ Adopts ${valueText(values.adopt)} instead (nothing is posted): ${postText(change)}`;
  return {
    family: isAdopted ? "again" : family,
    ...(isAdopted ? withFact("end", adopts) : withFact(condition, again)),
    rows: postFields(change, [
      ...new Set([...changedFields(replaces, appliedIn(change.old), values), ...(isAdopted ? [] : sentIn(change))]),
    ]),
    notes: [words`The current ${noun} ${quoted(change.old?.id)} ${fateOf(change)}.`],
    requests: { ...(!isAdopted && sends), ...endIf(change) },
    undo: [undoDelete],
  };
}

/**
 * Returns the card for a voice or chat whose resource is deleted.
 * @param isAdopted whether another resource in the program manages the voice or chat; if so, the delete doesn't end it
 * (AGP-061)
 */
function deletedPost(change: PostChange, isAdopted: boolean): Card {
  const requests = isAdopted ? {} : endIf(change);
  const isEnded = requests.ends !== undefined;
  const outcome = isAdopted ? ["continues, because another resource in the program manages it"] : fateOf(change);
  return {
    family: "end",
    ...withFact("end", words`${isEnded ? "Ends" : "Forgets"} ${postText(change, appliedIn(change.old))}`),
    notes: isEnded ? [] : [words`The ${postedAs(change.kind).noun} ${outcome}. Nothing is sent.`],
    requests,
    // If the resource adopted its chat, the revert adopts it again, even if it has ended.
    undo:
      change.old?.inputs.adopt === undefined
        ? [POSTS[change.kind].undoDelete]
        : [`reverting adopts the old ${postedAs(change.kind).noun} again, sends nothing, and does not restart it`],
  };
}

function recordedPost(change: PostChange): Card {
  const { replaces, recorded } = postedAs(change.kind);
  const fields = series(changedFields([...replaces, ...recorded], appliedIn(change.old), inputs(change))) || "nothing";
  return { family: "quiet", title: words`Recorded (nothing is sent): ${fields} of ${postText(change)}` };
}

/** Returns the card for a voice or chat that may or may not exist, because the outcome of its POST is unknown. */
function unresolvedPost(change: PostChange): Card {
  const values = appliedIn(change.old);
  const post = postText(change, values);
  const { undoDelete } = POSTS[change.kind];
  const changed = changedFields(postedAs(change.kind).replaces, values, inputs(change));
  const rows = postFields(change, changed);
  // The operator resolves the outcome with `adopt` or `retryUnresolved`. Either makes the engine replace the resource.
  if (change.op === "replace") {
    return isAdopting(change) ? adoptedPost(change, post, changed) : retriedPost(change, post, changed);
  }
  const [adopt, retry] = [quoted(adoptArgument(change.kind)), quoted(retryArgument(change.old?.id ?? ""))];
  const { noun, notRepeated } = postedAs(change.kind);
  const ways = words`Look for the ${noun} in the web application. If the ${noun} exists, set ${adopt}. If not, set ${retry}, which ${postedAs(change.kind).sends} once.`;
  const removes: Text = [
    `This pull request removes the ${noun} from the state without resolving the outcome, so look for the ${noun} in the web application.`,
  ];
  const title = words`⚠ Unresolved since an earlier run: ${post} may or may not exist in workspace ${valueText(values.workspaceId)}`;
  return {
    family: "unresolved",
    ...withFact("unresolved", title),
    rows: change.op === "delete" ? [] : rows,
    notes:
      change.op === "delete"
        ? [removes]
        : present<Text>([
            [notRepeated],
            ways,
            changed.length > 0 && ["The changed arguments are sent only if the request is sent once more."],
          ]),
    ...(change.op === "delete" && { undo: [undoDelete] }),
  };
}

/** Returns the card for an unresolved voice or chat that the operator has found and adopts. */
function adoptedPost(change: PostChange, post: Text, changed: readonly string[]): Card {
  const other = [`The adopted ${postedAs(change.kind).noun} was created with the old arguments.`];
  return {
    family: "quiet",
    title: words`Resolves ${post}: adopts ${valueText(inputs(change).adopt)} (nothing is sent)`,
    rows: postFields(change, changed),
    notes: changed.length > 0 ? [other] : [],
  };
}

/**
 * Returns the card for an unresolved voice or chat whose request the operator lets the run send once more. The run sends
 * the program's current arguments, which may differ from those of the unresolved request.
 */
function retriedPost(change: PostChange, post: Text, changed: readonly string[]): Card {
  const { again, condition, does, sends, undoDelete } = POSTS[change.kind];
  const { foundBy, noun } = postedAs(change.kind);
  const isToAnother = changed.includes(foundBy);
  const how = isToAnother ? words`, now for ${valueText(inputs(change)[foundBy])}` : [", with changed arguments"];
  const title = words`⚠ Resolves ${post}: ${does} once more${changed.length === 0 ? [] : how}, as ${quoted("retryUnresolved")} allows`;
  return {
    family: again,
    ...withFact(condition, title),
    rows: postFields(change, changed),
    requests: sends,
    // A revert of changed arguments replaces the resource.
    undo:
      changed.length > 0 ? [undoDelete] : [`reverting sends nothing, and the ${noun} that this retry creates stays`],
  };
}
