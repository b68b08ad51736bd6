import * as pulumi from "@pulumi/pulumi";
import { type AgentRef, canarySplit, splitAgents, type Weighted } from "../core/split";
import { programError } from "./mistakes";
import { holdsOutput } from "./secrets";

/**
 * A candidate beside the stable agent: `canary("agent_front@12", "agent_front@13", 10)` gives the candidate 10 %.
 * At 0 and at 100 percent only one agent is left. With an Input among the arguments the result is an Output.
 * @param stable the agent that callers reach today
 * @param candidate the agent that is tried
 * @param percent the candidate's percentage of the traffic, from 0 to 100
 * @returns what `inboundAgents` takes, with weights that sum to 100
 */
export function canary(stable: AgentRef, candidate: AgentRef, percent: number): Weighted[];
export function canary(
  stable: pulumi.Input<AgentRef>,
  candidate: pulumi.Input<AgentRef>,
  percent: pulumi.Input<number>,
): pulumi.Output<Weighted[]>;
export function canary(
  ...args: [pulumi.Input<AgentRef>, pulumi.Input<AgentRef>, pulumi.Input<number>]
): Weighted[] | pulumi.Output<Weighted[]> {
  if (!holdsOutput(args)) {
    return told(() => canarySplit(...(args as [AgentRef, AgentRef, number])));
  }
  return pulumi
    .output(args)
    .apply(([stable, candidate, percent]) => told(() => canarySplit(stable, candidate, percent)));
}

/**
 * A split by agent: `split({ "agent_front@12": 90, "agent_front@13": 10 })`. An explicit weight 0 stays 0.
 * With an Input among the arguments the result is an Output.
 * @param weights weights by agent, `agent_<id>@<version>` or `agent_<id>`; numbers from 0, in any unit
 * @returns what `inboundAgents` takes
 */
export function split(weights: Readonly<Record<string, number>>): Weighted[];
export function split(weights: pulumi.Input<Record<string, pulumi.Input<number>>>): pulumi.Output<Weighted[]>;
export function split(
  weights: pulumi.Input<Record<string, pulumi.Input<number>>>,
): Weighted[] | pulumi.Output<Weighted[]> {
  if (!holdsOutput(weights)) {
    return told(() => splitAgents(weights as Record<string, number>));
  }
  return pulumi.output(weights).apply((all) => told(() => splitAgents(all)));
}

function told<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw programError(error instanceof Error ? error.message : String(error));
  }
}
