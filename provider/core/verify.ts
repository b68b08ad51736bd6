import {
  BINDINGS,
  type Binding,
  type FieldOf,
  fieldsOf,
  type Routing,
  SCOPE,
  type Scope,
  type ValueKind,
} from "./fields";
import { only, texts } from "./lists";
import type { AssignmentAnswer, NumberAnswer, NumberRecord } from "./operations";
import { ourRecords } from "./ourRecords";
import { agentKey, describe, isEmpty, percentages, type Split, toAgents, toSplit, type Weighted } from "./split";

/** One field in which the platform's response differs from what was asked. */
export interface Mismatch {
  readonly field: Binding | Scope | "number" | "platformImportError";
  /** A text for messages: agents, weights or versions, but never a URL. */
  readonly asked: string;
  readonly answered: string;
}

export const isImport = ({ field }: Mismatch): boolean => field === "platformImportError";

/** Is it about the account or the workspace? */
export const isScope = ({ field }: Mismatch): boolean => (SCOPE as readonly string[]).includes(field);

export interface Verdict {
  /** Our record; undefined if the response has none. */
  readonly record?: NumberRecord | undefined;
  readonly mismatches: Mismatch[];
  /** Does the response say anything about the bindings at all? */
  readonly isShown: boolean;
  /** Fields that were to be cleared and that the response does not have: they may be cleared, or only not shown. */
  readonly unseen: Binding[];
  /** The split that the response shows, if it shows one. */
  readonly shown?: Split | undefined;
}

/** A part of a response that shows the routing: our record, or the assignment object, which has fewer fields. */
type View = AssignmentAnswer & NumberRecord;

/**
 * Compares the platform's response with what was asked: the declared routing, and the fields that were to be cleared. `held` is what the
 * number may have had before the request.
 */
export function verify(
  number: string,
  asked: Routing,
  cleared: readonly Binding[],
  held: Routing,
  answer: NumberAnswer,
): Verdict {
  const records = answer.numbers ?? [];
  const ours = ourRecords(number, records);
  if (ours.length === 0 && records.length > 0) {
    return anotherNumber(records.length);
  }
  const views: View[] = [...ours, answer.assignment].filter((view) => view !== undefined && view !== null);
  const found = [...views.flatMap((view) => compare(view, asked, cleared, held)), ...unset(views, asked)];
  const mismatches = found.filter((one) => one !== undefined);
  return {
    record: ours[0],
    mismatches: mismatches.filter((one, index) => mismatches.findIndex(({ field }) => field === one.field) === index),
    isShown: views.some(showsBindings),
    unseen: cleared.filter((field) => !views.some((view) => COMPARISONS[field].isShown(view))),
    shown: views.map((view) => shownSplit(view)).find((split) => split !== undefined),
  };
}

const anotherNumber = (count: number): Verdict => ({
  mismatches: [
    mismatch(
      "number",
      "this number",
      count === 1 ? "a record of another number" : `${count} records, none of them this number`,
    ),
  ],
  isShown: false,
  unseen: [],
});

const mismatch = (field: Mismatch["field"], asked: string, answered: string): Mismatch => ({ field, asked, answered });

/** Are both given, and do they differ? */
const isOther = <T>(asked: T | undefined, answered: T | null | undefined): answered is T =>
  asked !== undefined && answered !== undefined && answered !== null && answered !== asked;

const showsBindings = (view: View): boolean =>
  [view.inboundAgents, view.inboundAgentId, view.outboundAgents, view.agentId].some((value) => value !== undefined);

/** The split that the response shows. A single agent is no split: its weight is not shown. */
const shownSplit = (view: View): Split | undefined =>
  view.inboundAgents === undefined || singleId(view) !== undefined ? undefined : toSplit(view.inboundAgents ?? []);

type Found = Mismatch | undefined;

/** How one field of the routing is compared with a response. */
interface Comparison {
  /** Does the response show the field at all, bound or not? */
  readonly isShown: (view: View) => boolean;
  readonly differs: (view: View, asked: Routing) => Found;
  /** The field was to be cleared. */
  readonly left: (view: View, asked: Routing, held: Routing) => Found;
  /**
   * The response shows the field as null. The field is not set only if no other part of the response has a value for it, because a platform
   * may fill the field in its record alone, or in the assignment object alone.
   */
  readonly unset: (views: readonly View[], asked: Routing) => Found[];
}

