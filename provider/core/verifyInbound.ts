import type { AssignmentAnswer } from "./operations";
import type { Binding } from "./routing";
import { agentKey, describe, type Split, shares, toAgents, toSplit, type Weighted } from "./traffic";

/**
 * Inbound agents of an answer: `inbound_agents` decides, a single `inbound_agent_id` counts only where that is absent, or null, as
 * a platform may answer where there is no split (assumption 13).
 */

/** One field in which the platform's answer differs from what was asked. */
export interface Mismatch {
  field: Binding | "workspaceId" | "accountSid" | "platformImportError";
  /** In words fit to be shown: agents, weights and versions; never a URL. */
  asked: string;
  answered: string;
}

export const singleId = ({ inboundAgents, inboundAgentId }: AssignmentAnswer): string | undefined =>
  (inboundAgents ?? undefined) === undefined && typeof inboundAgentId === "string" && inboundAgentId !== ""
    ? inboundAgentId
    : undefined;

const only = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

export function inboundDiffers(view: AssignmentAnswer, asked: Split | undefined): Mismatch | undefined {
  if (asked === undefined || Object.keys(asked).length === 0) return undefined;
  const mismatch = (answered: string): Mismatch => ({ field: "inboundAgents", asked: describe(asked), answered });
  const single = singleId(view);
  if (single !== undefined)
    return toAgents(asked).some(({ agentId }) => agentId === single) ? undefined : mismatch(single);
  if (view.inboundAgents === undefined) return undefined;
  const answered = view.inboundAgents ?? [];
  return sharesMatch(asked, answered) ? undefined : mismatch(describe(toSplit(answered)));
}

/** Shares are compared, not weights: a platform may scale them to 1 or to 100. Order never matters. */
function sharesMatch(asked: Split, answered: readonly Weighted[]): boolean {
  const wanted = shares(asked);
  const seen: Record<string, number> = {};
  for (const [entry, share] of entriesWithShares(answered)) {
    const key = keyFor(entry, asked);
    if (key === undefined && share > 0) return false;
    if (key !== undefined) seen[key] = (seen[key] ?? 0) + share;
  }
  const tolerance = toleranceFor(wanted);
  return Object.entries(wanted).every(([key, share]) => Math.abs(share - (seen[key] ?? 0)) <= tolerance);
}

function entriesWithShares(answered: readonly Weighted[]): [Weighted, number][] {
  const whole = answered.reduce((sum, { weight }) => sum + weight, 0);
  return answered.map((entry) => [entry, whole > 0 ? (entry.weight / whole) * 100 : 0]);
}

/** A platform that rounds to whole percents turns a third into 33 or 34; shares that are whole percents it cannot change. */
function toleranceFor(wanted: Readonly<Record<string, number>>): number {
  const isWhole = Object.values(wanted).every((share) => Math.abs(share - Math.round(share)) < 1e-6);
  return isWhole ? 0.01 : 1;
}

/** An agent asked for without a version may be answered with its latest one, and an answer may leave the version out. */
function keyFor(entry: Weighted, asked: Split): string | undefined {
  const exact = agentKey(entry);
  if (exact in asked) return exact;
  if (entry.agentId in asked) return entry.agentId;
  if (entry.agentVersion !== undefined) return undefined;
  return only(
    toAgents(asked)
      .filter(({ agentId }) => agentId === entry.agentId)
      .map(agentKey),
  );
}

export function inboundLeft(view: AssignmentAnswer): Mismatch | undefined {
  const left = (answered: string): Mismatch => ({ field: "inboundAgents", asked: "no agent", answered });
  const single = singleId(view);
  if (single !== undefined) return left(single);
  const answered = view.inboundAgents ?? [];
  return answered.length === 0 ? undefined : left(describe(toSplit(answered)));
}
