import type { Card, Family } from "./model";
import { totalOf } from "./places";
import { counted, joined, say, type Text } from "./text";

/** One line for the whole change: what is alone speaks for itself, what comes in numbers is counted. */
export function headlineOf(cards: readonly Card[]): Text {
  if (cards.length === 0) return ["No change to agents, voices or chats"];
  const families = new Map<Family, Card[]>();
  for (const one of cards) {
    const members = families.get(one.family);
    if (members === undefined) families.set(one.family, [one]);
    else members.push(one);
  }
  const titles = [...families].flatMap(([family, members]): Text[] =>
    members.length <= (IN_TWOS.has(family) ? 2 : 1) ? members.map(({ title }) => title) : [[together(family, members)]],
  );
  const more = titles.length - MOST_TITLES;
  const shown = joined(titles.slice(0, MOST_TITLES), " · ");
  return more > 0 ? say`${shown} · and ${counted(more, "other kind")} of change` : shown;
}

const MOST_TITLES = 3;

/** What cannot be taken back speaks for itself in twos as well. */
const IN_TWOS: ReadonlySet<Family> = new Set(["unresolved", "message", "replacement"]);

function together(family: Family, cards: readonly Card[]): string {
  const total = totalOf(cards.flatMap(({ places }) => places));
  const numbers = total === undefined ? "numbers, not all known yet" : counted(total, "number");
  const count = cards.length.toLocaleString("en");
  const words: Record<Family, string> = {
    unresolved: `⚠ ${count} entries unresolved since an earlier run`,
    removal: `⚠ ${numbers} lose agents`,
    message: `⚠ ${count} chats are sent`,
    replacement: `⚠ ${count} replacements`,
    split: `Traffic split on ${numbers}, in ${count} different ways`,
    takeover: `Takes over ${numbers}, with ${count} routings`,
    join: `${numbers} join groups`,
    routing: `Routing of ${numbers}`,
    voice: `Adds ${count} voices`,
    end: `${count} voices and chats end or are forgotten`,
    account: `${count} accounts`,
    quiet: `${count} changes that send nothing`,
  };
  return words[family];
}
