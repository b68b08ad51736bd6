import * as fc from "fast-check";
import type { Profile } from "../../emulator";
import type { Declaration } from "./miniEngine";
import type { Properties } from "./providerProcess";

/** The programs of the random chains: a few slots, each of which may hold a resource. */

export const slots = ["n1", "n2", "g1", "v1", "c1"] as const;
export type SlotName = (typeof slots)[number];

/** Two assignments and a group share these, so that numbers move between them. */
const pool = ["+15550000001", "+15550000002", "+15550000003", "+15550000004"] as const;

/** Weights in percent by agent; all of them sum to 100 and hold two agents at most, for some platforms ask for it. */
const splits = [
  { "agent_a@1": 100 },
  { "agent_a@1": 90, "agent_a@2": 10 },
  { "agent_a@1": 50, "agent_b@4": 50 },
  { "agent_b@4": 100, "agent_a@1": 0 },
  { agent_c: 100 },
  {},
] as const satisfies readonly Record<string, number>[];

export interface RoutingChoice {
  readonly split: number;
  readonly hasWebhook: boolean;
  readonly outbound: "none" | "agent_o" | "agent_o@3";
  readonly timeRouting: boolean | undefined;
  readonly hasFallback: boolean;
}

export interface Edit {
  readonly routing: RoutingChoice;
  /** Which numbers: the first one that is free from here, or for a group as many as the bits say. */
  readonly numbers: number;
  /** What of a chat changes; "to" makes it another one. */
  readonly chat: "to" | "sendKey" | "metadata";
}

export interface Slot {
  readonly edit: Edit;
  /** Changes with every rename. */
  readonly name: string;
  readonly provider: "default" | "second";
  /** What is posted under it, so that each POST says for what it was sent. */
  readonly logical: string;
  /** To whom a chat goes. */
  readonly to: string;
  readonly sendKey: string;
  readonly note: string;
  /** Bumped by the operator where a runbook says so. */
  readonly trigger: number;
  readonly adopt?: string | undefined;
  readonly retryUnresolved?: string | undefined;
}

export type Slots = Readonly<Partial<Record<SlotName, Slot>>>;

export const edits: fc.Arbitrary<Edit> = fc.record({
  routing: fc.record({
    split: fc.nat({ max: splits.length - 1 }),
    hasWebhook: fc.boolean(),
    outbound: fc.constantFrom("none", "none", "agent_o", "agent_o@3"),
    timeRouting: fc.constantFrom(undefined, undefined, true, false),
    hasFallback: fc.boolean(),
  }),
  numbers: fc.nat({ max: 15 }),
  chat: fc.constantFrom("to", "sendKey", "metadata"),
});

type Traits = Pick<Profile, "weights" | "agentVersion" | "defaultAgentAfterClear">;

function splitOf({ split }: RoutingChoice, { weights, agentVersion }: Traits): Record<string, number> {
  const percents: Record<string, number> = splits[split] ?? {};
  const scale = weights === "sum1" ? 0.01 : 1;
  const named = Object.entries(percents).map(([key, percent]) => [
    agentVersion === "required" && !key.includes("@") ? `${key}@5` : key,
    percent * scale,
  ]);
  return Object.fromEntries(named);
}

const toList = (split: Record<string, number>) =>
  Object.entries(split).map(([key, weight]) => {
    const [agentId = "", version] = key.split("@");
    return { agentId, weight, ...(version !== undefined && { agentVersion: Number(version) }) };
  });

/** What the emulator is to hold of a routing: the words of its own `routing()`. */
export interface Expected {
  readonly inboundAgents: Readonly<Record<string, number>>;
  readonly outboundAgentId?: string;
  readonly outboundAgentVersion?: number;
  readonly inboundWebhookUrl?: string;
  readonly isTimeRoutingEnabled?: boolean;
}

export const fallbackSplit = (traits: Traits): Record<string, number> => ({
  "agent_fallback@1": traits.weights === "sum1" ? 1 : 100,
});

export function expectedRouting(choice: RoutingChoice, traits: Traits): Expected {
  const [outboundAgentId, version] = choice.outbound.split("@");
  // Where an answer goes on showing the last outbound agent, its removal cannot be told from a failure to remove it.
  const hasOutbound = choice.outbound !== "none" && traits.defaultAgentAfterClear === "cleared";
  return {
    inboundAgents: splitOf(choice, traits),
    ...(hasOutbound && outboundAgentId !== undefined && { outboundAgentId }),
    ...(hasOutbound && version !== undefined && { outboundAgentVersion: Number(version) }),
    ...(choice.hasWebhook && { inboundWebhookUrl: "https://hooks.invalid/in" }),
    ...(choice.timeRouting !== undefined && { isTimeRoutingEnabled: choice.timeRouting }),
  };
}

function routingArgs({ edit: { routing }, trigger }: Slot, traits: Traits): Properties {
  const { inboundAgents, ...rest } = expectedRouting(routing, traits);
  return {
    ...rest,
    inboundAgents: toList(inboundAgents),
    ...(routing.hasFallback && { onDelete: { inboundAgents: toList(fallbackSplit(traits)) } }),
    ...(trigger > 0 && { triggers: { trigger } }),
  };
}

/** Who has which number: a number is declared once. */
export function numbersBySlot(program: Slots): Readonly<Partial<Record<SlotName, readonly string[]>>> {
  const free = new Set<string>(pool);
  const taken: Partial<Record<SlotName, readonly string[]>> = {};
  for (const name of ["n1", "n2"] as const) {
    const slot = program[name];
    if (slot === undefined) {
      continue;
    }
    const from = slot.edit.numbers % pool.length;
    const number = [...pool.slice(from), ...pool.slice(0, from)].find((one) => free.has(one)) ?? "";
    free.delete(number);
    taken[name] = [number];
  }
  const bits = program.g1?.edit.numbers ?? 0;
  const rest = pool.filter((number, index) => free.has(number) && (bits & (1 << index)) !== 0);
  return rest.length > 0 ? { ...taken, g1: rest } : taken;
}

export function declarationsOf(program: Slots, traits: Traits): Declaration[] {
  const numbers = numbersBySlot(program);
  return slots.flatMap((name): Declaration[] => {
    const slot = program[name];
    if (slot === undefined) {
      return [];
    }
    const base = { name: slot.name, provider: slot.provider };
    const settling = { adopt: slot.adopt, retryUnresolved: slot.retryUnresolved };
    const own = numbers[name];
    switch (name) {
      case "n1":
      case "n2":
        return [{ ...base, kind: "numberAssignment", args: { number: own?.[0], ...routingArgs(slot, traits) } }];
      case "g1":
        return own === undefined
          ? []
          : [{ ...base, kind: "numberGroup", args: { numbers: own, ...routingArgs(slot, traits) } }];
      case "v1":
        return [{ ...base, kind: "communityVoice", args: { ...voiceArgs(slot), ...settling } }];
      case "c1":
        return [{ ...base, kind: "smsChat", args: { ...chatArgs(slot), ...settling } }];
      default:
        return [];
    }
  });
}

const voiceArgs = ({ logical }: Slot): Properties => ({
  workspaceId: 42,
  voiceProvider: "provider_a",
  providerVoiceId: `at-provider-${logical}`,
  voiceName: logical,
  publicUserId: "user",
});

const chatArgs = ({ logical, sendKey, note, to }: Slot): Properties => ({
  workspaceId: 42,
  agentId: "chat_agent_a",
  fromNumber: "+15559990000",
  toNumber: to,
  metadata: { logical, note },
  sendKey,
});
