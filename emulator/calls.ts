import { randomFrom } from "./random";
import { type AgentEntry, agentKey } from "./store";

/** The key under which calls are counted if no agent can answer them. */
const noAgents = "(no agents)";

/** Simulates `count` inbound calls to a number and counts them by agent. Agents that got no calls are listed with 0. */
export function simulateCalls(agents: readonly AgentEntry[], count: number, seed: number): Record<string, number> {
  const total = agents.reduce((sum, agent) => sum + agent.weight, 0);
  if (total === 0) {
    return { [noAgents]: count };
  }
  const counts = new Map(agents.map((agent) => [agentKey(agent), 0]));
  const drawCall = randomFrom(seed);
  for (let call = 0; call < count; call++) {
    const key = agentAt(agents, drawCall() * total);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

function agentAt(agents: readonly AgentEntry[], point: number): string {
  let passed = 0;
  const taking = agents.filter(({ weight }) => weight > 0);
  const isReached = ({ weight }: AgentEntry) => {
    passed += weight;
    return point < passed;
  };
  const reached = taking.find(isReached) ?? taking.at(-1);
  return reached === undefined ? noAgents : agentKey(reached);
}
