import { createHash } from "node:crypto";
import type { Change } from "./model";
import type { Saved } from "./preview";
import { isMap } from "./values";

/**
 * What was reviewed, in twelve characters: each change's resource, operation, provider, and inputs before and after, with secrets
 * masked. Order, the CLI's version and what a run answered have no part in it, so that the same change is the same digest in the
 * pull request and in the merge job.
 */
export function digestOf(changes: readonly Change[]): string {
  const lines = changes.map((change) => canonical(reviewed(change))).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 12);
}

const reviewed = ({ urn, op, account, before, after }: Change) => ({
  urn,
  op,
  account: account ?? null,
  before: inputsOf(before),
  after: inputsOf(after),
  ...((op === "delete" || op === "replace") && { retains: before?.retainOnDelete === true }),
});

/** The provider's text, and the placeholders of masked outputs, are no part of what is declared. */
function inputsOf(saved: Saved | undefined): unknown {
  if (saved === undefined) return null;
  const { __provider: _, ...inputs } = saved.inputs;
  return inputs;
}

/** JSON with sorted keys, so that it is the same text whoever wrote it. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isMap(value)) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .join(",")}}`;
}
