import { isEmpty, isObject } from "./decision";
import type { Profile } from "./profile";
import type { Refusal } from "./refusal";

type Body = Readonly<Record<string, unknown>>;
type Check = (body: Body, profile: Profile) => Refusal | undefined;

/** Every reason to refuse the body of a PUT, in the order in which they are looked at; undefined = none. */
export function validateAssignment(body: Body, profile: Profile): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(body, profile);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

const invalid = (message: string): Refusal => ({ because: "invalid", message });
const constraint = (message: string): Refusal => ({ because: "constraint", message });

const fieldTypes: Record<string, (value: unknown) => boolean> = {
  accountSid: (value) => typeof value === "string",
  workspaceId: Number.isInteger,
  outboundAgentId: (value) => typeof value === "string",
  outboundAgentVersion: Number.isInteger,
  inboundAgents: Array.isArray,
  inboundWebhookUrl: (value) => typeof value === "string",
  isTimeRoutingEnabled: (value) => typeof value === "boolean",
};

const required: Check = (body, profile) => {
  if (profile.requiredFields === "none") return undefined;
  const missing = profile.requiredFields.split("+").find((field) => body[field] === undefined || body[field] === null);
  return missing === undefined ? undefined : invalid(`${missing} is required`);
};

const known: Check = (body, profile) => {
  if (profile.unknownFields === "ignored") return undefined;
  const extra = Object.keys(body).find(
    (field) =>
      !Object.hasOwn(fieldTypes, field) && !(field === "outboundAgents" && profile.outboundAgents === "accepted"),
  );
  return extra === undefined ? undefined : invalid(`unknown field ${extra}`);
};

const forms: Check = (body, profile) => {
  for (const field of [...Object.keys(fieldTypes), "outboundAgents"]) {
    const value = body[field];
    if (profile.clears === "nullRefused" && value === null) return invalid(`${field} must not be null`);
    if (profile.clears === "emptyRefused" && isEmpty(value)) return invalid(`${field} must not be empty`);
  }
  return undefined;
};

const types: Check = (body) => {
  for (const [field, matches] of Object.entries(fieldTypes)) {
    const value = body[field];
    if (value !== undefined && value !== null && !matches(value)) return invalid(`${field} has the wrong type`);
  }
  return undefined;
};

const lists: Check = (body, profile) => {
  const fields = profile.outboundAgents === "accepted" ? ["inboundAgents", "outboundAgents"] : ["inboundAgents"];
  for (const field of fields) {
    const list = body[field];
    const refusal = Array.isArray(list) ? listRefusal(field, list, profile) : undefined;
    if (refusal !== undefined) return refusal;
  }
  return undefined;
};

const agents: Check = (body, profile) => {
  if (profile.unknownAgents === "accept") return undefined;
  const named = [
    { id: body.outboundAgentId, version: body.outboundAgentVersion },
    ...(Array.isArray(body.inboundAgents) ? body.inboundAgents : [])
      .filter(isObject)
      .map((entry) => ({ id: entry.agent_id, version: entry.agent_version })),
  ];
  const missing = named.find(({ id, version }) => typeof id === "string" && id !== "" && !exists(id, version, profile));
  return missing && { because: Number(profile.unknownAgents), message: `agent ${missing.id} not found` };
};

const checks: readonly Check[] = [required, known, forms, types, lists, agents];

function exists(id: string, version: unknown, { knownAgents }: Profile): boolean {
  if (knownAgents.length === 0) return !id.startsWith("agent_missing");
  if (knownAgents.includes(id) || knownAgents.includes(`${id}@${version}`)) return true;
  return typeof version !== "number" && knownAgents.some((known) => known.startsWith(`${id}@`));
}

function listRefusal(field: string, list: readonly unknown[], profile: Profile): Refusal | undefined {
  const weights: number[] = [];
  for (const [index, entry] of list.entries()) {
    const refusal = entryRefusal(`${field}[${index}]`, entry, profile);
    if (refusal !== undefined) return refusal;
    if (isObject(entry)) weights.push(Number(entry.weight));
  }
  const broken = weights.length > 0 ? weightRules[profile.weights](weights) : undefined;
  return broken === undefined ? undefined : constraint(`${field}: ${broken}`);
}

function entryRefusal(where: string, entry: unknown, profile: Profile): Refusal | undefined {
  if (!isObject(entry)) return invalid(`${where} must be an object`);
  const { agent_id, agent_version, weight } = entry;
  if (typeof agent_id !== "string" || agent_id === "") return invalid(`${where}.agent_id is required`);
  const hasVersion = agent_version !== undefined && agent_version !== null;
  if (hasVersion && !Number.isInteger(agent_version)) return invalid(`${where}.agent_version must be an integer`);
  if (!hasVersion && profile.agentVersion === "required") return invalid(`${where}.agent_version is required`);
  if (typeof weight !== "number" || weight < 0) return invalid(`${where}.weight must be a number of 0 or more`);
  return undefined;
}

const sumOf = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0);
const near = (sum: number, total: number): boolean => Math.abs(sum - total) < 1e-9 * total;

/** Row 7: what is wrong with these weights; undefined = nothing. */
const weightRules: Record<Profile["weights"], (weights: readonly number[]) => string | undefined> = {
  any: () => undefined,
  sum100: (weights) => (near(sumOf(weights), 100) ? undefined : "weights must sum to 100"),
  sum1: (weights) => (near(sumOf(weights), 1) ? undefined : "weights must sum to 1"),
  integers: (weights) => (weights.every(Number.isInteger) ? undefined : "weights must be integers"),
  max2: (weights) => (weights.length <= 2 ? undefined : "at most 2 agents"),
};
