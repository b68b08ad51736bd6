import { same } from "../../../provider/core/equality";
import {
  judgeChange,
  judgeNew,
  judgeRemoval,
  tighter,
  unapprovedIn,
  type Violation,
} from "../../../provider/core/guards";
import { readSettings } from "../../../provider/core/readSettings";
import { BASE_URL_ENV, GUARD_KEYS, NAMESPACE, PROVIDER_NAME_KEY, type Settings } from "../../../provider/core/settings";
import { round, total } from "../../../provider/core/split";
import { nameOf } from "../../../provider/core/urn";
import type { Step } from "../../pulumi/preview";
import { isHidden, isSplit, type Properties } from "../../pulumi/values";
import { type Card, card } from "../model";
import type { NumberMove } from "../ownership";
import { membersOf, type NumberChange, type Snapshot } from "../snapshot";
import { counted, id, say, type Text } from "../text";
import type { Removal } from "./removals";
import { farthestPoints } from "./splits";

/** What the guards say to a split: the preview refused nothing, so they hold, or somebody bypassed them. */

export type Guards = ReturnType<typeof guardsIn>;

export function guardsIn(config: Properties, providers: readonly Step[], isOpen: boolean) {
  const own = readGuards(config);
  const explicit = new Map(providers.map(({ urn, new: next }) => [nameOf(urn), readGuards(next?.inputs ?? {})]));
  return {
    /** Is every guard bypassed for this run? */
    isOpen,
    /** A provider that does not change is not part of the engine's document: its guards were judged, and are not known here. */
    of: (providerName: string | undefined) => (providerName === undefined ? own : explicit.get(providerName)),
  };
}

/** By the provider's own reader. What is secret or not known yet is no guard that could be shown. */
function readGuards(config: Properties) {
  const settingIn = (key: string) => config[`${NAMESPACE}:${key}`];
  const approved = settingIn("approvedAgents");
  // Its content is not part of a preview.
  const isFile = typeof approved === "string" && !isHidden(approved) && !approved.trimStart().startsWith("[");
  const isRead = (key: string) => GUARD_KEYS.includes(key) && !(key === "approvedAgents" && isFile);
  const read = readSettings({
    get: (key) => (isRead(key) && !isHidden(settingIn(key)) ? settingIn(key) : undefined),
    // Where the platform is has no part in it.
    env: { [BASE_URL_ENV]: "https://not-read.invalid" },
    readApproved: () => "",
  });
  return "settings" in read ? { settings: read.settings, approvedFile: isFile ? approved : undefined } : undefined;
}

interface Judged {
  /** Undefined for what is new. */
  readonly before?: Snapshot;
  readonly after: Snapshot;
  readonly providerName: string | undefined;
}

/** `Guards: weights sum to 100 ok · moves 20 points, limit 25 ok · versions pinned ok`. */
export function guardLine(guards: Guards, judged: Judged, isGoingBack = false): Text | undefined {
  const own = guards.of(judged.providerName);
  if (own === undefined) {
    return undefined;
  }
  const { requireVersions } = own.settings.guards;
  const exceeded = exceededBy(judged, own.settings);
  const verdict = (guard: Violation["guard"]) => {
    if (exceeded.has(guard)) {
      return guards.isOpen ? "exceeded; bypassed" : "exceeded";
    }
    return isGoingBack && guard !== "weightTotal" ? "(not checked: a return to the previous split)" : "ok";
  };
  const said = (guard: Violation["guard"], text: string | false | undefined) => text && `${text} ${verdict(guard)}`;
  const parts = [
    said("weightTotal", totalText(own.settings, judged)),
    said("maxShift", shiftText(own.settings, judged)),
    said("requireVersions", requireVersions && "versions pinned"),
    said("maxUnapproved", approvalText(own.settings, judged, !exceeded.has("maxUnapproved") && !isGoingBack)),
    // The provider has read it, and refused nothing.
    own.approvedFile &&
      `approvedAgents ${guards.isOpen || isGoingBack || !judged.after.isChecked ? "not checked" : "ok"} (${own.approvedFile})`,
  ].filter(Boolean);
  return [parts.length === 0 ? "Guards: none configured for this split." : `Guards: ${parts.join(" · ")}`];
}

function exceededBy({ before, after }: Judged, settings: Settings): ReadonlySet<Violation["guard"]> {
  const all = before === undefined ? judgeNew(after.state, settings) : judgeChange(before.state, after.state, settings);
  const ofSplit = all.filter((violation) => "path" in violation && violation.path === "inboundAgents");
  return new Set(ofSplit.map(({ guard }) => guard));
}

