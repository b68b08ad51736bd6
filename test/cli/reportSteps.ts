import { readPreview } from "../../cli/pulumi/preview";
import { buildModel } from "../../cli/report/build";
import { blockingGates, readGates } from "../../cli/report/gates";
import { plain } from "../../cli/report/text";
import { UNKNOWN } from "../../provider/core/schemas";
import type { ResourceKind } from "../../provider/core/urn";
import { previewOf, type SyntheticSaved, type SyntheticStep } from "./reportSynthetic";

/** Steps on the numbers of a stack, and what the report says to them. */

type Properties = Readonly<Record<string, unknown>>;

export { UNKNOWN };
export const SECRET = "[secret]";
/** Two agents that have nothing in common: from one to the other is the largest change there is. */
export const A = { "agent_a@1": 100 };
export const B = { "agent_b@9": 100 };

export const list = (...numbers: string[]): string => numbers.map((number) => `${number}\n`).join("");

const step =
  (kind: ResourceKind) =>
  (op: string, name: string, old?: Properties, next?: Properties, more: SyntheticSaved = {}): SyntheticStep => {
    const at = (values: Properties | undefined) => values && { endpoint: "https://platform.example", ...values };
    return { op, kind, name, old: at(old), new: at(next), ...more };
  };
export const single = step("NumberAssignment");
export const group = step("NumberGroup");
export const chat = step("SmsChat");

/** @param more of the document, beside its steps */
export const modelOf = (steps: readonly SyntheticStep[], more: Properties = {}) =>
  buildModel(readPreview(previewOf(steps, more)), undefined);

/** What the documentation's pipelines are given. */
const GATES = readGates("delete,replace,shift>25");

/** Every sentence of the cards, what stops the gate, and what is sent. */
export function reportOf(...steps: readonly SyntheticStep[]): { cards: string[][]; stops: string[]; onMerge: string } {
  const model = modelOf(steps);
  return {
    cards: model.cards.map(({ title, notes }) => [plain(title), ...notes.map(plain)]),
    stops: blockingGates(GATES, model).flatMap(({ facts }) =>
      facts.map(({ condition, text }) => `${condition}: ${plain(text)}`),
    ),
    onMerge: plain(model.onMerge).replace(/^On merge: (.*) This preview sent nothing\.$/, "$1"),
  };
}
