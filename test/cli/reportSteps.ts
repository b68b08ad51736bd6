import assert from "node:assert/strict";
import { readPreview } from "../../cli/pulumi/preview";
import { blockingGates, readGates } from "../../cli/report/gates";
import { buildModel } from "../../cli/report/model";
import { plain } from "../../cli/report/text";
import { UNKNOWN } from "../../provider/core/common/schemas";
import type { ResourceKind } from "../../provider/core/platform/kinds";
import { previewOf, type SyntheticSaved, type SyntheticStep } from "./reportSynthetic";

/** Steps on the numbers of a stack, and what the report says to them. */

type Properties = Readonly<Record<string, unknown>>;

export { UNKNOWN };
export const SECRET = "[secret]";
/** Two agents that have nothing in common: from one to the other is the largest change there is. */
export const A = { "agent_a@1": 100 };
export const B = { "agent_b@9": 100 };

export const list = (...numbers: string[]): string => numbers.map((number) => `${number}\n`).join("");

/** What a group and a single number declare. */
export const of = (inboundAgents: Properties, ...numbers: string[]) => ({ numbers: list(...numbers), inboundAgents });
export const line = (number: string, inboundAgents: Properties) => ({ number, inboundAgents });

// Notes that many cards have.
export const NO_AGENTS = "After: no agents. The API does not specify what callers hear then.";
export const KEEP_IT =
  "To keep the agents, set the resource option retainOnDelete: true and merge that first. To move to another stack, do the same, then declare it there.";
export const NO_GUARDS = "Guards: none configured for this split.";
export const ALL_AT_ONCE = `A new agent gets every call at once.
- The API does not specify what happens to calls in progress.
- Moves 100 percentage points of traffic.`;

export const step =
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

/** What the documentation's pipelines are given, and what was not applied in an earlier run. */
const GATES = readGates("delete,replace,shift>25,unresolved");

/** Every sentence of the cards, what stops the gate, and what is sent. */
export function reportOf(...steps: readonly SyntheticStep[]): string {
  const model = modelOf(steps);
  const stops = blockingGates(GATES, model).flatMap(({ facts }) => facts);
  return [
    ...model.cards.flatMap(({ title, notes }) => [plain(title), ...notes.map((note) => `- ${plain(note)}`)]),
    ...stops.map(({ condition, text }) => `stops: ${condition}: ${plain(text)}`),
    plain(model.onMerge).replace(/^On merge: (.*) This preview sent nothing\.$/, "sends: $1"),
  ].join("\n");
}

/** The report of these steps says exactly this. How the lines are indented does not matter. */
export const told =
  (title: string, ...steps: readonly SyntheticStep[]) =>
  (lines: TemplateStringsArray, ...texts: readonly string[]) =>
    it(title, () => {
      const expected = String.raw({ raw: lines }, ...texts).trim();
      assert.equal(reportOf(...steps), expected.replace(/\n +/g, "\n"));
    });
