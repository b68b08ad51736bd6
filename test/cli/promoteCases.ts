import { group, number } from "./recorded";
import { type AfterUp, aborted, front, type StackGiven, saved, stack, support } from "./rolloutProject";

/** What `promote` does with a stack. How it says that is in test/words/testdata/commands.txt. */
export interface PromoteCase {
  readonly name: string;
  readonly given: StackGiven;
  /** After `front --stack prod`. */
  readonly argv?: readonly string[];
  readonly bypass?: string;
  readonly code: number;
  /** The rollout that is written. */
  readonly written?: object;
  /** Commands, agents and numbers that have to be in what is printed. */
  readonly names?: readonly string[];
  readonly notNames?: readonly string[];
}

const PROMOTE = "npx pulumi-agent-platform promote front --stack prod";
const BYPASSED = 'AGENT_PLATFORM_BYPASS="<reason>"';
const UP = "pulumi up --stack prod";
const DESTROY = "pulumi destroy --stack prod";
const DESTROY_FAILED = { kind: "destroy", at: "2026-11-23T08:00:00Z", result: "failed" };
const ABORT = "npx pulumi-agent-platform abort front --stack prod --up";
const DOCTOR = "npx pulumi-agent-platform doctor --stack prod";
const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };
const FROZEN = { ...STEPS, "agent-platform:freeze": "incident 4711" };

/** The same stack, in which two agents are approved and others may get 2%. */
const guarded = (percent: number, approved = '["agent_front@12","agent_front@13"]'): StackGiven => ({
  ...stack(percent),
  config: {
    ...STEPS,
    "agent-platform:approvedAgents": approved,
    "agent-platform:maxUnapproved": "2",
    "agent-platform:requireVersions": "true",
  },
});

/** A stack whose rollout waits so long with each step. */
const soaking = (percent: number, minSoak: string, more: Record<string, unknown> = {}): StackGiven => ({
  ...stack(percent, more),
  rollouts: { front: front(percent, { promote: { minSoak } }) },
});

/** The second number of the group lacks the split of the config. */
const missing = (reason: string, first: object[] = []): StackGiven =>
  stack(10, { unapplied: [...first, { numbers: "+15550000002\n", reason }] });

/** The abort is in the config, and the numbers still have the candidate. */
const lacksAbort: StackGiven = {
  rollouts: { front: aborted(10) },
  config: STEPS,
  state: { entries: [support(10)] },
};

/** The state has an abort of which the config knows nothing. */
const lacksSavedAbort = (percent: number): StackGiven => ({
  ...stack(percent),
  state: { entries: [support(0, { rollout: { name: "front", ...aborted(50) } })] },
});

/** The config is a step ahead of the state. */
const ahead = (more: Readonly<Record<string, unknown>> = {}): StackGiven => ({
  rollouts: { front: front(50) },
  state: { entries: [{ ...support(10), more }] },
});

const afterAbort = (now: object, minSoak?: string): StackGiven => ({
  rollouts: { front: { ...now, ...(minSoak && { promote: { minSoak } }) } },
  state: { entries: [support(0, { rollout: { name: "front", ...now }, since: "2026-11-23T09:01:00Z" })] },
});

const MOVES: PromoteCase[] = [
  { name: "the first step", given: stack(0), code: 0, written: front(1) },
  { name: "the next step after a percentage between two steps", given: stack(5), code: 0, written: front(10) },
  {
    name: "the next-to-last step",
    given: stack(10),
    code: 0,
    written: front(50),
    names: ["npx pulumi-agent-platform abort front --stack prod --up"],
  },
  { name: "the last step", given: stack(50), code: 0, written: front(100) },
  {
    name: "the first step of the next rollout",
    given: stack(100),
    argv: ["--to", "agent_front@14"],
    code: 0,
    written: { stable: "agent_front@13", candidate: "agent_front@14", percent: 1 },
  },
  {
    name: "a fractional step",
    given: {
      ...stack(0.5),
      rollouts: { front: { ...front(0), percent: "0.5" } },
      config: { "agent-platform:steps": "[0.5, 2.5, 100]" },
    },
    code: 0,
    written: { ...front(0), percent: "2.5" },
  },
  { name: "a dry run", given: stack(10), argv: ["--dry-run"], code: 0 },
  {
    name: "a step for an unapproved agent within the limit",
    given: guarded(0),
    argv: ["--to", "agent_front@14"],
    code: 0,
    written: { ...front(1), candidate: "agent_front@14" },
  },
];

