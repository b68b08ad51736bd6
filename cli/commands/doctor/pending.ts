import { same } from "../../../provider/core/common/equality";
import { printable } from "../../../provider/core/common/redact";
import { URN } from "../../../provider/core/common/urn";
import { some } from "../../../provider/core/messages";
import { isOfNumbers, PROVIDER } from "../../../provider/core/platform/kinds";
import { docs } from "../../links";
import { numbersPending } from "../../pulumi/numbersHeld";
import type { Pending, StackState } from "../../pulumi/stackExport";
import { holdsMasked } from "../../pulumi/values";
import { type Finding, label } from "./finding";

/** A step that the engine had not finished when it was stopped. The runbook knows each case. */
export function pendingFinding(pending: Pending, state: StackState): Finding {
  const { kind, operation, urn } = pending;
  const who = label(state, pending);
  const numbers = numbersPending(pending);
  const ofNumbers = numbers.length === 0 ? "" : printable(` (${some(numbers)})`);
  const what = `${who}${ofNumbers}: a run was stopped while it was ${operation} this.`;
  if (isCreatedSince(pending, state)) {
    const todo = "clear this entry: `pulumi refresh --clear-pending-creates`. It sends nothing.";
    return { what: `${what} A later run created it.`, todo };
  }
  const sendsAgain = kind !== undefined && !isOfNumbers(kind) && operation === "creating";
  const next = sendsAgain ? "sends it again" : "may forget this entry";
  return {
    what,
    todo: `before the next \`pulumi up\`, which ${next}, do what ${docs("docs/runbooks/killed-run.md")} says.`,
    ...(numbers.length > 0 && { numbers }),
    ...(sendsAgain && { sendsAgain: urn }),
  };
}

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
