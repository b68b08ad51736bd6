import { type Change, type Contribution, card } from "./model";
import { adopts, inputs, isVoice, replacesOf, sends, subject, undoOf, where } from "./postWords";
import { id, say } from "./text";
import { shown } from "./values";

/** Voices and chats that only got another name. */

/** A created and a deleted one with equal inputs are one that got another name: the engine sends it again. */
export function pairsOf(posts: readonly Change[]): [Change, Change][] {
  const open = new Map<string, Change[]>();
  for (const change of posts.filter(({ op }) => op === "delete")) {
    const key = sameness(change);
    open.set(key, [...(open.get(key) ?? []), change]);
  }
  return posts
    .filter(({ op }) => op === "create")
    .flatMap((created): [Change, Change][] => {
      if (adopts(created)) return [];
      const deleted = open.get(sameness(created))?.shift();
      return deleted === undefined ? [] : [[deleted, created]];
    });
}

function sameness(change: Change): string {
  const values = inputs(change);
  return JSON.stringify([change.kind, change.account, replacesOf(change).map((field) => values[field] ?? null)]);
}

export function renamed([deleted, created]: [Change, Change]): Contribution {
  const retains = deleted.before?.retainOnDelete === true;
  const alias = say`Write ${id(`aliases: [{ name: "${deleted.name}" }]`)} on ${id(created.name)}, and nothing is sent.`;
  return {
    card: card({
      tone: "danger",
      rank: 2,
      family: "replacement",
      title: say`⚠ Renamed: ${subject(created)} will be sent again (${id(deleted.name)} → ${id(created.name)})`,
      notes: [
        isVoice(created)
          ? say`Adds a second voice to ${where(inputs(created))}'s library; the first one stays there.`
          : say`Sends an SMS to ${shown(inputs(created).toNumber)} again, and ${retains ? "leaves the first chat as it is: retainOnDelete" : "ends the first chat"}.`,
        alias,
      ],
    }),
    facts: [{ condition: "replace", text: say`${subject(created)}: renamed, will be sent again` }],
    requests: { ...sends(created), ends: isVoice(created) || retains ? 0 : 1 },
    undo: undoOf(created),
  };
}