const GUARDS: PromoteCase[] = [
  {
    name: "the stack is frozen",
    given: { ...stack(10), config: FROZEN },
    code: 1,
    names: ["incident 4711", `${BYPASSED} ${PROMOTE}`],
  },
  {
    name: "the stack is frozen for a secret reason",
    given: { ...stack(10), config: { ...FROZEN, "agent-platform:freeze": null } },
    code: 1,
    names: [`${BYPASSED} ${PROMOTE}`],
  },
  {
    name: "the stack is frozen and the bypass is blank",
    given: { ...stack(10), config: FROZEN },
    bypass: " ",
    code: 1,
  },
  {
    name: "the stack is frozen but the guards are bypassed",
    given: { ...stack(10), config: FROZEN },
    bypass: "drill",
    code: 0,
    written: front(50),
    names: [`${BYPASSED} ${UP}`, `${BYPASSED} ${ABORT}`],
  },
  {
    name: "a number lacks an abort",
    given: lacksAbort,
    code: 1,
    names: [ABORT],
    notNames: [UP],
  },
  {
    name: "the stack is frozen and its numbers lack a step",
    given: { ...missing("rejected"), config: FROZEN },
    code: 1,
    names: ["incident 4711", `${BYPASSED} ${UP}`],
  },
  {
    name: "the agent is misspelled",
    given: guarded(0),
    argv: ["--to", "agent_frnt@14"],
    code: 1,
    names: ["agent_frnt@14", "agent_front", `${BYPASSED} ${PROMOTE} --to agent_frnt@14`],
  },
  {
    name: "the agent is misspelled but the guards are bypassed",
    given: guarded(0),
    argv: ["--to", "agent_frnt@14"],
    bypass: "drill",
    code: 0,
    written: { ...front(1), candidate: "agent_frnt@14" },
  },
  {
    name: "an unapproved agent would exceed the limit",
    given: guarded(1, '["agent_front@12"]'),
    code: 1,
    names: ["agent_front@13", "agent-platform:approvedAgents", `${BYPASSED} ${PROMOTE}`],
  },
];

const takeOut = "retainOnDelete";

