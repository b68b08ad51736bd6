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

export const LARGE = `${HEADER}
const numbers = Array.from({ length: 1000 }, (_, index) => \`+1555\${2000000 + index}\`);
new NumberGroup("fleet", { numbers, inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }) });
`;

export const SECRETS = `${HEADER}
new NumberAssignment("hidden", {
  number: "+15551230001", outboundAgentId: pulumi.secret("agent_hush"),
  inboundAgents: [{ agentId: "agent_a", agentVersion: 1, weight: 3 }, { agentId: "agent_b", agentVersion: 1, weight: 1 }],
  inboundWebhookUrl: pulumi.secret("https://hooks.example.com/hush"),
});
new NumberAssignment("masked", { number: "+15551230002", inboundAgents: [{ agentId: "agent_hush", weight: pulumi.secret(3) }, { agentId: "agent_b", weight: 1 }] });
new SmsChat("private", {
  workspaceId: 42, agentId: "chat_agent_hello", fromNumber: "+15551230001", toNumber: pulumi.secret("+15557654321"), metadata: { note: pulumi.secret("hush") },
});
`;

export const SIX = `${HEADER}
const share = 10;
for (let index = 0; index < 6; index += 1) {
  new NumberAssignment(\`line-\${index}\`, { number: \`+1555777000\${index}\`, inboundAgents: split({ "agent_front@12": 100 - share, "agent_front@13": share }) });
}
`;

/** What leaves it keeps its agents. */
export const RETAINED = `${HEADER}
new NumberGroup("emea", { numbers: ["+442079460100", "+442079460101"], inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }) }, { retainOnDelete: true });
`;

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
  large: { applied: [LARGE] },
  secrets: { applied: [SECRETS] },
  retained: { applied: [RETAINED] },
  six: { applied: [SIX] },
  broken: { applied: [BROKEN], isBroken: true },
} as const satisfies Record<string, Base>;
