import { jsonText } from "../io";
import { affectedText, type Card } from "./card";
import { type BlockingGate, gateText } from "./gates";
import type { Model } from "./model";
import type { Review } from "./stacks/review";
import { plain } from "./text";

/** The whole model for other programs, with its sentences as plain text. */
export const toJson = (model: Model, blocking: readonly BlockingGate[]): string => jsonText(modelJson(model, blocking));

function modelJson(model: Model, blocking: readonly BlockingGate[]) {
  const { cards, facts, alerts, undo, rest, headline, onMerge, ...plainParts } = model;
  return {
    ...plainParts,
    headline: plain(headline),
    alerts: alerts.map(({ title, ...alert }) => ({ ...alert, title: plain(title) })),
    cards: cards.map(plainCard),
    facts: facts.map(({ text, ...fact }) => ({ ...fact, text: plain(text) })),
    onMerge: plain(onMerge),
    undo: undo.map(plain),
    rest: rest.map(plain),
    blocking: blocking.map(({ gate, facts: found }) => ({
      gate: gateText(gate),
      facts: found.map((one) => plain(one.text)),
    })),
  };
}

/** The whole review for other programs. */
export const reviewToJson = ({ headline, crossings, notes, stacks, ...review }: Review): string =>
  jsonText({
    ...review,
    headline: plain(headline),
    crossings: crossings.map(({ title, notes: said, ...crossing }) => ({
      ...crossing,
      title: plain(title),
      notes: said.map(plain),
    })),
    notes: notes.map(plain),
    stacks: stacks.map(({ stack, model, blocking }) => ({ ...modelJson(model, blocking), stack })),
  });

const plainCard = ({ family, tone, rank, agents, title, affected, fields, notes, listed }: Card) => ({
  family,
  tone,
  rank,
  agents,
  title: plain(title),
  affected: affected.map((one) => plain(affectedText(one))),
  fields: fields.map(({ field, before, after }) => ({ field, before: plain(before), after: plain(after) })),
  notes: notes.map(plain),
  listed: listed.map(({ title: name, items }) => ({ title: name, items: items.map(plain) })),
});