const WAITS: PromoteCase[] = [
  {
    name: "the split has not soaked long enough",
    given: soaking(10, "24h", { since: "2026-11-23T06:01:30Z" }),
    code: 1,
    names: ["agent_front@13", "24h", "2026-11-24 06:02 UTC"],
  },
  {
    name: "the split has soaked long enough",
    given: soaking(10, "24h", { since: "2026-11-22T09:02:00Z" }),
    code: 0,
    written: front(50, { promote: { minSoak: "24h" } }),
  },
  {
    name: "the last step has not soaked long enough",
    given: soaking(100, "24h", { since: "2026-11-23T06:01:30Z" }),
    argv: ["--to", "agent_front@14"],
    code: 1,
    names: ["agent_front@13", "24h", "2026-11-24 06:02 UTC"],
  },
  {
    name: "the saved split has no start time",
    given: soaking(10, "30m", { since: undefined }),
    code: 1,
    names: ["30m", "`triggers`"],
  },
  {
    name: "the saved split has no start time and a change was interrupted",
    given: {
      ...soaking(10, "30m"),
      state: {
        entries: [support(10, { since: undefined })],
        pending: [{ ...number("other", "4001"), operation: "updating" }],
      },
    },
    code: 1,
    names: ["30m", DOCTOR],
    notNames: [UP],
  },
  {
    name: "interrupted runs left resources pending",
    given: {
      ...stack(10),
      state: {
        entries: [support(10)],
        pending: [
          { ...support(10), operation: "updating" },
          { ...number("desk", "4001", saved(10)), operation: "creating" },
        ],
      },
    },
    code: 1,
    names: ['NumberGroup "support"', 'NumberAssignment "desk"', DOCTOR],
  },
  {
    name: "only another rollout with the same agents has resources",
    given: {
      ...stack(10),
      state: { entries: [group("other", "1\n", saved(10, { rollout: { name: "night", ...front(10) } }))] },
    },
    code: 1,
    names: ["front", UP],
  },
  { name: "the last step was never applied", given: ahead(), code: 1, names: [UP], notNames: [takeOut] },
  {
    name: "the platform rejected a number",
    given: missing("rejected"),
    code: 1,
    names: ["+15550000002", UP, `\`${takeOut}: true\``],
  },
  { name: "the outcome for a number is unknown", given: missing("unknown"), code: 1, names: [UP], notNames: [takeOut] },
  {
    name: "a whole group was rejected",
    given: missing("not sent", [{ numbers: "+15550000001\n", reason: "rejected" }]),
    code: 1,
    names: [UP],
    notNames: [takeOut],
  },
  {
    name: "a resource ignores changes of its rollout",
    given: ahead({ ignoreChanges: ["rollout"] }),
    code: 1,
    names: ['NumberGroup "support"', "`ignoreChanges`", UP],
  },
  {
    name: "a resource ignores all changes, even with --up",
    given: ahead({ ignoreChanges: ["*"] }),
    argv: ["--up"],
    code: 1,
    names: ["`ignoreChanges`"],
  },
  {
    name: "a chat may have been started, even with --up",
    given: {
      ...stack(10),
      state: {
        entries: [support(10)],
        pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "creating" }],
      },
    },
    argv: ["--up"],
    code: 1,
    names: ['SmsChat "hello"', DOCTOR],
  },
  {
    name: "numbers lack a step and a chat may have been started",
    given: {
      rollouts: { front: front(50) },
      state: {
        entries: [support(10)],
        pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "creating" }],
      },
    },
    code: 1,
    names: [DOCTOR],
    notNames: [UP],
  },
  {
    name: "the stack has no resources",
    given: { ...stack(10), state: { entries: [] } },
    code: 1,
    names: [UP],
  },
  {
    name: "a chat may have been started",
    given: {
      ...stack(10),
      state: {
        entries: [support(10)],
        pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "creating" }],
      },
    },
    code: 1,
    names: ['SmsChat "hello"', DOCTOR],
    notNames: [UP],
  },
  {
    name: "the end of a chat was interrupted",
    given: {
      ...stack(10),
      state: {
        entries: [support(10)],
        pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "deleting" }],
      },
    },
    code: 1,
    names: ['SmsChat "hello"', DOCTOR],
    notNames: [UP],
  },
  {
    name: "the config lacks an abort",
    given: lacksSavedAbort(10),
    code: 1,
    names: ["agent_front@13", "2026-11-23 09:02 UTC", "git pull"],
    notNames: [UP],
  },
  {
    name: "the next step would undo an abort that the config lacks",
    given: lacksSavedAbort(0),
    code: 1,
    names: ["agent_front@13", "git pull"],
  },
  {
    name: "the stack was destroyed",
    given: { ...stack(10), state: { entries: [] }, runs: [{ ...DESTROY_FAILED, result: "succeeded" }] },
    code: 1,
    names: ["SMS"],
  },
  {
    name: "the first response for some numbers was lost",
    given: stack(10, {
      unapplied: [
        {
          numbers: "+15550000001\n+15550000002\n",
          reason: "unknown",
          maybe: [{ inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 } }],
        },
      ],
    }),
    code: 1,
    names: ['NumberGroup "support"', "agent_front@13", UP],
  },
  {
    name: "a delete of its numbers was interrupted",
    given: { ...stack(10), state: { entries: [support(10)], pending: [{ ...support(10), operation: "deleting" }] } },
    code: 1,
    names: ['NumberGroup "support"', DOCTOR],
  },
  {
    name: "seven resources lack a step",
    given: {
      rollouts: { front: front(50) },
      state: { entries: Array.from({ length: 7 }, (_, at) => number(`line${at}`, `${4001 + at}`, saved(10))) },
    },
    code: 1,
    names: ['NumberAssignment "line3"', UP],
    notNames: ['NumberAssignment "line5"'],
  },
  {
    name: "a destroy of the stack failed",
    given: { ...stack(10), runs: [DESTROY_FAILED] },
    code: 1,
    names: [DESTROY, "SMS"],
  },
  {
    name: "a destroy failed, even with --up",
    given: { ...missing("rejected"), runs: [DESTROY_FAILED] },
    argv: ["--up"],
    code: 1,
    names: [DESTROY],
  },
  {
    name: "a destroy of the stack was interrupted",
    given: {
      ...stack(10),
      state: { entries: [], pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "deleting" }] },
    },
    code: 1,
    names: [DOCTOR],
    notNames: [UP],
  },
];

