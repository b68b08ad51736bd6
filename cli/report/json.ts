import type { Card, Model } from "./model";
import { placeText } from "./places";
import { plain, type Text } from "./text";

/** The model for other programs: the same sentences as text, everything uncut. */
export function toJson(model: Model, gates: readonly { gate: string; facts: readonly Text[] }[]): string {
  const { cards, facts, alerts, undo, rest, headline, onMerge, ...plainParts } = model;
  const report = {
    ...plainParts,
    headline: plain(headline),
    alerts: alerts.map(({ title, ...alert }) => ({ ...alert, title: plain(title) })),
    cards: cards.map(plainCard),
    facts: facts.map(({ text, ...fact }) => ({ ...fact, text: plain(text) })),
    onMerge: plain(onMerge),
    undo: undo.map(plain),
    rest: rest.map(plain),
    tripped: gates.map(({ gate, facts: found }) => ({ gate, facts: found.map(plain) })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

const plainCard = ({ title, places, fields, notes, listed, ...rest }: Card) => ({
  ...rest,
  title: plain(title),
  places: places.map((place) => plain(placeText(place))),
  fields: fields.map(({ field, before, after }) => ({ field, before: plain(before), after: plain(after) })),
  notes: notes.map(plain),
  listed: listed.map(({ title: name, items }) => ({ title: name, items: items.map(plain) })),
});
