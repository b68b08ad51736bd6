import { CONDITIONS, type Condition, type Fact, type Model } from "./model";
import { id, say, some, type Text } from "./text";

/** `--fail-on replace,delete,shift>25`: what turns a check red. */

export type Gate =
  | { readonly condition: Exclude<Condition, "shift"> }
  | { readonly condition: "shift"; readonly points: number };

export const FORMS = "create, delete, replace, shift>25, unresolved";

/** The gates, or the word that is none. */
export function readGates(text: string): Gate[] | { readonly unknown: string } {
  const gates: Gate[] = [];
  for (const word of text.split(",").map((part) => part.trim())) {
    const gate = readGate(word);
    if (gate === undefined) return { unknown: word };
    gates.push(gate);
  }
  return gates;
}

function readGate(word: string): Gate | undefined {
  const shift = /^shift\s*>\s*(\d{1,3}(?:\.\d{1,6})?)$/.exec(word);
  if (shift?.[1] !== undefined) return { condition: "shift", points: Number(shift[1]) };
  const condition = CONDITIONS.find((candidate) => candidate === word);
  return condition === undefined || condition === "shift" ? undefined : { condition };
}

export interface Tripped {
  readonly gate: Gate;
  readonly facts: readonly Fact[];
}

/** A step that is not known before the run trips as well: a gate that cannot judge does not let pass. */
export function trippedBy(gates: readonly Gate[], { facts }: Model): Tripped[] {
  return gates
    .map((gate) => ({ gate, facts: facts.filter((fact) => trips(gate, fact)) }))
    .filter((tripped) => tripped.facts.length > 0);
}

const trips = (gate: Gate, { condition, points }: Fact): boolean =>
  condition === gate.condition && (gate.condition !== "shift" || points === undefined || points > gate.points + 1e-9);

export const gateText = (gate: Gate): string => (gate.condition === "shift" ? `shift>${gate.points}` : gate.condition);

export function gateLines(gates: readonly Gate[], tripped: readonly Tripped[]): Text[] {
  if (gates.length === 0) return [];
  const all = gates.map(gateText).join(",");
  if (tripped.length === 0) return [say`Gate ${id(`--fail-on ${all}`)}: nothing trips it.`];
  return tripped.map(
    ({ gate, facts }) =>
      say`⛔ Gate ${id(gateText(gate))}: ${some(
        facts.map(({ text }) => text),
        3,
        "; ",
      )}.`,
  );
}
