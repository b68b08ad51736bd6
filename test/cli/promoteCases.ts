import { group, number } from "./recorded";
import { type AfterUp, aborted, front, type StackGiven, saved, stack, support } from "./rolloutProject";

/** A run of `promote front --stack prod`. The full expected output is in test/words/testdata/commands.txt. */
export interface PromoteCase {
  readonly name: string;
  readonly given: StackGiven;
  /** Additional arguments. */
  readonly argv?: readonly string[];
  /** The value of AGENT_PLATFORM_BYPASS. */
  readonly bypass?: string;
  readonly code: number;
  /** The rollout that must be written to the config. If undefined, nothing may be written. */
  readonly written?: object;
  /** Commands, agents, numbers and other facts that the output must contain. */
  readonly names?: readonly string[];
  /** Facts that the output must not contain. */
  readonly notNames?: readonly string[];
}

const PROMOTE = "npx pulumi-agent-platform promote front --stack prod";
const BYPASSED = 'AGENT_PLATFORM_BYPASS="<reason>"';
const UP = "pulumi up --stack prod";
const DESTROY = "pulumi destroy --stack prod";
const DESTROY_FAILED = { kind: "destroy", at: "2026-11-23T08:00:00Z", result: "failed" };
const ABORT_RUN = { at: "2026-11-23T08:40:00Z", message: 'Abort of the rollout "front"' };
const ABORT = "npx pulumi-agent-platform abort front --stack prod --up";
const DOCTOR = "npx pulumi-agent-platform doctor --stack prod";
const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };
const FROZEN = { ...STEPS, "agent-platform:freeze": "incident 4711" };

/**
 * A stack with a list of approved agents, by default the stable agent and the candidate. Unapproved agents are limited
 * to 2% of calls in total.
 */
const guarded = (percent: number, approved = '["agent_front@12","agent_front@13"]'): StackGiven => ({
  ...stack(percent),
  config: {
    ...STEPS,
    "agent-platform:approvedAgents": approved,
    "agent-platform:maxUnapproved": "2",
    "agent-platform:requireVersions": "true",
  },
});

/** A stack whose rollout must stay at each step for at least `minSoak`. */
const soaking = (percent: number, minSoak: string, more: Record<string, unknown> = {}): StackGiven => ({
  ...stack(percent, more),
  rollouts: { front: front(percent, { promote: { minSoak } }) },
});

/**
 * The configured split was not applied to the second number, for the given reason. `others` contains unapplied entries
 * for other numbers.
 */
const missing = (reason: string, others: object[] = []): StackGiven =>
  stack(10, { unapplied: [...others, { numbers: "+15550000002\n", reason }] });

/** The config contains an abort, but the numbers still use the candidate. */
const lacksAbort: StackGiven = {
  rollouts: { front: aborted(10) },
  config: STEPS,
  state: { entries: [support(10)] },
};

/** The state contains an abort that is missing from the config, as in a clone that lacks the abort's commit. */
const lacksSavedAbort = (percent: number): StackGiven => ({
  ...stack(percent),
  state: { entries: [support(0, { rollout: { name: "front", ...aborted(50) } })] },
});

/** The state is ahead of the config, as in a clone that lacks the commit of the last promotion. */
const lacksPromotion = (percent: number, saved: object): StackGiven => ({
  ...stack(percent),
  state: { entries: [support(0, { rollout: { name: "front", ...saved } })] },
});

/** The config is one step ahead of the state. */
const ahead = (more: Readonly<Record<string, unknown>> = {}): StackGiven => ({
  rollouts: { front: front(50) },
  state: { entries: [{ ...support(10), more }] },
});

/** A stack with an aborted rollout. The abort is in both the config and the state. */
const afterAbort = (rollout: object, minSoak?: string): StackGiven => ({
  rollouts: { front: { ...rollout, ...(minSoak && { promote: { minSoak } }) } },
  state: { entries: [support(0, { rollout: { name: "front", ...rollout }, since: "2026-11-23T09:01:00Z" })] },
});

