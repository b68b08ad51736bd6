/** Helpers for programs that move numbers between NumberGroups and NumberAssignments. */

export const numberAt = (index: number): string => `+1555000${1000 + index}`;

export const program = (body: string): string => `
  import * as pulumi from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  const allCallsTo = (agentId) => [{ agentId, weight: 100 }];
  const group = (name, numbers, agent, opts = {}) => new NumberGroup(name, { numbers, inboundAgents: allCallsTo(agent) }, opts);
  const single = (name, number, agent, opts = {}) => new NumberAssignment(name, { number, inboundAgents: allCallsTo(agent) }, opts);
  const wait = () => new Promise((resolve) => setTimeout(resolve, 1500));
  ${body}`;
