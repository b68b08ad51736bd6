import type { ResourceKind } from "../../provider/config/kinds";

/** What the reference says about each kind of resource, in addition to its doc comments. */
interface KindRow {
  readonly guide: string;
  /** What a user must know before the first use. */
  readonly warning: string;
  /** How to bring an existing resource under management. */
  readonly existing?: string;
  readonly onDelete?: string;
  readonly example: Example;
}

export type Value = string | number | boolean | { readonly [key: string]: Value };

/** A small program, as values. */
export interface Example {
  readonly name: string;
  readonly args: Readonly<Record<string, Value>>;
}

export const KIND_ROWS: Readonly<Record<ResourceKind, KindRow>> = {
  NumberAssignment: {
    guide: "start.md",
    warning: "The first `up` overwrites the number's current routing, and we know of no way to read it back.",
    existing:
      "[`takeover numbers.csv --import`](../existing-numbers.md) prepares a `pulumi import` that records the routing from your table in the state, without sending a request. `pulumi import` with an ID does not work, because we know of no way to read a number from the platform.",
    onDelete:
      "Deleting the resource clears everything that it assigned to the number. This happens at the end of the run, unless another resource declares the number by then. If an earlier run has applied `retainOnDelete: true`, the delete sends nothing, and the number keeps its agents.",
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
      "The first `up` overwrites the current routing of every number, and we know of no way to read it back. A number that leaves the group loses its agents at the end of the run.",
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
      "We know of no way to change or delete a voice through the API. Changing any argument except `adopt` and `retryUnresolved` adds another voice, and deleting the resource leaves the voice in the library.",
    existing:
      'The argument `adopt: "<voiceId>"` records a voice that is already in the library, without sending a request. `pulumi import` does not work, because we know of no way to read a voice from the platform.',
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
      "Creating a chat sends an SMS to a person. Replacing the chat sends another SMS, and so does reverting a change that deleted, replaced or renamed it.",
    existing:
      'The argument `adopt: "<chatId>"` records a chat that has already started, without sending a request. `pulumi import` does not work, because we know of no way to read a chat from the platform.',
    onDelete: "Deleting the resource ends the chat.",
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
