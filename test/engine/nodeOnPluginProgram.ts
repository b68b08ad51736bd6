import { startEmulator } from "../../emulator";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

export const PLUGIN = "agent-platform:plugin";

/** Each kind of resource, with secrets, explicit providers, components and outputs as arguments. */
export const program = (
  url: string,
  { percent = 10, pool = ["+15551230010", "+15551230011"], voiceName = "Nova" } = {},
) => `
import * as pulumi from "@pulumi/pulumi";
import { AgentPlatform, CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";

class Office extends pulumi.ComponentResource {
  constructor(name: string, number: string, opts: pulumi.ComponentResourceOptions) {
    super("phones:index:Office", name, {}, opts);
    new NumberAssignment(name, { number, inboundAgents: split({ agent_desk: 1 }) }, { parent: this });
  }
}
const second = new AgentPlatform("second", {
  baseUrl: "${url}", accessTokenEnv: "SECOND_TOKEN", workspaceId: 43, steps: [1, 10, 50, 100], requireVersions: false,
});
new Office("listed", "4001", { providers: [second] });
new Office("keyed", "4002", { providers: { "pulumi-nodejs": second } });
new NumberAssignment("child", { number: "4003", inboundAgents: split({ agent_desk: 1 }) }, { parent: second, provider: second });
const front = { stable: "agent_front@12", candidate: "agent_front@13", percent: ${percent} };
const support = new NumberAssignment("support", {
  number: "+15551230001", rollout: pulumi.secret(front), triggers: { reassert: "" }, weightTotal: 100,
});
const nova = new CommunityVoice("nova", {
  workspaceId: 42, voiceProvider: "acme", providerVoiceId: "v1", voiceName: "${voiceName}", publicUserId: "u1",
});
new NumberGroup("pool", {
  numbers: nova.voiceId.apply(() => ${JSON.stringify(pool)}),
  inboundAgents: [{ agentId: "agent_sales", agentVersion: 4, weight: support.endpoint.apply(() => 1) }],
  overrides: { "+15551230011": { outboundAgentId: "agent_callback" } },
});
new SmsChat("reminder", {
  workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551239999",
  metadata: { pin: pulumi.secret("pin-of-the-caller"), voice: nova.voiceId },
});
export const outputs = { split: support.inboundAgents, endpoint: support.endpoint, voice: nova.voiceId };
`;

/** The same program on a stack of its own, whose second account has an emulator of its own. */
export async function withProgram(
  config: Record<string, string>,
  test: (both: PlatformStack, url: string, sentToSecond: () => number) => Promise<void>,
): Promise<void> {
  const second = await startEmulator({ token: "second-token" });
  try {
    const options = {
      program: program(second.url),
      plugin: "named",
      env: { SECOND_TOKEN: second.token },
      config,
    } as const;
    await withPlatformStack(options, (both) => test(both, second.url, () => second.requests.length));
  } finally {
    await second.close();
  }
}

/** Each platform chooses ids of its own. */
export const withoutIds = (request: [string, unknown]): unknown =>
  JSON.parse(JSON.stringify(request).replace(/(chat|voice)_[0-9a-f]{16}/g, "<$1>"));

export const named = ({ op, name }: { readonly op: string; readonly name: string }) => `${op} ${name}`;
