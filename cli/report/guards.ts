import { same } from "../../provider/core/equality";
import { judgeChange, judgeNew, judgeRemoval, tighter, type Violation } from "../../provider/core/guards";
import { readSettings } from "../../provider/core/readSettings";
import { BASE_URL_ENV, GUARD_KEYS, NAMESPACE, type Settings } from "../../provider/core/settings";
import { round, total } from "../../provider/core/split";
import type { Preview } from "../pulumi/preview";
import { nameOf } from "../pulumi/urn";
import { isHidden, isSplit, type Properties } from "../pulumi/values";
import { changesIn } from "./collect";
import { type Contribution, contribution } from "./model";
import type { Snapshot } from "./snapshot";
import { farthestPoints } from "./splits";
import { counted, id, say, type Text } from "./text";

/** What the guards say to a split: the preview refused nothing, so they hold, or somebody bypassed them. */

export interface GuardSettings {
  readonly settings: Settings;
  /** Are the approved agents listed in a file? Its content is not part of a preview. */
  readonly isApprovedByFile: boolean;
}

/** Of the stack's config, and of each explicit provider that the preview shows. */
export type GuardsOf = (account: string | undefined) => GuardSettings | undefined;

export function guardsIn(preview: Preview): GuardsOf {
  const own = readGuards(preview.config);
  const accounts = new Map(
    changesIn(preview).accounts.map(({ urn, new: next }) => [nameOf(urn), readGuards(next?.inputs ?? {})]),
  );
  // An account that does not change is not part of the engine's document: its guards were judged, and are not known here.
  return (account) => (account === undefined ? own : accounts.get(account));
}

/** By the provider's own reader. What is secret or not known yet is no guard that could be shown. */
function readGuards(config: Properties): GuardSettings | undefined {
  const settingIn = (key: string) => config[`${NAMESPACE}:${key}`];
  const approved = settingIn("approvedAgents");
  const isApprovedByFile = typeof approved === "string" && !isHidden(approved) && !approved.trimStart().startsWith("[");
  const read = readSettings({
    get: (key) => {
      const isRead =
        GUARD_KEYS.includes(key) &&
        key !== "freeze" &&
        !isHidden(settingIn(key)) &&
        !(key === "approvedAgents" && isApprovedByFile);
      return isRead ? settingIn(key) : undefined;
    },
    // Where the platform is has no part in it.
    env: { [BASE_URL_ENV]: "https://not-read.invalid" },
    readApproved: () => "",
  });
  return "settings" in read ? { settings: read.settings, isApprovedByFile } : undefined;
}

export interface Judged {
  /** Undefined for what is new. */
  readonly before: Snapshot | undefined;
  readonly after: Snapshot;
  readonly isGoingBack: boolean;
  readonly isOpen: boolean;
}

/** `Guards: weights sum to 100 ok · moves 20 points, limit 25 ok · versions pinned ok`. */
export function guardLine(guards: GuardSettings | undefined, judged: Judged): Text | undefined {
  if (guards === undefined) {
    return undefined;
  }
  const violations = violationsOf(guards.settings, judged);
  const said = (guard: Violation["guard"], text: string) => `${text} ${verdict(guard, violations, judged)}`;
  const parts = [
    said("weightTotal", totalText(guards.settings, judged)),
    said("maxShift", stepText(guards.settings, judged)),
    said("requireVersions", guards.settings.guards.requireVersions ? "versions pinned" : ""),
    said("maxUnapproved", guards.settings.guards.approvedAgents === undefined ? "" : "agents approved"),
    guards.isApprovedByFile ? "approved agents are listed in a file" : " ",
  ].filter((part) => !part.startsWith(" "));
  return [parts.length === 0 ? "Guards: none configured for this split." : `Guards: ${parts.join(" · ")}`];
}

function violationsOf(settings: Settings, { before, after }: Judged): Violation[] {
  const all = before === undefined ? judgeNew(after.state, settings) : judgeChange(before.state, after.state, settings);
  return all.filter((violation) => "path" in violation && violation.path === "inboundAgents");
}

