import { type Entry, group, number, platform, type RecordedStack, type Run, secret } from "./recorded";

/** The findings of `doctor` for the stack `dev`. The full expected output is in test/words/testdata/commands.txt. */
export interface DoctorCase {
  readonly name: string;
  readonly given: RecordedStack;
  /**
   * The expected findings: the code, the resource and its numbers, then `(note)`, or `(sent again)` if `pulumi up`
   * could create the voice or chat a second time.
   */
  readonly finds: readonly string[];
  /** The text in backquotes in the findings: commands and arguments that users can copy. */
  readonly copies: readonly string[];
  /** Other strings that the findings must contain. */
  readonly names?: readonly string[];
  /** Strings that the findings must not contain. */
  readonly notNames?: readonly string[];
  /** The exit code. @default 1 */
  readonly code?: number;
}

const config = { "agent-platform:baseUrl": platform };

export const voice = (id: string, outputs: Readonly<Record<string, unknown>> = {}): Entry => ({
  kind: "CommunityVoice",
  name: "nova",
  id,
  outputs: { voiceName: "nova", workspaceId: 42, ...outputs },
});
export const chat = (id: string, outputs: Readonly<Record<string, unknown>> = {}): Entry => ({
  kind: "SmsChat",
  name: "hello",
  id,
  outputs: { toNumber: "+15557654321", workspaceId: 42, ...outputs },
});

const UNAUTHORIZED = `AGP-070 NumberGroup "g": 1 of 2.
  AGP-031 expired (+2).
  Run \`npx pulumi-agent-platform help troubleshooting\`.`;
const UNKNOWN_OUTCOME = `AGP-040 NumberAssignment "a": busy.
  Rerun.`;
/** A group with two numbers, saved at `modified` by a run in which the platform rejected one number with a 401. */
const unauthorized = (modified: string): Entry =>
  group(
    "g",
    "+1\n+2\n",
    { unapplied: [{ numbers: "+2\n", reason: "rejected" }] },
    { initErrors: [UNAUTHORIZED], modified },
  );
const run = (result: string, more: Partial<Run> = {}): Run => ({ at: "2026-11-23T09:02:00Z", result, ...more });

const front = { stable: "agent_a@1", candidate: "agent_b@2", percent: 10 };
const onDesk = number("desk", "+1", { rollout: { name: "front", ...front } });
const aborted = { stable: "agent_a@1", aborted: { agent: "agent_b@2", percent: 10, at: "2026-11-23T09:00:00Z" } };
/** The rollout `front` after an abort with `--to agent_z@9`, which moved the calls away from `agent_a@1`. */
const returned = {
  stable: "agent_z@9",
  candidate: "agent_b@2",
  percent: 0,
  aborted: { ...aborted.aborted, agent: "agent_a@1", to: "agent_z@9" },
};
const withAbort = { ...config, "agent-platform:rollouts": JSON.stringify({ front: aborted }) };

const withConfig = (stack: RecordedStack): RecordedStack => ({ config, ...stack });

/** The commands to copy after a stopped run that was creating a voice or chat. */
const STOPPED_POST = [
  "pulumi refresh",
  "pulumi cancel --stack dev",
  "pulumi up --stack dev",
  "pulumi cancel --stack dev",
  "pulumi up --stack dev",
  "pulumi refresh --clear-pending-creates --stack dev",
];

