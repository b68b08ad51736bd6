import type * as pulumi from "@pulumi/pulumi";
import { isPlain } from "./base/json";
import { whenKnown } from "./engine/inputs";
import { splitAgents } from "./routing/split";
import type { Weighted } from "./routing/types";

/**
 * A split by agent: `split({ "agent_front@12": 90, "agent_front@13": 10 })`. An explicit weight 0 stays 0.
 * With an Input among the arguments the result is an Output.
 * @param weights weights by agent, `agent_<id>@<version>` or `agent_<id>`; numbers from 0, in any unit
 * @returns what `inboundAgents` takes; what is no map comes back as it is, and check refuses it
 */
export function split(weights: Readonly<Record<string, number>>): Weighted[];

export function split(weights: pulumi.Input<Record<string, pulumi.Input<number>>>): pulumi.Output<Weighted[]>;

export function split(
  weights: pulumi.Input<Record<string, pulumi.Input<number>>>,
): Weighted[] | pulumi.Output<Weighted[]> {
  return whenKnown(weights as Record<string, number>, (known) => (isPlain(known) ? splitAgents(known) : known));
}
