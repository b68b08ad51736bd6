import { NAMESPACE, SETTINGS } from "../../../provider/core/config/settings";
import type { StackConfig } from "../../pulumi/config";
import type { StackState } from "../../pulumi/stackExport";
import { SECRET } from "../../pulumi/values";

/**
 * The settings of the stack's config that the last run did not have. A delete without a program, such as `pulumi destroy`, uses those of the
 * last run.
 */
export function unrecorded({ providers }: StackState, config: StackConfig | undefined): string[] {
  const [saved] = providers;
  if (saved === undefined || config === undefined) {
    return [];
  }
  const isChanged = (name: string) => differs(config[name], saved.inputs[name]);
  return Object.keys(SETTINGS).filter((key) => isChanged(`${NAMESPACE}:${key}`));
}

/** Two values that are encrypted cannot be compared. */
function differs(now: StackConfig[string] | undefined, saved: unknown): boolean {
  if (now === undefined || saved === undefined || saved === null) {
    return (now === undefined) !== (saved === undefined || saved === null);
  }
  return now.secret || saved === SECRET ? false : now.value !== textOf(saved);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
