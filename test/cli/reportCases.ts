import { BROKEN, type bases, HEADER, LARGE, MAIN, OTHERS, RETAINED, SECRETS, SIX } from "./reportBases";

/** What changes in those stacks: one `up` for a base, then a preview a case. */

export interface Case {
  readonly name: string;
  readonly base: keyof typeof bases;
  readonly program: string;
  readonly config?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly fails?: true;
  /** The engine writes events instead of one document. */
  readonly streams?: true;
}

const change = (program: string, from: string, to: string): string => {
  if (!program.includes(from)) {
    throw new Error(`the program holds no ${from}`);
  }
  return program.replace(from, () => to);
};
const main = (...pairs: readonly (readonly [string, string])[]): { base: "main"; program: string } => ({
  base: "main",
  program: pairs.reduce((program, [from, to]) => change(program, from, to), MAIN),
});

/** The split of the main stack's first numbers. */
const front = (percent: number) => `split({ "agent_front@12": ${100 - percent}, "agent_front@13": ${percent} })`;
const supportSplit = (percent = 10) => `${front(percent)},\n  inbound`;
const SALES_SPLIT = 'split({ "agent_front@12": 100 }) });';
const NIGHT_SPLIT = 'split({ "agent_night@3": 60, "agent_promo@7": 20, agent_plain: 20 })';
const emeaSplit = (percent = 10) => `${front(percent)}, outbound`;
const SALES = MAIN.slice(MAIN.indexOf('new NumberAssignment("sales"'), MAIN.indexOf('new NumberAssignment("night"'));
const NIGHT = MAIN.slice(MAIN.indexOf('new NumberAssignment("night"'), MAIN.indexOf("new NumberGroup"));

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
  {
    name: "split-streamed",
    ...main([supportSplit(), supportSplit(30)], [emeaSplit(), emeaSplit(30)]),
    config: { "agent-platform:maxShift": 25, "agent-platform:weightTotal": 100 },
    streams: true,
  },
  { name: "going-back", ...main([supportSplit(), 'split({ "agent_front@12": 100 }),\n  inbound']) },
  { name: "agent-added", ...main([SALES_SPLIT, 'split({ "agent_front@12": 95, "agent_trial@1": 5 }) });']) },
  { name: "agent-removed", ...main([NIGHT_SPLIT, 'split({ "agent_night@3": 80, agent_plain: 20 })']) },
  {
    name: "agents-reordered",
    ...main([NIGHT_SPLIT, 'split({ agent_plain: 20, "agent_promo@7": 20, "agent_night@3": 60 })']),
  },
  { name: "version-bump", ...main([SALES_SPLIT, 'split({ "agent_front@13": 100 }) });']) },
  {
    name: "weight-to-zero",
    ...main([NIGHT_SPLIT, 'split({ "agent_night@3": 80, "agent_promo@7": 0, agent_plain: 20 })']),
  },
  { name: "emptied", ...main([SALES_SPLIT, "[] });"]) },
  {
    name: "outbound-change",
    ...main(
      ["outboundAgentVersion: 12", "outboundAgentVersion: 13"],
      ['10 }), outboundAgentId: "agent_front"', "10 })"],
    ),
  },
  {
    name: "webhook-change",
    ...main(["/inbound?key=k1", "/calls?key=k2"], ["isTimeRoutingEnabled: true", "isTimeRoutingEnabled: false"]),
  },
  { name: "number-renamed", ...main(['NumberAssignment("sales"', 'NumberAssignment("sales-line"']) },
  { name: "number-changed", ...main(['"sales", { number: "+15551230002"', '"sales", { number: "+15551239999"']) },
  { name: "number-deleted", ...main([SALES, ""]) },
  { name: "number-retained", ...main([NIGHT, ""]) },
  {
    name: "into-the-group",
    ...main([SALES, ""], ['"+493012345670": "Berlin"', '"+493012345670": "Berlin", "+15551230002": "Sales"']),
  },
  {
    name: "group-joins-and-leaves",
    ...main(['"+442079460101": "London support", ', '"+442079460201": "London night", "+442079460202": "", ']),
  },
  {
    name: "out-of-the-group",
    ...main([
      ', "+493012345670": "Berlin" },\n  inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }), outboundAgentId: "agent_front",\n});',
      ' },\n  inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }), outboundAgentId: "agent_front",\n});\nnew NumberAssignment("berlin", { number: "+493012345670", inboundAgents: split({ "agent_front@12": 100 }) });',
    ]),
  },
  { name: "group-retained", base: "retained", program: change(RETAINED, ', "+442079460101"', "") },
  {
    name: "triggers",
    ...main([emeaSplit(), `${front(10)}, triggers: ["again"], outbound`]),
  },
  {
    name: "local-arguments",
    ...main([
      SALES_SPLIT,
      'split({ "agent_front@12": 100 }), maxShift: 50, onDelete: { inboundAgents: split({ "agent_closed@1": 1 }) } });',
    ]),
  },
  { name: "voice-replaced", ...main(['providerVoiceId: "v-1"', 'providerVoiceId: "v-2"']) },
  {
    name: "voice-and-chat-renamed",
    ...main(['CommunityVoice("nova"', 'CommunityVoice("nova-voice"'], ['SmsChat("welcome"', 'SmsChat("hello"']),
  },
  { name: "voice-and-chat-gone", base: "main", program: MAIN.slice(0, MAIN.indexOf("new CommunityVoice")) },
  { name: "chat-sent-again", ...main(['sendKey: "1"', 'sendKey: "2"']) },
  { name: "chat-recorded", ...main(['campaign: "spring"', 'campaign: "summer"']) },
  {
    name: "unknown-update",
    ...main(
      ['new Bucket("recordings", 1);', 'const other = new Bucket("more", 1);'],
      [SALES_SPLIT, 'other.id.apply((id) => split({ ["agent_" + id]: 1 })) });'],
      ['toNumber: "+15557654321"', 'toNumber: other.id.apply((id) => "+1555765432" + id.length)'],
    ),
  },
  { name: "platform-moved", ...main(), config: { "agent-platform:baseUrl": "https://elsewhere.example/v2" } },
  {
    name: "guard-step",
    ...main([supportSplit(), supportSplit(60)]),
    config: { "agent-platform:maxShift": 25 },
    fails: true,
  },
  {
    name: "guard-total",
    ...main([supportSplit(), 'split({ "agent_front@12": 90, "agent_front@13": 5 }),\n  inbound']),
    config: { "agent-platform:weightTotal": 100 },
    fails: true,
  },
  {
    name: "guard-opened",
    ...main([supportSplit(), supportSplit(60)]),
    config: { "agent-platform:maxShift": 25 },
    env: { AGENT_PLATFORM_BYPASS: "incident 4711" },
  },
  {
    name: "program-throws",
    base: "main",
    program: `${MAIN}throw new pulumi.RunError("no such | thing");`,
    fails: true,
  },
  { name: "large-group", base: "large", program: change(LARGE, front(10), front(30)) },
  { name: "same-split-on-six", base: "six", program: change(SIX, "share = 10", "share = 25") },
  {
    name: "secrets",
    base: "secrets",
    program: change(
      change(change(SECRETS, "weight: 3 }", "weight: 2 }"), "pulumi.secret(3)", "pulumi.secret(4)"),
      '/hush"',
      '/hush2"',
    ),
  },
  {
    name: "secrets-streamed",
    base: "secrets",
    program: change(
      change(change(SECRETS, "weight: 3 }", "weight: 2 }"), "pulumi.secret(3)", "pulumi.secret(4)"),
      '/hush"',
      '/hush2"',
    ),
    streams: true,
  },
  { name: "unresolved", base: "broken", program: BROKEN },
  {
    name: "adopted",
    base: "broken",
    program: change(BROKEN, 'publicUserId: "u-1"', 'publicUserId: "u-1", adopt: "voice_77"'),
  },
];