const MOVES: PromoteCase[] = [
  { name: "the first step", given: stack(0), code: 0, written: front(1) },
  { name: "the next step if the percentage is between two steps", given: stack(5), code: 0, written: front(10) },
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
    name: "a step within the limit for unapproved agents",
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
    name: "the stack is frozen and the reason is secret",
    given: { ...stack(10), config: { ...FROZEN, "agent-platform:freeze": null } },
    code: 1,
    names: [`${BYPASSED} ${PROMOTE}`],
  },
  {
    name: "the bypass reason for a freeze is blank",
    given: { ...stack(10), config: FROZEN },
    bypass: " ",
    code: 1,
  },
  {
    name: "the freeze is bypassed",
    given: { ...stack(10), config: FROZEN },
    bypass: "drill",
    code: 0,
    written: front(50),
    names: [`${BYPASSED} ${UP}`, `${BYPASSED} ${ABORT}`],
  },
  {
    name: "an abort has not been applied yet",
    given: lacksAbort,
    code: 1,
    names: [ABORT],
    notNames: [UP],
  },
  {
    name: "numbers of a frozen stack lack the configured split",
    given: { ...missing("rejected"), config: FROZEN },
    code: 1,
    names: ["incident 4711", `${BYPASSED} ${UP}`],
  },
  {
    name: "--to misspells an approved agent",
    given: guarded(0),
    argv: ["--to", "agent_frnt@14"],
    code: 1,
    names: ["agent_frnt@14", "agent_front", `${BYPASSED} ${PROMOTE} --to agent_frnt@14`],
  },
  {
    name: "the check for misspelled agents is bypassed",
    given: guarded(0),
    argv: ["--to", "agent_frnt@14"],
    bypass: "drill",
    code: 0,
    written: { ...front(1), candidate: "agent_frnt@14" },
  },
  {
    name: "the step exceeds the limit for unapproved agents",
    given: guarded(1, '["agent_front@12"]'),
    code: 1,
    names: ["agent_front@13", "agent-platform:approvedAgents", `${BYPASSED} ${PROMOTE}`],
  },
];

const RETAIN = "retainOnDelete";

