import { group, number, type RecordedStack, secret } from "./recorded";

/** A run of `show` on a stack `dev`. The expected output is in test/words/testdata/commands.txt. */
export interface ShowCase {
  readonly name: string;
  readonly given: RecordedStack;
  /** The number to show. @default all numbers */
  readonly number?: string;
}

const applied = { inboundAgents: { "agent_a@1": 100 } };

/**
 * A group whose split was applied to one number and rejected for another. For the third number, the outcome is
 * unknown.
 */
export const emea = group("emea", "+15550000001\tLondon sales\n+15550000002\n+15550000003\n", {
  unapplied: [
    { numbers: "+15550000002\n", reason: "rejected", applied },
    { numbers: "+15550000003\n", reason: "unknown", maybe: applied },
  ],
});

export const support = number("support", "+15550000001", {
  workspaceId: 42,
  accountSid: "3f",
  previousInboundAgents: { "agent_a@1": 100 },
  outboundAgentId: "agent_a",
  outboundAgentVersion: 1,
  inboundWebhookUrl: "https://hooks.example.com/in#key=hush?more",
  isTimeRoutingEnabled: false,
});

const rolloutAt = (percent: number) => ({ stable: "agent_a@1", candidate: "agent_b@2", percent });
const aborted = { agent: "agent_b@2", percent: 10, at: "2026-11-23T09:00:00Z" };
const since = "2026-11-20T14:02:31Z";

/**
 * A stack whose config is one rollout step ahead of its state. This happens if a run saves nothing because the
 * platform is unreachable or refuses the token.
 */
export const ahead: RecordedStack = {
  config: { "agent-platform:rollouts": JSON.stringify({ front: { ...rolloutAt(50), promote: { minSoak: "24h" } } }) },
  state: { entries: [number("desk", "4001", { rollout: { name: "front", ...rolloutAt(10) }, since })] },
};

const stopped = {
  entries: [
    group("g", "+1\n", { inboundAgents: { "agent_a@1": 100 }, rollout: { name: "front", ...rolloutAt(0) } }),
    number("calm", "+3"),
  ],
  pending: [
    { ...group("g", "+1\n", { inboundAgents: { "agent_b@2": 100 } }), operation: "updating" },
    { ...group("new", "+2\n"), operation: "creating" },
  ],
};

export const CASES: readonly ShowCase[] = [
  { name: "a number", given: { state: { entries: [support] } }, number: "+15550000001" },
  { name: "a number of a group", given: { state: { entries: [emea] } }, number: "+15550000001" },
  { name: "a number that was rejected", given: { state: { entries: [emea] } }, number: "+15550000002" },
  { name: "a number of unknown outcome", given: { state: { entries: [emea] } }, number: "+15550000003" },
  { name: "a number whose rollout is a step behind the config", given: ahead, number: "4001" },
  { name: "a number at which a run was stopped", given: { state: stopped }, number: "+1" },
  { name: "a number that only a stopped run has", given: { state: stopped }, number: "+2" },
  { name: "a number that no resource declares", given: { state: { entries: [support] } }, number: "15550000001" },
  { name: "all numbers", given: { state: { entries: [emea, number("support", "4001")] } } },
  { name: "all numbers, a step behind the config", given: ahead },
  { name: "all numbers after a stopped run", given: { state: stopped } },
  { name: "no numbers", given: { state: {} } },
  {
    name: "a number without agents",
    given: { state: { entries: [number("a", "1", { inboundAgents: {} })] } },
    number: "1",
  },
  {
    name: "a number without a split",
    given: { state: { entries: [number("a", "1", { inboundAgents: undefined })] } },
    number: "1",
  },
  {
    name: "a number whose split is secret",
    given: { state: { entries: [number("a", "1", { inboundAgents: secret("v1:abc") })] } },
    number: "1",
  },
  {
    name: "a number after an abort",
    given: { state: { entries: [number("a", "1", { rollout: { name: "front", stable: "agent_a@1", aborted } })] } },
    number: "1",
  },
  {
    name: "a number that could not be deleted",
    given: { state: { entries: [number("a", "1", {}, { delete: true })] } },
    number: "1",
  },
  {
    name: "all numbers, one of which could not be deleted",
    given: { state: { entries: [number("a", "1", {}, { delete: true }), number("b", "2")] } },
  },
];
