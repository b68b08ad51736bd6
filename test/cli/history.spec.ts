import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { historyCommand } from "../../cli/commands/history";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { environment, withStack } from "../support/engine";
import { repository } from "../support/repository";
import { group, number, type RecordedStack, type Run, withRecorded } from "./recorded";
import { refusal, runWith } from "./terminal";

const at = (percent: number) => ({ stable: "agent_front@12", candidate: "agent_front@13", percent });
const front = (percent: number) => ({ front: at(percent) });
const named = { rollout: { name: "front", ...at(10) } };

const history = (stacks: Readonly<Record<string, RecordedStack>>, ...args: string[]) =>
  withRecorded(stacks, (world) => runWith(historyCommand.run, args, world));
/** Each line fits a terminal. */
function inLines(stdout: string): string {
  assert.deepEqual(
    stdout.split("\n").filter((line) => line.length > 80),
    [],
  );
  return stdout;
}
/** A line for each change, without the head and the times. */
const linesOf = (stdout: string): string[] =>
  inLines(stdout)
    .replace(/\n {20}/g, " ")
    .match(/(?<=^ {2}2026\S+ \S+ {2}).*/gm) ?? [];
const ofRuns = async (...runs: Run[]) => linesOf((await history({ prod: { runs } }, "--stack", "prod")).stdout);
/** What is told of each change, without its author and its commit. */
const told = async (...runs: Run[]) => (await ofRuns(...runs)).map((line) => line.split(";")[0]);

const days = (...rollouts: readonly (Run["rollouts"] | Partial<Run>)[]): Run[] =>
  rollouts.map((one, index) => ({
    at: `2026-11-${String(index + 10)}T09:00:00Z`,
    ...(one !== null && typeof one === "object" && "rollouts" in one ? (one as Partial<Run>) : { rollouts: one }),
  }));

