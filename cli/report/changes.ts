import type { Change } from "./model";
import { KINDS, type Kind, type Preview, partsOf, type Step } from "./preview";

/** From the engine's steps to changes: the three steps of a replacement are one. */

const OURS = new RegExp(`^pulumi-nodejs:dynamic/agent-platform:(${KINDS.join("|")})$`);
const STACK = "pulumi:pulumi:Stack";
const PROVIDER = "pulumi:providers:";

export interface Sorted {
  readonly ours: readonly Change[];
  /** Explicit providers of this platform: accounts. */
  readonly accounts: readonly Step[];
  readonly others: readonly Step[];
  readonly stack: string;
  readonly project: string;
  readonly unchanged: number;
}

/** `line-2` before `line-10`. */
const collator = new Intl.Collator("en", { numeric: true });

const REPLACING = new Set(["replace", "create-replacement", "import-replacement", "read-replacement"]);
const CHANGING = new Set(["create", "update", "delete"]);

export function sortSteps({ steps, counts }: Preview): Sorted {
  const replaced: Replaced = new Map();
  for (const step of steps)
    if (REPLACING.has(step.op) && replaced.get(step.urn)?.op !== "replace") replaced.set(step.urn, step);
  const changing = steps.filter(({ op }) => op !== "same" && op !== "discard");
  const isOurs = ({ type }: Step) => OURS.test(type);
  const isStack = ({ type }: Step) => type === STACK;
  const others = changing.filter((step) => !isOurs(step) && !isStack(step));
  const sameOnes = steps.filter((step) => step.op === "same" && isStack(step)).length;
  const { stack, project } = partsOf(steps[0]?.urn ?? "");
  return {
    ours: unique(changing.filter(isOurs))
      .flatMap((step) => toChange(step, replaced))
      .sort((a, b) => collator.compare(a.name, b.name)),
    accounts: unique(others.filter(isAccount)),
    others: unique(others.filter((step) => !isAccount(step) && !step.type.startsWith(PROVIDER))),
    stack,
    project,
    unchanged: Math.max(0, (counts.same ?? 0) - sameOnes),
  };
}

/** The engine's events may name a step more than once. */
function unique(steps: readonly Step[]): Step[] {
  return [...new Map(steps.map((step) => [`${step.op} ${step.urn} ${step.old?.id ?? ""}`, step])).values()];
}

/** The step that stands for the replacement of a resource: the events name all three, the document the one that has both sides. */
type Replaced = Map<string, Step>;

function toChange(step: Step, replaced: Replaced): Change[] {
  const kind = OURS.exec(step.type)?.[1] as Kind;
  const change = {
    kind,
    urn: step.urn,
    name: partsOf(step.urn).name,
    account: accountIn(step.provider),
    before: step.old,
    after: step.new,
  };
  const replacing = replaced.get(step.urn);
  // Left over from a replacement of an earlier run that did not come to its end; the resource may be replaced once more.
  const isOfThis = replacing !== undefined && step.old?.id === replacing.old?.id;
  if (step.op === "delete-replaced" && !isOfThis) return [{ ...change, op: "delete", after: undefined }];
  if (replacing !== undefined) return step.op === replacing.op ? [{ ...change, op: "replace" }] : [];
  return CHANGING.has(step.op) ? [{ ...change, op: step.op as Change["op"] }] : [];
}

/** `urn:…::pulumi:providers:pulumi-nodejs::<name>::<id>`: the default one has the name `default`, or `default_3_255_0`. */
function accountIn(provider: string): string | undefined {
  const name = provider.split("::").slice(3, -1).join("::");
  return name === "" || /^default(_|$)/.test(name) ? undefined : name;
}

const isAccount = ({ type, new: next, old }: Step): boolean =>
  type === `${PROVIDER}pulumi-nodejs` &&
  Object.keys({ ...old?.inputs, ...next?.inputs }).some((key) => key.startsWith("agent-platform:"));
