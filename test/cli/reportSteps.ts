import assert from "node:assert/strict";
import { readPreview } from "../../cli/pulumi/preview";
import { blockingGates, readGates } from "../../cli/report/guards";
import { buildReport } from "../../cli/report/report";
import { plain } from "../../cli/report/text";
import { UNKNOWN } from "../../provider/core/common/schemas";
import type { ResourceKind } from "../../provider/core/platform/kinds";
import { previewOf, type SyntheticSaved, type SyntheticStep } from "./reportSynthetic";

/** Steps on the numbers of a stack, and what the report says to them. */

type Properties = Readonly<Record<string, unknown>>;

export { UNKNOWN };
/** Two agents that have nothing in common: from one to the other is the largest change there is. */
export const A = { "agent_a@1": 100 };
export const B = { "agent_b@9": 100 };

export const list = (...numbers: string[]): string => numbers.map((number) => `${number}\n`).join("");

/** What a group and a single number declare. */
export const of = (inboundAgents: Properties, ...numbers: string[]) => ({ numbers: list(...numbers), inboundAgents });
export const line = (number: string, inboundAgents: Properties) => ({ number, inboundAgents });

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
export const reportOf = (steps: readonly SyntheticStep[], more: Properties = {}) =>
  buildReport(readPreview(previewOf(steps, more)));

/** What the documentation's pipelines are given, and what was not applied in an earlier run. */
const GATES = readGates("delete,replace,shift>25,unresolved");

/** Every sentence of the cards, what stops the gate, and what is sent. */
function textOf(steps: readonly SyntheticStep[], more?: Properties): string {
  const report = reportOf(steps, more);
  const stops = blockingGates(GATES, report).flatMap(({ facts }) => facts);
  return [
    ...report.cards.flatMap(({ title, notes = [] }) => [plain(title), ...notes.map((note) => `- ${plain(note)}`)]),
    ...stops.map(({ condition, text }) => `stops: ${condition}: ${plain(text)}`),
    plain(report.foot[0] ?? []).replace(/^On merge: (.*) This preview sent nothing\.$/, "sends: $1"),
  ].join("\n");
}

/** The report of these steps says exactly this. How the lines are indented does not matter. */
export const told =
  (title: string, steps: readonly SyntheticStep[], more?: Properties) =>
  ([expected = ""]: TemplateStringsArray) =>
    it(title, () => assert.equal(textOf(steps, more), expected.trim().replace(/\n +/g, "\n")));
