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
type Calls = Readonly<Record<string, number>>;

/** The arguments, and the calls that each agent then gets, in percent. */
const ROUTINGS = {
  a: { args: { inboundAgents: all("agent_a", 1) }, calls: { "agent_a@1": 100 } },
  b: { args: { inboundAgents: all("agent_b", 1) }, calls: { "agent_b@1": 100 } },
  hook: {
    args: { inboundAgents: all("agent_a", 1), inboundWebhookUrl: "https://hooks.invalid/in" },
    calls: { "agent_a@1": 100 },
  },
} as const satisfies Record<string, { args: Properties; calls: Calls }>;

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
  const { kind, numbers = [], routing = "a", key = "1", adopt, retryUnresolved } = piece;
  if (kind === "chat" || kind === "voice") {
    const settling = {
      ...(adopt !== undefined && { adopt }),
      ...(retryUnresolved !== undefined && { retryUnresolved }),
    };
    return { ...(kind === "chat" ? chatArgs(piece, key) : voiceArgs(piece)), ...settling };
  }
  return {
    ...(kind === "single" ? { number: numberOf(numbers[0] ?? 1) } : { numbers: numbers.map(numberOf) }),
    ...ROUTINGS[routing].args,
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

/** The settings of a run, by names without the namespace. All numbers may go, if no guard says otherwise. */
export const settingsOf = (guards: Properties = {}): Properties => ({ maxRemove: 100, ...guards });
