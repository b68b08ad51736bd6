import * as pulumi from "@pulumi/pulumi";
import { canonicalNumbers } from "../core/numbers";
import type { PlatformIds } from "../resources/assignment";
import type { CommunityVoiceArgs } from "../resources/communityVoice";
import type { NumberAssignmentArgs } from "../resources/numberAssignment";
import type { NumberGroupArgs } from "../resources/numberGroup";
import type { SmsChatArgs } from "../resources/smsChat";
import { declareOnce } from "./onceAProgram";
import { echoOf, lifted, named, providerText } from "./props";
import { pauseStackTraces } from "./stackTraces";

/** Type tokens are a contract with every saved state. */
const TYPE = "pulumi-nodejs:dynamic/agent-platform";

/**
 * The agents of one phone number or extension (interface 4.1): an outbound agent, weighted inbound agents with their
 * versions, a webhook and time routing. Create and update are the same PUT, which takes over whatever stands there.
 * There is no read endpoint: refresh and import see nothing, and `triggers` sends the routing again on demand.
 *
 * ```ts
 * new NumberAssignment("support", {
 *   number: "+15551234567",
 *   inboundAgents: canary("agent_front@12", "agent_front@13", 10),
 * });
 * ```
 */
export class NumberAssignment extends pulumi.CustomResource {
  declare readonly number: pulumi.Output<string>;
  declare readonly accountSid: pulumi.Output<string | undefined>;
  declare readonly workspaceId: pulumi.Output<number | undefined>;
  declare readonly outboundAgentId: pulumi.Output<string | undefined>;
  declare readonly outboundAgentVersion: pulumi.Output<number | undefined>;
  /** The split by agent and version: `{ "agent_front@12": 90, "agent_front@13": 10 }`. */
  declare readonly inboundAgents: pulumi.Output<Record<string, number>>;
  declare readonly inboundWebhookUrl: pulumi.Output<string | undefined>;
  declare readonly isTimeRoutingEnabled: pulumi.Output<boolean | undefined>;
  /** The split that was applied before this one: what a rollback goes back to. */
  declare readonly previousInboundAgents: pulumi.Output<Record<string, number> | undefined>;
  /** What the platform calls this number (interface 2.2). */
  declare readonly platformIds: pulumi.Output<PlatformIds | undefined>;
  /** The platform that holds the number: origin and path of the base URL. */
  declare readonly endpoint: pulumi.Output<string>;

  constructor(name: string, args: NumberAssignmentArgs, opts?: pulumi.CustomResourceOptions) {
    const props = {
      ...named(["accountSid", "workspaceId", "outboundAgentId", "outboundAgentVersion", "inboundWebhookUrl"]),
      ...named(["isTimeRoutingEnabled", "inboundAgents", "platformIds", "endpoint"]),
      ...lifted(args, ["inboundAgents", "onDelete"]),
      previousInboundAgents: echoOf(args.inboundAgents),
      __provider: providerText("numberAssignment"),
    };
    const traces = pauseStackTraces(new.target);
    try {
      super(`${TYPE}:NumberAssignment`, name, props, opts);
    } catch (error) {
      throw traces.traced(error);
    } finally {
      traces.resume();
    }
    declareOnce(this, name, [args.number]);
  }
}

/**
 * One routing over many numbers: one resource, one diff, and a PUT for each number that changes. Its id is chosen at
 * creation and then stable. Numbers that fail do not stop the others; the next run sends only what is missing.
 */
export class NumberGroup extends pulumi.CustomResource {
  /** The numbers, sorted, one a line, with their labels behind a tab. */
  declare readonly numbers: pulumi.Output<string>;
  declare readonly overrides: pulumi.Output<Record<string, NumberOverride> | undefined>;
  declare readonly accountSid: pulumi.Output<string | undefined>;
  declare readonly workspaceId: pulumi.Output<number | undefined>;
  declare readonly outboundAgentId: pulumi.Output<string | undefined>;
  declare readonly outboundAgentVersion: pulumi.Output<number | undefined>;
  /** The split by agent and version. */
  declare readonly inboundAgents: pulumi.Output<Record<string, number>>;
  declare readonly inboundWebhookUrl: pulumi.Output<string | undefined>;
  declare readonly isTimeRoutingEnabled: pulumi.Output<boolean | undefined>;
  /** The split that was applied before this one: what a rollback goes back to. */
  declare readonly previousInboundAgents: pulumi.Output<Record<string, number> | undefined>;
  /** The platform that holds the numbers: origin and path of the base URL. */
  declare readonly endpoint: pulumi.Output<string>;

