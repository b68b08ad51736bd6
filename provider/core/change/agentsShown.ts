import { only, texts } from "../common/lists";
import type { Binding, FieldOf, Routing } from "../routing/fields";
import {
  agentKey,
  describe,
  isEmpty,
  percentages,
  type Split,
  toAgents,
  toSplit,
  type Weighted,
} from "../routing/split";
import { type Comparison, type Found, isNull, isOther, mismatch, type View } from "./mismatch";

/** How the agents of a response are compared with those that were asked for: several fields of a response tell of them. */

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

/** The split that a response shows. A single agent is no split: its weight is not shown. */
export const shownSplit = (view: View): Split | undefined =>
  view.inboundAgents === undefined || singleId(view) !== undefined ? undefined : toSplit(view.inboundAgents ?? []);

// --- agents that are not set

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

// --- the rules of the fields

export const AGENT_COMPARISONS: Readonly<Record<Exclude<Binding, FieldOf<"url"> | FieldOf<"flag">>, Comparison>> = {
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
