import { createHash } from "node:crypto";
import { compare, ENGINE_KEYS, isObject } from "../../provider/review";
import type { Step, StepState } from "../pulumi/preview";
import type { Change, Changes } from "./changes";

/**
 * What was reviewed, in twelve characters: the resource, operation, provider and inputs of each change, with secrets masked, and the
 * explicit providers that change, because they decide about platform and guards. The order, the version of the CLI and all outputs are left
 * out, so that a change has the same digest in the pull request and in the merge job.
 */
export function digestOf({ ours, retained, providers }: Changes): string {
  const lines = [...ours.map(reviewed), ...retained.map(reviewedOption), ...providers.flatMap(reviewedProvider)]
    .map(canonical)
    .sort();
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

const reviewedOption = ({ urn, new: next }: Change) => ({ urn, retainOnDelete: next?.retainOnDelete });

/** A provider counts only if its settings change: another version of the SDK registers it again with the same ones. */
function reviewedProvider({ urn, op, old, new: next }: Step): unknown[] {
  const [before, after] = [settingsIn(old), settingsIn(next)];
  return canonical(before) === canonical(after) ? [] : [{ urn, op, before, after }];
}

const settingsIn = (state: StepState | undefined): unknown => inputsOf(state, ENGINE_KEYS);

const inputsOf = (state: StepState | undefined, leftOut: readonly string[] = []): unknown =>
  state ? Object.fromEntries(Object.entries(state.inputs).filter(([key]) => !leftOut.includes(key))) : null;

/** JSON with sorted keys, so that two writers of the same value give the same text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => compare(a, b))) : item,
  );
