import type { Emulator } from "../../emulator";
import { FIELDS, fieldsOf, type ResponsePart } from "../../provider/core/routing/fields";
import { number } from "./support";

type Json = Record<string, unknown>;

/** A split and an outbound agent as a request has them, and the split as the answer shows it. */
export const a70 = { agent_id: "agent_a", agent_version: 12, weight: 70 };
export const b30 = { agent_id: "agent_b", agent_version: 4, weight: 30 };
export const split = { inboundAgents: [b30, a70] };
export const outbound = { outboundAgentId: "agent_o", outboundAgentVersion: 3 };
export const shownSplit = { inbound_agents: [b30, a70], inbound_agent_id: "agent_b" };

/** What a part of a response shows of URLs and flags that are not set. */
const unset = (part: ResponsePart): Json =>
  Object.fromEntries(
    [...fieldsOf("url"), ...fieldsOf("flag")].flatMap((field) => {
      const { wire, value, shownIn } = FIELDS[field];
      return (shownIn as readonly ResponsePart[]).includes(part) ? [[wire, value === "flag" ? false : null]] : [];
    }),
  );

/** The record of a number with nothing bound, as the default profile answers it. */
export function record(emulator: Emulator, changes: Json = {}): Json {
  return {
    id: 1001,
    number,
    base_number: number,
    account_sid: emulator.accountSid,
    workspace_id: 42,
    agent_id: null,
    default_agent_id: null,
    inbound_agent_id: null,
    inbound_agents: [],
    outbound_agents: [],
    inbound_agent_version: null,
    outbound_agent_version: null,
    application_sid: "AP70144de87422fc6f853763ce7e7d8c35",
    phone_number_sid: "PNc6b65f377532434bb454d48d4c0bea46",
    ...unset("record"),
    platform_import_error: false,
    platform_import_error_message: null,
    ...changes,
  };
}

/** The assignment object with nothing bound. */
function assignment(emulator: Emulator, changes: Json = {}): Json {
  return {
    account_sid: emulator.accountSid,
    workspace_id: 42,
    agent_id: null,
    inbound_agent_id: null,
    outbound_agents: [],
    inbound_agents: [],
    ...unset("assignment"),
    platform_import_error: false,
    platform_import_error_message: null,
    ...changes,
  };
}

/** The whole answer; `changes` are those that record and assignment share. */
export function answer(emulator: Emulator, changes: Json = {}, recordOnly: Json = {}): Json {
  return {
    success: true,
    message: "Assignment updated",
    numbers: [record(emulator, { ...changes, ...recordOnly })],
    assignment: assignment(emulator, changes),
  };
}

/** Takes fields away. */
export function without(fields: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
