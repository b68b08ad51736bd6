import type { Rollout } from "../../provider/routing/types";
import type { Declaration } from "../support/miniEngine";
import type { Kind, Properties } from "../support/providerCalls";

/** The programs of the lives: a few resources over a few numbers, small enough to be read and pasted. */

/** How a number is routed. Each is short for the arguments of `ROUTINGS`. */
export type RoutingName = keyof typeof ROUTINGS;

export interface Piece {
  readonly kind: "single" | "group" | "chat" | "voice";
  readonly name: string;
  /** 1 is +15550000001. */
  readonly numbers?: readonly number[];
  readonly routing?: RoutingName;
  /** Of a chat or a voice: another key is another one. */
  readonly key?: string;
  /** Its former name, by an alias. */
  readonly was?: string;
  readonly adopt?: string;
  readonly retryUnresolved?: string;
}

export type Program = readonly Piece[];

const all = (agentId: string, agentVersion: number) => [{ agentId, agentVersion, weight: 100 }];
const rollout = (percent: number) => ({ stable: "agent_a@1", candidate: "agent_a@2", percent });
const aborted = (agent: string) => ({ percent: 0, aborted: { agent, percent: 10, at: "2026-01-31T09:02:11Z" } });

type Calls = Readonly<Record<string, number>>;

/** The arguments, or what the stack's config has under the name of the resource, and the calls that each agent then gets, in percent. */
export const ROUTINGS = {
  a: { args: { inboundAgents: all("agent_a", 1) }, calls: { "agent_a@1": 100 } },
  b: { args: { inboundAgents: all("agent_b", 1) }, calls: { "agent_b@1": 100 } },
  hook: {
    args: { inboundAgents: all("agent_a", 1), inboundWebhookUrl: "https://hooks.invalid/in" },
    calls: { "agent_a@1": 100 },
  },
  a2: { args: { inboundAgents: all("agent_a", 2) }, calls: { "agent_a@2": 100 } },
  at0: { rollout: rollout(0), calls: { "agent_a@1": 100 } },
  at10: { rollout: rollout(10), calls: { "agent_a@1": 90, "agent_a@2": 10 } },
  at100: { rollout: rollout(100), calls: { "agent_a@2": 100 } },
  stable: { rollout: { stable: "agent_a@1" }, calls: { "agent_a@1": 100 } },
  next: {
    rollout: { stable: "agent_a@2", candidate: "agent_a@3", percent: 10 },
    calls: { "agent_a@2": 90, "agent_a@3": 10 },
  },
  typo: {
    rollout: { stable: "agent_typo@9", candidate: "agent_a@1", percent: 100 },
    calls: { "agent_a@1": 100 },
  },
  typo0: {
    rollout: { stable: "agent_typo@9", candidate: "agent_a@1", percent: 0 },
    calls: { "agent_typo@9": 100 },
  },
  abort: { rollout: { ...rollout(10), ...aborted("agent_a@2") }, calls: { "agent_a@1": 100 } },
  typoAbort: {
    rollout: { stable: "agent_typo@9", candidate: "agent_a@1", ...aborted("agent_a@1") },
    calls: { "agent_typo@9": 100 },
  },
} as const satisfies Record<string, { args: Properties; calls: Calls } | { rollout: Rollout; calls: Calls }>;

export const numberOf = (digit: number): string => `+1555000000${digit}`;

const KINDS = {
  single: "numberAssignment",
  group: "numberGroup",
  chat: "smsChat",
  voice: "communityVoice",
} as const satisfies Record<Piece["kind"], Kind>;

export const isOfNumbers = ({ kind }: Piece): boolean => kind === "single" || kind === "group";

/** What a chat or a voice is known by on the platform: another one of it is a second SMS, or a second voice. */
export const logicalOf = ({ kind, name, was = name, key = "1" }: Piece): string => `${kind} ${was} ${key}`;

function argsOf(piece: Piece, triggers: number): Properties {
  const { kind, name, numbers = [], routing = "a", key = "1", adopt, retryUnresolved } = piece;
  if (kind === "chat" || kind === "voice") {
    const settling = {
      ...(adopt !== undefined && { adopt }),
      ...(retryUnresolved !== undefined && { retryUnresolved }),
    };
    return { ...(kind === "chat" ? chatArgs(piece, key) : voiceArgs(piece)), ...settling };
  }
  return {
    ...(kind === "single" ? { number: numberOf(numbers[0] ?? 1) } : { numbers: numbers.map(numberOf) }),
    ...("rollout" in ROUTINGS[routing] ? { rollout: name } : ROUTINGS[routing].args),
    ...(triggers > 0 && { triggers: { triggers } }),
  };
}

const chatArgs = (piece: Piece, sendKey: string): Properties => ({
  workspaceId: 42,
  agentId: "chat_agent_a",
  fromNumber: "+15559990000",
  toNumber: "+15560000001",
  metadata: { logical: logicalOf(piece) },
  sendKey,
});

const voiceArgs = (piece: Piece): Properties => ({
  workspaceId: 42,
  voiceProvider: "provider_a",
  providerVoiceId: logicalOf(piece),
  voiceName: logicalOf(piece),
  publicUserId: "user",
});

/** @param triggers of resources with numbers: the operator raises it if a runbook says so */
export const declarationsOf = (program: Program, triggers = 0): Declaration[] =>
  program.map((piece) => ({
    name: piece.name,
    kind: KINDS[piece.kind],
    args: argsOf(piece, triggers),
    ...(piece.was !== undefined && { aliases: [piece.was] }),
  }));

/** What a number has if its resource is applied. */
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

/** The rollouts of a program, each by the name of its resource, as the state has them. */
export const rolloutsOf = (program: Program): readonly Rollout[] =>
  program.flatMap(({ name, routing = "a" }) => {
    const given = ROUTINGS[routing];
    return "rollout" in given ? [{ name, ...given.rollout }] : [];
  });

/** The settings of a run, by names without the namespace: the guards, and the rollouts that the program names. All numbers may go, if no guard says otherwise. */
export function settingsOf(program: Program, guards: Properties = {}): Properties {
  const rollouts = rolloutsOf(program).map(({ name = "", ...entry }) => [name, entry]);
  return {
    maxRemove: 100,
    ...guards,
    ...(rollouts.length > 0 && { rollouts: JSON.stringify(Object.fromEntries(rollouts)) }),
  };
}

/** The number and the stable agent of each rollout. */
export const stablesIn = (program: Program): readonly (readonly [string, string])[] =>
  program.flatMap(({ numbers = [], routing = "a" }) => {
    const given = ROUTINGS[routing];
    return "rollout" in given ? numbers.map((digit) => [numberOf(digit), given.rollout.stable] as const) : [];
  });
