import {
  BASE_URL_ENV,
  GUARD_KEYS,
  isEmpty,
  judgeChange,
  judgeNew,
  NAMESPACE,
  nameOf,
  readSettings,
  round,
  type Settings,
  same,
  total,
  unapprovedIn,
  type Violation,
} from "../../provider/review";
import type { Step } from "../pulumi/preview";
import { isHidden, isSplit, type Properties } from "../pulumi/values";
import type { Snapshot } from "./snapshot";
import { farthestPoints } from "./splits";
import { counted, say, type Text } from "./text";

/** What the guards say about a split. A preview that succeeded has passed them, unless they were bypassed. */

export type Guards = ReturnType<typeof guardsIn>;

/** The text of a file; undefined if it cannot be read. */
export type ReadApproved = (file: string) => string | undefined;

export function guardsIn(
  config: Properties,
  providers: readonly Step[],
  areBypassed: boolean,
  readApproved: ReadApproved,
) {
  const own = readGuards(config, readApproved);
  const explicit = new Map(
    providers.map(({ urn, new: next }) => [nameOf(urn), readGuards(next?.inputs ?? {}, readApproved)]),
  );
  return {
    /** Is every guard bypassed for this run? */
    areBypassed,
    /** Does the stack have no maxRemove? The preview of a destroy has no config, so it does not tell. */
    isRemovalUnlimited: Object.keys(config).length > 0 && own?.settings.guards.maxRemove === undefined,
    /** The guards of a provider. One that does not change is only in a preview with `--show-sames`; else its guards are unknown. */
    of: (providerName: string | undefined) => (providerName === undefined ? own : explicit.get(providerName)),
  };
}

/** Reads guards as the provider does. Those that are hidden are left out. */
function readGuards(config: Properties, readApproved: ReadApproved) {
  const settingIn = (key: string) => config[`${NAMESPACE}:${key}`];
  const approved = settingIn("approvedAgents");
  const isFile = typeof approved === "string" && !isHidden(approved) && !approved.trimStart().startsWith("[");
  // A preview does not have the content of the file.
  const content = isFile ? readApproved(approved) : undefined;
  const isUnread = isFile && content === undefined;
  const isRead = (key: string) => GUARD_KEYS.includes(key) && !(key === "approvedAgents" && isUnread);
  const read = readSettings({
    get: (key) => (isRead(key) && !isHidden(settingIn(key)) ? settingIn(key) : undefined),
    // The address is needed to read the settings, but not for the guards.
    env: { [BASE_URL_ENV]: "https://not-read.invalid" },
    readApproved: () => content ?? "",
  });
  return "settings" in read
    ? { settings: read.settings, approvedFile: isFile ? approved : undefined, isUnread }
    : undefined;
}

interface Judged {
  /** Undefined for what is new. */
  readonly before?: Snapshot;
  readonly after: Snapshot;
  readonly providerName: string | undefined;
}

/** `Guards: moves 20 points, limit 25 ok · versions pinned ok`. A sum that is right is not told. */
export function guardLine(guards: Guards, judged: Judged, returnsTo?: "previous" | "stable"): Text | undefined {
  const own = guards.of(judged.providerName);
  if (own === undefined) {
    return undefined;
  }
  const { requireVersions, steps } = own.settings.guards;
  const isGoingBack = returnsTo !== undefined;
  const exceeded = exceededBy(judged, own.settings);
  const verdict = (guard: Violation["guard"]) => {
    if (exceeded.has(guard)) {
      return guards.areBypassed ? "exceeded; bypassed" : "exceeded";
    }
    return isGoingBack && guard !== "weightTotal" ? "" : "ok";
  };
  const said = (guard: Violation["guard"], text: string | false | undefined) => {
    // "ok" beside a warning would be read as its answer.
    const isWarned = text !== false && text?.startsWith("⚠") === true && verdict(guard) === "ok";
    return text && (isWarned ? text : `${text} ${verdict(guard)}`.trimEnd());
  };
  const ofChange = [
    said("steps", steps && judged.after.state.rollout && `steps ${steps.join(", ")}`),
    said("maxShift", shiftText(own.settings, judged)),
    said("requireVersions", requireVersions && "versions pinned"),
    said("maxUnapproved", approvalText(own.settings, judged, !exceeded.has("maxUnapproved") && !isGoingBack)),
  ]
    .filter(Boolean)
    .join(" · ");
  const parts = [
    said("weightTotal", totalText(own.settings, judged)),
    // One reason for all of them.
    ofChange && (isGoingBack ? `${ofChange} (not checked: a return to the ${returnsTo} split)` : ofChange),
    own.isUnread && `approvedAgents not compared here, because ${own.approvedFile} cannot be read`,
  ].filter(Boolean);
  if (parts.length > 0) {
    return [`Guards: ${parts.join(" · ")}`];
  }
  return own.settings.guards.weightTotal === undefined ? ["Guards: none configured for this split."] : undefined;
}

/** Has the stack steps, and is the change one that they allow? */
export function isStepTaken(guards: Guards, judged: Judged): boolean {
  const { settings } = guards.of(judged.providerName) ?? {};
  return settings?.guards.steps !== undefined && !exceededBy(judged, settings).has("steps");
}

function exceededBy({ before, after }: Judged, settings: Settings): ReadonlySet<Violation["guard"]> {
  const all = before === undefined ? judgeNew(after.state, settings) : judgeChange(before.state, after.state, settings);
  const ofSplit = all.filter((violation) => "path" in violation && /^(inboundAgents|rollout)/.test(violation.path));
  return new Set(ofSplit.map(({ guard }) => guard));
}

function totalText(settings: Settings, judged: Judged): string | undefined {
  const [expected, { after }] = [settings.guards.weightTotal, judged];
  if (expected === undefined || !isSplit(after.split) || isEmpty(after.split)) {
    return undefined;
  }
  const sum = round(total(after.split));
  return sum === round(expected) ? undefined : `weights sum to ${sum}, expected ${round(expected)}`;
}

/** A percentage above the limit passes if no unapproved agent gets more than today. */
function approvalText({ guards }: Settings, { after: { split } }: Judged, passes: boolean): string | undefined {
  if (guards.approvedAgents === undefined || !isSplit(split)) {
    return undefined;
  }
  const { agents, percentage, isOver } = unapprovedIn(split, guards);
  if (agents.length === 0) {
    return "agents approved";
  }
  return isOver && passes
    ? "no unapproved agent gets more than now"
    : `⚠ unapproved agents get ${round(percentage)} %, limit ${round(guards.maxUnapproved)}`;
}

/** If the guard `steps` judges a rollout, maxShift does not. */
function shiftText({ guards }: Settings, { before, after }: Judged): string | undefined {
  if (guards.steps !== undefined && after.state.rollout !== undefined) {
    return undefined;
  }
  const max = guards.maxShift;
  const points = before && farthestPoints({ before, after });
  return max === undefined || points === undefined
    ? undefined
    : `moves ${counted(points, "point")}, limit ${round(max)}`;
}

export const noGuards: Text = say`No guard was checked: the settings of its provider are known after apply.`;

/** The settings of a provider that change. */
export const settingChanges = (old: Properties, next: Properties) =>
  [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .sort()
    .filter((key) => key.startsWith(`${NAMESPACE}:`))
    .filter((key) => !same(old[key], next[key]))
    .map((key) => ({ key: key.slice(NAMESPACE.length + 1), before: old[key], after: next[key] }));