const ENDS: PromoteCase[] = [
  {
    name: "a rollout without a candidate",
    given: {
      rollouts: { front: { stable: "agent_front@12" } },
      state: { entries: [support(0, { rollout: { name: "front", stable: "agent_front@12" } })] },
    },
    code: 3,
    names: ["agent_front@12", `${PROMOTE} --to <agent>`],
  },
  {
    name: "a rollout without a candidate or a start time",
    given: {
      rollouts: { front: { stable: "agent_front@12" } },
      state: {
        entries: [support(0, { rollout: { name: "front", stable: "agent_front@12" }, since: undefined })],
      },
    },
    code: 3,
    names: ["agent_front@12", `${PROMOTE} --to <agent>`],
  },
  {
    name: "an abort",
    given: afterAbort(aborted(50)),
    code: 3,
    names: ["agent_front@13", `${PROMOTE} --to agent_front@13`],
  },
  {
    name: "an abort if --to names the aborted agent",
    given: afterAbort(aborted(50)),
    argv: ["--to", "agent_front@13"],
    code: 0,
    written: { ...aborted(50), percent: 1 },
    names: ["2026-11-23 09:02 UTC", "50%"],
  },
  {
    name: "an abort if --to names a fixed version",
    given: afterAbort(aborted(50), "24h"),
    argv: ["--to", "agent_front@14"],
    code: 0,
    written: { ...aborted(50), candidate: "agent_front@14", percent: 1, promote: { minSoak: "24h" } },
    notNames: ["2026-11-23 09:02 UTC"],
  },
  {
    name: "the restart of an aborted agent",
    given: {
      rollouts: { front: { ...aborted(50), percent: 1 } },
      state: { entries: [support(1, { rollout: { name: "front", ...aborted(50), percent: 1 } })] },
    },
    code: 0,
    written: { ...aborted(50), percent: 10 },
  },
];

/** The second number of the group lacks the split of the config until `pulumi up`. */
const behind = (percent: number, afterUp?: AfterUp): StackGiven => ({
  ...stack(percent, { unapplied: [{ numbers: "+15550000002\n", reason: "rejected" }] }),
  ...(afterUp && { afterUp }),
});

