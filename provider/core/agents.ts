import { agentId, agentVersion } from "./inputs";
import { type Agent, parseAgentKey, type Weighted } from "./traffic";

/** An agent as people write it: `"agent_front@12"`, or `{ agentId, agentVersion }`. */
export type AgentRef = string | Agent;

/** A slip in a reference throws here, where the program's line is known; check would only see its consequence. */
export function parseAgentRef(ref: AgentRef): Agent {
  const agent = typeof ref === "string" ? parseAgentKey(ref) : ref;
  const isValid =
    agentId.safeParse(agent.agentId).success &&
    (agent.agentVersion === undefined || agentVersion.safeParse(agent.agentVersion).success);
  if (!isValid)
    throw new TypeError(
      `AGP-001 "${String(typeof ref === "string" ? ref : ref.agentId)}" is no agent: write it as "agent_front@12", or { agentId, agentVersion }.`,
    );
  return agent.agentVersion === undefined
    ? { agentId: agent.agentId }
    : { agentId: agent.agentId, agentVersion: agent.agentVersion };
}

/** A candidate beside the stable agent. At 0 and at 100 only one of them is left. */
export function canarySplit(stable: AgentRef, candidate: AgentRef, percent: number): Weighted[] {
  if (!(percent >= 0 && percent <= 100))
    throw new RangeError("AGP-001 canary: percent must be a number from 0 to 100.");
  const both = [
    { ...parseAgentRef(stable), weight: 100 - percent },
    { ...parseAgentRef(candidate), weight: percent },
  ];
  return both.filter(({ weight }) => weight > 0);
}

/** A split by agent key. An explicit weight 0 stays: the agent is in the list without calls. */
export const splitAgents = (weights: Readonly<Record<string, number>>): Weighted[] =>
  Object.entries(weights).map(([key, weight]) => ({ ...parseAgentRef(key), weight }));
