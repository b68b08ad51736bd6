import * as pulumi from "@pulumi/pulumi";
import { isObject } from "../core/common/equality";
import { noSplit, render } from "../core/messages";
import { splitAgents, type Weighted } from "../core/routing/split";
import { programError } from "./programError";
import { type CallSite, callSiteOf, lineOf } from "./programLine";
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
  if (!holdsOutput(weights)) {
    const agents = agentsOf(weights as Record<string, number>);
    callSites.set(agents, callSiteOf(split));
    return agents;
  }
  return pulumi.output(weights).apply(agentsOf);
}

const callSites = new WeakMap<object, CallSite>();

/** The program's line that made this split, as `index.ts:12`; undefined if `split` did not make it. */
export function lineOfSplit(agents: unknown): string | undefined {
  const site = typeof agents === "object" && agents !== null ? callSites.get(agents) : undefined;
  return site && lineOf(site);
}

function agentsOf(weights: Readonly<Record<string, number>>): Weighted[] {
  if (!isObject(weights)) {
    throw programError(render(noSplit()));
  }
  return splitAgents(weights);
}
