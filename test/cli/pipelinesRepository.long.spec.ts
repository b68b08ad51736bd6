import assert from "node:assert/strict";
import { describe, it } from "mocha";
import {
  applied,
  github,
  type PipelineProject,
  pipeline,
  program,
  rollingOut,
  splitAt,
  splitOf,
  workflow,
} from "./pipelineProject";

/** Where the commit is at the end: on the branch, on one of its own, or only in the sentence that says how to make it. */
type End = "pushed" | "aside" | "absent";

const hook = (name: string, folder = ".git/hooks") =>
  `mkdir -p ${folder}; printf '#!/bin/sh\\nexit 1\\n' > ${folder}/${name}; chmod +x ${folder}/${name}`;

const remoteHook = (name: string, body: string) =>
  `printf '#!/bin/sh\\n%s\\n' '${body}' > ../origin.git/hooks/${name}; chmod +x ../origin.git/hooks/${name}`;

const clone = "git clone --quiet ../origin.git ../clone; cd ../clone";

/** What somebody else pushes, who has a clone of their own. */
const elsewhere = (change: string) =>
  `(${clone}; ${change}; git add --all; git -c user.name=b -c user.email=b@c commit --quiet --message other; git push --quiet)`;

/** What may be wrong with a repository at night, as lines that make it so. */
const REPOSITORIES: readonly (readonly [kind: string, lines: string, end: End])[] = [
  ["a hook pre-commit that refuses", hook("pre-commit"), "absent"],
  ["a hook prepare-commit-msg that refuses", hook("prepare-commit-msg"), "absent"],
  [
    "a linter of messages, in a folder of hooks",
    `git config core.hooksPath ../husky; ${hook("commit-msg", "../husky")}`,
    "absent",
  ],
  ["a hook pre-push that refuses", hook("pre-push"), "absent"],
  [
    "a detached head, and a hook post-checkout that fails",
    `git checkout --quiet --detach; ${hook("post-checkout")}`,
    "pushed",
  ],
  ["a signature without a key", "git config commit.gpgSign true; git config gpg.program false", "absent"],
  ["nobody's name", "git config user.useConfigOnly true", "pushed"],
  ["other changes, also staged ones", "echo // >> index.js; echo // > more.js; git add more.js", "pushed"],
  ["a remote that is away", "git remote set-url origin ../away.git", "absent"],
  ["a remote that takes nothing", remoteHook("pre-receive", "exit 1"), "absent"],
  ["a protected branch", remoteHook("update", '[ "$1" != refs/heads/main ]'), "aside"],
  ["a push of somebody else", elsewhere("echo // > other.js"), "pushed"],
];
const LOCKED = ["a lock that a killed git left", "touch .git/index.lock", "absent"] as const;
const SAME_LINES = [
  "a push of somebody else to the same line",
  elsewhere("sed -i s/13/14/ Pulumi.dev.yaml"),
  "aside",
] as const;

interface Operation {
  readonly name: "abort" | "rollback";
  readonly env: Readonly<Record<string, string>>;
  /** The title of its commit, and its files. */
  readonly commit: string;
  /** What callers had before, and have at its end. */
  readonly from: object;
  readonly to: object;
  /** What the job says that somebody has to run, if the branch does not have it. */
  readonly command: string;
}