const WAITS: PromoteCase[] = [
  {
    name: "the split is still soaking",
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
    name: "the last step is still soaking",
    given: soaking(100, "24h", { since: "2026-11-23T06:01:30Z" }),
    argv: ["--to", "agent_front@14"],
    code: 1,
    names: ["agent_front@13", "24h", "2026-11-24 06:02 UTC"],
  },
  {
    name: "the start of the soak is unknown",
    given: soaking(10, "30m", { since: undefined }),
    code: 1,
    names: ["30m", "`triggers`"],
  },
  {
    name: "the start of the soak is unknown after an interrupted run",
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
    name: "interrupted runs left pending operations",
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
    name: "the stack's resources use only another rollout",
    given: {
      ...stack(10),
      state: { entries: [group("other", "1\n", saved(10, { rollout: { name: "night", ...front(10) } }))] },
    },
    code: 1,
    names: ["front", UP],
  },
  { name: "the configured step is not applied yet", given: ahead(), code: 1, names: [UP], notNames: [RETAIN] },
  {
    name: "the platform rejected the step for a number",
    given: missing("rejected"),
    code: 1,
    names: ["+15550000002", UP, `\`${RETAIN}: true\``],
  },
  { name: "the outcome for a number is unknown", given: missing("unknown"), code: 1, names: [UP], notNames: [RETAIN] },
  {
    name: "no number in a group has received a split",
    given: missing("not sent", [{ numbers: "+15550000001\n", reason: "rejected" }]),
    code: 1,
    names: [UP],
    notNames: [RETAIN],
  },
  {
    name: "a resource's `ignoreChanges` includes the rollout",
    given: ahead({ ignoreChanges: ["rollout"] }),
    code: 1,
    names: ['NumberGroup "support"', "`ignoreChanges`", UP],
  },
  {
    name: "a resource ignores all changes, even with --up",
    given: { ...ahead({ ignoreChanges: ["*"] }), afterUp: { entries: [support(50)] } },
    argv: ["--up"],
    code: 1,
    names: ["`ignoreChanges`"],
  },
  {
    name: "the creation of a chat was interrupted, even with --up",
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
    name: "a step is unapplied and a chat was interrupted, even with --up",
    given: {
      rollouts: { front: front(50) },
      state: {
        entries: [support(10)],
        pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "creating" }],
      },
      afterUp: { entries: [support(50)] },
    },
    argv: ["--up"],
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
    name: "the creation of a chat was interrupted",
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
    name: "the deletion of a chat was interrupted",
    given: {
      ...stack(10),
      state: {
        entries: [support(10)],
        pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "deleting" }],
      },
    },
    code: 1,
    names: ['SmsChat "hello"', "`pulumi destroy`", DOCTOR],
    notNames: [UP],
  },
  {
    name: "an abort is missing from the config",
    given: lacksSavedAbort(10),
    code: 1,
    names: ["agent_front@13", "2026-11-23 09:02 UTC", "git pull"],
    notNames: [UP],
  },
  {
    name: "the next step would undo an abort in the state",
    given: lacksSavedAbort(0),
    code: 1,
    names: ["agent_front@13", "git pull"],
  },
  {
    name: "an abort is missing from the config and --to names another agent",
    given: lacksSavedAbort(100),
    argv: ["--to", "agent_front@14", "--up"],
    code: 1,
    names: ["agent_front@13", "git pull"],
    // The fake CLI would print this if `pulumi up` had run.
    notNames: ["no stack named"],
  },
  {
    name: "an abort is missing from the config and --to names the aborted agent",
    given: lacksSavedAbort(100),
    argv: ["--to", "agent_front@13"],
    code: 1,
    names: ["agent_front@13", "git pull", ABORT],
    notNames: [UP],
  },
  {
    name: "an abort is missing from the config and the next rollout would start at 100%",
    given: { ...lacksSavedAbort(100), config: { "agent-platform:steps": "[100]" } },
    argv: ["--to", "agent_front@14", "--up"],
    code: 1,
    names: ["agent_front@13", "git pull"],
    notNames: ["no stack named"],
  },
  {
    name: "the config lacks a promotion to a higher percentage",
    given: lacksPromotion(10, front(50)),
    code: 1,
    names: ["agent_front@13", "50%", "10%", "git pull"],
  },
  {
    name: "the config lacks a promotion to a higher percentage and --up is set",
    given: lacksPromotion(50, front(100)),
    argv: ["--up"],
    code: 1,
    names: ["agent_front@13", "100%", "50%", "git pull"],
    notNames: ["no stack named"],
  },
  {
    name: "the config lacks the rollout of the next agent",
    given: lacksPromotion(100, { stable: "agent_front@13", candidate: "agent_front@14", percent: 1 }),
    code: 1,
    names: ["agent_front@14", "git pull"],
  },
  {
    name: "the config lacks the rollout of the previous agent, which was started again",
    given: {
      ...lacksPromotion(0, front(50)),
      rollouts: { front: { stable: "agent_front@13", candidate: "agent_front@12", percent: 100 } },
    },
    code: 1,
    names: ["agent_front@13", "git pull"],
  },
  {
    name: "the config has another stable agent, and no run has applied that",
    given: { ...stack(50), rollouts: { front: { ...front(10), stable: "agent_front@11" } } },
    code: 1,
    names: ['NumberGroup "support"', UP],
    notNames: ["git pull"],
  },
  {
    name: "the config returns to the previous agent, and no run has applied that",
    given: {
      ...stack(100),
      rollouts: { front: { stable: "agent_front@13", candidate: "agent_front@12", percent: 1 } },
    },
    code: 1,
    names: ['NumberGroup "support"', UP],
    notNames: ["git pull"],
  },
  {
    name: "`ignoreChanges` keeps a lower percentage from reaching a resource",
    given: { rollouts: { front: front(10) }, state: { entries: [{ ...support(50), more: { ignoreChanges: ["*"] } }] } },
    code: 1,
    names: ['NumberGroup "support"', "`ignoreChanges`", UP],
    notNames: ["git pull"],
  },
  {
    name: "the last run failed for an unknown reason and --up is set",
    given: { ...stack(10), runs: [{ at: "2026-11-23T09:10:00Z", result: "failed" }] },
    argv: ["--up"],
    code: 1,
    names: ["2026-11-23 09:10 UTC", "npx pulumi-agent-platform help killed-run", UP, "leave out"],
  },
  {
    name: "a step is unapplied, the last run failed for an unknown reason, and --up is set",
    given: {
      ...missing("rejected"),
      runs: [{ at: "2026-11-23T09:10:00Z", result: "failed" }],
      afterUp: { entries: [support(10)] },
    },
    argv: ["--up"],
    code: 1,
    names: ["2026-11-23 09:10 UTC", "npx pulumi-agent-platform help killed-run", UP],
    // Without `--up`, this promotion is held as well.
    notNames: ["leave out"],
  },
  {
    name: "a run failed for an unknown reason before an abort and --up is set",
    given: { ...stack(10), runs: [{ at: "2026-11-23T08:00:00Z", result: "failed" }, ABORT_RUN] },
    argv: ["--up"],
    code: 1,
    names: ["2026-11-23 08:00 UTC", "npx pulumi-agent-platform help killed-run"],
  },
  {
    name: "the last run failed, has a message similar to an abort's, and --up is set",
    given: { ...stack(10), runs: [{ ...ABORT_RUN, message: "Abort of the rollout front", result: "failed" }] },
    argv: ["--up"],
    code: 1,
    names: ["npx pulumi-agent-platform help killed-run"],
  },
  {
    name: "the stack was destroyed",
    given: { ...stack(10), state: { entries: [] }, runs: [{ ...DESTROY_FAILED, result: "succeeded" }] },
    code: 1,
    names: ["SMS"],
  },
  {
    name: "a group's first split may not have been applied",
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
    name: "the deletion of a group was interrupted",
    given: { ...stack(10), state: { entries: [support(10)], pending: [{ ...support(10), operation: "deleting" }] } },
    code: 1,
    names: ['NumberGroup "support"', "`pulumi destroy`", DOCTOR],
  },
  {
    name: "many resources lack the configured step",
    given: {
      rollouts: { front: front(50) },
      state: { entries: Array.from({ length: 7 }, (_, index) => number(`line${index}`, `${4001 + index}`, saved(10))) },
    },
    code: 1,
    names: ['NumberAssignment "line3"', UP],
    notNames: ['NumberAssignment "line5"'],
  },
  {
    name: "the last destroy failed",
    given: { ...stack(10), runs: [DESTROY_FAILED] },
    code: 1,
    names: [DESTROY, "SMS"],
  },
  {
    name: "the last destroy failed, even with --up",
    given: { ...missing("rejected"), runs: [DESTROY_FAILED], afterUp: { entries: [support(10)] } },
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
    names: ['SmsChat "hello"', "`pulumi destroy`", DOCTOR],
    notNames: [UP],
  },
];