const UPS: PromoteCase[] = [
  {
    name: "a step that every number receives",
    given: { ...stack(10), afterUp: { entries: [support(50)] } },
    argv: ["--up"],
    code: 0,
    written: front(50),
    names: ["50%", "agent_front@13"],
  },
  {
    name: "a step even if `pulumi up` then fails",
    given: { ...stack(10), afterUp: "fails" },
    argv: ["--up"],
    code: 1,
    written: front(50),
    names: ['NumberGroup "support"', "10%"],
  },
  {
    name: "the next step, but applies the configured one to numbers that lacked it",
    given: behind(50, { entries: [support(50)] }),
    argv: ["--up"],
    code: 3,
    names: ["+15550000002", `${PROMOTE} --up`],
  },
  {
    name: "another agent, but applies the last step to numbers that lacked it",
    given: behind(100, { entries: [support(100)] }),
    argv: ["--up", "--to", "agent_front@14"],
    code: 3,
    names: ["+15550000002", `${PROMOTE} --to agent_front@14 --up`],
  },
  {
    name: "the next step if numbers still lack the configured one",
    given: behind(50, "fails"),
    argv: ["--up"],
    code: 1,
    names: ["+15550000002"],
    notNames: [`${PROMOTE} --up`],
  },
  {
    name: "the next step if numbers lack the configured one on a frozen stack",
    given: { ...behind(50), config: FROZEN },
    argv: ["--up"],
    code: 1,
    names: ["incident 4711", `${BYPASSED} ${UP}`],
  },
];

const MISTAKES: PromoteCase[] = [
  {
    name: "a second candidate",
    given: stack(10),
    argv: ["--to", "agent_front@14"],
    code: 2,
    names: ["agent_front@13", "10%"],
  },
  {
    name: "the current candidate as a new candidate",
    given: stack(10),
    argv: ["--to", "agent_front@13"],
    code: 2,
    names: [PROMOTE],
  },
  {
    name: "the stable agent as the candidate",
    given: stack(0),
    argv: ["--to", "agent_front@12"],
    code: 2,
    names: ["agent_front@12"],
  },
  {
    name: "a candidate that is not an agent",
    given: stack(0),
    argv: ["--to", "front 14"],
    code: 2,
    names: ['"front 14"'],
  },
  {
    name: "a candidate without its prefix",
    given: stack(100),
    argv: ["--to", "front@14"],
    code: 2,
    names: ["agent_front@14"],
  },
  {
    name: "steps that are a Pulumi secret",
    given: { ...stack(10), config: { "agent-platform:steps": null } },
    code: 2,
    names: ["pulumi config set agent-platform:steps '[1, 10, 50, 100]' --plaintext --stack prod"],
  },
  {
    name: "a stack without steps",
    given: { ...stack(10), config: {} },
    code: 2,
    names: ["pulumi config set agent-platform:steps '[1, 10, 50, 100]' --plaintext --stack prod"],
  },
  {
    name: "steps that are not a list",
    given: { ...stack(10), config: { "agent-platform:steps": "often" } },
    code: 2,
    names: ["agent-platform:steps"],
  },
  {
    name: "a rollout without a percentage",
    given: { ...stack(10), rollouts: { front: { ...front(10), percent: null } } },
    code: 2,
    names: ["agent-platform:rollouts.front.percent"],
  },
  {
    name: "a percentage written as a string",
    given: { ...stack(10), rollouts: { front: { ...front(10), percent: "10%" } } },
    code: 2,
    names: ["agent-platform:rollouts.front.percent"],
  },
  {
    name: "an unknown rollout",
    given: { ...stack(10), rollouts: { frnt: front(10), desk: front(10) } },
    code: 2,
    names: ['"front"', "frnt"],
  },
  {
    name: "a stack without rollouts",
    given: { ...stack(10), rollouts: {} },
    code: 2,
    names: ["agent-platform:rollouts"],
  },
  {
    name: "--dry-run together with --up",
    given: stack(10),
    argv: ["--up", "--dry-run"],
    code: 2,
    names: ["--dry-run", "--up"],
  },
];

export const CASES = { MOVES, GUARDS, WAITS, UPS, ENDS, MISTAKES };
