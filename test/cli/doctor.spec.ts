import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { doctorCommand } from "../../cli/commands/doctor";
import { type Entry, group, number, platform, type RecordedStack, type Run, secret, withRecorded } from "./recorded";
import { done, runWith } from "./terminal";

const config = { "agent-platform:baseUrl": platform };

/** What is printed of these stacks. @param files of the project, beside its stacks */
const ask = (stacks: Readonly<Record<string, RecordedStack>>, argv: string[] = [], files: [string, string][] = []) =>
  withRecorded(stacks, (world) => {
    files.forEach(([name, text]) => void writeFileSync(join(world.cwd, name), text));
    const named = Object.keys(stacks).flatMap((stack) => ["--stack", stack]);
    return runWith(doctorCommand.run, [...named, ...argv], world);
  });

/** Pairs of what was found and what to do, with their paragraphs. Each line fits a terminal, or is one command to copy. */
function findingsOf(stdout: string): string[][] {
  const long = stdout.split("\n").filter((line) => line.length > 80 && !/^ *`[^`]+`[.,:]?$/.test(line));
  assert.deepEqual(long, []);
  const [, list = ""] = /\n\n\d+ problems? found\n\n([\s\S]*)$/.exec(stdout) ?? [];
  return list.split(/\n\n/).flatMap((item) => {
    const [, what = "", todo = "", help] =
      /^\d+\. ([\s\S]*?)\n {3}Do: ([\s\S]*?)(?:\n {3}More: npx pulumi-agent-platform help (\S+))?\n?$/.exec(item) ?? [];
    // What has a code has the help of it, and what has none that of a runbook.
    const [code = help === undefined ? undefined : "killed-run"] = /^AGP-\d{3}/.exec(what) ?? [];
    assert.equal(help, code);
    const paragraphs = todo.replace(/\n {9}/g, " ").replace(/\n {7}/g, "\n");
    return what === "" ? [] : [[what.replace(/\n {5}/g, " "), paragraphs]];
  });
}

const voice = (id: string, outputs: Readonly<Record<string, unknown>> = {}): Entry => ({
  kind: "CommunityVoice",
  name: "nova",
  id,
  outputs: { voiceName: "nova", workspaceId: 42, ...outputs },
});
const chat = (id: string, outputs: Readonly<Record<string, unknown>> = {}): Entry => ({
  kind: "SmsChat",
  name: "hello",
  id,
  outputs: { toNumber: "+15557654321", workspaceId: 42, ...outputs },
});

const urnIn = (stack: string, kind: string, name: string) =>
  `urn:pulumi:${stack}::phones::pulumi-nodejs:dynamic/agent-platform:${kind}::${name}`;
const sendAgain =
  "run `pulumi up --stack dev`. It sends these numbers only. What each of them may have: `npx pulumi-agent-platform show --stack dev`";
const clearEntry = "`pulumi refresh --clear-pending-creates --stack dev` clears this entry. It sends nothing.";
const unlock = "`pulumi cancel --stack dev`, then `pulumi up --stack dev`";
const inactive = "make sure that no run is active.\n";
const sentAgain = (
  first: string,
) => `${inactive}if the change is still in the program: ${first} (the same request twice does no harm).
if it was reverted: first change \`triggers\` of each resource that declares one of the numbers.`;
const postedAgain = (first: string) => `${inactive}look in the workspace's chats first, because the chat may exist.
if it exists: adopt: "<chatId>", then ${first}
if it does not exist: ${first}. It sends it`;
const NOT_RECORDED = "Pulumi's record does not say why.";
const hints = `If its errors said 401, the token is not valid: \`npx pulumi-agent-platform help troubleshooting\`
If they said EOF or "transport is closing", first: \`npx pulumi-agent-platform help killed-run\`
If they name a code, such as AGP-024: \`npx pulumi-agent-platform help AGP-024\``;
const again = (verb: string) =>
  `run \`pulumi ${verb} --stack dev\` until it succeeds. Its errors say what to do; after a Ctrl-C there are none.\n${hints}`;
const abortFront = "`npx pulumi-agent-platform abort front --stack dev --up`";
const UNAUTHORIZED = `AGP-070 NumberGroup "g": 1 of 2 applied, 1 failed.
  1 × AGP-031 the platform returned 401 to PUT /api/numbers/{number}/agent: "expired": +2 (routing unchanged)
  Saved; the next \`pulumi up\` sends this number only.
  Create a new token, set it and rerun: \`npx pulumi-agent-platform help troubleshooting\`. The token is from AGENT_PLATFORM_ACCESS_TOKEN (environment).`;
const UNKNOWN_OUTCOME = `AGP-040 NumberAssignment "a": outcome unknown.
  Rerun: sending the same PUT twice does no harm.
  More: npx pulumi-agent-platform help AGP-040`;
/** A group whose run at this time got a 401 for one of its two numbers. */
const unauthorized = (modified: string): Entry =>
  group(
    "g",
    "+1\n+2\n",
    { unapplied: [{ numbers: "+2\n", reason: "rejected" }] },
    { initErrors: [UNAUTHORIZED], modified },
  );
const run = (result: string, more: Partial<Run> = {}): Run => ({ at: "2026-11-23T09:02:00Z", result, ...more });

describe("agent-platform doctor", () => {
  it("is content with a clean state, and says what it looked at", async () => {
    const entries = [number("a", "+1"), group("g", "+2\n+3\n"), voice("v1"), chat("c1")];
    const said =
      "stack dev of project phones: 1 NumberAssignment, 1 NumberGroup, 1\n    CommunityVoice, 1 SmsChat; nothing pending";
    assert.deepEqual(await ask({ dev: { state: { entries }, config } }), done(`${said}\n\nNo problems found.\n`));
  });

  it("is content with an empty stack", async () => {
    const empty = '{"version":3,"deployment":{"manifest":{},"metadata":{}}}';
    assert.deepEqual(
      await ask({ dev: { config } }, [], [["../dev.export.json", empty]]),
      done("stack dev: no resource of this platform; nothing pending\n\nNo problems found.\n"),
    );
  });

  const front = { stable: "agent_a@1", candidate: "agent_b@2", percent: 10 };
  const onDesk = number("desk", "+1", { rollout: { name: "front", ...front } });
  const aborted = { stable: "agent_a@1", aborted: { agent: "agent_b@2", percent: 10, at: "2026-11-23T09:00:00Z" } };
  const withAbort = { ...config, "agent-platform:rollouts": JSON.stringify({ front: aborted }) };
  const open: Record<string, [RecordedStack & { readonly exitCode?: number }, ...[what: string, todo: string][]]> = {
    "an unresolved voice": [
      { state: { entries: [voice("unresolved-7f", { unresolved: true })] } },
      [
        'AGP-041 dev: CommunityVoice "nova": unresolved since an earlier run: the voice may or may not be in workspace 42.',
        `check there, then set one of these arguments in the program and run \`pulumi up --stack dev\`:
if it exists: adopt: "<voiceId>"
if it does not exist: retryUnresolved: "unresolved-7f" (sends once)`,
      ],
    ],
    "numbers of a group that were not applied": [
      {
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
      [
        'AGP-044 dev: NumberGroup "g": not applied in an earlier run: 1 (+1): the outcome of the request was not known; 2 (+2, +3): the API rejected it.',
        sendAgain,
      ],
    ],
    "a failed step that left nothing unapplied": [
      { state: { entries: [number("a", "+1", {}, { initErrors: ["…"] })] } },
      ['dev: NumberAssignment "a": its last step failed.', "run `pulumi up --stack dev`."],
    ],
    "a chat whose replacement was being created, with secret metadata": [
      {
        state: {
          entries: [chat("c1", { metadata: { key: secret("v1") } })],
          pending: [{ ...chat("", { metadata: { key: secret("v2") } }), operation: "creating" }],
        },
        exitCode: 3,
      },
      ['dev: SmsChat "hello": a run was stopped while it was creating this.', postedAgain(unlock)],
    ],
    "a stopped create whose chat was adopted later": [
      { state: { entries: [chat("c1", { adopt: "c1" })], pending: [{ ...chat(""), operation: "creating" }] } },
      ['dev: SmsChat "hello": a run was stopped while it was creating this. A later run created it.', clearEntry],
    ],
    "a number that was being updated": [
      { state: { entries: [number("a", "+1")], pending: [{ ...number("a", "+1"), operation: "updating" }] } },
      ['dev: NumberAssignment "a" (+1): a run was stopped while it was updating this.', sentAgain(unlock)],
    ],
    "a group whose delete was under way": [
      { state: { entries: [group("g", "+1\n")], pending: [{ ...group("g", "+1\n"), operation: "deleting" }] } },
      [
        'dev: NumberGroup "g" (+1): a run was stopped while it was deleting this.',
        `${inactive}to delete it: \`pulumi cancel --stack dev\`, then the command of that run again.
to keep it: change its \`triggers\`, because its numbers may have no agents, then ${unlock}`,
      ],
    ],
    "a chat whose end was under way": [
      { state: { entries: [chat("c1")], pending: [{ ...chat("c1"), operation: "deleting" }] } },
      [
        'dev: SmsChat "hello": a run was stopped while it was deleting this.',
        `${inactive}\`pulumi cancel --stack dev\`, then the command of that run again. If the change was reverted, look in the workspace's chats first: the chat may have ended.`,
      ],
    ],
    "a create that a later run has done, with other triggers": [
      {
        state: {
          entries: [number("a", "+1", { triggers: { again: 1 } })],
          pending: [{ ...number("a", "+1"), operation: "creating" }],
        },
      },
      [
        'dev: NumberAssignment "a" (+1): a run was stopped while it was creating this. A later run created it.',
        clearEntry,
      ],
    ],
    "no second declaration while a renamed number waits for its delete": [
      { state: { entries: [number("line2", "+1"), number("line", "+1")] }, runs: [run("failed")] },
      [`dev: the last run failed at 2026-11-23 09:02 UTC. ${NOT_RECORDED}`, again("up")],
    ],
    "a replaced group whose numbers the stack still declares": [
      {
        state: {
          entries: [group("g", "+2\n"), number("a", "+1"), group("g", "+1\n+2\n", {}, { delete: true })],
        },
      },
      [
        'dev: NumberGroup "g": replaced in an earlier run; the original is not deleted yet.',
        "run `pulumi up --stack dev`.",
      ],
    ],
    "numbers whose removal maxRemove refuses, and what to do": [
      { state: { entries: [group("g", "+2\n"), group("g", "+1\n+2\n+3\n", {}, { delete: true })] } },
      [
        'AGP-024 dev: NumberGroup "g": replaced in an earlier run; the original is not deleted yet.',
        `If another stack declares one of them, first run this in a terminal, and choose the entry marked Pending Deletion:
\`pulumi state delete ${urnIn("dev", "NumberGroup", "g")} --stack dev\`
the guard maxRemove refuses to unassign 2 numbers in one run; limit 1. To keep +1, +3, declare them again.
To unassign them: \`pulumi config set agent-platform:maxRemove 2 --stack dev\`, then \`pulumi up --stack dev\`.`,
      ],
    ],
    "numbers that the next `up` unassigns, and how to forget them": [
      {
        state: { entries: [group("g", "+2\n"), group("g", "+1\n+2\n+3\n", {}, { delete: true })] },
        config: { ...config, "agent-platform:maxRemove": "2" },
      },
      [
        'dev: NumberGroup "g": replaced in an earlier run; the original is not deleted yet.',
        `If another stack declares one of them, first run this in a terminal, and choose the entry marked Pending Deletion:
\`pulumi state delete ${urnIn("dev", "NumberGroup", "g")} --stack dev\`
run \`pulumi up --stack dev\`: it unassigns those of +1, +3 that this stack does not declare.`,
      ],
    ],
    "a failed last run, without the title of its commit": [
      { runs: [run("succeeded"), run("failed", { message: "front: 50 %\n\nmore" })] },
      [`dev: the last run failed at 2026-11-23 09:02 UTC. ${NOT_RECORDED}`, again("up")],
    ],
    "the last run's 401, and what to do about the token": [
      {
        runs: [run("failed", { message: "front: 50 %" })],
        state: {
          entries: [unauthorized("2026-11-23T09:02:05.3Z")],
        },
      },
      ['AGP-044 dev: NumberGroup "g": not applied in an earlier run: 1 (+2): the API rejected it.', sendAgain],
      [
        'dev: the last run failed at 2026-11-23 09:02 UTC. NumberGroup "g": AGP-031 the platform returned 401 to PUT /api/numbers/{number}/agent: "expired": +2 (routing unchanged).',
        "Create a new token, set it and rerun: `npx pulumi-agent-platform help troubleshooting`. The token is from AGENT_PLATFORM_ACCESS_TOKEN (environment).\nrun `pulumi up --stack dev` until it succeeds.",
      ],
    ],
    "where to look for a 401, also after an earlier failure": [
      {
        runs: [run("failed")],
        state: {
          entries: [unauthorized("2026-11-22T08:00:00Z")],
        },
      },
      ['AGP-044 dev: NumberGroup "g": not applied in an earlier run: 1 (+2): the API rejected it.', sendAgain],
      [`dev: the last run failed at 2026-11-23 09:02 UTC. ${NOT_RECORDED}`, again("up")],
    ],
    "the remedy of the last run's error, and not its page": [
      {
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
      [
        'AGP-044 dev: NumberAssignment "a": not applied in an earlier run: 1 (+1): the outcome of the request was not known.',
        sendAgain,
      ],
      [
        'dev: the last run failed at 2026-11-23 09:02 UTC. AGP-040 NumberAssignment "a": outcome unknown.',
        "Rerun: sending the same PUT twice does no harm.\nrun `pulumi up --stack dev` until it succeeds.",
      ],
    ],
    "an unresolved chat once, after the run that left it": [
      {
        runs: [run("failed")],
        state: {
          entries: [
            {
              ...chat("unresolved-7f", { unresolved: true }),
              more: { initErrors: ["AGP-041 …"], modified: "2026-11-23T09:02:05.3Z" },
            },
          ],
        },
      },
      [
        'AGP-041 dev: SmsChat "hello": unresolved since an earlier run: the chat may or may not be in workspace 42.',
        `check there, then set one of these arguments in the program and run \`pulumi up --stack dev\`:
if it exists: adopt: "<chatId>"
if it does not exist: retryUnresolved: "unresolved-7f" (sends once)`,
      ],
      ["dev: the last run failed at 2026-11-23 09:02 UTC.", "run `pulumi up --stack dev` until it succeeds."],
    ],
    "no error of an earlier run as the last one's": [
      {
        runs: [run("failed")],
        state: {
          entries: [number("a", "+1", {}, { initErrors: [UNAUTHORIZED], modified: "2026-11-22T08:00:00Z" })],
        },
      },
      [`dev: the last run failed at 2026-11-23 09:02 UTC. ${NOT_RECORDED}`, again("up")],
      ['dev: NumberAssignment "a": its last step failed.', "run `pulumi up --stack dev`."],
    ],
    "an abort that is written and that no run has applied": [
      { state: { entries: [onDesk] }, config: withAbort },
      [
        'dev: the abort of the rollout front is written and not applied: NumberAssignment "desk" has agent_a@1 90 %, agent_b@2 10 %.',
        `apply it: ${abortFront}`,
      ],
    ],
    "an abort that one number lacks": [
      {
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
      [
        'dev: the abort of the rollout front is written and not applied: 1 of 2 numbers of NumberGroup "g" has agent_a@1 90 %, agent_b@2 10 %: +2.',
        `apply it: ${abortFront}`,
      ],
      ['AGP-044 dev: NumberGroup "g": not applied in an earlier run: 1 (+2): the API rejected it.', sendAgain],
    ],
    "an abort that waits behind the lock of a killed run": [
      { state: { entries: [onDesk], pending: [{ ...onDesk, operation: "updating" }] }, config: withAbort },
      [
        'dev: the abort of the rollout front is written and not applied: a run was stopped while it was updating NumberAssignment "desk"; NumberAssignment "desk" has agent_a@1 90 %, agent_b@2 10 %.',
        `apply it: ${abortFront}
If it says that the stack is locked, and no run is active: \`pulumi cancel --stack dev\``,
      ],
      ['dev: NumberAssignment "desk" (+1): a run was stopped while it was updating this.', sentAgain(unlock)],
    ],
    "nothing certain of a number at which a run was stopped": [
      {
        runs: [run("failed", { rollouts: { front: { ...front, percent: 50 } } })],
        state: { entries: [onDesk], pending: [{ ...onDesk, operation: "updating" }] },
        config: { ...config, "agent-platform:rollouts": JSON.stringify({ front: { ...front, percent: 50 } }) },
      },
      ['dev: NumberAssignment "desk" (+1): a run was stopped while it was updating this.', sentAgain(unlock)],
      [`dev: the last run failed at 2026-11-23 09:02 UTC. ${NOT_RECORDED}`, again("up")],
    ],
    "an abort not applied on a frozen stack, with its bypass": [
      {
        state: { entries: [onDesk] },
        config: { ...withAbort, "agent-platform:freeze": "incident 4711" },
      },
      [
        'dev: the abort of the rollout front is written and not applied: NumberAssignment "desk" has agent_a@1 90 %, agent_b@2 10 %.',
        'apply it with your reason, because the stack is frozen (incident 4711): `AGENT_PLATFORM_BYPASS="<reason>" npx pulumi-agent-platform abort front --stack dev --up`',
      ],
    ],
    "an abort to an unapproved agent, with the bypass": [
      {
        state: { entries: [onDesk] },
        config: {
          ...config,
          "agent-platform:rollouts": JSON.stringify({
            front: { stable: "agent_c@3", aborted: { ...aborted.aborted, to: "agent_c@3" } },
          }),
        },
      },
      [
        'dev: the abort of the rollout front is written and not applied: NumberAssignment "desk" has agent_a@1 90 %, agent_b@2 10 %.',
        `apply it with your reason, because agent_c@3 is not approved: \`AGENT_PLATFORM_BYPASS="<reason>" npx pulumi-agent-platform abort front --stack dev --up\``,
      ],
    ],
    "other numbers that have an agent that was aborted": [
      {
        state: {
          entries: [
            number("desk", "+1", { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_a@1": 100 } }),
            group("vip", "+2\n+3\n"),
            number("night", "+4", { rollout: { name: "late", ...front } }),
          ],
        },
        config: withAbort,
      },
      [
        'dev: agent_b@2 was aborted in the rollout front, and is elsewhere too: NumberGroup "vip" has agent_a@1 70 %, agent_b@2 30 %.',
        "if it is to go there as well, change that in the program, then run `pulumi up --stack dev`.",
      ],
      [
        'dev: agent_b@2 was aborted in the rollout front, and is elsewhere too: NumberAssignment "night" has agent_a@1 90 %, agent_b@2 10 %, in the rollout late.',
        "if it is to go there as well: `npx pulumi-agent-platform abort late --stack dev --up`",
      ],
    ],
    "a failed destroy": [
      { runs: [run("failed", { kind: "destroy" })] },
      [
        `dev: the last run failed at 2026-11-23 09:02 UTC. ${NOT_RECORDED}`,
        `${again("destroy")}
A destroy uses the token of the saved state: if that is no longer valid, set AGENT_PLATFORM_ACCESS_TOKEN.`,
      ],
    ],
    "a number that lacks what the failed run asked for": [
      {
        runs: [run("failed", { rollouts: { front: aborted } })],
        state: { entries: [onDesk] },
      },
      [
        `dev: the last run failed at 2026-11-23 09:02 UTC. ${NOT_RECORDED} Not what its config asks for: NumberAssignment "desk" has agent_a@1 90 %, agent_b@2 10 %.`,
        again("up"),
      ],
    ],
    "numbers that lack a failed step, and the way back": [
      {
        runs: [run("failed", { rollouts: { front: { ...front, percent: 50 } } })],
        state: { entries: [onDesk] },
      },
      [
        `dev: the last run failed at 2026-11-23 09:02 UTC. ${NOT_RECORDED} Not what its config asks for: NumberAssignment "desk" has agent_a@1 90 %, agent_b@2 10 %.`,
        `${again("up")}\nTo take the rollout back: ${abortFront}`,
      ],
    ],
    "unapplied numbers of a rollout, and the way back": [
      {
        state: {
          entries: [
            number("desk", "+1", {
              rollout: { name: "front", ...front },
              unapplied: [{ numbers: "+1\n", reason: "rejected" }],
            }),
          ],
        },
      },
      [
        'AGP-044 dev: NumberAssignment "desk": not applied in an earlier run: 1 (+1): the API rejected it.',
        `${sendAgain}\nTo take the rollout back: ${abortFront}`,
      ],
    ],
    "an abort whose run failed, once": [
      {
        config: withAbort,
        runs: [run("failed", { rollouts: { front: aborted } })],
        state: { entries: [onDesk] },
      },
      [
        `dev: the abort of the rollout front is written and not applied: NumberAssignment "desk" has agent_a@1 90 %, agent_b@2 10 %; the last run failed at 2026-11-23 09:02 UTC. ${NOT_RECORDED}`,
        `apply it: ${abortFront}\n${hints}`,
      ],
    ],
    "a token that everybody can read": [
      { config: { "agent-platform:accessToken": "hush-token" } },
      [
        "dev: the access token is in the config in plain text.",
        "create a new token, and store it with `pulumi config set --secret agent-platform:accessToken --stack dev` or in AGENT_PLATFORM_ACCESS_TOKEN.",
      ],
    ],
  };
  for (const [name, [{ exitCode = 1, ...stack }, ...findings]] of Object.entries(open)) {
    it(`finds ${name}`, async () => {
      const { code, stdout } = await ask({ dev: { config, ...stack } });
      assert.deepEqual(findingsOf(stdout), findings);
      assert.deepEqual([code, stdout.includes("hush")], [exitCode, false]);
    });
  }

  it("names what harms callers most first", async () => {
    const unresolved = voice("unresolved-7f", { unresolved: true });
    const step = number("step", "+4", { inboundAgents: { "agent_a@1": 100 } }, { initErrors: ["…"] });
    const entries = [step, unresolved, onDesk];
    const pending = [
      { ...onDesk, operation: "updating" },
      { ...chat(""), operation: "creating" },
    ];
    const dev = {
      state: { entries, pending },
      config: { ...withAbort, "agent-platform:accessToken": "hush-token" },
    };
    const { code, stdout } = await ask({ other: { state: {}, config, runs: [run("failed")] }, dev });
    const first = [
      'dev: SmsChat "hello"',
      "dev: the abort of the rollout front is written and not applied",
      'dev: NumberAssignment "desk" (+1): a run was stopped',
      'AGP-041 dev: CommunityVoice "nova"',
      "other: the last run failed",
      'dev: NumberAssignment "step": its last step failed.',
      "dev: the access token is in the config in plain text.",
    ];
    const found = findingsOf(stdout).map(([what = ""]) => what);
    assert.deepEqual(
      found.map((what, index) => what.slice(0, first[index]?.length)),
      first,
    );
    assert.equal(code, 3);
  });

  it("finds a number that two stacks declare at one platform", async () => {
    const elsewhere = number("elsewhere", "+1", { endpoint: "https://other.example" });
    const [one, two] = [{ workspaceId: 1 }, { workspaceId: 2 }];
    const a = { entries: [number("x", "+1", one), number("y", "4001", one)] };
    const b = { entries: [group("g", "+1\n+2\n", two), number("y", "4001", two), elsewhere] };
    const { code, stdout } = await ask({ a: { state: a, config }, b: { state: b, config } });
    const what = `AGP-003 +1 at ${platform}: declared 2 times: a: NumberAssignment "x", b: NumberGroup "g". Each run of one of them overwrites the routing of the others.`;
    const todo =
      "keep one. In the stack of each other one, in this order: set `retainOnDelete: true` on its resource, run `pulumi up`, remove the number, run `pulumi up` again.\nWithout that, its delete takes the agents of the one that stays. Then change `triggers` of that one.";
    assert.deepEqual([code, ...findingsOf(stdout)], [1, [what, todo]]);
  });

  it("names each setting for which the provider refuses every preview", async () => {
    const wrong = {
      "agent-platform:baseUrl": "ftp://platform.example",
      "agent-platform:maxShift": "10%",
      "agent-platform:steps": "[50, 10, 100]",
      "agent-platform:freeze": "",
      "agent-platform:maxShif": "20",
      "agentplatform:maxRemove": "1",
      "agent-platform:workspaceId": null,
      "agent-platform:rollouts": '{"front":{"stable":"agent_a"}}',
      "phones:baseUrl": "not ours",
    };
    const { code, stdout } = await ask({ prod: { config: wrong } });
    const until = "Until then the provider refuses every preview and every `pulumi up`.";
    const correct = `correct the config of prod. ${until}`;
    const plain = "so a reviewer could not see it. Write it in plain text.";
    assert.deepEqual(
      [code, ...findingsOf(stdout)],
      [
        1,
        ["AGP-015 prod: agent-platform:maxShift must be a number from 0 to 100.", correct],
        ["AGP-015 prod: agent-platform:steps must rise from above 0 to 100; found 50, 10, 100.", correct],
        ["AGP-015 prod: agent-platform:freeze must not be empty.", correct],
        [
          "AGP-010 prod: agent-platform:baseUrl: The base URL must be https://host or https://host/path (http:// only on loopback).",
          `Run \`pulumi config set agent-platform:baseUrl https://… --stack prod\`, or set AGENT_PLATFORM_BASE_URL. ${until}`,
        ],
        [`AGP-015 prod: agent-platform:workspaceId is secret, ${plain}`, correct],
        [
          "AGP-015 prod: agent-platform:maxShif is not a setting, and nothing reads it.",
          `Did you mean agent-platform:maxShift? Set that, and run \`pulumi config rm agent-platform:maxShif --stack prod\`. ${until}`,
        ],
        [
          "AGP-015 prod: agentplatform:maxRemove is not a setting, and nothing reads it.",
          `Did you mean agent-platform:maxRemove? Set that, and run \`pulumi config rm agentplatform:maxRemove --stack prod\`. ${until}`,
        ],
      ],
    );
  });

  it("is content with settings that are in the environment, or secret", async () => {
    const settings = { "agent-platform:accessToken": null, "agent-platform:maxShift": null };
    assert.equal((await ask({ prod: { config: settings } })).code, 0);
  });

  it("says the same as JSON, with the page of each code", async () => {
    const state = { entries: [voice("unresolved-7f", { unresolved: true })] };
    const { code, stdout } = await ask({ dev: { state, config } }, ["--json"]);
    const { stacks, findings } = JSON.parse(stdout);
    assert.equal(code, 1);
    assert.deepEqual(stacks, [{ stack: "dev", project: "phones", resources: { CommunityVoice: 1 }, pending: 0 }]);
    assert.deepEqual(
      findings.map((finding: Record<string, string>) => [finding.code, finding.urn, finding.help]),
      [["AGP-041", urnIn("dev", "CommunityVoice", "nova"), "AGP-041"]],
    );
  });
});
