import { explicitProvider } from "../../../provider/core/common/urn";
import { NAMESPACE, SETTINGS } from "../../../provider/core/config/settings";
import type { StackConfig } from "../../pulumi/config";
import type { StackState } from "../../pulumi/stackExport";
import { SECRET } from "../../pulumi/values";

/**
 * The settings of the stack's config that the last run did not have, as a row. A delete without a program, such as `pulumi destroy`, uses
 * those of the last run.
 */
export function unrecorded({ providers }: StackState, config: StackConfig | undefined): string | undefined {
  const saved = providers.find(({ urn }) => explicitProvider(urn) === undefined);
  if (saved === undefined || config === undefined) {
    return undefined;
  }
  const changed = Object.keys(SETTINGS).filter((key) => {
    const name = `${NAMESPACE}:${key}`;
    return differs(config[name], saved.inputs[name]);
  });
  return changed.length === 0
    ? undefined
    : `${changed.join(", ")}: \`pulumi destroy\` uses the values of the last run, unless a freeze is new. \`pulumi up\` records them`;
}

/** Two values that are encrypted cannot be compared. */
function differs(now: StackConfig[string] | undefined, saved: unknown): boolean {
  if (now === undefined || saved === undefined || saved === null) {
    return (now === undefined) !== (saved === undefined || saved === null);
  }
  return now.secret || saved === SECRET ? false : now.value !== textOf(saved);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
