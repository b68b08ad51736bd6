import type { Emulator, Fault, LoggedRequest } from "../../emulator";
import { answer } from "./expected";
import { start } from "./support";

/** An assignment. */
export const body = { outboundAgentId: "agent_o" };
/** What it binds. */
export const bound = { inboundAgents: {}, outboundAgentId: "agent_o" };

/** The whole answer to `body`. */
export const whole = (emulator: Emulator) =>
  answer(
    emulator,
    { agent_id: "agent_o", outbound_agents: [{ agent_id: "agent_o", weight: 100 }] },
    { default_agent_id: "agent_o" },
  );

/** What became of a request. */
export const met = (logged: LoggedRequest | undefined) => [logged?.fault, logged?.status, logged?.applied];

/** An emulator with one fault in place. */
export async function inject(fault: Fault) {
  const emulator = await start();
  return { emulator, handle: emulator.inject(fault) };
}
