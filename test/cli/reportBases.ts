/** Stacks whose previews the real engine writes. */

export const HEADER = `
import * as pulumi from "@pulumi/pulumi";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
`;

/** A resource of somebody else, as it is in every real stack; its output is known only after apply. */
export const OTHERS = `
class Bucket extends pulumi.CustomResource {
  constructor(name, size) {
    const text = "exports.handler = () => ({ create: async (inputs) => ({ id: 'b', outs: { ...inputs, arn: 'arn' } }) })";
    super("pulumi-nodejs:dynamic:Bucket", name, { size, arn: undefined, __provider: text });
  }
}
`;

export const MAIN = `${HEADER}${OTHERS}
new Bucket("recordings", 1);
new NumberAssignment("support", {
  number: "+15551230001", workspaceId: 42, outboundAgentId: "agent_front", outboundAgentVersion: 12,
  inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }),
  inboundWebhookUrl: "https://hooks.example.com/inbound?key=k1", isTimeRoutingEnabled: true,
});
new NumberAssignment("sales", { number: "+15551230002", inboundAgents: split({ "agent_front@12": 100 }) });
new NumberAssignment("night", {
  number: "+15551230003", inboundAgents: split({ "agent_night@3": 60, "agent_promo@7": 20, agent_plain: 20 }),
}, { retainOnDelete: true });
new NumberGroup("emea", {
  numbers: { "+442079460100": "London sales", "+442079460101": "London support", "+493012345670": "Berlin" },
  inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }), outboundAgentId: "agent_front",
});
new CommunityVoice("nova", {
  workspaceId: 42, voiceProvider: "labs", providerVoiceId: "v-1", voiceName: "Nova", publicUserId: "u-1",
});
new SmsChat("welcome", {
  workspaceId: 42, agentId: "chat_agent_hello", fromNumber: "+15551230001", toNumber: "+15557654321",
  metadata: { campaign: "spring" }, sendKey: "1",
});
`;

const EARLIER = MAIN.replace(
  'split({ "agent_front@12": 90, "agent_front@13": 10 }),\n  inbound',
  'split({ "agent_front@12": 100 }),\n  inbound',
);

/** Fails half-way: the voice's outcome is not known, and one number of the group is refused. */
export const BROKEN = `${HEADER}
new NumberGroup("emea", { numbers: ["+15551230001", "+15551230002"], inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }) });
new CommunityVoice("nova", {
  workspaceId: 42, voiceProvider: "labs", providerVoiceId: "v-1", voiceName: "Nova", publicUserId: "u-1",
});
`;

export interface Base {
  /** Applied in this order before the previews; none for a stack that does not exist yet. */
  readonly applied: readonly string[];
  /** Does the last of these `up`s meet faults? */
  readonly isBroken?: true;
}

export const bases = {
  none: { applied: [] },
  main: { applied: [EARLIER, MAIN] },
  broken: { applied: [BROKEN], isBroken: true },
} as const satisfies Record<string, Base>;
