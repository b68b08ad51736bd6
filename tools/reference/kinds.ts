import type { ResourceKind } from "../../provider/core/platform/kinds";
import { NAMED_FIELDS } from "../../provider/core/routing/fields";

/** What reference, schema and registry say of each kind of resource, beside its comments: one row each. */
export interface KindRow {
  /** What it is, in the list of pages. */
  readonly what: string;
  /** Interfaces that its arguments hold, and those that another page shows. */
  readonly shapes: readonly string[];
  readonly elsewhere?: string;
  readonly guide: string;
  /** What has to be known before the first use. */
  readonly warning: string;
  /** How something that exists already comes under it. */
  readonly existing: string;
  readonly sections: Sections;
  readonly example: Example;
}

/** The section of the interface for each argument and output. What is not here is ours, and never sent. */
export type Sections = Readonly<Record<string, string>>;

export type Value = string | number | boolean | { readonly [key: string]: Value };
export type Arguments = Readonly<Record<string, Value>>;

/** A small program, written once as values. */
export interface Example {
  readonly name: string;
  readonly args: Arguments;
}

const named = (section: string, names: readonly string[]): Sections =>
  Object.fromEntries(names.map((name) => [name, `${section} \`${name}\``]));

/** Of a routing, wherever it is declared. */
export const ASSIGNMENT: Sections = { ...named("4.1", NAMED_FIELDS), extraFields: "4.1, as they are" };

const EXISTING_NUMBERS =
  "To record a number that has agents already, without a request: `takeover --import` and `pulumi import --file` ([existing numbers](../guides/existing-numbers.md)).";

export const KIND_ROWS: Readonly<Record<ResourceKind, KindRow>> = {
  NumberAssignment: {
    what: "the agents of one number",
    shapes: [
      "RolloutArgs",
      "NamedRolloutArgs",
      "PromoteGatesArgs",
      "AbortedRolloutArgs",
      "InboundAgentArgs",
      "PlatformIds",
    ],
    guide: "first-number.md",
    warning: "The first `up` overwrites the number's current routing, and nothing can read it back.",
    existing: EXISTING_NUMBERS,
    sections: { number: "4.1 path", ...ASSIGNMENT, platformIds: "2.2" },
    example: {
      name: "support",
      args: {
        number: "+15551234567",
        workspaceId: 42,
        inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
        outboundAgentId: "agent_callback",
        isTimeRoutingEnabled: true,
        weightTotal: 100,
      },
    },
  },
  NumberGroup: {
    what: "one routing over many numbers",
    shapes: [],
    elsewhere:
      "[RolloutArgs](number-assignment.md#rolloutargs) and [InboundAgentArgs](number-assignment.md#inboundagentargs) are those of a NumberAssignment.",
    guide: "many-numbers.md",
    warning:
      "The first `up` overwrites the current routing of every number, and nothing can read it back. A number that leaves the group loses its agents at the end of the run.",
    existing: EXISTING_NUMBERS,
    sections: { numbers: "4.1 path", ...ASSIGNMENT },
    example: {
      name: "sales",
      args: {
        numbers: { "+15551230001": "London sales", "+15551230002": "Berlin sales" },
        inboundAgents: { "agent_sales@4": 3, "agent_sales@5": 1 },
      },
    },
  },
  CommunityVoice: {
    what: "a voice in a workspace's library",
    shapes: [],
    guide: "voices-and-chats.md",
    warning:
      "The API cannot change or delete a voice: each change adds another one, and a delete leaves it in the library.",
    existing: '`adopt: "<voiceId>"` records a voice of the library in the state, and sends nothing.',
    sections: {
      ...named("4.3", ["workspaceId", "voiceProvider", "providerVoiceId", "voiceName", "publicUserId"]),
      actorType: "4.3 header",
      providerScope: "4.3 header",
      workspaceContext: "4.3 header",
      ...named("2.5", ["voiceId", "name", "gender", "language", "accent", "description", "provider", "previewUrl"]),
      ...named("2.5", ["playbackOverrideUrl", "tags", "createdAt", "updatedAt"]),
    },
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
    what: "an outbound SMS chat",
    shapes: [],
    guide: "voices-and-chats.md",
    warning:
      "Creating it sends an SMS to a person. So does each replacement, and a revert of a change that deleted, replaced or renamed it.",
    existing:
      '`adopt: "<chatId>"` records a chat that has started in the state, and sends nothing. Its delete ends the chat.',
    sections: {
      workspaceId: "4.2 `workspaceId`",
      agentId: "4.2 `agent_id`",
      fromNumber: "4.2 `from_number`",
      toNumber: "4.2 `to_number`",
      metadata: "4.2 `metadata`",
      serviceDynamicVariables: "4.2 `service_dynamic_variables`",
      ...named("2.4", [
        "chatId",
        "version",
        "status",
        "type",
        "customAttributes",
        "startedAt",
        "endedAt",
        "transcript",
      ]),
      ...named("2.4", [
        "messages",
        "chatCost",
        "chatAnalysis",
        "collectedDynamicVariables",
        "overrideDynamicVariables",
      ]),
    },
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