function totalText({ guards }: Settings, { after }: Judged): string | undefined {
  const expected = guards.weightTotal ?? after.state.weightTotal;
  if (expected === undefined || !isSplit(after.split) || isHidden(expected)) {
    return undefined;
  }
  const sum = round(total(after.split));
  return sum === round(expected) ? `weights sum to ${sum}` : `weights sum to ${sum}, expected ${round(expected)}`;
}

/** What is over the limit and passes is no more than callers meet today. */
function approvalText({ guards }: Settings, { after: { split } }: Judged, passes: boolean): string | undefined {
  if (guards.approvedAgents === undefined || !isSplit(split)) {
    return undefined;
  }
  const { agents, share, isOver } = unapprovedIn(split, guards);
  if (agents.length === 0) {
    return "agents approved";
  }
  return isOver && passes
    ? "no unapproved agent gets more than now"
    : `unapproved agents get ${round(share)} %, limit ${round(guards.maxUnapproved)}`;
}

function shiftText({ guards }: Settings, { before, after }: Judged): string | undefined {
  const own = after.state.maxShift;
  const max = tighter(guards.maxShift, isHidden(own) ? undefined : own);
  const points = before && farthestPoints({ before, after });
  return max === undefined || points === undefined ? undefined : `moves ${points} points, limit ${round(max)}`;
}

export const noGuards: Text = say`No guard was checked: the settings of its provider are known after apply.`;

// --- what only the whole change shows

/** Numbers that one declaration gives to another one, which may be itself made anew. */
export interface Handover extends NumberMove {
  readonly to: NumberChange;
}

/**
 * The provider judges each resource by itself: that numbers move to another one, or lose their agents while the others of their group
 * go on under a new name, is seen here alone.
 */
export function wholeChangeCards(handovers: readonly Handover[], removals: readonly Removal[], guards: Guards): Card[] {
  const texts = [
    ...handovers.flatMap((one) => shiftTexts(one, guards.of(one.to.providerName)?.settings)),
    ...removals.flatMap((one) => removeTexts(one, guards.of(one.providerName)?.settings)),
  ];
  return texts.map((text) =>
    card({
      tone: "danger",
      rank: 0,
      family: "guard",
      title: say`⚠ ${text}`,
      notes: [
        guards.isOpen
          ? ["Bypassed for this run."]
          : ["No single resource shows this, so the preview does not refuse it. This report does."],
      ],
      facts: guards.isOpen ? [] : [{ condition: "guard", text }],
    }),
  );
}

function shiftTexts(handover: Handover, settings: Settings | undefined): Text[] {
  const { from, to, before, after, numbers } = handover;
  if (settings === undefined || farthestPoints(handover) === undefined || same(before.split, after.split)) {
    return [];
  }
  const many = counted(numbers.length, "number");
  const [go, move] = numbers.length === 1 ? ["goes", "moves"] : ["go", "move"];
  const who =
    from.name === to.name
      ? say`${many} of ${id(to.name)}, made anew,`
      : say`${many} ${go} from ${id(from.name)} to ${id(to.name)} and`;
  return judgeChange(before.state, after.state, settings).flatMap((one) =>
    one.guard === "maxShift"
      ? [say`Guard maxShift: ${who} ${move} ${round(one.shift)} percentage points of traffic; limit ${round(one.max)}`]
      : [],
  );
}

function removeTexts({ name, before, lost }: Removal, settings: Settings | undefined): Text[] {
  const had = membersOf(before).size;
  const violations = settings === undefined ? [] : judgeRemoval(lost, had, settings);
  return violations.flatMap((one) =>
    one.guard === "maxRemove"
      ? [
          say`Guard maxRemove: ${lost.length} of ${counted(had, "number")} of ${id(name)} lose their agents, and the others go on under another name; limit ${one.max}`,
        ]
      : [],
  );
}

/** Which settings of a provider change, in words; secrets stay masked. */
export function settingChanges(old: Properties, next: Properties): { key: string; before: unknown; after: unknown }[] {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort();
  return keys
    .filter((key) => key.startsWith(`${NAMESPACE}:`) && key !== `${NAMESPACE}:${PROVIDER_NAME_KEY}`)
    .map((key) => ({ key: key.slice(NAMESPACE.length + 1), before: old[key], after: next[key] }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}
