/** An agent in a weighted list, with the interface's field names (docs/interface.md, section 2.1). */
export interface AgentEntry {
  readonly agent_id: string;
  readonly agent_version?: number | undefined;
  readonly weight: number;
}

/**
 * A number's routing as the platform stores it. A field that was never set, or has been cleared, is undefined or an
 * empty list.
 */
export interface StoredRouting {
  readonly inboundAgents: readonly AgentEntry[];
  /**
   * The interface doesn't document this as a request field. A PUT can set it only if the `outboundAgents` switch in the
   * profile is `accepted`.
   */
  readonly outboundAgents: readonly AgentEntry[];
  readonly outboundAgentId: string | undefined;
  readonly outboundAgentVersion: number | undefined;
  readonly inboundWebhookUrl: string | undefined;
  readonly isTimeRoutingEnabled: boolean | undefined;
}

/** A number as the platform stores it. */
export interface StoredNumber {
  readonly id: number;
  readonly number: string;
  readonly accountSid: string;
  readonly workspaceId: number;
  readonly routing: StoredRouting;
}

/** The voices and chats that POSTs created in an account. */
export interface Posted {
  /** The community voices. */
  readonly voices: Voice[];
  /** The chats, both open and ended. */
  readonly chats: Chat[];
}

/** A read-only view of the posted voices and chats. */
export type PostedLists = { readonly [Name in keyof Posted]: readonly Posted[Name][number][] };

/** The request fields of a POST in camel case. A field is undefined if the request left it out. */
interface Asked {
  readonly [field: string]: unknown;
}

/** A community voice in a workspace's library. */
export interface Voice extends Asked {
  readonly voiceId: string;
  readonly createdAt: string;
}

/** A chat, open or ended. */
export interface Chat extends Asked {
  readonly chatId: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly ended: boolean;
}

/** An account and everything it owns. */
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

/** A number's routing, with the request's field names. A field is present only while it has a value. */
export interface Routing {
  /** The weight of each agent. The keys are `agent@version`, or `agent` if the entry names no version. */
  readonly inboundAgents: Readonly<Record<string, number>>;
  readonly outboundAgentId?: string;
  readonly outboundAgentVersion?: number;
  readonly inboundWebhookUrl?: string;
  readonly isTimeRoutingEnabled?: boolean;
  /** The weights of the outbound agents. Only present if the profile accepts this undocumented field. */
  readonly outboundAgents?: Readonly<Record<string, number>>;
}

/** Returns the key of an agent: `agent@version`, or `agent` if the entry names no version. */
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
