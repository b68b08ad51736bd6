import assert from "node:assert/strict";
import { type Probed, probe } from "../../cli/probe/probe";
import type { Subject } from "../../cli/probe/questions";
import { type Emulator, type EmulatorOptions, type Fault, startEmulator } from "../../emulator";
import type { Clock } from "../../provider/base/world";
import { systemWorld } from "../../provider/engine/world";
import { hastyRuntime } from "../api/support";
import { settingsOf } from "../support/session";

/** Calls the probe directly instead of through the CLI, with an emulator and a clock that skips all waits. */

export const NUMBER = "+15550009999";

export const subject: Subject = {
  number: NUMBER,
  workspaceId: 42,
  agents: [
    { agentId: "agent_front", agentVersion: 12 },
    { agentId: "agent_front", agentVersion: 13 },
  ],
  outbound: { agentId: "agent_out", agentVersion: 9 },
};

export const probed = (
  { url, token }: Emulator,
  target: Subject = subject,
  signal?: AbortSignal,
  clock: Clock = hastyRuntime(),
): Promise<Probed> =>
  probe({
    subject: target,
    settings: settingsOf({ baseUrl: url, accessToken: token, workspaceId: 42 }),
    world: { ...systemWorld, clock },
    ...(signal !== undefined && { signal }),
  });

export interface ProbeOptions extends EmulatorOptions {
  readonly faults?: readonly Fault[];
  readonly outbound?: Subject["outbound"];
}

/**
 * Probes a new emulator.
 * @param disturb called before the probe starts. It can inject faults, or call `stop` later to interrupt the probe.
 */
export async function probedWith(
  { faults = [], outbound = subject.outbound, ...options }: ProbeOptions,
  disturb: (emulator: Emulator, stop: () => void) => void = () => {},
): Promise<Probed & { readonly emulator: Emulator }> {
  const emulator = await startEmulator(options);
  const controller = new AbortController();
  for (const fault of faults) {
    emulator.inject(fault);
  }
  disturb(emulator, () => controller.abort("SIGINT"));
  try {
    return { ...(await probed(emulator, { ...subject, outbound }, controller.signal)), emulator };
  } finally {
    await emulator.close();
  }
}

/** Asserts that the emulator has no agents for the number, regardless of what the probe reports. */
export function assertNoAgents({ routing }: Pick<Emulator, "routing">): void {
  const { inboundAgents = {}, outboundAgentId } = routing(NUMBER) ?? {};
  assert.deepEqual(inboundAgents, {}, "the inbound agents in the emulator's store");
  assert.equal(outboundAgentId, undefined, "the outbound agent in the emulator's store");
}
