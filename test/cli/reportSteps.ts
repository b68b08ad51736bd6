import { readPreview } from "../../cli/pulumi/preview";
import { buildModel } from "../../cli/report/build";
import { blockingGates, readGates } from "../../cli/report/gates";
import { plain } from "../../cli/report/text";
import { UNKNOWN } from "../../provider/core/schemas";
import type { Kind } from "./exports";
import { previewOf, type SyntheticStep } from "./reportSynthetic";

/** Steps on the numbers of a stack, and what the report says to them. */

type Properties = Readonly<Record<string, unknown>>;
/** What the state says of a resource beside its properties. */
interface Saved {
  readonly retainOnDelete?: true;
  readonly id?: string;
}
type Step = SyntheticStep & Saved;

export { UNKNOWN };
export const SECRET = "[secret]";
/** Two agents that have nothing in common: from one to the other is the largest step there is. */
export const A = { "agent_a@1": 100 };
export const B = { "agent_b@9": 100 };

export const list = (...numbers: string[]): string => numbers.map((number) => `${number}\n`).join("");

const step =
  (kind: Kind) =>
  (op: string, name: string, old?: Properties, next?: Properties, more: Saved = {}): Step => {
    const at = (values: Properties | undefined) => values && { endpoint: "https://platform.example", ...values };
    return { op, kind, name, old: at(old), new: at(next), ...more };
  };
export const single = step("NumberAssignment");
export const group = step("NumberGroup");
export const chat = step("SmsChat");

export function previewWith(steps: readonly Step[]): string {
  const preview = JSON.parse(previewOf(steps)) as { steps: { oldState?: Record<string, unknown> }[] };
  for (const [index, { oldState }] of preview.steps.entries()) {
    const { retainOnDelete, id } = steps[index] ?? {};
    if (oldState !== undefined) {
      Object.assign(oldState, retainOnDelete && { retainOnDelete }, id !== undefined && { id });
    }
  }
  return JSON.stringify(preview);
}

export const modelOf = (steps: readonly Step[]) => buildModel(readPreview(previewWith(steps)), undefined);

/** What the documentation's pipelines are given. */
const GATES = readGates("delete,replace,shift>25");

/** Every sentence of the cards, what stops the gate, and what is sent. */
export function reportOf(...steps: readonly Step[]): { cards: string[][]; stops: string[]; onMerge: string } {
  const model = modelOf(steps);
  return {
    cards: model.cards.map(({ title, notes }) => [plain(title), ...notes.map(plain)]),
    stops: blockingGates(GATES, model).flatMap(({ facts }) =>
      facts.map(({ condition, text }) => `${condition}: ${plain(text)}`),
    ),
    onMerge: plain(model.onMerge).replace(/^On merge: (.*) This preview sent nothing\.$/, "$1"),
  };
}
