import type { AssignmentAnswer, NumberAnswer, NumberRecord, WeightedAgent } from "../../../provider/core/operations";
import { ourRecord } from "../../../provider/core/verify";

/** What an answer shows of one number, read without any assumption but the interface's names. */
export interface Sight {
  readonly answer: NumberAnswer | undefined;
  readonly record: NumberRecord | undefined;
  /** The record's, else the assignment's. */
  readonly inbound: readonly WeightedAgent[] | null | undefined;
  readonly inboundId: string | null | undefined;
}

export function sightOf(number: string, answer: NumberAnswer | undefined): Sight {
  const record = ourRecord(number, answer?.numbers ?? []);
  const views: AssignmentAnswer[] = [record, answer?.assignment ?? undefined].filter((view) => view !== undefined);
  return {
    answer,
    record,
    inbound: views.map((view) => view.inboundAgents).find((value) => value !== undefined),
    inboundId: views.map((view) => view.inboundAgentId).find((value) => value !== undefined),
  };
}

/** A field of the answer that may name the outbound agent (interface 2.2, 2.3). */
export interface Mirror {
  readonly field: string;
  ids(sight: Sight): readonly string[];
}

const idsOf = (value: string | null | undefined | readonly WeightedAgent[]): string[] => {
  if (typeof value === "string") {
    return value === "" ? [] : [value];
  }
  return (value ?? []).map(({ agentId }) => agentId);
};

export const DEFAULT_AGENT = "record default_agent_id";

export const MIRRORS: readonly Mirror[] = [
  { field: "record agent_id", ids: ({ record }) => idsOf(record?.agentId) },
  { field: "record outbound_agents", ids: ({ record }) => idsOf(record?.outboundAgents) },
  { field: DEFAULT_AGENT, ids: ({ record }) => idsOf(record?.defaultAgentId) },
  { field: "assignment agent_id", ids: ({ answer }) => idsOf(answer?.assignment?.agentId) },
  { field: "assignment outbound_agents", ids: ({ answer }) => idsOf(answer?.assignment?.outboundAgents) },
];

/** The ids of the agents that the answer shows as inbound; undefined where it shows none of it. */
export function inboundIds({ inbound, inboundId }: Sight): readonly string[] | undefined {
  return inbound === undefined && inboundId === undefined
    ? undefined
    : idsOf(inbound === undefined ? inboundId : inbound);
}

/** Does the answer show the agents that were asked for? A version more or less is no contradiction. */
export function showsInbound(sight: Sight, asked: readonly WeightedAgent[]): boolean {
  if (asked.length === 0) {
    return true;
  }
  const { inbound, inboundId } = sight;
  if (inbound === undefined) {
    return inboundId === undefined || asked.some(({ agentId }) => agentId === inboundId);
  }
  const shown = idsOf(inbound);
  return asked.every(({ agentId, weight }) => weight === 0 || shown.includes(agentId)) && shown.length <= asked.length;
}
