import { explicitProvider, NAMESPACE, nameOf, partsOf, type ResourceKind, same } from "../../provider/review";
import { uniqueBy } from "../lists";
import type { Preview, Step, StepState } from "../pulumi/preview";
import { isProviderType, kindOf, providerUrn } from "../pulumi/urn";

/** Makes changes of the engine's steps. The three steps of a replacement are one change. */

/** A resource of this platform that a run would change. */
export interface Change {
  readonly kind: ResourceKind;
  readonly urn: string;
  readonly name: string;
  /** Name of an explicit provider; undefined for the stack's own settings. */
  readonly providerName: string | undefined;
  readonly op: "create" | "update" | "replace" | "delete";
  readonly old: StepState | undefined;
  readonly new: StepState | undefined;
  /** With `retainOnDelete` the engine only removes it from the state. */
  readonly isRetained: boolean;
  /** Did an earlier run replace it, and end before the delete of the original? */
  readonly isLeftover?: true;
}

export const STACK = "pulumi:pulumi:Stack";
const PROVIDER = "pulumi:providers:";

export type Changes = ReturnType<typeof changesIn>;

/** `line-2` before `line-10`. */
const collator = new Intl.Collator("en", { numeric: true });
const byName = (a: Change, b: Change): number => collator.compare(a.name, b.name);

const REPLACING = new Set(["replace", "create-replacement", "import-replacement", "read-replacement"]);
const CHANGING = new Set(["create", "update", "delete"]);

export function changesIn({ steps, counts }: Preview) {
  // The events have all three steps of a replacement. The document has only the one with both sides, so the report reads that one.
  const replacing = steps.filter(({ op }) => REPLACING.has(op));
  const whole = replacing.filter(({ op }) => op === "replace");
  const replaced = new Map([...replacing, ...whole].map((step) => [step.urn, step]));
  const changing = steps.filter(({ op }) => op !== "same" && op !== "discard");
  const isOurs = ({ type }: Step) => kindOf(type) !== undefined;
  const isStack = ({ type }: Step) => type === STACK;
  const others = changing.filter((step) => !isOurs(step) && !isStack(step));
  const unchangedStacks = steps.filter((step) => step.op === "same" && isStack(step)).length;
  const { stack, project } = partsOf(steps[0]?.urn ?? "");
  const kept = steps.filter(({ op }) => op === "same").flatMap((step) => changeOf(step, { op: "update" }));
  return {
    ours: unique(changing.filter(isOurs))
      .flatMap((step) => toChange(step, replaced))
      .sort(byName),
    /** Resources of this platform that stay as they are, if the preview shows them. */
    kept,
    /** Those of them that get or lose the option `retainOnDelete`. The next \`up\` records it, and a delete goes by what is recorded. */
    retained: kept
      .filter(({ old, new: next }) => old && next && old.retainOnDelete !== next.retainOnDelete)
      .sort(byName),
    /** Explicit providers of this platform that change. */
    providers: unique(others.filter(isExplicitProvider)),
    /** All of them that the preview shows, with those that stay as they are. */
    allProviders: unique(steps.filter(isExplicitProvider)),
    others: unique(others.filter((step) => !isExplicitProvider(step) && !step.type.startsWith(PROVIDER))),
    /** Is it a `pulumi destroy`? One with `--target` looks like an update, but has no config of the stack, so its guards are unknown. */
    isDestroy: steps.some((step) => step.op === "delete" && isStack(step)),
    stack,
    project,
    unchanged: Math.max(0, (counts.same ?? 0) - unchangedStacks),
  };
}

/**
 * Each step once: the events may name a step twice. The original of a replaced group has the same id as the group, so its outputs count as
 * well.
 */
function unique(steps: readonly Step[]): Step[] {
  return uniqueBy(steps, ({ op, urn, old }) =>
    JSON.stringify([op, urn, old?.id, op === "delete-replaced" ? old?.outputs : undefined]),
  );
}

function toChange(step: Step, replaced: ReadonlyMap<string, Step>): Change[] {
  const { op, old } = step;
  const replacing = replaced.get(step.urn);
  const isOfThis = replacing?.old?.id === old?.id && same(replacing?.old?.outputs, old?.outputs);
  // The original of a replacement in an earlier run, which did not finish. The resource may be replaced once more now.
  if (op === "delete-replaced" && !(replacing && isOfThis)) {
    return changeOf(step, { op: "delete", new: undefined, isLeftover: true });
  }
  if (replacing !== undefined) {
    return op === replacing.op ? changeOf(step, { op: "replace" }) : [];
  }
  return CHANGING.has(op) ? changeOf(step, { op: op as Change["op"] }) : [];
}

/** None if the step is not about a resource of this platform. */
function changeOf(step: Step, parts: Pick<Change, "op"> & Partial<Change>): Change[] {
  const kind = kindOf(step.type);
  if (kind === undefined) {
    return [];
  }
  const { urn, old, new: next } = step;
  const providerName = explicitProvider(providerUrn(step.provider));
  const isRetained = old?.retainOnDelete === true;
  return [{ kind, urn, name: nameOf(urn), providerName, old, new: next, isRetained, ...parts }];
}

const isExplicitProvider = ({ urn, type, new: next, old }: Step): boolean =>
  isProviderType(type) &&
  explicitProvider(urn) !== undefined &&
  Object.keys({ ...old?.inputs, ...next?.inputs }).some((key) => key.startsWith(`${NAMESPACE}:`));
