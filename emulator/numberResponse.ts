import type { PlatformResponse } from "./decision";
import type { Profile } from "./profile";
import { hexFrom } from "./random";
import { type AgentEntry, noRouting, type StoredNumber, type StoredRouting } from "./store";

type Json = Record<string, unknown>;

/** The agent version that the platform uses if a request names none. */
export const LATEST_VERSION = 7;

/** Returns the response to a PUT that was applied (docs/interface.md, sections 4.1, 2.2 and 2.3). */
export function assignmentResponse(stored: StoredNumber, profile: Profile, seed: number): PlatformResponse {
  const status = profile.putStatus;
  if (status === 204) {
    return { status };
  }
  return {
    status,
    body: {
      ...(profile.success !== "absent" && { success: true }),
      message: "Assignment updated",
      numbers: recordsOf(stored, profile, seed),
      assignment: assignmentOf(stored, profile),
    },
  };
}

function recordsOf(stored: StoredNumber, profile: Profile, seed: number): readonly Json[] {
  const base = baseOf(stored.number);
  const record = (number: string | undefined, base_number = base, changes: Partial<StoredNumber> = {}) =>
    recordOf({ ...stored, ...changes }, { number, base_number }, profile, seed);
  const extension = (index: number) =>
    record(`${base}#${900 + index}`, base, { id: stored.id + 100_000 * index, routing: noRouting });
  switch (profile.records) {
    case "none":
      return [];
    case "several":
      return [extension(1), record(stored.number), extension(2)];
    case "otherFormat":
      return [record(otherFormat(stored.number), otherFormat(base))];
    case "baseNumberOnly":
      return [record(undefined)];
    case "one":
      return [record(stored.number)];
  }
}

/** Removes the extension, so `+15551234567#12` becomes `+15551234567`. */
function baseOf(number: string): string {
  return /^(\+\d+)\D/.exec(number)?.[1] ?? number;
}

/** The same number with spaces, such as `+155 512 345 67`. */
const otherFormat = (number: string): string => number.replace(/(\d{3})(?=\d)/g, "$1 ");

function recordOf(stored: StoredNumber, written: Json, profile: Profile, seed: number): Json {
  const { routing } = stored;
  return unset(profile, {
    id: stored.id,
    ...written,
    ...sharedOf(stored, profile),
    inbound_webhook_url: routing.inboundWebhookUrl,
    default_agent_id: routing.outboundAgentId,
    inbound_agent_version: shownAgents(routing.inboundAgents, profile)[0]?.agent_version,
    outbound_agent_version: shownAgents(outboundEntries(routing), profile)[0]?.agent_version,
    application_sid: `AP${hexFrom(seed, `application ${stored.number}`, 32)}`,
    phone_number_sid: `PN${hexFrom(seed, `number ${stored.number}`, 32)}`,
  });
}

function assignmentOf(stored: StoredNumber, profile: Profile): Json {
  return unset(profile, sharedOf(stored, profile));
}

/**
 * Returns the fields that a number record shares with a response's `assignment` object (docs/interface.md, sections 2.2
 * and 2.3).
 */
function sharedOf({ accountSid, workspaceId, routing }: StoredNumber, profile: Profile): Json {
  return {
    account_sid: accountSid,
    workspace_id: workspaceId,
    agent_id: routing.outboundAgentId,
    outbound_agents: shownAgents(outboundEntries(routing), profile),
    inbound_agent_id: routing.inboundAgents[0]?.agent_id,
    inbound_agents: shownAgents(routing.inboundAgents, profile),
    is_time_routing_enabled: routing.isTimeRoutingEnabled ?? false,
    platform_import_error: profile.importError !== "false",
    platform_import_error_message:
      profile.importError === "trueWithMessage" ? "the number could not be imported" : undefined,
  };
}

/**
 * Replaces undefined fields with null. With `unsetFields: "absent"` in the profile, they stay undefined, so JSON leaves
 * them out.
 */
function unset(profile: Profile, fields: Json): Json {
  return profile.unsetFields === "absent"
    ? fields
    : Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null]));
}

function outboundEntries(routing: StoredRouting): readonly AgentEntry[] {
  const { outboundAgents, outboundAgentId, outboundAgentVersion } = routing;
  if (outboundAgents.length > 0 || outboundAgentId === undefined) {
    return outboundAgents;
  }
  return [{ agent_id: outboundAgentId, agent_version: outboundAgentVersion, weight: 100 }];
}

function shownAgents(entries: readonly AgentEntry[], { responseWeights, agentVersion }: Profile): AgentEntry[] {
  const sum = entries.reduce((total, { weight }) => total + weight, 0);
  const shown = (weight: number) => (responseWeights === "scaled1" ? weight / sum : Math.round((100 * weight) / sum));
  return entries.map((entry) => ({
    ...entry,
    ...(agentVersion === "latest" && { agent_version: entry.agent_version ?? LATEST_VERSION }),
    ...(responseWeights !== "verbatim" && sum > 0 && { weight: shown(entry.weight) }),
  }));
}