const ENDS: PromoteCase[] = [
  {
    name: "there is no candidate",
    given: {
      rollouts: { front: { stable: "agent_front@12" } },
      state: { entries: [support(0, { rollout: { name: "front", stable: "agent_front@12" } })] },
    },
    code: 3,
    names: ["agent_front@12", `${PROMOTE} --to <agent>`],
  },
  {
    name: "the rollout has no candidate or start time",
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
    name: "the candidate was aborted",
    given: afterAbort(aborted(50)),
    code: 3,
    names: ["agent_front@13", `${PROMOTE} --to agent_front@13`],
  },
  {
    name: "--to names the aborted agent",
    given: afterAbort(aborted(50)),
    argv: ["--to", "agent_front@13"],
    code: 0,
    written: { ...aborted(50), percent: 1 },
    names: ["2026-11-23 09:02 UTC", "50%"],
  },
  {
    name: "--to names a newer version after an abort",
    given: afterAbort(aborted(50), "24h"),
    argv: ["--to", "agent_front@14"],
    code: 0,
    written: { ...aborted(50), candidate: "agent_front@14", percent: 1, promote: { minSoak: "24h" } },
    notNames: ["2026-11-23 09:02 UTC"],
  },
  {
    name: "the saved rollout has no candidate any more",
    given: lacksPromotion(100, { stable: "agent_front@13" }),
    argv: ["--to", "agent_front@14"],
    code: 0,
    written: { stable: "agent_front@13", candidate: "agent_front@14", percent: 1 },
  },
  {
    name: "an aborted agent's rollout was started again",
    given: {
      rollouts: { front: { ...aborted(50), percent: 1 } },
      state: { entries: [support(1, { rollout: { name: "front", ...aborted(50), percent: 1 } })] },
    },
    code: 0,
    written: { ...aborted(50), percent: 10 },
  },
];

