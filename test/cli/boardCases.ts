import { boardCommand } from "../../cli/commands/board";
import { group, number, type RecordedStack, withRecorded } from "./recorded";
import { type Printed, runWith } from "./terminal";

export type Stacks = Readonly<Record<string, RecordedStack>>;

const front = { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 };
export const rollout = { name: "front", ...front };
export const base = { "agent-platform:baseUrl": "https://platform.example" };
export const inConfig = (value: unknown) => ({ ...base, "agent-platform:rollouts": JSON.stringify({ front: value }) });
const since = "2026-11-23T09:02:00Z";
const stable = { stable: "agent_front@12" };
const aborted = { agent: "agent_front@13", percent: 50, at: "2026-11-20T00:00:00Z" };
const support = group("support", "1\n", { rollout, since });
/** The config contains an abort, but in the state, the number still uses the candidate. */
const unappliedAbort = {
  config: inConfig({ ...front, percent: 0, aborted }),
  state: { entries: [group("support", "1\n", { rollout })] },
};
const chat = { kind: "SmsChat", name: "hello", id: "", outputs: {}, operation: "creating" } as const;

/** Stacks to show on a board, keyed by case name. The expected text is in test/words/testdata/commands.txt. */
export const BOARDS = {
  "a rollout that is applied, and one that numbers lack": {
    dev: {
      config: inConfig({ ...front, percent: 100 }),
      state: { entries: [group("support", "1\n", { rollout: { ...rollout, percent: 100 }, since })] },
    },
    // The recommended commands must also use the fully qualified stack name.
    "acme/phones/prod": {
      config: inConfig(front),
      state: {
        entries: [
          support,
          number("desk", "2", { rollout: { ...rollout, candidate: "agent_front@14" }, since }),
          number("hotline", "3", { rollout, unapplied: [{ numbers: "3\n", reason: "rejected" }] }),
        ],
      },
    },
  },
  "an abort": {
    prod: {
      config: inConfig({ ...stable, aborted }),
      state: { entries: [group("support", "1\n", { rollout: { name: "front", ...stable, aborted } })] },
    },
  },
  "an abort that a number lacks": { prod: unappliedAbort },
  "an abort that a number lacks, on a frozen stack": {
    prod: { ...unappliedAbort, config: { ...unappliedAbort.config, "agent-platform:freeze": "incident 4711" } },
  },
  "an abort that a number lacks, beside a chat that may have been started": {
    prod: { ...unappliedAbort, state: { ...unappliedAbort.state, pending: [chat] } },
  },
  "a rollout without a candidate": {
    prod: {
      config: inConfig(stable),
      state: { entries: [group("support", "1\n", { rollout: { name: "front", ...stable } })] },
    },
  },
  "a rollout that no number uses": { prod: { config: inConfig(stable) } },
  "a rollout that was removed from the config": { prod: { config: base, state: { entries: [support] } } },
  "a number that lacks its split": {
    prod: {
      config: base,
      state: {
        entries: [
          group("support", "1\tLondon\n2\n", {
            rollout,
            inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
            outboundAgentId: "agent_callback",
            outboundAgentVersion: 2,
            since,
            unapplied: [{ numbers: "2\n", reason: "rejected", applied: { inboundAgents: { "agent_front@12": 100 } } }],
          }),
        ],
      },
    },
  },
  "a number after an interrupted run": {
    dev: {
      config: base,
      state: {
        entries: [group("support", "1\n", { inboundAgents: { "agent_a@1": 100 } })],
        pending: [{ ...group("support", "1\n", { inboundAgents: { "agent_b@2": 100 } }), operation: "updating" }],
      },
    },
  },
  "a number that could not be deleted": {
    dev: {
      config: base,
      state: {
        entries: [number("a", "2"), group("g", "1\n", { inboundAgents: { "agent_a@1": 100 } }, { delete: true })],
      },
    },
  },
  "numbers without a split": {
    dev: {
      config: base,
      state: {
        entries: [
          number("none", "1", { inboundAgents: {} }),
          number("rejected", "2", { unapplied: [{ numbers: "2\n", reason: "rejected" }] }),
        ],
      },
    },
  },
  nothing: { prod: { config: base } },
} as const satisfies Readonly<Record<string, Stacks>>;

/** Runs the `board` command on these stacks. */
export const printBoard = (stacks: Stacks): Promise<Printed> => {
  const names = Object.keys(stacks).flatMap((name) => ["--stack", name]);
  return withRecorded(stacks, (world) => runWith(boardCommand.run, names, world));
};