describe("agent-platform history", () => {
  it("says when a rollout moved, between which agents, who moved it, in which commit and pull request, and what became of it", async () => {
    const runs: Run[] = [
      { at: "2026-11-20T08:00:00Z", message: "support in Pulumi (#30)", who: "Ben", rollouts: front(1) },
      { at: "2026-11-21T14:10:00Z", message: "front: 10 % (#38)", who: "Ada", rollouts: front(10), result: "failed" },
      { at: "2026-11-21T14:22:00Z", message: "front: 10 % (#38)", who: "Ada", rollouts: front(10) },
      { at: "2026-11-23T09:02:00Z", message: "front: 50 % (#41)", who: "Ada", rollouts: front(50), result: "failed" },
    ];
    const unapplied = [{ numbers: "3\n", reason: "unknown" }];
    const entries = [group("support", "1\n2\n3\n", { rollout: { name: "front", ...at(50) }, unapplied })];
    const { code, stdout, stderr } = await history({ prod: { runs, state: { entries } } }, "front", "--stack", "prod");
    assert.deepEqual([code, stderr], [0, ""]);
    const page = readFileSync(join(repository, "docs/guides/board.md"), "utf8");
    assert.equal(stdout, /^```txt\n([\s\S]*?)^```$/m.exec(page)?.[1]);
  });

  const aborted = {
    front: { stable: "agent_front@12", aborted: { agent: "agent_front@13", percent: 50, at: "2026-11-23T09:02:11Z" } },
  };
  const agents = "agent_front@12 → agent_front@13";
  const starts = (percent: number) => `front: starts at ${percent} %, ${agents} applied`;
  const lives: Record<string, [Run[], string[]]> = {
    "an abort, and the candidate that starts again": [
      days(front(50), aborted, front(1)),
      [
        `front: 0 % → 1 %, ${agents} applied`,
        "front: 50 % → aborted, agent_front@13 → agent_front@12 applied",
        starts(50),
      ],
    ],
    "the next version, after all calls": [
      days(front(100), { front: { stable: "agent_front@13", candidate: "agent_front@14", percent: 1 } }),
      ["front: 0 % → 1 %, agent_front@13 → agent_front@14 applied", starts(100)],
    ],
    "a rollout that leaves the config": [days(front(10), {}), [`front: 10 % → removed, ${agents} applied`, starts(10)]],
    "runs that change nothing, and refreshes with another config": [
      days(front(10), { rollouts: front(50), kind: "refresh" }, front(10)),
      [starts(10)],
    ],
    "a destroy, which clears the numbers, and a new start": [
      days(front(10), { rollouts: front(10), kind: "destroy" }, front(10)),
      [starts(10), `front: 10 % → removed, ${agents} destroyed`, starts(10)],
    ],
    "runs that deleted resources, also with nothing else to tell, and also if they failed": [
      days(
        { rollouts: front(10), resourceChanges: { delete: 1 }, result: "failed" },
        { rollouts: front(50), resourceChanges: { replace: 2 } },
      ),
      [
        `front: 10 % → 50 %, ${agents} applied`,
        "2 resources replaced applied",
        `front: starts at 10 %, ${agents} failed`,
        "1 resource deleted failed",
      ],
    ],
    "a rename without an alias, of which Pulumi records a create and a delete, and no loss": [
      days({ rollouts: front(10), resourceChanges: { create: 1, delete: 1 } }),
      [starts(10), "1 resource renamed, or deleted beside new ones applied"],
    ],
    "more deletes than creates": [
      days({ rollouts: front(10), resourceChanges: { create: 1, delete: 2 } }),
      [starts(10), "2 resources deleted applied"],
    ],
    "a run of --target": [
      days(front(10), { rollouts: front(50), environment: { "pulumi.flag.target": "set" } }),
      [`front: 10 % → 50 %, ${agents} applied, with --target`, starts(10)],
    ],
    "a change that was never applied": [
      days(front(1), { rollouts: front(10), result: "failed" }, front(50)),
      [`front: 10 % → 50 %, ${agents} applied`, `front: 1 % → 10 %, ${agents} failed`, starts(1)],
    ],
    "a run that Pulumi Cloud never saw the end of": [
      days(front(1), { rollouts: front(10), result: "in-progress" }, front(10)),
      [`front: 1 % → 10 %, ${agents} stopped, applied 2026-11-12 09:00 UTC`, starts(1)],
    ],
    "a run that is under way": [
      days(front(1), { rollouts: front(10), result: "in-progress" }),
      [`front: 1 % → 10 %, ${agents} under way`, starts(1)],
    ],
    "a rollout without a candidate": [
      days({ front: { stable: "agent_front@12" } }),
      ["front: starts at 100 %, agent_front@12 applied"],
    ],
  };
  for (const [name, [runs, lines]] of Object.entries(lives)) {
    it(`tells ${name}`, async () => assert.deepEqual(await told(...runs), lines));
  }

  it("counts every number that does not have what a failed run asked for: a single one that was refused keeps its earlier split", async () => {
    const entries = [group("support", "1\n2\n", named), number("desk", "3", { rollout: { name: "front", ...at(1) } })];
    const runs = days({ rollouts: front(10), result: "failed" });
    const { stdout } = await history({ prod: { runs, state: { entries } } }, "--stack", "prod");
    assert.deepEqual(linesOf(stdout), [`${starts(10).replace("applied", "failed: 1 of 3 numbers")}; Ada; 6007e12`]);
  });

  it("names each rollout if there are several, and only the one that is asked for", async () => {
    const runs = days({ ...front(10), night: { stable: "agent_night@1", candidate: "agent_night@2", percent: 5 } });
    const named = async (...args: string[]) =>
      linesOf((await history({ prod: { runs } }, ...args, "--stack", "prod")).stdout).map((line) => line.split(":")[0]);
    assert.deepEqual(await named(), ["night", "front"]);
    assert.deepEqual(await named("night"), ["night"]);
  });

  const merges: Record<string, [Partial<Run>, string]> = {
    "a merged one": [
      { message: "Merge pull request #41 from acme/front" },
      "6007e12 Merge pull request #41 from acme/front (#41)",
    ],
    "one of GitLab": [
      { message: "front", environment: { "vcs.kind": "gitlab.com", "ci.pr.number": "7" } },
      "6007e12 front (!7)",
    ],
    "a folder with changes that are in no commit": [
      { message: "front", environment: { "git.dirty": "true" } },
      "6007e12 front + uncommitted changes",
    ],
    "no repository": [{ environment: { "git.author": "", "git.head": "", "vcs.kind": "" } }, starts(10)],
    "a title that would control the terminal": [
      { message: "\u001b[2J\u202efront <script>" },
      "6007e12 \\u{1b}[2J\\u{202e}front <script>",
    ],
  };
  for (const [name, [run, why]] of Object.entries(merges)) {
    it(`says why from ${name}`, async () => {
      const [line] = await ofRuns({ at: "2026-11-10T09:00:00Z", rollouts: front(10), ...run });
      assert.equal(line?.split("; ").at(-1), why);
    });
  }

  it("has the same as JSON, with links", async () => {
    const runs: Run[] = [
      { at: "2026-11-10T09:00:00Z", message: "start", rollouts: front(10) },
      {
        at: "2026-11-11T09:00:00Z",
        message: "front: 50 % (#41)",
        rollouts: front(50),
        resourceChanges: { delete: 1 },
      },
    ];
    const { stdout } = await history({ prod: { runs } }, "--stack", "prod", "--json");
    const { changes, ...rest } = JSON.parse(stdout);
    assert.deepEqual(rest, { stack: "prod" });
    assert.equal(changes.length, 3);
    const { rollout, deleted, replaced, result } = changes[1];
    assert.deepEqual([rollout, deleted, replaced, result], [null, 1, 0, "applied"]);
    assert.deepEqual(changes[0], {
      rollout: "front",
      at: "2026-11-11T09:00:00.000Z",
      before: at(10),
      after: at(50),
      who: "Ada",
      title: "front: 50 %",
      commit: {
        text: "6007e12",
        url: "https://github.com/acme/phones/commit/6007e12a1b2c3d4e5f60718293a4b5c6d7e8f901",
      },
      pullRequest: { text: "#41", url: "https://github.com/acme/phones/pull/41" },
      isDirty: false,
      outcome: "applied",
      appliedAt: "2026-11-11T09:00:00.000Z",
      result: "applied",
    });
  });

  it("makes no link of names and addresses that could lead elsewhere", async () => {
    const environment = {
      "vcs.owner": "acme/../../evil?",
      "vcs.repo": '"><script>',
    };
    const runs = [{ at: "2026-11-10T09:00:00Z", message: "a (#1)", rollouts: front(10), environment }];
    const { stdout } = await history({ prod: { runs } }, "--stack", "prod", "--json");
    const [{ commit, pullRequest }] = JSON.parse(stdout).changes;
    assert.deepEqual([commit, pullRequest], [{ text: "6007e12" }, { text: "#1" }]);
  });

  it("says that no run has changed anything: there is no run, or the program has the split", async () => {
    for (const runs of [[], days(undefined)]) {
      const { code, stdout } = await history({ prod: { runs } }, "--stack", "prod");
      assert.deepEqual(
        [code, stdout],
        [1, "No recorded run of stack prod has changed a rollout or deleted a resource.\n"],
      );
    }
  });

  it("refuses what it cannot look up, in one sentence", async () => {
    const stacks = { prod: { runs: days(front(10)) } };
    const refused = {
      "two rollouts": [["front", "night", "--stack", "prod"], "Name one rollout."],
      "a rollout of another name": [
        ["frnt", "--stack", "prod"],
        'No recorded run of stack prod has a rollout "frnt". Recorded: front.',
      ],
      "a stack that does not exist": [
        ["--stack", "nope"],
        "`pulumi stack export` failed: error: no stack named 'nope' found",
      ],
    } as const;
    for (const [name, [args, message]] of Object.entries(refused)) {
      assert.deepEqual(await history(stacks, ...args), refusal("history", message), name);
    }
  });
});