  constructor(name: string, args: NumberGroupArgs, opts?: pulumi.CustomResourceOptions) {
    const props = {
      ...named(["accountSid", "workspaceId", "outboundAgentId", "outboundAgentVersion", "inboundWebhookUrl"]),
      ...named(["isTimeRoutingEnabled", "inboundAgents", "overrides", "endpoint"]),
      ...lifted(args, ["inboundAgents", "onDelete"]),
      numbers: (pulumi.output(args.numbers) as pulumi.Output<unknown>).apply(canonicalNumbers),
      previousInboundAgents: echoOf(args.inboundAgents),
      // Remembered while some numbers are not applied.
      ...named(["formerRouting", "formerOverrides"], echoOf(args)),
      __provider: providerText("numberGroup"),
    };
    const traces = pauseStackTraces(new.target);
    try {
      super(`${TYPE}:NumberGroup`, name, props, opts);
    } catch (error) {
      throw traces.traced(error);
    } finally {
      traces.resume();
    }
    declareOnce(this, name, knownNumbers(args.numbers));
  }
}

/** What one number of a group has for itself. */
export interface NumberOverride {
  outboundAgentId?: string;
  outboundAgentVersion?: number;
  inboundWebhookUrl?: string;
}

function knownNumbers(numbers: NumberGroupArgs["numbers"]): unknown[] {
  if (Array.isArray(numbers)) return numbers;
  return pulumi.Output.isInstance(numbers) || numbers instanceof Promise ? [] : Object.keys(numbers);
}

/**
 * A community voice in a workspace's library (interface 4.3). The platform shows no way to change or remove one: every
 * change replaces, and a delete leaves the voice in the library and says so. Its id is the voiceId. Its outputs are what the
 * platform answered when it was added (interface 2.5); they are never read again.
 */
export class CommunityVoice extends pulumi.CustomResource {
  declare readonly workspaceId: pulumi.Output<number>;
  declare readonly voiceProvider: pulumi.Output<string>;
  declare readonly providerVoiceId: pulumi.Output<string>;
  declare readonly voiceName: pulumi.Output<string>;
  declare readonly publicUserId: pulumi.Output<string>;
  /** The voice in the library: what an agent refers to. */
  declare readonly voiceId: pulumi.Output<string>;
  /** Name of the voice, in the platform's words. */
  declare readonly name: pulumi.Output<string | undefined>;
  /** Gender of the voice; its values, the interface does not show. */
  declare readonly gender: pulumi.Output<string | undefined>;
  /** Language of the voice; its form, the interface does not show. */
  declare readonly language: pulumi.Output<string | undefined>;
  /** Accent of the voice. */
  declare readonly accent: pulumi.Output<string | undefined>;
  /** What the library says of the voice. */
  declare readonly description: pulumi.Output<string | undefined>;
  /** Provider of the voice, in the platform's words. */
  declare readonly provider: pulumi.Output<string | undefined>;
  /** Where the voice can be heard. */
  declare readonly previewUrl: pulumi.Output<string | undefined>;
  /** Another place to hear it; when it is used, the interface does not show. */
  declare readonly playbackOverrideUrl: pulumi.Output<string | undefined>;
  /** Tags of the voice, a list of text. */
  declare readonly tags: pulumi.Output<string[] | undefined>;
  /** When the platform says that it was added (ISO 8601). */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the platform says that it was changed last (ISO 8601). */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /** The platform that has the voice: origin and path of the base URL. */
  declare readonly endpoint: pulumi.Output<string>;

