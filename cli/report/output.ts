import { UsageError } from "../io";
import { type Card, CONDITIONS, type Condition, type Fact, type Model, placeText } from "./model";
import { id, plain, say, some, type Text } from "./text";

/** `--fail-on replace,delete,shift=25`: what turns a check red. */

export interface Gate {
  readonly condition: Condition;
  /** Of a shift: percentage points that are let pass. */
  readonly points?: number;
}

export const FORMS = "create, delete, replace, shift=25, unresolved";

/** A guard that the whole change exceeds always stops it, as one that a resource exceeds does. */
const GUARD: Gate = { condition: "guard" };

export const readGates = (text: string): Gate[] => text.split(",").map((word) => readGate(word.trim()));

function readGate(word: string): Gate {
  const [, points] = /^shift\s*[>=]\s*(\d{1,3}(?:\.\d{1,6})?)$/.exec(word) ?? [];
  const condition = points === undefined ? CONDITIONS.find((candidate) => candidate === word) : "shift";
  if (condition === undefined || condition === "guard" || (condition === "shift" && points === undefined)) {
    throw new UsageError(`--fail-on: "${word}" is not a condition. The conditions are: ${FORMS}.`);
  }
  return { condition, ...(points !== undefined && { points: Number(points) }) };
}

export type Tripped = ReturnType<typeof trippedBy>[number];

/** A change whose size is not known before the run blocks as well: if the gate cannot tell, it fails. */
export function trippedBy(gates: readonly Gate[], { facts }: Model) {
  return [...gates, GUARD]
    .map((gate) => ({ gate, facts: facts.filter((fact) => trips(gate, fact)) }))
    .filter((tripped) => tripped.facts.length > 0);
}

const trips = (gate: Gate, { condition, points }: Fact): boolean =>
  condition === gate.condition && (gate.points === undefined || points === undefined || points > gate.points + 1e-9);

export const gateText = ({ condition, points }: Gate): string =>
  points === undefined ? condition : `${condition}>${points}`;

export function gateLines(gates: readonly Gate[], tripped: readonly Tripped[]): Text[] {
  if (tripped.length === 0) {
    return gates.length === 0 ? [] : [say`CI gate ${id(`--fail-on ${gates.map(gateText).join(",")}`)}: passed.`];
  }
  return tripped.map((one) => say`⛔ CI gate ${id(gateText(one.gate))} blocks: ${factsText(one, 3)}.`);
}

export const factsText = ({ facts }: Tripped, most: number): Text =>
  some(
    facts.map(({ text }) => text),
    most,
    "; ",
  );

/** The model for other programs: the same sentences as text, everything uncut. */
export function toJson(model: Model, gates: readonly Tripped[]): string {
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
    tripped: gates.map(({ gate, facts: found }) => ({
      gate: gateText(gate),
      facts: found.map((one) => plain(one.text)),
    })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

const plainCard = ({ family, tone, rank, agents, title, places, fields, notes, listed }: Card) => ({
  family,
  tone,
  rank,
  agents,
  title: plain(title),
  places: places.map((place) => plain(placeText(place))),
  fields: fields.map(({ field, before, after }) => ({ field, before: plain(before), after: plain(after) })),
  notes: notes.map(plain),
  listed: listed.map(({ title: name, items }) => ({ title: name, items: items.map(plain) })),
});
