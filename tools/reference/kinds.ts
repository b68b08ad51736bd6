import type { ResourceKind } from "../../provider/config/kinds";

/** What the reference says of each kind of resource, beside its comments: one row each. */
interface KindRow {
  readonly guide: string;
  /** What has to be known before the first use. */
  readonly warning: string;
  /** How something that exists already comes under it. */
  readonly existing?: string;
  readonly onDelete?: string;
  readonly example: Example;
}

export type Value = string | number | boolean | { readonly [key: string]: Value };

/** A small program, written once as values. */
export interface Example {
  readonly name: string;
  readonly args: Readonly<Record<string, Value>>;
}

export const KIND_ROWS: Readonly<Record<ResourceKind, KindRow>> = {
  NumberAssignment: {
    guide: "start.md",
    warning: "The first `up` overwrites the number's current routing, and we know no way to read it back.",
    existing:
      "[`takeover numbers.csv --import`](../existing-numbers.md) records what numbers have, without a request. `pulumi import` with an id cannot read the API.",
    onDelete:
      "At the end of the run it clears what the resource assigned, if no other resource declares the number by then. With `retainOnDelete: true` of an earlier run the number keeps its agents.",
    example: {
      name: "support",
      args: {
        number: "+15551234567",
        workspaceId: 42,
        inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
        outboundAgentId: "agent_callback",
        isTimeRoutingEnabled: true,
      },
    },
  },
  NumberGroup: {
    guide: "many-numbers.md",
    warning:
      "The first `up` overwrites the current routing of every number, and we know no way to read it back. A number that leaves the group loses its agents at the end of the run.",
    example: {
      name: "sales",
      args: {
        numbers: { "+15551230001": "London sales", "+15551230002": "Berlin sales" },
        inboundAgents: { "agent_sales@4": 3, "agent_sales@5": 1 },
      },
    },
  },
  CommunityVoice: {
    guide: "voices-and-chats.md",
    warning:
      "The API cannot change or delete a voice: each change but of `adopt` and `retryUnresolved` adds another one, and a delete leaves it in the library.",
    existing:
      '`adopt: "<voiceId>"` records a voice that is in the library already, and sends nothing. `pulumi import` cannot read the API.',
    example: {
      name: "nova",
      args: {
        workspaceId: 42,
        voiceProvider: "acme",
        providerVoiceId: "voice_nova",
        voiceName: "Nova",
        publicUserId: "user_1",
      },
    },
  },
  SmsChat: {
    guide: "voices-and-chats.md",
    warning:
      "Creating it sends an SMS to a person. So does each replacement, and a revert of a change that deleted, replaced or renamed it.",
    existing:
      '`adopt: "<chatId>"` records a chat that has started already, and sends nothing. `pulumi import` cannot read the API.',
    onDelete: "It ends the chat.",
    example: {
      name: "reminder",
      args: {
        workspaceId: 42,
        agentId: "chat_agent_reminder",
        fromNumber: "+15551234567",
        toNumber: "+15557654321",
        serviceDynamicVariables: { name: "Ada" },
      },
    },
  },
};
