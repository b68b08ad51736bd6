import { createHash } from "node:crypto";
import { compare } from "../../provider/core/equality";
import { ENGINE_KEYS } from "../../provider/core/settings";
import type { Step, StepState } from "../pulumi/preview";
import { isMap } from "../pulumi/values";
import type { Change, Changes } from "./changes";

/**
 * What was reviewed, in twelve characters: each change's resource, operation, provider, and inputs before and after, with secrets masked;
 * and the explicit providers that change, for they say which platform a resource goes to, and what guards it. Order, the CLI's version and
 * what a run answered have no part in it, so that the same change is the same digest in the pull request and in the merge job.
 */
export function digestOf({ ours, providers }: Changes): string {
  const lines = [...ours.map(reviewed), ...providers.flatMap(reviewedProvider)].map(canonical).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 12);
}

const reviewed = ({ urn, op, providerName, old, new: next, isRetained }: Change) => ({
  urn,
  op,
  account: providerName ?? null,
  before: inputsOf(old),
  after: inputsOf(next),
  ...((op === "delete" || op === "replace") && { retains: isRetained }),
});

/** A provider that another version of the SDK registers again has the same settings, and is the same one. */
function reviewedProvider({ urn, op, old, new: next }: Step): unknown[] {
  const [before, after] = [settingsIn(old), settingsIn(next)];
  return canonical(before) === canonical(after) ? [] : [{ urn, op, before, after }];
}

const settingsIn = (state: StepState | undefined): unknown => inputsOf(state, ENGINE_KEYS);

const inputsOf = (state: StepState | undefined, undeclared: readonly string[] = []): unknown =>
  state ? Object.fromEntries(Object.entries(state.inputs).filter(([key]) => !undeclared.includes(key))) : null;

/** JSON with sorted keys, so that two writers of the same value give the same text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (!isMap(value)) {
    return JSON.stringify(value) ?? "null";
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries
    .sort(([a], [b]) => compare(a, b))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .join(",")}}`;
}
