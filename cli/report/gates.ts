import { exceeds } from "../../provider/routing/split";
import { UsageError } from "../errors";
import { CONDITIONS, type Condition, type Fact } from "./card";
import { few, quoted, type Text, words } from "./text";

/** Reads and checks CI gates, such as `--fail-on delete,replace,shift=25,sms`. */

export interface Gate {
  readonly condition: Condition;
  /** The largest allowed shift, in percentage points. */
  readonly points?: number;
}

export const CONDITION_FORMS = CONDITIONS.map((name) => (name === "shift" ? "shift=25" : name)).join(", ");

/**
 * Parses the value of `--fail-on`. Rejects an empty value: it may come from a variable that a pipeline forgot to set,
 * and changes that should be blocked would then pass.
 */
export function readGates(text: string): Gate[] {
  if (text.trim() === "") {
    throw new UsageError(`--fail-on is empty. List the conditions to block (${CONDITION_FORMS}), or omit the option.`);
  }
  return text.split(",").map((given) => {
    const word = given.trim();
    const [, points] = /^shift\s*=\s*(\d{1,3}(?:\.\d{1,6})?)$/.exec(word) ?? [];
    const condition = points === undefined ? CONDITIONS.find((candidate) => candidate === word) : "shift";
    if (condition === undefined || (condition === "shift" && points === undefined)) {
      throw new UsageError(`--fail-on: "${word}" is not a condition. The conditions are: ${CONDITION_FORMS}.`);
    }
    return { condition, ...(points !== undefined && { points: Number(points) }) };
  });
}

/** A gate that blocks the change, and the facts that it blocks. */
type BlockingGate = ReturnType<typeof blockingGates>[number];

/**
 * Returns the gates that block the change. The gates `guard` and `fails` always apply, even if they are not among the
 * given ones.
 */
export const blockingGates = (gates: readonly Gate[], { facts }: { readonly facts: readonly Fact[] }) =>
  [...gates, { condition: "guard" } as const, { condition: "fails" } as const]
    .map((gate) => ({ gate, facts: facts.filter((fact) => blocks(gate, fact)) }))
    .filter(({ facts: blocked }) => blocked.length > 0);

/**
 * Whether this fact makes the gate block the change. A gate such as `shift=25` also blocks a shift whose size isn't
 * known.
 */
const blocks = (gate: Gate, { condition, points, excused }: Fact): boolean =>
  excused === undefined &&
  condition === gate.condition &&
  (gate.points === undefined || points === undefined || exceeds(points, gate.points));

export const gateText = ({ condition, points }: Gate): string =>
  points === undefined ? condition : `${condition}=${points}`;

/**
 * Returns the lines about gates in the report. If the preview failed, it may not show every change, so the gates are
 * never reported as passed.
 */
export function gateLines(
  gates: readonly Gate[],
  { facts, hasFailed }: { readonly facts: readonly Fact[]; readonly hasFailed: boolean },
): Text[] {
  const blocking = blockingGates(gates, { facts });
  const passed = words`CI gate ${quoted(`--fail-on ${gates.map(gateText).join(",")}`)}: passed.`;
  return blocking.length > 0 || gates.length === 0 || hasFailed
    ? blocking.map((blocked) => words`⛔ CI gate ${quoted(gateText(blocked.gate))} blocks: ${factsText(blocked, 3)}.`)
    : [passed];
}

export const factsText = ({ facts }: Pick<BlockingGate, "facts">, most: number): Text =>
  few(
    facts.map(({ text }) => text),
    most,
    "; ",
  );