function compare(view: View, asked: Routing, cleared: readonly Binding[], held: Routing): Found[] {
  return [
    ...BINDINGS.map((field) => {
      const { left, differs } = COMPARISONS[field];
      return cleared.includes(field) ? left(view, asked, held) : differs(view, asked);
    }),
    ...Object.values(SCOPE_DIFFERS).map((differs) => differs(view, asked)),
    importFailed(view),
  ];
}

const unset = (views: readonly View[], asked: Routing): Found[] =>
  BINDINGS.flatMap((field) => COMPARISONS[field].unset(views, asked));

const isNull = (values: readonly unknown[]): boolean =>
  values.includes(null) && values.every((value) => value === null || value === undefined);

function agentsNotSet(views: readonly View[], asked: Split | undefined): Found {
  const hasList = views.some(({ inboundAgents }) => inboundAgents !== undefined);
  if (asked === undefined || isEmpty(asked) || hasList) {
    return undefined;
  }
  // The empty text of an id is no id.
  const isUnset = isNull(views.map(({ inboundAgentId }) => (inboundAgentId === "" ? null : inboundAgentId)));
  return isUnset ? mismatch("inboundAgents", describe(asked), "no agent") : undefined;
}

/** The version of a single agent. A list has the versions of its agents itself. */
function singleVersionNotSet(views: readonly View[], asked: Split = {}): Found {
  const agent = only(toAgents(asked));
  const hasList = views.some(({ inboundAgents }) => inboundAgents !== undefined && inboundAgents !== null);
  if (agent?.agentVersion === undefined || hasList || !views.some((view) => singleId(view) === agent.agentId)) {
    return undefined;
  }
  const isUnset = isNull(views.map((view) => view.inboundAgentVersion));
  return isUnset ? mismatch("inboundAgents", describe(asked), `${agent.agentId} without a version`) : undefined;
}

/** If the response shows our agent without its version, the platform did not take the version. Without our agent it says nothing about that. */
function versionNotSet(views: readonly View[], asked: Routing): Found {
  const { outboundAgentId: id, outboundAgentVersion: version } = asked;
  if (id === undefined || version === undefined || !views.some((view) => outboundIds(view)?.includes(id))) {
    return undefined;
  }
  const listed = views.flatMap((view) => versionsInList(view, id));
  const isUnset = isNull([...views.map((view) => view.outboundAgentVersion), ...listed]);
  return isUnset ? mismatch("outboundAgentVersion", String(version), "no version") : undefined;
}

// --- inbound agents: `inbound_agents` decides. A single `inbound_agent_id` counts only if that is absent or null, which a platform
// may return if there is no split (assumption 13)

const singleId = ({ inboundAgents, inboundAgentId }: View): string | undefined =>
  inboundAgents ? undefined : inboundAgentId || undefined;

function inboundDiffers(view: View, asked: Split | undefined): Found {
  if (asked === undefined || isEmpty(asked)) {
    return undefined;
  }
  const single = singleId(view);
  if (single !== undefined && !toAgents(asked).some(({ agentId }) => agentId === single)) {
    return mismatch("inboundAgents", describe(asked), single);
  }
  if (single === undefined && view.inboundAgents !== undefined && !percentagesMatch(asked, view.inboundAgents ?? [])) {
    return mismatch("inboundAgents", describe(asked), describe(toSplit(view.inboundAgents ?? [])));
  }
  return singleVersionDiffers(view, asked);
}

/** `inbound_agent_version` is compared only if one agent was asked for, with its version: of a split it would be one of several. */
function singleVersionDiffers({ inboundAgentVersion: version }: View, asked: Split): Found {
  const agent = only(toAgents(asked));
  return agent !== undefined && isOther(agent.agentVersion, version)
    ? mismatch("inboundAgents", describe(asked), agentKey({ ...agent, agentVersion: version }))
    : undefined;
}

/** Percentages are compared, not weights: a platform may scale them to 1 or to 100. Order never matters. */
function percentagesMatch(asked: Split, answered: readonly Weighted[]): boolean {
  const wanted = percentages(asked);
  const whole = answered.reduce((sum, { weight }) => sum + weight, 0);
  const seen: Record<string, number> = {};
  for (const entry of answered) {
    const key = keyFor(entry, asked);
    if (key === undefined && entry.weight > 0) {
      return false;
    }
    if (key !== undefined) {
      seen[key] = (seen[key] ?? 0) + (entry.weight / whole) * 100;
    }
  }
  const tolerance = toleranceFor(wanted);
  return Object.entries(wanted).every(([key, percent]) => Math.abs(percent - (seen[key] ?? 0)) <= tolerance);
}

