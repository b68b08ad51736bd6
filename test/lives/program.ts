import type { Declaration } from "../support/miniEngine";
import type { Kind, Properties } from "../support/providerCalls";

/**
 * The Pulumi programs that the random tests deploy. They are small, so that a failing sequence of runs is easy to read
 * and to paste into a test.
 */

/** The name of a routing in `ROUTINGS`. */
export type RoutingName = keyof typeof ROUTINGS;

/** A resource in a program. */
export interface Resource {
  readonly kind: "single" | "group" | "chat" | "voice";
  readonly name: string;
  /** The last digit of each number. For example, 1 stands for +15550000001. */
  readonly numbers?: readonly number[];
  readonly routing?: RoutingName;
  /**
   * Distinguishes voices or chats with the same name. Changing the key turns the resource into a different voice or
   * chat (see `logicalOf`).
   */
  readonly key?: string;
  /** The resource's former name, which the program declares as an alias. */
  readonly was?: string;
  readonly adopt?: string;
  readonly retryUnresolved?: string;
}

export type Program = readonly Resource[];

const allCallsTo = (agentId: string, agentVersion: number) => [{ agentId, agentVersion, weight: 100 }];
type Calls = Readonly<Record<string, number>>;

/** The arguments of each routing, and the resulting percentage of calls to each agent. */
const ROUTINGS = {
  a: { args: { inboundAgents: allCallsTo("agent_a", 1) }, calls: { "agent_a@1": 100 } },
  b: { args: { inboundAgents: allCallsTo("agent_b", 1) }, calls: { "agent_b@1": 100 } },
  hook: {
    args: { inboundAgents: allCallsTo("agent_a", 1), inboundWebhookUrl: "https://hooks.invalid/in" },
    calls: { "agent_a@1": 100 },
  },
} as const satisfies Record<string, { args: Properties; calls: Calls }>;

export const numberOf = (digit: number): string => `+1555000000${digit}`;

const KINDS = {
  single: "numberAssignment",
  group: "numberGroup",
  chat: "smsChat",
  voice: "communityVoice",
} as const satisfies Record<Resource["kind"], Kind>;

export const isOfNumbers = ({ kind }: Resource): boolean => kind === "single" || kind === "group";

/**
 * Returns the logical name, which identifies a voice or chat on the platform. A second one with the same name is a
 * duplicate.
 */
export const logicalOf = ({ kind, name, was = name, key = "1" }: Resource): string => `${kind} ${was} ${key}`;

function argsOf(resource: Resource, triggers: number): Properties {
  const { kind, numbers = [], routing = "a", key = "1", adopt, retryUnresolved } = resource;
  if (kind === "chat" || kind === "voice") {
    const settling = {
      ...(adopt !== undefined && { adopt }),
      ...(retryUnresolved !== undefined && { retryUnresolved }),
    };
    return { ...(kind === "chat" ? chatArgs(resource, key) : voiceArgs(resource)), ...settling };
  }
  return {
    ...(kind === "single" ? { number: numberOf(numbers[0] ?? 1) } : { numbers: numbers.map(numberOf) }),
    ...ROUTINGS[routing].args,
    ...(triggers > 0 && { triggers: { triggers } }),
  };
}

const chatArgs = (resource: Resource, sendKey: string): Properties => ({
  workspaceId: 42,
  agentId: "chat_agent_a",
  fromNumber: "+15559990000",
  toNumber: "+15560000001",
  metadata: { logical: logicalOf(resource) },
  sendKey,
});

const voiceArgs = (resource: Resource): Properties => ({
  workspaceId: 42,
  voiceProvider: "provider_a",
  providerVoiceId: logicalOf(resource),
  voiceName: logicalOf(resource),
  publicUserId: "user",
});

/** @param triggers the `triggers` argument of all number resources, which the operator changes if a runbook says so */
export const declarationsOf = (program: Program, triggers = 0): Declaration[] =>
  program.map((resource) => ({
    name: resource.name,
    kind: KINDS[resource.kind],
    args: argsOf(resource, triggers),
    ...(resource.was !== undefined && { aliases: [resource.was] }),
  }));

/** A number's routing once its resource has been applied. */
export interface Wanted {
  readonly calls: Readonly<Record<string, number>>;
  readonly inboundWebhookUrl?: string;
  readonly outboundAgentId?: string;
}

export function wantedOf(program: Program): ReadonlyMap<string, Wanted> {
  return new Map(
    program.filter(isOfNumbers).flatMap(({ numbers = [], routing = "a" }) =>
      numbers.map((digit): [string, Wanted] => [
        numberOf(digit),
        {
          calls: ROUTINGS[routing].calls,
          ...(routing === "hook" && { inboundWebhookUrl: ROUTINGS.hook.args.inboundWebhookUrl }),
        },
      ]),
    ),
  );
}

/**
 * Returns a run's settings, without the `agent-platform:` prefix. By default, a run is allowed to remove all numbers.
 */
export const settingsOf = (guards: Properties = {}): Properties => ({ maxRemove: 100, ...guards });