/** The configured split was not applied to the second number. `afterUp` is the result of `pulumi up`. */
const behind = (percent: number, afterUp?: AfterUp): StackGiven => ({
  ...stack(percent, { unapplied: [{ numbers: "+15550000002\n", reason: "rejected" }] }),
  ...(afterUp && { afterUp }),
});

/** A group whose second number lacks the 50% split, because the platform rejected it in a run at this time. */
const rejectedAt = (time: string) => ({
  ...support(50, { unapplied: [{ numbers: "+15550000002\n", reason: "rejected" }] }),
  more: { modified: time, initErrors: ["AGP-031 rejected"] },
});

const UPS: PromoteCase[] = [
  {
    name: "writes a step and applies it to every number",
    given: { ...stack(10), afterUp: { entries: [support(50)] } },
    argv: ["--up"],
    code: 0,
    written: front(50),
    names: ["50%", "agent_front@13"],
  },
  {
    name: "writes a step although the last run was an abort that failed",
    given: {
      ...stack(10),
      runs: [{ ...ABORT_RUN, result: "failed" }],
      afterUp: { entries: [support(50)] },
    },
    argv: ["--up"],
    code: 0,
    written: front(50),
  },
  {
    name: "writes the step even if `pulumi up` then fails",
    given: { ...stack(10), afterUp: "fails" },
    argv: ["--up"],
    code: 1,
    written: front(50),
    names: ['NumberGroup "support"', "10%"],
  },
  {
    name: "applies an unapplied step instead of writing the next one",
    given: behind(50, { entries: [support(50)] }),
    argv: ["--up"],
    code: 3,
    names: ["+15550000002", `${PROMOTE} --up`],
  },
  {
    name: "applies an unapplied step if the state says why the last run failed",
    given: {
      ...behind(50, { entries: [support(50)] }),
      state: { entries: [rejectedAt("2026-11-23T09:11:00Z")] },
      runs: [{ at: "2026-11-23T09:10:00Z", result: "failed" }],
    },
    argv: ["--up"],
    code: 3,
    names: ["+15550000002", `${PROMOTE} --up`],
  },
  {
    name: "applies the last step instead of starting the next rollout",
    given: behind(100, { entries: [support(100)] }),
    argv: ["--up", "--to", "agent_front@14"],
    code: 3,
    names: ["+15550000002", `${PROMOTE} --to agent_front@14 --up`],
  },
  {
    name: "does not promote if the configured step cannot be applied",
    given: behind(50, "fails"),
    argv: ["--up"],
    code: 1,
    names: ["+15550000002"],
    notNames: [`${PROMOTE} --up`],
  },
  {
    name: "requires a bypass to apply the configured split to a frozen stack",
    given: { ...behind(50), config: FROZEN },
    argv: ["--up"],
    code: 1,
    names: ["incident 4711", `${BYPASSED} ${UP}`],
  },
];

const MISTAKES: PromoteCase[] = [
  {
    name: "a new candidate before the current rollout is complete",
    given: stack(10),
    argv: ["--to", "agent_front@14"],
    code: 2,
    names: ["agent_front@13", "10%"],
  },
  {
    name: "a --to agent that is already the candidate",
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
    name: "a candidate that is not an agent name",
    given: stack(0),
    argv: ["--to", "front 14"],
    code: 2,
    names: ['"front 14"'],
  },
  {
    name: "a candidate without the agent_ prefix",
    given: stack(100),
    argv: ["--to", "front@14"],
    code: 2,
    names: ["agent_front@14"],
  },
  {
    name: "steps that are stored as a secret",
    given: { ...stack(10), config: { "agent-platform:steps": null } },
    code: 2,
    names: ["pulumi config set agent-platform:steps '[1, 10, 50, 100]' --plaintext --stack prod"],
  },
  {
    name: "a stack without configured steps",
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
    name: "a percentage with a percent sign",
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