/** What Pulumi itself records of a run: the form that the other tests have by hand. */
describe("agent-platform history, of a backend of files", () => {
  const program = `
    import { runtime } from "@pulumi/pulumi";
    if (process.env.BREAK === "1" && !runtime.isDryRun()) {
      throw new Error("on purpose");
    }`;

  it("has each change from the record of the real CLI: who, which commit and pull request, and what became of it", () =>
    withStack({ program }, async ({ project, up, refresh, setConfig, spawn }) => {
      const { directory: cwd, stackName } = project;
      const git = (...args: string[]) =>
        execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd });
      const commit = (message: string) => {
        git("add", "--all");
        git("commit", "--quiet", "--allow-empty", "--message", message);
        return execFileSync("git", ["rev-parse", "--short=7", "HEAD"], { cwd, encoding: "utf8" }).trim();
      };
      const promoted = (percent: number) => setConfig({ "agent-platform:rollouts": JSON.stringify(front(percent)) });
      git("init", "--quiet", "--initial-branch=main");
      git("remote", "add", "origin", "https://github.com/acme/phones.git");
      writeFileSync(join(cwd, ".gitignore"), "node_modules/\n");

      promoted(10);
      const first = commit("front: 10 % (#38)");
      await up();
      promoted(50);
      const second = commit("front: 50 % (#41)\n\nThe body is not shown.");
      await up({ env: { BREAK: "1" }, expectFailure: true });
      await refresh();
      await up();
      // A run that was killed leaves nothing in the record of this backend.
      promoted(1);
      const { child, result } = spawn(["up", "--yes", "--skip-preview"]);
      child.kill("SIGKILL");
      await result;

      const env = environment((await findOrInstallEngine()).directory, project, {});
      const { code, stdout, stderr } = await runWith(historyCommand.run, ["--stack", stackName], { cwd, env });
      assert.deepEqual([code, stderr], [0, ""]);
      const moved = "agent_front@12 → agent_front@13";
      assert.deepEqual(
        linesOf(stdout).map((line) => line.replace(/applied (?:\S+ )?\d\d:\d\d/, "applied <time>")),
        [
          `front: 10 % → 50 %, ${moved} failed, applied <time> UTC; Ada; ${second} front: 50 % (#41)`,
          `front: starts at 10 %, ${moved} applied; Ada; ${first} front: 10 % (#38)`,
        ],
      );
    }));
});