/** A platform may round to whole percentages. That changes a third to 33 or 34, but no percentage that is whole already. */
function toleranceFor(wanted: Readonly<Record<string, number>>): number {
  const isWhole = Object.values(wanted).every((percent) => Math.abs(percent - Math.round(percent)) < 1e-6);
  return isWhole ? 0.01 : 1;
}

/** The agent of the split that an entry of the response shows. The platform may add a version that was not asked for, or leave one out. */
function keyFor(entry: Weighted, asked: Split): string | undefined {
  const exact = agentKey(entry);
  if (exact in asked) {
    return exact;
  }
  if (entry.agentId in asked) {
    return entry.agentId;
  }
  if (entry.agentVersion !== undefined) {
    return undefined;
  }
  return only(
    toAgents(asked)
      .filter(({ agentId }) => agentId === entry.agentId)
      .map(agentKey),
  );
}

function inboundLeft(view: View): Found {
  const listed = view.inboundAgents ?? [];
  const answered = singleId(view) ?? (listed.length === 0 ? undefined : describe(toSplit(listed)));
  return answered === undefined ? undefined : mismatch("inboundAgents", "no agent", answered);
}

// --- outbound agent: the interface does not specify which field shows it (assumption 12), so one of them is enough

/** Every agent that the response shows as outbound, also one with weight 0. */
function outboundIds({ agentId, outboundAgents, defaultAgentId }: View): string[] | undefined {
  const isDecided = agentId !== undefined || outboundAgents !== undefined;
  if (!isDecided) {
    return defaultAgentId === undefined ? undefined : texts([defaultAgentId]);
  }
  return texts([agentId, ...(outboundAgents ?? []).map((entry) => entry.agentId)]);
}

/** The agents of the list that get calls. If no weight is above 0, the weights say nothing, and all agents count. */
function calling(outboundAgents: readonly Weighted[]): readonly Weighted[] {
  const weighted = outboundAgents.filter(({ weight }) => weight > 0);
  return weighted.length > 0 ? weighted : outboundAgents;
}

function outboundDiffers(view: View, asked: Routing): Found {
  const { outboundAgentId: id, outboundAgentVersion: version } = asked;
  if (id === undefined) {
    return undefined;
  }
  const differs = (answered: readonly string[]) =>
    mismatch("outboundAgentId", id, answered.length === 0 ? "no agent" : answered.join(", "));
  const ids = outboundIds(view);
  if (ids !== undefined && !ids.includes(id) && view.defaultAgentId !== id) {
    return differs(ids);
  }
  const listed = view.outboundAgents ?? [];
  const callers = calling(listed).map((entry) => entry.agentId);
  const isAlone = callers.every((caller) => caller === id);
  if (listed.some((entry) => entry.agentId === id) && !isAlone && !sendsOutboundList(asked)) {
    return differs([...new Set(callers)]);
  }
  const answered = outboundVersions(view, id).find((one) => isOther(version, one));
  return answered === undefined ? undefined : mismatch("outboundAgentVersion", String(version), String(answered));
}

/** A platform may take weighted outbound agents in a field that the interface does not declare (assumption 10). */
const sendsOutboundList = ({ extraFields = {} }: Routing): boolean =>
  Object.keys(extraFields).some((name) => /^outbound_?agents$/i.test(name));

const versionsInList = ({ outboundAgents }: View, id: string): number[] =>
  calling(outboundAgents ?? []).flatMap(({ agentId, agentVersion }) =>
    agentId === id && agentVersion !== undefined ? [agentVersion] : [],
  );

/** The versions in the list; if it has none, the record's own. */
function outboundVersions(view: View, id: string): readonly number[] {
  const listed = versionsInList(view, id);
  const own = view.outboundAgentVersion ?? undefined;
  return listed.length > 0 || own === undefined ? listed : [own];
}

/** The agent stays, and its version was to be cleared. Only the version that it had before counts: the platform may have chosen another one. */
function versionLeft(view: View, asked: Routing, held: Routing): Found {
  const { outboundAgentId: id, outboundAgentVersion: version } = asked;
  const answered = id === undefined || version !== undefined ? [] : outboundVersions(view, id);
  const left = answered.find((one) => one === held.outboundAgentVersion);
  return left === undefined ? undefined : mismatch("outboundAgentVersion", "no version", String(left));
}