  constructor(name: string, args: CommunityVoiceArgs, opts?: pulumi.CustomResourceOptions) {
    const outputs = ["name", "gender", "language", "accent", "description", "provider", "previewUrl"];
    const props = {
      workspaceId: undefined,
      ...args,
      ...named(["voiceId", "endpoint"]),
      ...named([...outputs, "playbackOverrideUrl", "tags", "createdAt", "updatedAt"], echoOf(args)),
      __provider: providerText("communityVoice"),
    };
    const traces = pauseStackTraces(new.target);
    try {
      super(`${TYPE}:CommunityVoice`, name, props, opts);
    } catch (error) {
      throw traces.traced(error);
    } finally {
      traces.resume();
    }
  }
}

/**
 * An outbound SMS chat (interface 4.2, 4.4). Creating it sends an SMS; deleting it ends the chat. Who talks to whom and
 * `sendKey` replace it, which ends the old chat and sends again; nothing else ever sends. Its id is the chatId. Its outputs are
 * what the platform answered when it was created (interface 2.4); they are never read again.
 */
export class SmsChat extends pulumi.CustomResource {
  declare readonly workspaceId: pulumi.Output<number>;
  declare readonly agentId: pulumi.Output<string>;
  declare readonly fromNumber: pulumi.Output<string>;
  declare readonly toNumber: pulumi.Output<string>;
  declare readonly metadata: pulumi.Output<Record<string, unknown> | undefined>;
  declare readonly serviceDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  declare readonly sendKey: pulumi.Output<string | undefined>;
  /** The chat: what the end of it names. */
  declare readonly chatId: pulumi.Output<string>;
  /** Version of the agent that runs the chat, an integer. */
  declare readonly version: pulumi.Output<number | undefined>;
  /** Status of the chat when it was created; its values, the interface does not show. */
  declare readonly status: pulumi.Output<string | undefined>;
  /** Kind of the chat; the interface names `web_chat` alone. */
  declare readonly type: pulumi.Output<string | undefined>;
  /** Free-form values. */
  declare readonly customAttributes: pulumi.Output<Record<string, unknown> | undefined>;
  /** When the chat was started (ISO 8601). */
  declare readonly startedAt: pulumi.Output<string | undefined>;
  /** When the chat was ended (ISO 8601); absent while it runs. */
  declare readonly endedAt: pulumi.Output<string | undefined>;
  /** What was said by the time of the answer; never read again. */
  declare readonly transcript: pulumi.Output<string | undefined>;
  /** Messages by the time of the answer: `content`, `name`, `toolCalls`; never read again. */
  declare readonly messages: pulumi.Output<unknown[] | undefined>;
  /** Cost of the chat; its fields and unit, the interface does not show. */
  declare readonly chatCost: pulumi.Output<Record<string, unknown> | undefined>;
  /** Analysis of the chat; its fields, the interface does not show. */
  declare readonly chatAnalysis: pulumi.Output<Record<string, unknown> | undefined>;
  /** Variables that the agent collected. */
  declare readonly collectedDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  /** Variables that override; which ones, the interface does not show. */
  declare readonly overrideDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  /** The platform that has the chat: origin and path of the base URL. */
  declare readonly endpoint: pulumi.Output<string>;

  constructor(name: string, args: SmsChatArgs, opts?: pulumi.CustomResourceOptions) {
    const outputs = ["version", "status", "type", "customAttributes", "startedAt", "endedAt", "transcript", "messages"];
    const objects = ["chatCost", "chatAnalysis", "collectedDynamicVariables", "overrideDynamicVariables"];
    const props = {
      ...named(["workspaceId", "metadata", "serviceDynamicVariables", "sendKey"]),
      ...args,
      ...named(["chatId", "endpoint"]),
      ...named([...outputs, ...objects], echoOf(args)),
      __provider: providerText("smsChat"),
    };
    const traces = pauseStackTraces(new.target);
    try {
      super(`${TYPE}:SmsChat`, name, props, opts);
    } catch (error) {
      throw traces.traced(error);
    } finally {
      traces.resume();
    }
  }
}