function verdict(guard: Violation["guard"], violations: readonly Violation[], { isGoingBack, isOpen }: Judged): string {
  if (!violations.some((violation) => violation.guard === guard)) {
    return isGoingBack && guard !== "weightTotal" ? "(not checked: a return to the previous split)" : "ok";
  }
  return isOpen ? "exceeded; bypassed" : "exceeded";
}

function totalText({ guards }: Settings, { after }: Judged): string {
  const expected = guards.weightTotal ?? after.state.weightTotal;
  if (expected === undefined || !isSplit(after.split) || isHidden(expected)) {
    return "";
  }
  const sum = round(total(after.split));
  return sum === round(expected) ? `weights sum to ${sum}` : `weights sum to ${sum}, expected ${round(expected)}`;
}

function stepText({ guards }: Settings, { before, after }: Judged): string {
  const own = after.state.maxShift;
  const max = tighter(guards.maxShift, isHidden(own) ? undefined : own);
  const points = before && farthestPoints(before, after);
  return max === undefined || points === undefined ? "" : `moves ${points} points, limit ${round(max)}`;
}

export const noGuards: Text = say`No guard was checked: the settings of its provider are known after apply.`;

// --- what only the whole change shows

/** Numbers that one declaration gives to another one. */
export interface Handover {
  readonly from: string;
  readonly to: string;
  readonly account: string | undefined;
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly numbers: readonly string[];
}

/** A group that goes while another declaration keeps some of its numbers. */
export interface Shrunk {
  readonly name: string;
  readonly account: string | undefined;
  readonly before: Snapshot;
  readonly lost: readonly string[];
}

/** A resource is judged by itself: that numbers move or lose their agents under a new name is seen here alone. */
export function wholeContributions(
  handovers: readonly Handover[],
  shrunk: readonly Shrunk[],
  guardsOf: GuardsOf,
  isOpen: boolean,
): Contribution[] {
  const texts = [
    ...handovers.flatMap((one) => shiftTexts(one, guardsOf(one.account)?.settings)),
    ...shrunk.flatMap((one) => removeTexts(one, guardsOf(one.account)?.settings)),
  ];
  return texts.map((text) =>
    contribution({
      tone: "danger",
      rank: 0,
      family: "guard",
      title: say`⚠ ${text}`,
      notes: [
        isOpen
          ? ["Bypassed for this run."]
          : ["No single resource shows this, so the preview does not refuse it. This report does."],
      ],
      facts: isOpen ? [] : [{ condition: "guard", text }],
    }),
  );
}

function shiftTexts({ from, to, before, after, numbers }: Handover, settings: Settings | undefined): Text[] {
  const points = farthestPoints(before, after);
  if (settings === undefined || points === undefined || same(before.split, after.split)) {
    return [];
  }
  const shifts = judgeChange(before.state, after.state, settings).flatMap((one) =>
    one.guard === "maxShift" ? [one] : [],
  );
  const many = counted(numbers.length, "number");
  const [go, move] = numbers.length === 1 ? ["goes", "moves"] : ["go", "move"];
  const who =
    from === to ? say`${many} of ${id(to)}, made anew,` : say`${many} ${go} from ${id(from)} to ${id(to)} and`;
  return shifts.map(
    ({ shift, max }) =>
      say`Guard maxShift: ${who} ${move} ${round(shift)} percentage points of traffic; limit ${round(max)}`,
  );
}

function removeTexts({ name, before, lost }: Shrunk, settings: Settings | undefined): Text[] {
  if (settings === undefined) {
    return [];
  }
  const had = typeof before.numbers === "object" ? before.numbers.size : 0;
  return judgeRemoval(lost, had, settings).flatMap((one) =>
    one.guard === "maxRemove"
      ? [
          say`Guard maxRemove: ${lost.length} of ${counted(had, "number")} of ${id(name)} lose their agents, and the others go on under another name; limit ${one.max}`,
        ]
      : [],
  );
}

/** Which settings of an account change, in words; secrets stay masked. */
export function settingChanges(old: Properties, next: Properties): { key: string; before: unknown; after: unknown }[] {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort();
  return keys
    .filter((key) => key.startsWith(`${NAMESPACE}:`) && key !== `${NAMESPACE}:instance`)
    .map((key) => ({ key: key.slice(NAMESPACE.length + 1), before: old[key], after: next[key] }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}
