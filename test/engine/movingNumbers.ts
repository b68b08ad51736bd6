/** Programs whose numbers move among groups and assignments. */

export const n = (index: number): string => `+1555000${1000 + index}`;

export const program = (body: string): string => `
  import * as pulumi from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  const all = (agentId) => [{ agentId, weight: 100 }];
  const group = (name, numbers, agent, opts = {}) => new NumberGroup(name, { numbers, inboundAgents: all(agent) }, opts);
  const one = (name, number, agent, opts = {}) => new NumberAssignment(name, { number, inboundAgents: all(agent) }, opts);
  const wait = () => new Promise((resolve) => setTimeout(resolve, 1500));
  ${body}`;