/** Only the agent that was there before counts as not cleared: another one in `agent_id` may be the platform's own default (assumption 38). */
function outboundLeft(view: View, asked: Routing, held: Routing): Found {
  const id = held.outboundAgentId;
  const isInbound = id !== undefined && toAgents(asked.inboundAgents ?? {}).some(({ agentId }) => agentId === id);
  return id !== undefined && !isInbound && outboundIds(view)?.includes(id)
    ? mismatch("outboundAgentId", "no agent", id)
    : undefined;
}

// --- a URL, a flag, the scope and the import

const urlComparison = (field: FieldOf<"url">): Comparison => ({
  isShown: (view) => view[field] !== undefined,
  differs: ({ [field]: answered }, { [field]: url }) =>
    url === undefined || answered === undefined || sameUrl(url, answered ?? "")
      ? undefined
      : mismatch(field, "the declared URL", answered ? "another URL" : "none"),
  left: ({ [field]: answered }) => (answered ? mismatch(field, "none", "a URL") : undefined),
  unset: () => [],
});

function sameUrl(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href);
}

/** A flag that is off counts as cleared. */
const flagComparison = (field: FieldOf<"flag">): Comparison => ({
  isShown: (view) => view[field] !== undefined,
  differs: (view, asked) => valueDiffers(field, view, asked),
  left: ({ [field]: answered }, _, held) =>
    answered === true && held[field] === true ? mismatch(field, "off", "true") : undefined,
  unset: (views, asked) =>
    asked[field] === true && isNull(views.map((view) => view[field])) ? [mismatch(field, "true", "not set")] : [],
});

const valueDiffers = (field: "workspaceId" | FieldOf<"flag">, view: View, asked: Routing): Found =>
  isOther(asked[field], view[field]) ? mismatch(field, String(asked[field]), String(view[field])) : undefined;

const SCOPE_DIFFERS: Readonly<Record<Scope, (view: View, asked: Routing) => Found>> = {
  workspaceId: (view, asked) => valueDiffers("workspaceId", view, asked),
  accountSid: (view, asked) =>
    isOther(asked.accountSid, view.accountSid)
      ? mismatch("accountSid", "the declared account", "another account")
      : undefined,
};

const importFailed = ({ platformImportError, platformImportErrorMessage: words }: View): Found =>
  platformImportError === true
    ? mismatch("platformImportError", "an import without error", words || "an error without a message")
    : undefined;

// --- which field is compared how

const ofKind = <Kind extends ValueKind>(
  kind: Kind,
  comparison: (field: FieldOf<Kind>) => Comparison,
): Readonly<Record<FieldOf<Kind>, Comparison>> =>
  Object.fromEntries(fieldsOf(kind).map((field) => [field, comparison(field)])) as Record<FieldOf<Kind>, Comparison>;

/** A URL and a flag are compared as all of their kind are. Agents have rules of their own, because several fields of a response tell of them. */
const COMPARISONS: Readonly<Record<Binding, Comparison>> = {
  ...ofKind("url", urlComparison),
  ...ofKind("flag", flagComparison),
  inboundAgents: {
    isShown: (view) => view.inboundAgents !== undefined || view.inboundAgentId !== undefined,
    differs: (view, asked) => inboundDiffers(view, asked.inboundAgents),
    left: inboundLeft,
    unset: (views, { inboundAgents }) => [
      agentsNotSet(views, inboundAgents),
      singleVersionNotSet(views, inboundAgents),
    ],
  },
  outboundAgentId: {
    isShown: (view) => outboundIds(view) !== undefined,
    differs: outboundDiffers,
    left: outboundLeft,
    unset: () => [],
  },
  // A version goes with its agent, whose rule compares it.
  outboundAgentVersion: {
    isShown: () => true,
    differs: () => undefined,
    left: versionLeft,
    unset: (views, asked) => [versionNotSet(views, asked)],
  },
};

/** The fields that were to be cleared and that the response still shows. */
export const stillShown = (
  { mismatches }: { readonly mismatches: readonly Mismatch[] },
  cleared: readonly Binding[],
): Mismatch[] => mismatches.filter(({ field }) => (cleared as readonly string[]).includes(field));
