/** An agent in a weighted list, with the names of the interface (2.1). */
export interface AgentEntry {
  readonly agent_id: string;
  readonly agent_version?: number | undefined;
  readonly weight: number;
}

/** The routing of a number as the platform stores it; undefined = no value. */
export interface StoredRouting {
  readonly inboundAgents: readonly AgentEntry[];
  /** Undeclared in the request: filled only by a profile that accepts `outboundAgents`. */
  readonly outboundAgents: readonly AgentEntry[];
  readonly outboundAgentId: string | undefined;
  readonly outboundAgentVersion: number | undefined;
  readonly inboundWebhookUrl: string | undefined;
  readonly isTimeRoutingEnabled: boolean | undefined;
}

/** A number as the platform holds it. */
export interface StoredNumber {
  readonly id: number;
  readonly number: string;
  readonly accountSid: string;
  readonly workspaceId: number;
  readonly routing: StoredRouting;
}

/** What POSTs have made in an account. */
export interface Posted {
  /** The voices of the libraries. */
  readonly voices: Voice[];
  /** The chats, running and ended. */
  readonly chats: Chat[];
}

/** Each list to be read. */
export type PostedLists = { readonly [Name in keyof Posted]: readonly Posted[Name][number][] };

/** The fields of a POST's request, in camelCase: undefined if one was left out. */
interface Asked {
  readonly [field: string]: unknown;
}

/** A community voice in the library of a workspace. */
export interface Voice extends Asked {
  readonly voiceId: string;
  readonly createdAt: string;
}

/** A chat, running or ended. */
export interface Chat extends Asked {
  readonly chatId: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly ended: boolean;
}

/** The account, and everything that it owns. */
export interface Account {
  readonly accountSid: string;
  readonly workspaceId: number;
  readonly numbers: Map<string, StoredNumber>;
  readonly posted: Posted;
}

export const noRouting: StoredRouting = {
  inboundAgents: [],
  outboundAgents: [],
  outboundAgentId: undefined,
  outboundAgentVersion: undefined,
  inboundWebhookUrl: undefined,
  isTimeRoutingEnabled: undefined,
};

export function createAccount(accountSid: string, workspaceId: number): Account {
  return { accountSid, workspaceId, numbers: new Map(), posted: { voices: [], chats: [] } };
}

/** The routing of a number, in the words of the request; a field is there only while it has a value. */
export interface Routing {
  /** `agent@version`, or `agent` if no version is named, to its weight. */
  readonly inboundAgents: Readonly<Record<string, number>>;
  readonly outboundAgentId?: string;
  readonly outboundAgentVersion?: number;
  readonly inboundWebhookUrl?: string;
  readonly isTimeRoutingEnabled?: boolean;
  /** Only under a profile that accepts the undeclared field. */
  readonly outboundAgents?: Readonly<Record<string, number>>;
}

/** `agent@version`, or `agent` if no version is named. */
export function agentKey(entry: AgentEntry): string {
  return entry.agent_version === undefined ? entry.agent_id : `${entry.agent_id}@${entry.agent_version}`;
}

function weightsOf(entries: readonly AgentEntry[]): Record<string, number> {
  const weights = new Map<string, number>();
  for (const entry of entries) {
    weights.set(agentKey(entry), (weights.get(agentKey(entry)) ?? 0) + entry.weight);
  }
  return Object.fromEntries(weights);
}

export function routingOf(routing: StoredRouting): Routing {
  const { inboundAgents, outboundAgents, ...single } = routing;
  return {
    inboundAgents: weightsOf(inboundAgents),
    ...Object.fromEntries(Object.entries(single).filter(([, value]) => value !== undefined)),
    ...(outboundAgents.length > 0 && { outboundAgents: weightsOf(outboundAgents) }),
  };
}
