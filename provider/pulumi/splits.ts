import * as pulumi from "@pulumi/pulumi";
import { splitAgents, type Weighted } from "../core/routing/split";
import { holdsOutput } from "./secrets";

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
  return holdsOutput(weights)
    ? pulumi.output(weights).apply(splitAgents)
    : splitAgents(weights as Record<string, number>);
}
