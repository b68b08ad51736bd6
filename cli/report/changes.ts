import { createHash } from "node:crypto";
import { nameOf, parseUrn } from "../../provider/base/engine";
import { compare, isObject, same } from "../../provider/base/json";
import { isOfNumbers, postedAs, type ResourceKind } from "../../provider/config/kinds";
import { uniqueBy } from "../lists";
import { endpointIn } from "../pulumi/config";
import { appliedIn, type Preview, type Step, type StepState } from "../pulumi/preview";
import { isHidden, resourceKind } from "../pulumi/values";

/** Turns the engine's steps into changes. The three steps of a replacement become one change. */

/** A resource of this package that a run would change. */
export interface ResourceChange {
  readonly kind: ResourceKind;
  readonly urn: string;
  readonly name: string;
  readonly op: "create" | "update" | "replace" | "delete";
  readonly old: StepState | undefined;
  readonly new: StepState | undefined;
  /** Whether `retainOnDelete` is set. If so, a delete only removes the resource from the state. */
  readonly isRetained: boolean;
  /**
   * Whether the delete would target a platform other than the configured one. Such a delete fails with AGP-060 and
   * sends nothing.
   */
  readonly isStranded?: boolean;
  /** Whether this resource was replaced in an earlier run and is still waiting to be deleted. */
  readonly isLeftover?: true;
}

export type Changes = ReturnType<typeof changesIn>;

const STACK_TYPE = "pulumi:pulumi:Stack";
const REPLACING = ["replace", "create-replacement", "import-replacement", "read-replacement"];

/** Sorts `line-2` before `line-10`. */
const collator = new Intl.Collator("en", { numeric: true });
const byName = (a: ResourceChange, b: ResourceChange): number => collator.compare(a.name, b.name);

export function changesIn({ steps, counts, config }: Preview) {
  // Prefer a replacement's `replace` step, because it has both the old and the new state. An event log lists all three
  // steps, but the JSON document may list only this one.
  const replacing = steps.filter(({ op }) => REPLACING.includes(op));
  const whole = replacing.filter(({ op }) => op === "replace");
  const replaced = new Map([...replacing, ...whole].map((step) => [step.urn, step]));
  const changing = uniqueBy(
    steps.filter(({ op }) => op !== "same" && op !== "discard"),
    // Drop duplicate steps, which an event log may contain. A group usually keeps its ID when it is replaced, so
    // compare the outputs of `delete-replaced` steps as well.
    ({ op, urn, old }) => JSON.stringify([op, urn, old?.id, op === "delete-replaced" ? old?.outputs : undefined]),
  );
  const unchanged = steps.filter(({ op }) => op === "same");
  const kept = unchanged.flatMap((step) => changeOf(step, { op: "update" })).sort(byName);
  const isDestroy = changing.some(({ op, type }) => op === "delete" && type === STACK_TYPE);
  const declared = steps.flatMap(({ type, new: next }) =>
    resourceKind(type) === undefined ? [] : (next?.inputs.endpoint ?? []),
  );
  const endpoint = endpointIn(config) ?? declared[0];
  const ours = changing.flatMap((step) => toChange(step, replaced)).sort(byName);
  const { stack, project } = parseUrn(steps[0]?.urn ?? "");
  const isOther = ({ type }: Step) =>
    resourceKind(type) === undefined && type !== STACK_TYPE && !type.startsWith("pulumi:providers:");
  return {
    stack,
    project,
    // A destroy uses the settings of the last run, so a base URL that has since been changed in the config doesn't
    // affect it.
    ours: isDestroy ? ours : ours.map((change) => ({ ...change, isStranded: isStranded(change, endpoint) })),
    /** The endpoint of the configured platform, if the preview shows it. */
    endpoint,
    /** Unchanged resources of this package, if the preview shows them. */
    kept,
    /**
     * Resources whose only change is the `retainOnDelete` option. The next `up` saves the option in the state, where
     * later deletes find it.
     */
    retained: kept.filter(({ old, new: next }) => old && next && old.retainOnDelete !== next.retainOnDelete),
    isDestroy,
    /** The number of changed resources from other packages. */
    others: changing.filter(isOther).length,
    /** The number of unchanged resources that the preview leaves out, because it ran without `--show-sames`. */
    leftOut: Math.max(0, (counts.same ?? 0) - unchanged.length),
  };
}

/**
 * Whether the change is a delete that would fail, because the resource is on a platform other than the configured one.
 */
function isStranded({ op, kind, old, isRetained }: ResourceChange, endpoint: unknown): boolean {
  const { endpoint: applied, unresolved } = appliedIn(old);
  // Deleting a voice, or a chat whose POST has an unknown outcome, sends nothing and therefore doesn't fail.
  const isSent = isOfNumbers(kind) || (postedAs(kind).ends && unresolved !== true);
  const isElsewhere =
    typeof endpoint === "string" && typeof applied === "string" && !isHidden(applied) && applied !== endpoint;
  return op === "delete" && !isRetained && isSent && isElsewhere;
}

function toChange(step: Step, replaced: ReadonlyMap<string, Step>): ResourceChange[] {
  const { op, old } = step;
  const replacing = replaced.get(step.urn);
  const isOfThis = replacing?.old?.id === old?.id && same(replacing?.old?.outputs, old?.outputs);
  // This step deletes a resource that an earlier run replaced but didn't delete. It is a separate change, even if this
  // run replaces the same resource again.
  if (op === "delete-replaced" && !(replacing && isOfThis)) {
    return changeOf(step, { op: "delete", new: undefined, isLeftover: true });
  }
  if (replacing !== undefined) {
    return op === replacing.op ? changeOf(step, { op: "replace" }) : [];
  }
  return op === "create" || op === "update" || op === "delete" ? changeOf(step, { op }) : [];
}

/** Returns a list with the step's change, or an empty list if the step's resource belongs to another package. */
function changeOf(
  { urn, type, old, new: next }: Step,
  parts: Pick<ResourceChange, "op"> & Partial<ResourceChange>,
): ResourceChange[] {
  const kind = resourceKind(type);
  const isRetained = old?.retainOnDelete === true;
  return kind === undefined ? [] : [{ kind, urn, name: nameOf(urn), old, new: next, isRetained, ...parts }];
}

/**
 * Returns a digest of the reviewed changes, which has to be the same in the pull request and in the merge job. So it
 * ignores outputs, the order of steps and the CLI's version. Secrets are masked, so it doesn't cover their values.
 */
export function digestOf({ ours, retained }: Changes): string {
  const changed = ours.map(({ urn, op, old, new: next, isRetained }) => {
    const retains = op === "delete" || op === "replace" ? isRetained : undefined;
    return { urn, op, before: old?.inputs ?? null, after: next?.inputs ?? null, retains };
  });
  const options = retained.map(({ urn, new: next }) => ({ urn, retainOnDelete: next?.retainOnDelete }));
  const lines = [...changed, ...options].map(canonical).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 12);
}

/** JSON with sorted keys, so equal values always serialize to the same string. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => compare(a, b))) : item,
  );
