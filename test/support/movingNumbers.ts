import assert from "node:assert/strict";
import type { Emulator } from "../../emulator";
import type { Result } from "./engine";
import { put } from "./platformStack";

/** Programs whose numbers move among groups and assignments, and what is asked of the platform's own record afterwards. */

export const n = (index: number): string => `+1555000${1000 + index}`;
export const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => n(from + index));
export const bindsTo = (number: string, agent: string): [string, unknown] => [
  put(number),
  { inboundAgents: [{ agent_id: agent, weight: 100 }] },
];
export const clears = (number: string): [string, unknown] => [put(number), { inboundAgents: null }];

export const program = (body: string): string => `
  import * as pulumi from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  const all = (agentId) => [{ agentId, weight: 100 }];
  const group = (name, numbers, agent, opts = {}) => new NumberGroup(name, { numbers, inboundAgents: all(agent) }, opts);
  const one = (name, number, agent, opts = {}) => new NumberAssignment(name, { number, inboundAgents: all(agent) }, opts);
  const wait = () => new Promise((resolve) => setTimeout(resolve, 1500));
  const text = (values) => JSON.stringify(values);
  ${body}`;
export const list = (numbers: readonly string[]): string => JSON.stringify(numbers);

/** Any number may leave: what is tried is where it goes. */
export const movingFreely = { "agent-platform:maxRemove": 100 };
/** The environment of a stack whose provider sends each operation once. */
export const oneAttempt = { TEST_ATTEMPTS: "1" };
export const failedWith = ({ diagnostics }: Pick<Result, "diagnostics">): string[] =>
  diagnostics
    .filter(({ severity, message }) => severity === "error" && /AGP-\d{3}/.test(message))
    .map(({ message }) => message.replace(/^.*?(?=AGP-)/s, ""));

/** No request of the log left one of these numbers without an agent, and each has the agent that is declared. */
export function assertAlive(platform: Emulator, agents: Readonly<Record<string, string>>): void {
  for (const [number, agent] of Object.entries(agents)) {
    assert.deepEqual(platform.routing(number), { inboundAgents: { [agent]: 100 } }, number);
    const cleared = platform.requests.filter(
      (request) => request.number === number && (request.body as { inboundAgents?: unknown }).inboundAgents === null,
    );
    assert.deepEqual(cleared, [], `${number} was cleared`);
  }
}

export const agentsOf = (numbers: readonly string[], agent: string): Record<string, string> =>
  Object.fromEntries(numbers.map((number) => [number, agent]));
