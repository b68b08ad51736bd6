import type { Answer } from "./decision";
import { plainMirror } from "./plainFields";
import type { Profile } from "./profile";
import { hexFrom, uuidFrom } from "./random";
import { type AgentEntry, agentKey, type Bindings, noBindings, type StoredNumber } from "./store";

type Json = Record<string, unknown>;

/** The response to a PUT that was applied (sections 4.1, 2.2 and 2.3). */
export function assignmentAnswer(stored: StoredNumber, profile: Profile, seed: number): Answer {
  const status = profile.putStatus;
  if (status === 204 || profile.putBody === "none") {
    return { status };
  }
  const success = successFields(profile);
  if (profile.putBody === "successOnly") {
    return { status, body: success };
  }
  const shown: StoredNumber = { ...stored, bindings: stored.stale?.bindings ?? stored.bindings };
  return {
    status,
    body: {
      ...success,
      message: "Assignment updated",
      numbers: recordsOf(shown, profile, seed),
      ...(profile.assignment === "present" && { assignment: assignmentOf(shown, profile, seed) }),
    },
  };
}

function successFields({ success }: Profile): Json {
  if (success === "absent") {
    return {};
  }
  return { success: success === "null" ? null : success !== "false" };
}

function recordsOf(stored: StoredNumber, profile: Profile, seed: number): readonly Json[] {
  const base = baseOf(stored.number);
  const record = (number: string | undefined, base_number = base, changes: Partial<StoredNumber> = {}) =>
    recordOf({ ...stored, ...changes }, { number, base_number }, profile, seed);
  const nothing = { bindings: noBindings, lastOutboundAgentId: undefined };
  const extension = (line: number) =>
    record(`${base}#${900 + line}`, base, { id: stored.id + 100_000 * line, ...nothing });
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

/** A number without its extension: `+15551234567` of `+15551234567#12`. */
function baseOf(number: string): string {
  return /^(\+\d+)\D/.exec(number)?.[1] ?? number;
}

/** `+1 (555) 123-4567`, or groups of three digits if the number is not of that plan. */
function otherFormat(number: string): string {
  const american = /^\+1(\d{3})(\d{3})(\d{4})(.*)$/s.exec(number);
  if (american !== null) {
    return `+1 (${american[1]}) ${american[2]}-${american[3]}${american[4]}`;
  }
  return number.replace(/(\d{3})(?=\d)/g, "$1 ");
}

function recordOf(stored: StoredNumber, written: Json, profile: Profile, seed: number): Json {
  const { bindings } = stored;
  return unset(profile, {
    id: stored.id,
    ...written,
    ...ownerOf(stored, profile, seed),
    ...outboundMirror(bindings, profile),
    ...defaultAgent(stored, profile),
    ...inboundMirror(bindings, profile),
    inbound_agent_version: firstInbound(bindings, profile)?.agent_version,
    outbound_agent_version: profile.outboundMirror === "none" ? undefined : outboundVersion(bindings, profile),
    application_sid: `AP${hexFrom(seed, `application ${stored.number}`, 32)}`,
    phone_number_sid: `PN${hexFrom(seed, `number ${stored.number}`, 32)}`,
    ...plainMirror(bindings, "record"),
    ...importError(profile),
  });
}

function assignmentOf(stored: StoredNumber, profile: Profile, seed: number): Json {
  const { bindings } = stored;
  return unset(profile, {
    ...ownerOf(stored, profile, seed),
    ...outboundMirror(bindings, profile),
    ...inboundMirror(bindings, profile),
    ...plainMirror(bindings, "assignment"),
    ...importError(profile),
  });
}

/** JSON leaves out what is undefined. */
function unset(profile: Profile, fields: Json): Json {
  return profile.unsetFields === "absent"
    ? fields
    : Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null]));
}

function ownerOf(stored: StoredNumber, profile: Profile, seed: number): Json {
  switch (profile.answerAccount) {
    case "absent":
      return {};
    case "different":
      return { account_sid: uuidFrom(seed, "another account"), workspace_id: stored.workspaceId + 1 };
    case "present":
      return { account_sid: stored.accountSid, workspace_id: stored.workspaceId };
  }
}

function importError({ importError: reading }: Profile): Json {
  if (reading === "absent") {
    return {};
  }
  return {
    platform_import_error: reading !== "false",
    platform_import_error_message: reading === "trueWithMessage" ? "the number could not be imported" : undefined,
  };
}

function outboundMirror(bindings: Bindings, profile: Profile): Json {
  const { outboundMirror: mirror } = profile;
  const shows = (field: Profile["outboundMirror"]) => mirror === "all" || mirror === field;
  return {
    ...(shows("agent_id") && { agent_id: bindings.outboundAgentId }),
    ...(shows("outbound_agents") && { outbound_agents: shownAgents(outboundEntries(bindings), profile) }),
  };
}

/** Only a record has this field; `assignment` has not (section 2.3). */
function defaultAgent(stored: StoredNumber, profile: Profile): Json {
  if (profile.outboundMirror !== "all" && profile.outboundMirror !== "default_agent_id") {
    return {};
  }
  const kept = profile.defaultAgentAfterClear === "stays" ? stored.lastOutboundAgentId : undefined;
  return { default_agent_id: stored.bindings.outboundAgentId ?? kept };
}

function outboundEntries(bindings: Bindings): readonly AgentEntry[] {
  const { outboundAgents, outboundAgentId, outboundAgentVersion } = bindings;
  if (outboundAgents.length > 0 || outboundAgentId === undefined) {
    return outboundAgents;
  }
  return [{ agent_id: outboundAgentId, agent_version: outboundAgentVersion, weight: 100 }];
}

function outboundVersion(bindings: Bindings, profile: Profile): number | undefined {
  return outboundEntries(bindings).map((entry) => versioned(entry, profile).agent_version)[0];
}

function inboundMirror(bindings: Bindings, profile: Profile): Json {
  const { inboundMirror: mirror } = profile;
  return {
    ...(mirror !== "inbound_agents" && { inbound_agent_id: firstInbound(bindings, profile)?.agent_id }),
    ...(mirror !== "singleId" && { inbound_agents: shownAgents(bindings.inboundAgents, profile) }),
  };
}

function firstInbound(bindings: Bindings, profile: Profile): AgentEntry | undefined {
  if (profile.inboundMirror === "inbound_agents") {
    return undefined;
  }
  const [first] = bindings.inboundAgents;
  return first && versioned(first, profile);
}

function versioned(entry: AgentEntry, profile: Profile): AgentEntry {
  if (entry.agent_version !== undefined || profile.agentVersion !== "latest") {
    return entry;
  }
  return { ...entry, agent_version: profile.latestVersion };
}

function shownAgents(entries: readonly AgentEntry[], profile: Profile): readonly AgentEntry[] {
  const shown = scaled(entries, profile).map((entry) => versioned(entry, profile));
  if (profile.answerOrder === "reversed") {
    return shown.reverse();
  }
  if (profile.answerOrder === "sorted") {
    return shown.sort((a, b) => (agentKey(a) < agentKey(b) ? -1 : 1));
  }
  return shown;
}

function scaled(entries: readonly AgentEntry[], { answerWeights }: Profile): AgentEntry[] {
  const sum = entries.reduce((total, entry) => total + entry.weight, 0);
  if (answerWeights === "verbatim" || sum === 0) {
    return [...entries];
  }
  return entries.map((entry) => ({
    ...entry,
    weight: answerWeights === "scaled1" ? entry.weight / sum : Math.round((100 * entry.weight) / sum),
  }));
}
