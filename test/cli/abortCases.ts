import { group, number, secret } from "./recorded";
import { aborted, front, NOW, type StackGiven, saved, stack, support } from "./rolloutProject";

/** A run of `abort front --stack prod`. The expected output is in test/words/testdata/commands.txt. */
export interface AbortCase {
  readonly name: string;
  readonly given: StackGiven;
  /** Additional arguments. */
  readonly argv?: readonly string[];
}

const FROZEN = { "agent-platform:freeze": "incident 4711" };
const EARLIER = "2026-11-23T08:00:00.000Z";
const abortedAt = (time: string) => support(0, { rollout: { name: "front", ...aborted(50, time) } });
const abortedEarlier = abortedAt(EARLIER);
const abortOf = (...entries: readonly ReturnType<typeof support>[]): StackGiven => ({
  rollouts: { front: aborted(50, EARLIER) },
  state: { entries },
});

/**
 * A group with an abort that the platform rejected for one number. All of that number's calls already go to the stable
 * agent.
 */
const rejected = support(0, {
  rollout: { name: "front", ...aborted(10) },
  unapplied: [{ numbers: "+15550000001\n", reason: "rejected", applied: { inboundAgents: { "agent_front@12": 100 } } }],
});

export const CASES: readonly AbortCase[] = [
  { name: "a rollout at 50%", given: stack(50) },
  { name: "a dry run", given: stack(50), argv: ["--dry-run"] },
  { name: "a frozen stack", given: { ...stack(50), config: FROZEN } },
  { name: "a state that cannot be read", given: { rollouts: { front: front(50) } } },
  {
    name: "a state that cannot be read, without a candidate",
    given: { rollouts: { front: { stable: "agent_front@12" } } },
  },
  {
    name: "a killed run",
    given: { ...stack(50), state: { entries: [support(10)], pending: [{ ...support(50), operation: "updating" }] } },
  },
  { name: "a rollout that no resource uses", given: { ...stack(50), state: { entries: [] } } },
  {
    name: "--up without a resource that uses the rollout",
    given: { ...stack(50), state: { entries: [] } },
    argv: ["--up"],
  },
  {
    name: "a stable agent that was never applied",
    given: { ...stack(10), rollouts: { front: { ...front(50), stable: "agent_front@15" } } },
  },
  {
    name: "an agent that other resources use",
    given: {
      ...stack(50),
      state: {
        entries: [
          support(50),
          group("sales", "1\n2\n", { inboundAgents: { "agent_front@12": 60, "agent_front@13": 40 } }),
          number("calm", "4", { outboundAgentId: "agent_front", outboundAgentVersion: 13 }),
        ],
      },
    },
  },
  { name: "a rollout without a candidate", given: { ...stack(0), rollouts: { front: { stable: "agent_front@12" } } } },
  { name: "an abort that every number has", given: abortOf(abortedEarlier) },
  { name: "an abort that numbers lack", given: abortOf(support(50)) },
  { name: "an abort that no run has applied", given: abortOf(support(0)) },
  {
    name: "an abort that numbers with a secret split lack",
    given: abortOf(support(50, { inboundAgents: secret("v1:abc") })),
  },
  {
    name: "a number that the program no longer declares",
    given: abortOf(abortedEarlier, group("support", "+15550000003\n", saved(10), { delete: true })),
  },
  { name: "the candidate in --to", given: stack(50), argv: ["--to", "agent_front@13"] },
  { name: "an unapproved agent in --to", given: stack(50), argv: ["--to", "agent_front@11"] },
  { name: "something that is no agent in --to", given: stack(50), argv: ["--to", "front@11"] },
  { name: "--up in a dry run", given: stack(50), argv: ["--up", "--dry-run"] },
  {
    name: "--up that reaches every number",
    given: { ...stack(50), afterUp: { entries: [abortedAt(NOW)] } },
    argv: ["--up"],
  },
  {
    name: "--up beside a number that has left the rollout",
    given: {
      ...stack(50),
      afterUp: {
        entries: [
          abortedAt(NOW),
          number("moved", "+15550000003", {
            inboundAgents: { "agent_front@12": 100 },
            unapplied: [{ numbers: "+15550000003\n", reason: "rejected" }],
          }),
          group("support", "+15550000001\n+15550000002\n+15550000003\n", saved(50), { delete: true }),
        ],
      },
    },
    argv: ["--up"],
  },
  {
    name: "--up after a stopped run that was moving another resource into the rollout",
    given: {
      ...stack(10),
      state: {
        entries: [support(10), number("desk", "4001", { inboundAgents: { "agent_front@12": 100 } })],
        pending: [{ ...number("desk", "4001", saved(10)), operation: "updating" }],
      },
      afterUp: { entries: [abortedAt(NOW), number("desk", "4001", { inboundAgents: { "agent_front@12": 100 } })] },
    },
    argv: ["--up"],
  },
  {
    name: "--up after which no resource uses the rollout",
    given: { ...stack(50), afterUp: { entries: [] } },
    argv: ["--up"],
  },
  {
    name: "a number that still has an agent of another rollout",
    given: {
      rollouts: { front: { stable: "agent_front@12" } },
      state: {
        entries: [
          group("support", "+15550000009\n", {
            rollout: { name: "front", stable: "agent_front@12" },
            unapplied: [{ numbers: "+15550000009\n", reason: "rejected" }],
          }),
          group("desk", "+15550000009\n", { inboundAgents: { "agent_desk@3": 100 } }, { delete: true }),
        ],
      },
    },
  },
  {
    name: "a number elsewhere whose new split was rejected",
    given: {
      ...stack(50),
      state: {
        entries: [
          support(50),
          number("late", "6", {
            inboundAgents: { "agent_front@12": 100 },
            unapplied: [{ numbers: "6\n", reason: "rejected", applied: { inboundAgents: { "agent_front@13": 100 } } }],
          }),
        ],
      },
    },
  },
  { name: "--up that fails", given: { ...stack(50), afterUp: "fails" }, argv: ["--up"] },
  { name: "--up after which the state cannot be read", given: { ...stack(50), afterUp: "unreadable" }, argv: ["--up"] },
  {
    name: "--up that the platform rejected for a number",
    given: { ...stack(10), afterUp: { entries: [rejected] } },
    argv: ["--up"],
  },
  { name: "--up of a frozen stack", given: { ...stack(50), config: FROZEN }, argv: ["--up"] },
  {
    name: "--up without a resource that uses the rollout, beside a chat that may have been started",
    given: {
      ...stack(50),
      state: { pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "creating" }] },
    },
    argv: ["--up"],
  },
  {
    name: "--up without a resource that uses the rollout, after a failed destroy",
    given: { ...stack(50), state: {}, runs: [{ kind: "destroy", at: EARLIER, result: "failed" }] },
    argv: ["--up"],
  },
];
