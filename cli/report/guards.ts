import { type ProgramGuards, tighter, tripsAgents, tripsShift, tripsTotal } from "../../provider/core/guards";
import { NAMESPACE, type SETTINGS } from "../../provider/core/settings";
import { round, type Split, shift, total } from "../../provider/core/traffic";
import { sortSteps } from "./changes";
import { type Preview, partsOf } from "./preview";
import { say, type Text } from "./text";
import { isHidden, type Properties } from "./values";

/** What the guards said to a split: the preview refused nothing, so that they hold, or somebody opened them. */

export interface GuardSettings {
  readonly weightTotal: number | undefined;
  readonly maxShift: number | undefined;
  readonly requireVersions: boolean;
  /** `file`: its content is not part of a preview. */
  readonly approvedAgents: readonly string[] | "file" | undefined;
  readonly maxUnapproved: number;
}

/** Of the stack's config, and of each explicit provider that the preview shows. */
export type GuardsOf = (account: string | undefined) => GuardSettings | undefined;

export function guardsIn(preview: Preview): GuardsOf {
  const own = readGuards(preview.config);
  const accounts = new Map(
    sortSteps(preview).accounts.map(({ urn, new: next }) => [partsOf(urn).name, readGuards(next?.inputs ?? {})]),
  );
  // An account that does not change is not part of the engine's document: its guards were judged, and are not known here.
  return (account) => (account === undefined ? own : accounts.get(account));
}

function readGuards(config: Properties): GuardSettings {
  const value = (key: keyof typeof SETTINGS) => typed(config[`${NAMESPACE}:${key}`]);
  const number = (key: keyof typeof SETTINGS) => (typeof value(key) === "number" ? (value(key) as number) : undefined);
  const approved = value("approvedAgents");
  return {
    weightTotal: number("weightTotal"),
    maxShift: number("maxShift"),
    requireVersions: value("requireVersions") === true,
    approvedAgents: Array.isArray(approved) ? approved.map(String) : approved === undefined ? undefined : "file",
    maxUnapproved: number("maxUnapproved") ?? 0,
  };
}

/** Stack config is text, and an explicit provider's may be JSON in text as well. */
function typed(value: unknown): unknown {
  if (typeof value !== "string" || isHidden(value)) return isHidden(value) ? undefined : value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export interface Judged {
  readonly before: Split | undefined;
  readonly after: Split;
  readonly program: Properties;
  readonly isGoingBack: boolean;
  readonly isOpen: boolean;
}

/** `Guards: total 100 ok · step 20 of at most 25 ok · versions pinned ok`. */
export function guardLine(stack: GuardSettings | undefined, judged: Judged): Text | undefined {
  if (stack === undefined) return undefined;
  const program = programGuards(judged.program);
  const parts = [
    totalPart(judged, stack.weightTotal ?? program.weightTotal),
    stepPart(judged, tighter(stack.maxShift, program.maxShift)),
    versionsPart(judged, stack),
    approvalPart(judged, stack),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? ["Guards: none is set that judges this split."] : [`Guards: ${parts.join(" · ")}`];
}

function programGuards({ weightTotal, maxShift }: Properties): ProgramGuards {
  const known = (value: unknown) => (typeof value === "number" ? value : undefined);
  return { weightTotal: known(weightTotal), maxShift: known(maxShift) };
}

function verdict(isTripped: boolean, { isGoingBack, isOpen }: Judged): string {
  if (!isTripped) return "ok";
  if (isGoingBack) return "not judged: it goes back";
  return isOpen ? "OVER, let pass" : "over";
}

function totalPart(judged: Judged, expected: number | undefined): string | undefined {
  if (expected === undefined) return undefined;
  const isTripped = tripsTotal(judged.after, expected).length > 0;
  return `total ${round(total(judged.after))} of ${round(expected)} ${verdict(isTripped, { ...judged, isGoingBack: false })}`;
}

function stepPart(judged: Judged, max: number | undefined): string | undefined {
  if (max === undefined || judged.before === undefined) return undefined;
  const isTripped = tripsShift(judged.before, judged.after, max).length > 0;
  return `step ${round(shift(judged.before, judged.after))} of at most ${round(max)} points ${verdict(isTripped, judged)}`;
}

function versionsPart(judged: Judged, { requireVersions }: GuardSettings): string | undefined {
  if (!requireVersions) return undefined;
  const isTripped = tripsAgents(judged.after, undefined, { requireVersions, maxUnapproved: 0 }).length > 0;
  return `versions pinned ${verdict(isTripped, judged)}`;
}

function approvalPart(judged: Judged, { approvedAgents, maxUnapproved }: GuardSettings): string | undefined {
  if (approvedAgents === undefined) return undefined;
  if (approvedAgents === "file") return "approved agents: by a file";
  const trips = tripsAgents(judged.after, undefined, { requireVersions: false, approvedAgents, maxUnapproved });
  return `approved agents ${verdict(trips.length > 0, judged)}`;
}

/** Which settings of an account change, in words; secrets stay masked. */
export function settingChanges(old: Properties, next: Properties): { key: string; before: unknown; after: unknown }[] {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort();
  return keys
    .filter((key) => key.startsWith(`${NAMESPACE}:`) && key !== `${NAMESPACE}:instance`)
    .map((key) => ({ key: key.slice(NAMESPACE.length + 1), before: old[key], after: next[key] }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

export const noGuards: Text = say`No guard was judged: the settings of its provider are known after apply.`;
