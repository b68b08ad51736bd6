/** Everything that a program can declare, in one stack: each command of the engine costs seconds, however much it does. */
const program = (changing: {
  percent: number;
  webhook?: string;
  numbers: string[];
  voiceName: string;
  campaign: string;
  branchWeight: number;
}) => `
  import { AgentPlatform, CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  new NumberAssignment("support", {
    number: "+15551230001",
    accountSid: "4f9c2a10-0000-4000-8000-000000000001",
    workspaceId: 42,
    outboundAgentId: "agent_out",
    outboundAgentVersion: 3,
    inboundAgents: split({ "agent_front@12": ${100 - changing.percent}, "agent_front@13": ${changing.percent} }),
    inboundWebhookUrl: ${JSON.stringify(changing.webhook)},
    isTimeRoutingEnabled: true,
    weightTotal: 100,
  });
  new NumberGroup("sales", {
    numbers: ${JSON.stringify(changing.numbers)},
    inboundAgents: split({ agent_sales: 1 }),
    overrides: { "+15551230010": { outboundAgentId: "agent_night" } },
  });
  new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-1", voiceName: "${changing.voiceName}", publicUserId: "user-1",
  });
  new SmsChat("reminder", {
    workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551239999",
    metadata: { campaign: "${changing.campaign}" },
  });
  const second = new AgentPlatform("second", {
    baseUrl: process.env.SECOND_URL!, accessTokenEnv: "SECOND_TOKEN", workspaceId: 43, requestTimeout: 20, requireVersions: true,
    approvedAgents: ["agent_branch@1", "agent_branch@2"],
  });
  new NumberAssignment("branch", {
    number: "4001", inboundAgents: split({ "agent_branch@1": ${changing.branchWeight}, "agent_branch@2": 1 }),
  }, { provider: second });`;

export const first = program({
  percent: 10,
  webhook: "https://hooks.example.com/inbound?key=k",
  numbers: ["+15551230010", "+15551230011"],
  voiceName: "Nova",
  campaign: "spring",
  branchWeight: 1,
});
export const changed = program({
  percent: 50,
  numbers: ["+15551230012", "+15551230010"],
  voiceName: "Stella",
  campaign: "autumn",
  branchWeight: 3,
});

/** As a request has it. */
export const agent = (id: string, version: number | undefined, weight: number) => ({
  agent_id: id,
  ...(version === undefined ? {} : { agent_version: version }),
  weight,
});
export const front = (stable: number, candidate: number) => [
  agent("agent_front", 12, stable),
  agent("agent_front", 13, candidate),
];
export const scope = { accountSid: "4f9c2a10-0000-4000-8000-000000000001", workspaceId: 42 };
export const sales = [agent("agent_sales", undefined, 1)];

export const voice = (voiceName: string) => ({
  workspaceId: 42,
  voiceProvider: "provider_a",
  providerVoiceId: "voice-1",
  voiceName,
  publicUserId: "user-1",
});
