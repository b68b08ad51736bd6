/** The real engine previewed these programs to create the stored previews in `testdata/report`. */

const HEADER = `
import * as pulumi from "@pulumi/pulumi";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
`;

/** A resource from another package, as in most real stacks. Its outputs are known only after apply. */
const OTHERS = `
class Bucket extends pulumi.CustomResource {
  constructor(name, size) {
    const text = "exports.handler = () => ({ create: async (inputs) => ({ id: 'b', outs: { ...inputs, arn: 'arn' } }) })";
    super("pulumi-nodejs:dynamic:Bucket", name, { size, arn: undefined, __provider: text });
  }
}
`;

const MAIN = `${HEADER}${OTHERS}
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

/**
 * A program whose update fails partway because of injected faults: the platform rejects one of the group's numbers, and
 * the outcome of adding the voice is unknown.
 */
const BROKEN = `${HEADER}
new NumberGroup("emea", { numbers: ["+15551230001", "+15551230002"], inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }) });
new CommunityVoice("nova", {
  workspaceId: 42, voiceProvider: "labs", providerVoiceId: "v-1", voiceName: "Nova", publicUserId: "u-1",
});
`;

/** The programs that create each base stack, in order. Each case then previews a change to a base stack. */
export const BASES = {
  none: [],
  main: [EARLIER, MAIN],
  broken: [BROKEN],
} as const;

export interface Case {
  readonly name: string;
  readonly base: keyof typeof BASES;
  readonly program: string;
  readonly config?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly fails?: true;
}

const change = (program: string, from: string, to: string): string => {
  if (!program.includes(from)) {
    throw new Error(`the program does not contain ${from}`);
  }
  return program.replace(from, () => to);
};
const main = (...pairs: readonly (readonly [string, string])[]): { base: "main"; program: string } => ({
  base: "main",
  program: pairs.reduce((program, [from, to]) => change(program, from, to), MAIN),
});

/** Returns the source code for the split that several resources in `MAIN` use, with this percentage. */
const front = (percent: number) => `split({ "agent_front@12": ${100 - percent}, "agent_front@13": ${percent} })`;
const supportSplit = (percent = 10) => `${front(percent)},\n  inbound`;
const emeaSplit = (percent = 10) => `${front(percent)}, outbound`;

export const cases: readonly Case[] = [
  { name: "create", base: "none", program: MAIN },
  {
    name: "hostile-texts",
    base: "none",
    program: `${HEADER}
      new NumberAssignment("a|b<i>@team\`x\`", { number: "12|<b>@all", inboundAgents: [{ agentId: "agent_<script>|x\`y\`_*z*", weight: 1 }] });
      new NumberGroup("g", { numbers: { "+15551230009": "Sales | <img src=x> @admin #1 **x**" }, inboundAgents: [], extraFields: { "--><b>": 1 } });`,
  },
  {
    name: "unknown-create",
    base: "none",
    program: `${HEADER}${OTHERS}
      const bucket = new Bucket("recordings", 1);
      const text = bucket.urn.apply((urn) => bucket.id.apply(() => urn)).apply(String);
      new NumberAssignment("later", { number: bucket.id.apply((id) => "+1555123000" + id.length), inboundAgents: [{ agentId: bucket.id.apply((id) => "agent_" + id), weight: 1 }], inboundWebhookUrl: bucket.id.apply((id) => "https://x.example/" + id) });`,
  },
  { name: "empty", ...main() },
  {
    name: "split-change",
    ...main([supportSplit(), supportSplit(30)], [emeaSplit(), emeaSplit(30)]),
    config: {
      "agent-platform:maxShift": 25,
      "agent-platform:weightTotal": 100,
      "agent-platform:requireVersions": undefined,
    },
  },
  { name: "number-changed", ...main(['"sales", { number: "+15551230002"', '"sales", { number: "+15551239999"']) },
  {
    name: "group-joins-and-leaves",
    ...main(['"+442079460101": "London support", ', '"+442079460201": "London night", "+442079460202": "", ']),
  },
  {
    name: "guard-step",
    ...main([supportSplit(), supportSplit(60)]),
    config: { "agent-platform:maxShift": 25 },
    fails: true,
  },
  {
    name: "program-throws",
    base: "main",
    program: `${MAIN}throw new pulumi.RunError("no such | thing");`,
    fails: true,
  },
  { name: "unresolved", base: "broken", program: BROKEN },
];
