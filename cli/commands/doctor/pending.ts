import { same } from "../../../provider/core/common/equality";
import { printable } from "../../../provider/core/common/redact";
import { URN } from "../../../provider/core/common/urn";
import { adoptArgument, some } from "../../../provider/core/messages";
import { isOfNumbers, PROVIDER, type ResourceKind } from "../../../provider/core/platform/kinds";
import { filled, type PostedKind, postedAs } from "../../../provider/core/platform/posted";
import { present } from "../../lists";
import { type NumbersLeft, numbersLeft, numbersPending } from "../../pulumi/numbersHeld";
import type { Pending, StackState } from "../../pulumi/stackExport";
import { holdsMasked } from "../../pulumi/values";
import { type Finding, label, text } from "./finding";

/** The steps that the engine had not finished when it was stopped. The state does not know whether the program was reverted since then. */

/** The engine keeps pending creates until it is told to clear them. It forgets the others in the next run. */
const CLEAR = "clear this entry: `pulumi refresh --clear-pending-creates`. It sends nothing.";
const FORGETS = "Make the change first: the next `pulumi up` forgets this entry.";

export function pendingFinding(pending: Pending, state: StackState, states: readonly StackState[]): Finding {
  const { kind, operation } = pending;
  const stopped = `${label(state, pending)}: the engine was stopped while it was ${operation} this`;
  const what = `${stopped}; it is not known whether the platform has it.`;
  if (kind === undefined) {
    return {
      what,
      todo: "it belongs to another package. Do this before the next `pulumi up`, which may forget this entry.",
    };
  }
  if (operation === "deleting") {
    return { what, todo: deleting(pending, kind) };
  }
  if (isCreatedSince(pending, state)) {
    return { what: `${stopped}. The state has it now, so a later run created it.`, todo: CLEAR };
  }
  if (isOfNumbers(kind)) {
    return { what, ...sending(pending, kind, numbersLeft({ ...pending, kind }, state, states)) };
  }
  return operation === "creating"
    ? { what, todo: posting(pending, kind), sendsAgain: pending.urn }
    : { what: `${stopped}. An update sends nothing.`, todo: UPDATE_AGAIN };
}

/** There is no call to change what was posted. */
const UPDATE_AGAIN =
  "run `pulumi up` again. It writes the state and forgets this entry. There is nothing to check on the platform.";

const AGAIN = "run the same `pulumi up` or `pulumi destroy` again. Sending it twice does no harm.";

function deleting({ urn, isLeftover }: Pending, kind: ResourceKind): string {
  if (isLeftover) {
    return AGAIN;
  }
  if (isOfNumbers(kind)) {
    return `${AGAIN}\n     If the program was reverted, a preview shows no change, but callers may reach no agent: change \`triggers\` of this resource, and run \`pulumi up\`. ${FORGETS}`;
  }
  const { noun, end } = postedAs(kind);
  const replace = `pulumi up --replace '${printable(urn)}'`;
  return end === undefined
    ? AGAIN
    : `${AGAIN}\n     If the program was reverted, a preview shows no change, but the ${noun} may have ended. To send it again: \`${replace}\`.`;
}

function posting({ inputs }: Pending, kind: PostedKind): string {
  const { maybe, foundBy } = postedAs(kind);
  const where = `workspace ${text(inputs.workspaceId)}`;
  const look = `Check ${filled(maybe.look, { where, value: text(inputs[foundBy]) })}`;
  const adopt = adoptArgument(kind);
  return `${look}. If it exists, add \`${adopt}\` to the program. If not, run \`pulumi up\` to create it. Do this before the next \`pulumi up\`, which sends it again. Afterwards, ${CLEAR}`;
}

// --- numbers

const REVERTED =
  "If the program was reverted, a preview shows no change, but callers may reach the agents of this operation:";

/**
 * Has a later run certainly created it? `triggers` is what an operator changes to send numbers again, and `adopt` what records a POST that
 * was sent. Two values that are encrypted cannot be compared.
 */
function isCreatedSince({ operation, urn, inputs }: Pending, { resources }: StackState): boolean {
  const declared = ({ [PROVIDER]: _, [URN]: __, triggers, adopt, ...others }: Pending["inputs"]) => others;
  const wanted = declared(inputs);
  return (
    operation === "creating" &&
    !holdsMasked(wanted) &&
    resources.some((one) => one.urn === urn && !one.isLeftover && same(declared(one.inputs), wanted))
  );
}

/** The text names only so many numbers. The JSON has all of them. */
const MOST_NAMED = 100;

function sending(pending: Pending, kind: ResourceKind, { declared, orphans }: NumbersLeft): Omit<Finding, "what"> {
  const isHidden = numbersPending(pending).length === 0;
  const left = present([
    ...declared.map(({ state, saved, numbers, fields }) => {
      const send = `${some(numbers, MOST_NAMED)}: change \`triggers\` of ${label(state, saved)}, and run \`pulumi up\`.`;
      return `- ${printable(send)}${fields.length === 0 ? "" : ` ${notCleared(fields)}`}`;
    }),
    orphans.length > 0 && `- ${printable(withoutResource(pending, kind, orphans))}`,
    isHidden &&
      "- Its numbers are encrypted: change `triggers` of each resource that declares one of them, and run `pulumi up`.",
  ]);
  const lines = [
    "if the program still has this change, run `pulumi up`: it sends each PUT again, which does no harm.",
    ...(left.length === 0 ? [] : [REVERTED, ...left]),
    pending.operation === "creating" ? `Afterwards, ${CLEAR}` : FORGETS,
  ];
  return { todo: lines.join("\n     "), ...(orphans.length > MOST_NAMED && { numbers: orphans }) };
}

function notCleared(fields: readonly string[]): string {
  const names = fields.map((field) => `\`${printable(field)}\``).join(", ");
  const them = fields.length === 1 ? "it" : "them";
  return `That does not clear ${names}, which this operation set: to clear ${them}, declare ${them} there with any value, run \`pulumi up\`, remove ${them}, and run \`pulumi up\`.`;
}

function withoutResource({ name }: Pending, kind: ResourceKind, orphans: readonly string[]): string {
  const these = orphans.length === 1 ? "this number" : `these ${orphans.length} numbers`;
  const all = orphans.length > MOST_NAMED ? " (`--json` names all of them)" : "";
  return `No resource has ${some(orphans, MOST_NAMED)}${all}: make the change again, so that ${kind} "${name}" declares ${these}, and run \`pulumi up\`. To unassign the agents, revert it then, and run \`pulumi up\` again.`;
}