export const CASES: readonly DoctorCase[] = [
  {
    name: "an unresolved voice",
    given: { state: { entries: [voice("unresolved-7f", { unresolved: true })] } },
    finds: ["AGP-041 nova"],
    copies: ["pulumi up --stack dev"],
  },
  {
    name: "unapplied numbers in a group",
    given: {
      state: {
        entries: [
          group("g", "+1\n+2\n+3\n", {
            unapplied: [
              { numbers: "+1\n", reason: "unknown" },
              { numbers: "+2\n+3\n", reason: "rejected" },
            ],
          }),
        ],
      },
    },
    finds: ["AGP-044 g +1 +2 +3"],
    copies: ["pulumi up --stack dev", "npx pulumi-agent-platform show --stack dev"],
  },
  {
    // `pulumi up` would apply the number but might also send the SMS a second time, so the user must look for the chat
    // first.
    name: "an interrupted chat and an unapplied number",
    given: {
      state: {
        entries: [number("a", "+1", { unapplied: [{ numbers: "+1\n", reason: "rejected" }] })],
        pending: [{ ...chat(""), operation: "creating" }],
      },
    },
    finds: ["- hello (sent again)", "AGP-044 a +1"],
    copies: [...STOPPED_POST, "pulumi up --stack dev", "npx pulumi-agent-platform show --stack dev"],
    code: 3,
  },
  {
    name: "a failed operation even if every number was applied",
    given: { state: { entries: [number("a", "+1", {}, { initErrors: ["…"] })] } },
    finds: ["- a"],
    copies: ["pulumi up --stack dev"],
  },
  {
    name: "an interrupted replacement of a chat that has secret metadata",
    given: {
      state: {
        entries: [chat("c1", { metadata: { key: secret("v1") } })],
        pending: [{ ...chat("", { metadata: { key: secret("v2") } }), operation: "creating" }],
      },
    },
    finds: ["- hello (sent again)"],
    copies: STOPPED_POST,
    code: 3,
  },
  {
    name: "an interrupted chat that was adopted later",
    given: { state: { entries: [chat("c1", { adopt: "c1" })], pending: [{ ...chat(""), operation: "creating" }] } },
    finds: ["- hello"],
    copies: ["pulumi refresh --clear-pending-creates --stack dev"],
    // There is only one chat, so the finding doesn't need its ID.
    notNames: ["c1"],
  },
  {
    name: "a number whose update was interrupted",
    given: { state: { entries: [number("a", "+1")], pending: [{ ...number("a", "+1"), operation: "updating" }] } },
    finds: ["- a +1"],
    copies: ["pulumi cancel --stack dev", "pulumi up --stack dev", "triggers"],
  },
  {
    name: "a group whose deletion was interrupted",
    given: { state: { entries: [group("g", "+1\n")], pending: [{ ...group("g", "+1\n"), operation: "deleting" }] } },
    finds: ["- g +1"],
    copies: [
      "pulumi cancel --stack dev",
      "pulumi up",
      "triggers",
      "pulumi cancel --stack dev",
      "pulumi up --stack dev",
      "pulumi destroy",
      "pulumi up",
    ],
  },
  {
    name: "a chat whose deletion was interrupted",
    given: { state: { entries: [chat("c1")], pending: [{ ...chat("c1"), operation: "deleting" }] } },
    finds: ["- hello"],
    copies: ["pulumi cancel --stack dev", "pulumi destroy", "pulumi up"],
  },
  {
    name: "an unresolved chat and the interrupted deletion of a group",
    given: {
      state: {
        entries: [chat("unresolved-7f", { unresolved: true }), group("g", "+1\n")],
        pending: [{ ...group("g", "+1\n"), operation: "deleting" }],
      },
    },
    finds: ["- g +1", "AGP-041 hello"],
    copies: [
      "pulumi cancel --stack dev",
      "pulumi up",
      "triggers",
      "pulumi cancel --stack dev",
      "pulumi up --stack dev",
      "pulumi destroy",
      "pulumi up",
      "pulumi up --stack dev",
      "pulumi destroy",
      "pulumi up",
    ],
  },
  {
    name: "a pending create that a later run completed",
    given: {
      state: {
        entries: [number("a", "+1", { triggers: { again: 1 } })],
        pending: [{ ...number("a", "+1"), operation: "creating" }],
      },
    },
    finds: ["- a"],
    copies: ["pulumi refresh --clear-pending-creates --stack dev"],
  },
  {
    name: "no duplicate for a renamed number that awaits deletion",
    given: { state: { entries: [number("line2", "+1"), number("line", "+1")] }, runs: [run("failed")] },
    finds: ["-"],
    copies: [
      "npx pulumi-agent-platform help killed-run",
      "pulumi up --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
    ],
  },
  {
    name: "a replaced group that awaits deletion",
    given: {
      state: {
        entries: [group("g", "+2\n"), number("a", "+1"), group("g", "+1\n+2\n", {}, { delete: true })],
      },
    },
    finds: ["- g"],
    copies: ["pulumi up --stack dev"],
  },
  {
    name: "removed numbers that exceed maxRemove",
    given: { state: { entries: [group("g", "+2\n"), group("g", "+1\n+2\n+3\n", {}, { delete: true })] } },
    finds: ["AGP-024 g +1 +3"],
    copies: [
      "pulumi state delete urn:pulumi:dev::phones::pulumi-nodejs:dynamic/agent-platform:NumberGroup::g --stack dev",
      "pulumi config set agent-platform:maxRemove 2 --stack dev",
      "pulumi up --stack dev",
    ],
  },
  {
    name: "numbers that the next `pulumi up` would unassign",
    given: {
      state: { entries: [group("g", "+2\n"), group("g", "+1\n+2\n+3\n", {}, { delete: true })] },
      config: { ...config, "agent-platform:maxRemove": "2" },
    },
    finds: ["- g +1 +3"],
    copies: [
      "pulumi state delete urn:pulumi:dev::phones::pulumi-nodejs:dynamic/agent-platform:NumberGroup::g --stack dev",
      "pulumi up --stack dev",
    ],
  },
  {
    name: "a failed last run",
    given: { runs: [run("succeeded"), run("failed", { message: "front: 50%\n\nmore" })] },
    finds: ["-"],
    copies: [
      "npx pulumi-agent-platform help killed-run",
      "pulumi up --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
    ],
  },
  {
    name: "a 401 response in the last run",
    given: {
      runs: [run("failed", { message: "front: 50%" })],
      state: {
        entries: [unauthorized("2026-11-23T09:02:05.3Z")],
      },
    },
    finds: ["AGP-044 g +2", "-"],
    copies: [
      "pulumi up --stack dev",
      "npx pulumi-agent-platform show --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "pulumi up --stack dev",
    ],
  },
  {
    name: "a failed run without blaming an earlier run's 401",
    given: {
      runs: [run("failed")],
      state: {
        entries: [unauthorized("2026-11-22T08:00:00Z")],
      },
    },
    finds: ["AGP-044 g +2", "-"],
    copies: [
      "pulumi up --stack dev",
      "npx pulumi-agent-platform show --stack dev",
      "npx pulumi-agent-platform help killed-run",
      "pulumi up --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
    ],
  },
  {
    name: "a number whose outcome is unknown after the last run",
    given: {
      runs: [run("failed")],
      state: {
        entries: [
          number(
            "a",
            "+1",
            { unapplied: [{ numbers: "+1\n", reason: "unknown" }] },
            { initErrors: [UNKNOWN_OUTCOME], modified: "2026-11-23T09:02:05.3Z" },
          ),
        ],
      },
    },
    finds: ["AGP-044 a +1", "-"],
    copies: ["pulumi up --stack dev", "npx pulumi-agent-platform show --stack dev", "pulumi up --stack dev"],
  },
  {
    name: "an unresolved chat only once after a failed run",
    given: {
      runs: [run("failed")],
      state: {
        entries: [
          {
            ...chat("unresolved-7f", { unresolved: true }),
            more: { initErrors: ["AGP-041 … Set `adopt`."], modified: "2026-11-23T09:02:05.3Z" },
          },
        ],
      },
    },
    finds: ["AGP-041 hello", "-"],
    copies: ["pulumi up --stack dev", "pulumi up --stack dev"],
  },
  {
    name: "an earlier run's error separately from the last run's failure",
    given: {
      runs: [run("failed")],
      state: {
        entries: [number("a", "+1", {}, { initErrors: [UNAUTHORIZED], modified: "2026-11-22T08:00:00Z" })],
      },
    },
    finds: ["-", "- a"],
    copies: [
      "npx pulumi-agent-platform help killed-run",
      "pulumi up --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
      "pulumi up --stack dev",
    ],
  },
  {
    name: "an abort that was written but never applied",
    given: { state: { entries: [onDesk] }, config: withAbort },
    finds: ["- +1"],
    copies: ["npx pulumi-agent-platform abort front --stack dev --up"],
  },
  {
    name: "an abort that was not applied to one number",
    given: {
      state: {
        entries: [
          group("g", "+1\n+2\n", {
            rollout: { name: "front", ...aborted },
            inboundAgents: { "agent_a@1": 100 },
            unapplied: [
              {
                numbers: "+2\n",
                reason: "rejected",
                applied: { inboundAgents: { "agent_a@1": 90, "agent_b@2": 10 } },
              },
            ],
          }),
        ],
      },
      config: withAbort,
    },
    finds: ["- +1 +2", "AGP-044 g +2"],
    copies: [
      "npx pulumi-agent-platform abort front --stack dev --up",
      "npx pulumi-agent-platform abort front --stack dev --up",
      "npx pulumi-agent-platform show --stack dev",
    ],
  },
  {
    name: "an unapplied abort after an interrupted update",
    given: { state: { entries: [onDesk], pending: [{ ...onDesk, operation: "updating" }] }, config: withAbort },
    finds: ["- +1", "- desk +1"],
    copies: [
      "npx pulumi-agent-platform abort front --stack dev --up",
      "pulumi cancel --stack dev",
      "pulumi cancel --stack dev",
      "pulumi up --stack dev",
      "triggers",
    ],
  },
  {
    name: "an interrupted rollout step",
    given: {
      runs: [run("failed", { rollouts: { front: { ...front, percent: 50 } } })],
      state: { entries: [onDesk], pending: [{ ...onDesk, operation: "updating" }] },
      config: { ...config, "agent-platform:rollouts": JSON.stringify({ front: { ...front, percent: 50 } }) },
    },
    finds: ["- desk +1", "-"],
    copies: [
      "pulumi cancel --stack dev",
      "pulumi up --stack dev",
      "triggers",
      "npx pulumi-agent-platform help killed-run",
      "pulumi up --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
    ],
  },
  {
    name: "an unapplied abort on a frozen stack",
    given: {
      state: { entries: [onDesk] },
      config: { ...withAbort, "agent-platform:freeze": "incident 4711" },
    },
    finds: ["- +1"],
    copies: ['AGENT_PLATFORM_BYPASS="<reason>" npx pulumi-agent-platform abort front --stack dev --up'],
  },
  {
    name: "an unapplied abort to an unapproved agent",
    given: {
      state: { entries: [onDesk] },
      config: {
        ...config,
        "agent-platform:rollouts": JSON.stringify({
          front: { stable: "agent_c@3", aborted: { ...aborted.aborted, to: "agent_c@3" } },
        }),
      },
    },
    finds: ["- +1"],
    copies: ['AGENT_PLATFORM_BYPASS="<reason>" npx pulumi-agent-platform abort front --stack dev --up'],
  },
  {
    name: "other numbers that still use an aborted agent",
    given: {
      state: {
        entries: [
          number("desk", "+1", { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_a@1": 100 } }),
          group("vip", "+2\n+3\n"),
          number("night", "+4", { rollout: { name: "late", ...front } }),
        ],
      },
      config: withAbort,
    },
    finds: ["- vip +2 +3 (note)", "- night +4 (note)"],
    copies: ["pulumi up --stack dev", "npx pulumi-agent-platform abort late --stack dev --up"],
    code: 0,
  },
  {
    name: "an abort that is missing from the config",
    given: {
      state: {
        entries: [group("g", "+1\n", { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_a@1": 100 } })],
      },
      config: {
        ...config,
        "agent-platform:rollouts": JSON.stringify({ front }),
      },
    },
    finds: ["- +1"],
    copies: [
      "pulumi up",
      "git pull",
      "npx pulumi-agent-platform abort front --stack dev --up",
      `npx pulumi-agent-platform promote front --stack dev --to ${aborted.aborted.agent}`,
    ],
  },
  {
    name: "a failed run and the abort that the config lacks",
    given: {
      runs: [
        run("failed", { at: "2026-11-23T08:00:00Z" }),
        run("succeeded", { message: 'Abort of the rollout "front"' }),
      ],
      state: {
        entries: [
          number("desk", "+1", { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_a@1": 100 } }),
        ],
      },
      config: { ...config, "agent-platform:rollouts": JSON.stringify({ front }) },
    },
    finds: ["- +1", "-"],
    copies: [
      "pulumi up",
      "git pull",
      "npx pulumi-agent-platform abort front --stack dev --up",
      `npx pulumi-agent-platform promote front --stack dev --to ${aborted.aborted.agent}`,
      "pulumi up",
      "npx pulumi-agent-platform help killed-run",
      "pulumi up --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
    ],
    names: ["get the commit of the missing abort"],
  },
  {
    name: "a missing abort first, before an interrupted update and a blocked rollout",
    given: {
      state: {
        entries: [
          number(
            "desk",
            "+1",
            { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_a@1": 100 } },
            { ignoreChanges: ["rollout"] },
          ),
          number("other", "+2"),
        ],
        pending: [{ ...number("other", "+2"), operation: "updating" }],
      },
      config: { ...config, "agent-platform:rollouts": JSON.stringify({ front }) },
    },
    finds: ["- +1", "- desk +1", "- other +2"],
    copies: [
      "pulumi up",
      "git pull",
      "npx pulumi-agent-platform abort front --stack dev --up",
      `npx pulumi-agent-platform promote front --stack dev --to ${aborted.aborted.agent}`,
      "ignoreChanges",
      "pulumi up",
      "rollout",
      "inboundAgents",
      "pulumi up --stack dev",
      "pulumi up",
      "pulumi cancel --stack dev",
      "pulumi up --stack dev",
      "triggers",
    ],
  },
  {
    name: "a promotion that is missing from the config",
    given: {
      state: {
        entries: [
          group("g", "+1\n", {
            rollout: { name: "front", ...front, percent: 50 },
            inboundAgents: { "agent_a@1": 50, "agent_b@2": 50 },
          }),
        ],
      },
      config: {
        ...config,
        "agent-platform:rollouts": JSON.stringify({ front: { ...front, percent: 10 } }),
      },
    },
    finds: ["- +1 (note)"],
    copies: ["git pull", "pulumi up --stack dev"],
    code: 0,
  },
  {
    name: "a failed destroy rather than an unapplied abort",
    given: {
      runs: [run("failed", { kind: "destroy" })],
      state: { entries: [onDesk] },
      config: withAbort,
    },
    finds: ["-"],
    copies: [
      "npx pulumi-agent-platform help killed-run",
      "pulumi destroy --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
      "pulumi up",
    ],
  },
  {
    name: "a failed destroy",
    given: { runs: [run("failed", { kind: "destroy" })] },
    finds: ["-"],
    copies: [
      "npx pulumi-agent-platform help killed-run",
      "pulumi destroy --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
      "pulumi up",
    ],
  },
  ...[voice, chat].map((post) => ({
    name: `a failed destroy that left an unresolved ${post("").kind}`,
    given: {
      runs: [run("failed", { kind: "destroy" })],
      state: { entries: [post("unresolved-7f", { unresolved: true })] },
    },
    finds: [`AGP-041 ${post("").name}`, "-"],
    copies: [
      "pulumi destroy --stack dev",
      "npx pulumi-agent-platform help killed-run",
      "pulumi destroy --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
      "pulumi up",
    ],
  })),
  ...[voice, chat].map((post) => ({
    // After an interrupted creation, the state has no ID, so a destroy can't delete the voice or chat.
    name: `a failed destroy after an interrupted ${post("").kind} creation`,
    given: {
      runs: [run("failed", { kind: "destroy" })],
      state: { pending: [{ ...post(""), operation: "creating" }] },
    },
    finds: [`- ${post("").name} (sent again)`, "-"],
    copies: [
      "pulumi cancel --stack dev",
      "pulumi destroy --stack dev",
      "pulumi up",
      "npx pulumi-agent-platform help killed-run",
      "pulumi destroy --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
      "pulumi up",
    ],
    code: 3,
  })),
  {
    name: "a failed destroy after an interrupted update of a number",
    given: {
      runs: [run("failed", { kind: "destroy" })],
      state: { entries: [number("a", "+1")], pending: [{ ...number("a", "+1"), operation: "updating" }] },
    },
    finds: ["- a +1", "-"],
    copies: [
      "pulumi cancel --stack dev",
      "pulumi destroy --stack dev",
      "npx pulumi-agent-platform help killed-run",
      "pulumi destroy --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
      "pulumi up",
    ],
  },
  {
    // Recommend another destroy, because `pulumi up` would restart any chats that the failed destroy has ended.
    name: "a failed destroy of an unapplied number",
    given: {
      runs: [run("failed", { kind: "destroy" })],
      state: { entries: [number("a", "+1", { unapplied: [{ numbers: "+1\n", reason: "rejected" }] })] },
    },
    finds: ["AGP-044 a +1", "-"],
    copies: [
      "pulumi destroy --stack dev",
      "npx pulumi-agent-platform show --stack dev",
      "npx pulumi-agent-platform help killed-run",
      "pulumi destroy --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
      "pulumi up",
    ],
  },
  {
    // `refresh --clear-pending-creates` must come last, because it would also clear the interrupted chat's entry.
    name: "a completed chat and an interrupted chat separately",
    given: {
      state: {
        entries: [chat("c2")],
        pending: [
          { ...chat(""), operation: "creating" },
          { ...chat(""), name: "other", operation: "creating" },
        ],
      },
    },
    finds: ["- other (sent again)", "- hello"],
    copies: [...STOPPED_POST, "pulumi refresh --clear-pending-creates --stack dev"],
    code: 3,
  },
  {
    // This clone's config lacks the abort, so `pulumi up` would not apply it.
    name: "a failed run that did not apply an abort",
    given: {
      runs: [run("failed", { rollouts: { front: aborted } })],
      state: { entries: [onDesk] },
    },
    finds: ["-"],
    copies: [
      "npx pulumi-agent-platform abort front --stack dev --up",
      "npx pulumi-agent-platform help killed-run",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
    ],
    names: ['NumberAssignment "desk"'],
  },
  {
    name: "a failed run that did not apply a step",
    given: {
      runs: [run("failed", { rollouts: { front: { ...front, percent: 50 } } })],
      state: { entries: [onDesk] },
    },
    finds: ["-"],
    copies: [
      "npx pulumi-agent-platform help killed-run",
      "pulumi up --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
      "npx pulumi-agent-platform abort front --stack dev --up",
    ],
  },
  {
    // The abort has returned all calls to the stable agent, so the split of the failed run is no longer wanted.
    name: "a failed run that was followed by an abort",
    given: {
      config: withAbort,
      runs: [
        run("failed", { at: "2026-11-23T08:00:00Z", rollouts: { front: { ...front, percent: 50 } } }),
        run("succeeded", { message: 'Abort of the rollout "front"' }),
      ],
      state: {
        entries: [
          number("desk", "+1", { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_a@1": 100 } }),
        ],
      },
    },
    finds: ["-"],
    copies: [
      "npx pulumi-agent-platform help killed-run",
      "pulumi up --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
    ],
    names: ["2026-11-23 08:00 UTC"],
    notNames: ['NumberAssignment "desk"'],
  },
  {
    name: "a failed run that did not apply the restart of an aborted agent",
    given: {
      runs: [run("failed", { rollouts: { front: { ...front, aborted: aborted.aborted } } })],
      config: {
        ...config,
        "agent-platform:rollouts": JSON.stringify({ front: { ...front, aborted: aborted.aborted } }),
      },
      state: {
        entries: [
          number("desk", "+1", { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_a@1": 100 } }),
        ],
      },
    },
    finds: ["-"],
    copies: [
      "npx pulumi-agent-platform help killed-run",
      "pulumi up --stack dev",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
      "npx pulumi-agent-platform abort front --stack dev --up",
    ],
    names: ['NumberAssignment "desk"'],
  },
  {
    name: "an abort that no run has applied even if every number has the stable split",
    given: {
      config: withAbort,
      state: {
        entries: [
          number("desk", "+1", {
            rollout: { name: "front", ...front, percent: 0 },
            inboundAgents: { "agent_a@1": 100 },
          }),
        ],
      },
    },
    finds: ["- +1"],
    copies: ["npx pulumi-agent-platform abort front --stack dev --up"],
  },
  {
    name: "a rollout's unapplied numbers",
    given: {
      state: {
        entries: [
          number("desk", "+1", {
            rollout: { name: "front", ...front },
            unapplied: [{ numbers: "+1\n", reason: "rejected" }],
          }),
        ],
      },
    },
    finds: ["AGP-044 desk +1"],
    copies: [
      "pulumi up --stack dev",
      "npx pulumi-agent-platform show --stack dev",
      "npx pulumi-agent-platform abort front --stack dev --up",
    ],
  },
  {
    name: "an unapplied abort and its failed run as one problem",
    given: {
      config: withAbort,
      runs: [run("failed", { rollouts: { front: aborted } })],
      state: { entries: [onDesk] },
    },
    finds: ["- +1"],
    copies: [
      "npx pulumi-agent-platform abort front --stack dev --up",
      "npx pulumi-agent-platform help killed-run",
      "npx pulumi-agent-platform help troubleshooting",
      "npx pulumi-agent-platform help AGP-024",
    ],
  },
  {
    name: "a token in plain text",
    given: { config: { ...config, "agent-platform:accessToken": "hush-token" } },
    finds: ["-"],
    copies: ["pulumi config set --secret agent-platform:accessToken --stack dev"],
  },
  {
    name: "a chat that may have been started twice",
    given: { state: { entries: [chat("c2")], pending: [{ ...chat(""), operation: "creating" }] } },
    finds: ["- hello"],
    copies: ["pulumi refresh --clear-pending-creates --stack dev"],
    names: ["c2"],
  },
  {
    // The run may have been sending a new chat instead of the adopted one, because secrets can't be compared.
    name: "an interrupted chat with a secret beside an adopted chat",
    given: {
      state: {
        entries: [chat("c2", { adopt: "c2", metadata: secret("v1:later") })],
        pending: [{ ...chat("", { metadata: secret("v1:earlier") }), operation: "creating" }],
      },
    },
    finds: ["- hello (sent again)"],
    copies: STOPPED_POST,
    code: 3,
  },
  {
    name: "an interrupted chat that would replace the saved one",
    given: {
      state: { entries: [chat("c2")], pending: [{ ...chat("", { toNumber: "+15557654322" }), operation: "creating" }] },
    },
    finds: ["- hello (sent again)"],
    copies: STOPPED_POST,
    code: 3,
  },
  {
    name: "only the numbers that an interrupted update may have changed",
    given: {
      state: {
        entries: [group("g", "+1\n+2\n"), group("labels", "+5\tA\n")],
        pending: [
          { ...group("g", "+2\n+3\n"), operation: "updating" },
          { ...group("labels", "+5\tB\n"), operation: "updating" },
        ],
      },
    },
    finds: ["- g +3 +1", "- labels"],
    copies: [
      "pulumi cancel --stack dev",
      "pulumi up --stack dev",
      "triggers",
      "pulumi cancel --stack dev",
      "pulumi up --stack dev",
      "triggers",
    ],
  },
  {
    name: "a voice that may have been added twice",
    given: { state: { entries: [voice("v2")], pending: [{ ...voice(""), operation: "creating" }] } },
    finds: ["- nova"],
    copies: ["pulumi refresh --clear-pending-creates --stack dev"],
    names: ["v2"],
  },
  {
    name: "a rollout step that `ignoreChanges` blocks",
    given: {
      state: { entries: [{ ...onDesk, more: { ignoreChanges: ["rollout"] } }] },
      config: { ...config, "agent-platform:rollouts": JSON.stringify({ front: { ...front, percent: 50 } }) },
    },
    finds: ["- desk +1"],
    copies: ["ignoreChanges", "rollout", "inboundAgents", "pulumi up --stack dev"],
  },
  {
    name: "no problem with `ignoreChanges` if the configured split is applied",
    given: {
      state: { entries: [{ ...onDesk, more: { ignoreChanges: ["*"] } }] },
      config: { ...config, "agent-platform:rollouts": JSON.stringify({ front }) },
    },
    finds: [],
    copies: [],
    code: 0,
  },
  {
    // To say that the program should change would be wrong here, because it already has.
    name: "a rejected split only once, even if the number still has an aborted agent",
    given: {
      config: withAbort,
      state: {
        entries: [
          number("desk", "+1", { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_a@1": 100 } }),
          number("late", "+4", {
            inboundAgents: { "agent_a@1": 100 },
            unapplied: [{ numbers: "+4\n", reason: "rejected", applied: { inboundAgents: { "agent_b@2": 100 } } }],
          }),
        ],
      },
    },
    finds: ["AGP-044 late +4"],
    copies: ["pulumi up --stack dev", "npx pulumi-agent-platform show --stack dev"],
  },
  {
    name: "a number that is to keep fewer calls of an aborted agent",
    given: {
      config: withAbort,
      state: {
        entries: [
          number("desk", "+1", { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_a@1": 100 } }),
          number("late", "+4", {
            inboundAgents: { "agent_a@1": 60, "agent_b@2": 40 },
            unapplied: [{ numbers: "+4\n", reason: "rejected", applied: { inboundAgents: { "agent_b@2": 100 } } }],
          }),
        ],
      },
    },
    finds: ["AGP-044 late +4", "- late +4 (note)"],
    copies: ["pulumi up --stack dev", "npx pulumi-agent-platform show --stack dev", "pulumi up --stack dev"],
  },
  {
    name: "a number that still uses an agent aborted with --to",
    given: {
      state: {
        entries: [
          number("desk", "+1", { rollout: { name: "front", ...returned }, inboundAgents: { "agent_z@9": 100 } }),
          number("night", "+4", { inboundAgents: { "agent_a@1": 100 } }),
        ],
      },
      config: {
        ...config,
        "agent-platform:approvedAgents": '["agent_z@9"]',
        "agent-platform:rollouts": JSON.stringify({ front: returned }),
      },
    },
    finds: ["- night +4 (note)"],
    copies: ["pulumi up --stack dev"],
    code: 0,
  },
  {
    name: "a missing base URL",
    given: { config: {}, state: { entries: [number("a", "+1")] } },
    finds: ["AGP-010"],
    copies: ["pulumi config set agent-platform:baseUrl 'https://\u2026' --stack dev", "pulumi preview --stack dev"],
  },
  {
    name: "settings that make every preview fail",
    given: {
      config: {
        "agent-platform:baseUrl": "ftp://platform.example",
        "agent-platform:maxShift": "10%",
        "agent-platform:freeze": "",
        "agent-platform:maxShif": "20",
        "agentplatform:maxRemove": "1",
        "agent-platform:workspaceId": null,
        "phones:baseUrl": "not ours",
      },
    },
    finds: ["AGP-015"],
    copies: ["pulumi preview --stack dev"],
  },
  {
    name: "an unknown setting",
    given: { config: { ...config, "agent-platform:maxShif": "20" } },
    finds: ["AGP-015"],
    copies: ["pulumi preview --stack dev"],
  },
  {
    name: "a secret setting that must be plain text",
    given: { config: { ...config, "agent-platform:workspaceId": null } },
    finds: ["AGP-015"],
    copies: ["pulumi preview --stack dev"],
  },
  {
    name: "no problem if every resource is applied",
    given: { state: { entries: [number("a", "+1"), group("g", "+2\n+3\n"), voice("v1"), chat("c1")] } },
    finds: [],
    copies: [],
    code: 0,
  },
  {
    name: "no problem with settings that are allowed to be secret",
    given: { config: { ...config, "agent-platform:accessToken": null, "agent-platform:maxShift": null } },
    finds: [],
    copies: [],
    code: 0,
  },
].map((doctorCase) => ({ ...doctorCase, given: withConfig(doctorCase.given) }));
