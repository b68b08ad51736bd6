import { inboundAgents } from "../../../provider/core/routing";
import { agentId } from "../../../provider/core/schemas";
import { type Agent, parseAgentKey, type Split, total, type Weighted } from "../../../provider/core/split";

/** What a cell says, or the rule that it breaks. */
export type Read<Value> = { readonly value: Value } | { readonly rule: string };

const AGENT = /^([^@:\s]+)(?:@([0-9]{1,15}))?$/;
const WEIGHT = /^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)$/;

/** `agent_front@12`, or `agent_front` where the dashboard shows no version. */
export function readAgent(text: string): Read<Agent> {
  const [, id = "", version] = AGENT.exec(text) ?? [];
  if (!agentId.safeParse(id).success) {
    return { rule: `${quoted(text)} is no agent; write it as agent_front@12` };
  }
  return { value: version === undefined ? { agentId: id } : parseAgentKey(`${id}@${Number(version)}`) };
}

/**
 * `agent_front@12:90 agent_front@13:10`. The weights must sum to the total: a digit left out would change what callers hear,
 * and after the first `up` nothing can be read back.
 */
export function readSplit(text: string, weightTotal: number): Read<Split> {
  const entries = text.split(" ").filter(Boolean).map(readEntry);
  const rules = entries.flatMap((entry) => ("rule" in entry ? [entry.rule] : []));
  if (rules.length > 0) {
    return { rule: rules.join("; ") };
  }
  const parsed = inboundAgents.safeParse(entries.flatMap((entry) => ("value" in entry ? [entry.value] : [])));
  if (!parsed.success) {
    // The list's own rules are worded to follow its name; an index would be the reader's to count.
    return { rule: [...new Set(parsed.error.issues.map(({ message }) => message))].join("; ") };
  }
  const sum = total(parsed.data);
  if (Math.abs(sum - weightTotal) <= 1e-9 * weightTotal) {
    return { value: parsed.data };
  }
  return { rule: `the weights sum to ${Number(sum.toPrecision(12))}, not ${weightTotal}` };
}

function readEntry(text: string): Read<Weighted> {
  const colon = text.lastIndexOf(":");
  if (colon < 0) {
    return { rule: `${quoted(text)} has no weight; write it as agent_front@12:100` };
  }
  const [agent, weight] = [readAgent(text.slice(0, colon)), text.slice(colon + 1)];
  if ("rule" in agent) {
    return agent;
  }
  if (!WEIGHT.test(weight)) {
    return { rule: `${quoted(weight)} is no weight; write a number such as 90` };
  }
  return { value: { ...agent.value, weight: Number(weight) } };
}

export const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