/** The job in this repository. At its end callers have what it is for; it is green if the branch has it too, and else says what to do. */
async function runIn(
  project: PipelineProject,
  operation: Operation,
  [kind, lines, end]: (typeof REPOSITORIES)[number],
) {
  const { job, passes, git } = project;
  const { name, env, commit, from, to, command } = operation;
  await passes([
    "find . ../origin.git -mindepth 1 -delete",
    "cp -a ../kept/project/. .",
    "cp -a ../kept/origin.git/. ../origin.git",
  ]);
  await passes(["rm -rf ../clone ../husky", "sh scripts/up.sh"], env);
  assert.deepEqual(splitOf(project), from, kind);
  const before = await git("rev-parse", "HEAD");
  await passes([lines]);

  const { code, output } = await job(workflow(name), env);
  assert.deepEqual(splitOf(project), to, `${kind}: ${output}`);
  assert.equal(code, end === "pushed" ? 0 : 3, `${kind}: ${output}`);
  const sentence = `main does not have this change, so the next deployment undoes it. In a clone of main, run:\n${command}\n`;
  assert.equal(output.includes(sentence), end === "absent", `${kind}: ${output}`);
  const remote = (...args: string[]) => git("--git-dir", "../origin.git", ...args);
  const branches = (await remote("branch", "--format=%(refname:short)")).split("\n");
  const aside = branches.find((branch) => branch.startsWith("automation/"));
  assert.equal(aside !== undefined, end === "aside", kind);
  const waits = `main is protected, or somebody has changed the same there: the commit is on ${aside}. Merge it, or the next deployment undoes it.\n`;
  assert.equal(output.includes(waits), end === "aside", `${kind}: ${output}`);
  if (end === "absent") {
    assert.equal(await remote("rev-parse", "main"), before, kind);
  } else {
    assert.equal(await remote("show", "--name-only", "--format=%an %s", aside ?? "main"), commit, kind);
  }
  if (end === "pushed") {
    // A hook that changes nothing leaves the commit that Pulumi has recorded, and so does none.
    const [run] = JSON.parse(await passes(['pulumi stack history --stack "$STACK" --json']));
    assert.deepEqual(
      [run.environment["git.author"], run.message],
      ["kim", commit.slice(4, commit.indexOf("\n"))],
      kind,
    );
  }
}

/** The folders as each kind finds them. */
const keep = ({ passes }: PipelineProject) =>
  passes(["mkdir ../kept", "cp -a . ../kept/project", "cp -a ../origin.git ../kept/origin.git"]);

const person = { GITHUB_ACTOR: "kim", GITHUB_ACTOR_ID: "7" };

describe("callers have an abort and a rollback, whatever becomes of the commit", function () {
  this.timeout(30 * 60_000);

  it("abort", () =>
    pipeline({}, async (project, host) => {
      await rollingOut(project);
      await keep(project);
      const operation: Operation = {
        name: "abort",
        env: { ...github(host, project).deploy, ...person },
        commit: "kim front in dev: agent_front@13 aborted at 10 %\n\nPulumi.dev.yaml",
        from: splitAt(10),
        to: { "agent_front@12": 100 },
        command: "git pull && npx pulumi-agent-platform abort --stack dev && git commit --all && git push",
      };
      for (const one of [...REPOSITORIES, LOCKED, SAME_LINES]) {
        await runIn(project, operation, one);
      }
      // What the sentence says, in such a clone.
      const { passes, git } = project;
      await runIn(project, operation, REPOSITORIES[0] ?? LOCKED);
      await git("clone", "--quiet", "../origin.git", "../clone");
      const editor = {
        GIT_EDITOR: "echo ours >",
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b",
      };
      await passes(["cp -a node_modules ../clone", "cd ../clone", operation.command], editor);
      assert.match(
        await git("--git-dir", "../origin.git", "show", "main:Pulumi.dev.yaml"),
        /aborted: \{ agent: agent_front@13/,
      );
    }));

  it("rollback", () =>
    pipeline({}, async (project, host) => {
      await applied(project);
      const bad = await project.merge(20);
      await keep(project);
      const operation: Operation = {
        name: "rollback",
        env: { ...github(host, project).deploy, ...person, COMMIT: bad },
        commit: 'kim Revert "20 %"\n\nindex.js',
        from: splitAt(20),
        to: splitAt(10),
        command: `git pull && git revert ${bad} && git push`,
      };
      for (const [kind, lines, end] of REPOSITORIES.filter(([name]) => !name.startsWith("other changes"))) {
        // `git revert` asks neither of the two, so a linter does not keep the branch from it.
        const isUnasked = kind.includes("pre-commit") || kind.includes("messages");
        await runIn(project, operation, [kind, lines, isUnasked ? "pushed" : end]);
      }
      // Started again, although the branch has it: maybe no run has applied it.
      const { passes } = project;
      project.stack.write(program(20));
      await passes(["sh scripts/up.sh", "git checkout --quiet --force"], operation.env);
      await passes(workflow("rollback"), operation.env);
      assert.deepEqual(splitOf(project), splitAt(10));
    }));
});
