import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { temporaryFolder } from "../support/engineFakes";
import { repository } from "../support/repository";
import { type HostServer, robot, withHost } from "./hostServer";

/** The scripts by themselves, in git repositories, with a stub of the host and of the two CLIs. The long tests run them with the real engine. */

let folder: { readonly path: string };

type Env = Readonly<Record<string, string>>;

interface Fakes {
  /** A line of the shell in place of the Pulumi CLI. */
  readonly pulumi?: string;
  /** The same in place of our command. */
  readonly ours?: string;
}

const scripts = join(repository, "examples/pipelines/scripts");

/** Runs lines of the shell in an empty folder. `$scripts` has the scripts. */
function shell(lines: readonly string[], env: Env = {}, { pulumi = "exit 127", ours = "exit 127" }: Fakes = {}) {
  const bin = join(folder.path, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  // npm's own takes longer than all else that a script does. The long tests have it.
  const npx = '[ "$1" = --no-install ] && shift; exec "$@"';
  for (const [name, line] of Object.entries({ npx, npm: "exit 127", pulumi, "pulumi-agent-platform": ours })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  const who = {
    GIT_AUTHOR_NAME: "Kim",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "Kim",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  const own = { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path, scripts, ...who };
  const options = {
    cwd: folder.path,
    env: { ...own, PROJECT: "test", STACK: "dev", STACKS: "dev", BRANCH: "main", ...env },
  };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile("sh", ["-c", lines.join("\n")], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  );
}

/** A repository with a commit on main, which is pushed: Pulumi.dev.yaml has the percentage 10. */
const CLONE = [
  "rm -rf clone origin.git other && git init --quiet --bare --initial-branch=main origin.git",
  "git init --quiet --initial-branch=main clone && cd clone && git remote add origin ../origin.git",
  "printf 'report.*\\npreview*.json\\npromoted.txt\\nboard.html\\n' > .gitignore",
  "echo 10 > Pulumi.dev.yaml && git add --all && git commit --quiet --message 10 && git push --quiet origin main",
];

/** What somebody else pushes to main. */
const elsewhere = (change: string) =>
  `(git clone --quiet ../origin.git ../other && cd ../other && ${change} && git add --all && git commit --quiet --message other && git push --quiet)`;

/** Runs a script in the clone, and looks afterwards whatever its exit code is. */
const inClone = (script: string, before: readonly string[], after: string, fakes: Fakes, env: Env = {}) =>
  shell([...CLONE, ...before, `sh $scripts/${script}; code=$?`, after, "exit $code"], env, fakes);

const github = (host: HostServer) => ({
  GITHUB_API_URL: host.url,
  GITHUB_REPOSITORY: "team/phones",
  GITHUB_TOKEN: "ghs",
  GITHUB_SHA: "abc123",
  PULL_REQUEST: "12",
});
const gitlab = (host: HostServer) => ({
  GITLAB_CI: "true",
  GITLAB_TOKEN: "glpat",
  CI_API_V4_URL: host.url,
  CI_PROJECT_ID: "5",
  CI_COMMIT_SHA: "abc123",
  CI_MERGE_REQUEST_IID: "12",
});
const HOSTS = { GitHub: github, GitLab: gitlab };

const ok = (stdout = "") => ({ code: 0, stdout, stderr: "" });
const red = (stderr: string) => ({ code: 1, stdout: "", stderr });
const mark = "<!-- agent-platform report test -->\n";
const comment = (line: string, env: Env) => shell([`node $scripts/comment.mjs ${line}`], env);
const reportFile = (text: string) => writeFileSync(join(folder.path, "report.md"), text);
const bodies = (host: HostServer) => host.comments.map(({ body }) => body);

const UP = "pulumi up --stack dev --yes --skip-preview --non-interactive\n";

describe("the scripts of the pipelines", () => {
  folder = temporaryFolder();

  describe("the comment on a request", () => {
    for (const [name, envOf] of Object.entries(HOSTS)) {
      it(`${name}: is found among hundreds, and no other one is touched`, () =>
        withHost(async (host) => {
          for (let index = 0; index < 150; index += 1) {
            host.add("reviewer", `comment ${index}`);
          }
          const forged = `${mark}reviewed-digest \`ffffffffffff\``;
          host.add("reviewer", forged);
          host.add(robot, `${mark}old`);
          reportFile("reviewed-digest `0123456789ab`\n");
          assert.deepEqual(await comment("post report.md", envOf(host)), ok());
          assert.deepEqual(bodies(host).slice(150), [forged, `${mark}reviewed-digest \`0123456789ab\`\n`]);
          assert.deepEqual(await comment("digest", envOf(host)), ok("0123456789ab\n"));
        }));

      it(`${name}: is written if none is there, and one request opened`, () =>
        withHost(async (host) => {
          reportFile("the report\n");
          assert.deepEqual(await comment("post report.md", envOf(host)), ok());
          assert.deepEqual(bodies(host), [`${mark}the report\n`]);
          for (const title of ["one", "two"]) {
            assert.deepEqual(await comment(`open promote/test/dev ${title} report.md`, envOf(host)), ok());
          }
          const [request, ...others] = host.opened;
          const body = "```text\nthe report\n```\n";
          const asked =
            name === "GitHub"
              ? { head: "promote/test/dev", base: "main", title: "two", body }
              : { source_branch: "promote/test/dev", target_branch: "main", title: "two", description: body };
          assert.deepEqual([request, others], [asked, []]);
        }));

      it(`${name}: gives no digest of a commit that no request has merged`, () =>
        withHost(async (host) => {
          host.add(robot, `${mark}reviewed-digest \`0123456789ab\`\n`);
          // The second commit is of a request that is still open.
          for (const commit of ["0".repeat(40), "1".repeat(40)]) {
            assert.deepEqual(
              await comment("digest", { ...envOf(host), GITHUB_SHA: commit, CI_COMMIT_SHA: commit }),
              red("comment: this commit was merged to main by no request: run the job with a digest\n"),
            );
          }
        }));
    }

    const several = [
      "reviewed-digest `dev` `e3b0c44298fc`",
      "reviewed-digest `canary` `0123456789ab`",
      "reviewed-digest `prod` `ba9876543210`",
    ].join("\n");
    const missing = (stack: string) =>
      red(`comment: request 12 has no report of stack ${stack}: run the job with a digest\n`);
    for (const { name, given, stack, result } of [
      { name: "of the one stack", given: "reviewed-digest `0123456789ab`", stack: "dev", result: ok("0123456789ab\n") },
      { name: "of a stack that does not change", given: several, stack: "dev", result: ok("e3b0c44298fc\n") },
      { name: "of a stack in Pulumi Cloud", given: several, stack: "acme/phones/canary", result: ok("0123456789ab\n") },
      { name: "of no other stack", given: several, stack: "qa", result: missing("qa") },
      { name: "out of no title", given: "# reviewed-digest `aaaaaaaaaaaa`", stack: "dev", result: missing("dev") },
    ]) {
      it(`gives the digest ${name}`, () =>
        withHost(async (host) => {
          host.add(robot, `<!-- agent-platform report phones -->\nreviewed-digest \`ffffffffffff\`\n`);
          host.add(robot, `${mark}${given}\n`);
          assert.deepEqual(await comment("digest", { ...github(host), STACK: stack }), result);
        }));
    }

    it("is asked for again if the host fails", () =>
      withHost(async (host) => {
        host.add(robot, `${mark}reviewed-digest \`0123456789ab\`\n`);
        host.faults.push("reset", [502, "<html><h1>502 Bad Gateway</h1>"]);
        assert.deepEqual(await comment("digest", github(host)), ok("0123456789ab\n"));
        assert.equal(host.calls.length, 4);
      }));

    for (const { name, fault, result } of [
      { name: "JSON", fault: [403, '{"message":"Not \u202eaccessible"}'], result: '403 {"message":"Not accessible"}' },
      { name: "a page", fault: [200, "<title>Sign in</title>"], result: "200  Sign in" },
      { name: "nothing", fault: [502, ""], result: "502" },
    ] as const) {
      it(`is sent once, and the host's reason is shown: ${name}`, () =>
        withHost(async (host) => {
          host.faults.push([200, "[]"], fault);
          reportFile("text");
          const { code, stderr } = await comment("post report.md", github(host));
          assert.deepEqual([code, stderr.trim()], [1, `comment: POST /issues/12/comments: ${result}`]);
          assert.deepEqual([host.calls.length, host.comments.length], [2, 0]);
        }));
    }

    it("is not written without a request, as in a merge queue", () =>
      withHost(async (host) => {
        reportFile("text");
        const said = "This run is of no pull request, so it writes no comment. The report is in report.md.\n";
        assert.deepEqual(await comment("post report.md", { ...github(host), PULL_REQUEST: "" }), ok(said));
        assert.deepEqual(host.calls, []);
      }));
  });

  describe("preview.sh", () => {
    /** The report is what the stack's file has. */
    const shown: Fakes = { pulumi: "cat Pulumi.dev.yaml numbers", ours: "cat preview.dev.json" };
    const request = { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main" };
    const branch = [
      "echo old > numbers && git add --all && git commit --quiet --message numbers && git push --quiet origin main",
      "git checkout --quiet -b label && echo new > numbers && git commit --quiet --all --message label",
    ];
    const detached = "git checkout --quiet --detach";
    const moved = elsewhere("echo 50 > Pulumi.dev.yaml");

    it("shows what the merge with a changed target would do", async () => {
      const { code, stdout } = await inClone("preview.sh", [...branch, moved, detached], "", shown, request);
      assert.deepEqual([code, stdout], [0, "Squash commit -- not updating HEAD\n50\nnew\n"]);
    });

    it("says which commits a branch lacks that conflicts with its target", async () => {
      const other = elsewhere("echo theirs > numbers");
      const before = [...branch, other, detached];
      const { code, stdout } = await inClone("preview.sh", before, "cat report.md", shown, request);
      const found = stdout.slice(stdout.lastIndexOf("###")).replace(/[\da-f]{7,}/, "<commit>");
      const said =
        "### ❌ No report: this branch conflicts with `main`. Rebase it. It lacks these commits in this folder:\n\n    <commit> other\n";
      assert.deepEqual([code, found], [1, said]);
    });

    it("gives no report if nobody knows what the target has", async () => {
      const away = "git remote set-url origin ../away";
      const { code, stdout } = await inClone("preview.sh", [...branch, away], "cat report.md", shown, request);
      assert.equal(code, 1);
      assert.match(stdout, /^### ❌ No report: origin did not say what `main` has now\./);
    });

    it("replaces an earlier push's report if a stack has no preview", async () => {
      const pulumi = 'case "$*" in *nowhere*) exit 255 ;; *) echo "{}" ;; esac';
      const ours = '[ "$*" = "report preview.dev.json preview.nowhere.json" ] && exit 2';
      const env = { STACKS: "organization/test/dev nowhere" };
      const { code, stdout } = await shell(["sh $scripts/preview.sh"], env, { pulumi, ours });
      assert.deepEqual([code, stdout], [255, "### ❌ No report: the preview of `nowhere` failed. The job says why.\n"]);
    });

    it("ends with the exit code of a gate that blocks", async () => {
      const ours = 'echo "$*"; exit 1';
      const env = { FAIL_ON: "delete,shift=25" };
      const { code, stdout } = await shell(["sh $scripts/preview.sh"], env, { pulumi: "echo {}", ours });
      assert.deepEqual([code, stdout], [1, "report preview.dev.json --fail-on delete,shift=25\n"]);
    });
  });

  /** Our command as deploy.sh meets it: what doctor does, and whether the stack changes. The digest is 0123456789ab. */
  const commands = (doctor: string, isUnchanged = false): Fakes => ({
    pulumi: 'echo "pulumi $*"',
    ours: `case "$*" in
    doctor*) ${doctor} ;;
    *--json) echo '{"isUnchanged":${isUnchanged}}' ;;
    *--expect*) echo "$*"; case "$*" in *0123456789ab) ;; *) exit 3 ;; esac ;;
    *) echo "$*" ;;
  esac`,
  });

  const reviewed = { EXPECT: "0123456789ab" };

  describe("deploy.sh", () => {
    const stale =
      "Stopped: nothing was applied. main has other files here than this commit, which was taken back or changed since. Start a deployment of main.\n";
    for (const { name, before, stopped } of [
      { name: "is the newest", before: [], stopped: undefined },
      {
        name: "is the newest in the project's folder",
        before: ["mkdir phones && cd phones", `(cd .. && ${elsewhere("echo 1 > new")})`],
        stopped: undefined,
      },
      {
        name: "was taken back",
        before: ["git revert --no-edit HEAD > log && git push --quiet origin main && git checkout --quiet HEAD^"],
        stopped: stale,
      },
      { name: "was followed by another one", before: [elsewhere("echo 1 > new")], stopped: stale },
      {
        name: "was pushed over",
        before: ["echo 20 > Pulumi.dev.yaml && git commit --quiet --all --message 20"],
        stopped: stale,
      },
      {
        name: "cannot be compared",
        before: ["git remote set-url origin ../away"],
        stopped: "Stopped: nothing was applied. origin did not say what main has now. Run this job again.\n",
      },
    ]) {
      it(`${stopped === undefined ? "applies" : "does not apply"} a commit that ${name}`, async () => {
        const ended = await inClone("deploy.sh", before, "", commands("echo fine"), reviewed);
        assert.deepEqual(
          [ended.code, ended.stdout.includes(UP)],
          [stopped === undefined ? 0 : 1, stopped === undefined],
        );
        assert.ok(ended.stderr.endsWith(stopped ?? ""), ended.stderr);
      });
    }

    const again =
      'Stopped: nothing was applied. A voice or a chat may have been sent, and `pulumi up` would send it again: do what is said above. If none was sent, start this job by hand with a reason in "send_again" (SEND_AGAIN).\n';
    for (const { name, doctor, env = {}, code, isApplied, stderr = "" } of [
      { name: "goes on beside other problems", doctor: "echo odd; exit 1", code: 0, isApplied: true },
      {
        name: "stops before an SMS is sent again",
        doctor: "echo sent; exit 3",
        code: 3,
        isApplied: false,
        stderr: again,
      },
      {
        name: "sends it again with a reason",
        doctor: "echo sent; exit 3",
        env: { SEND_AGAIN: "not there: Kim" },
        code: 0,
        isApplied: true,
      },
      {
        name: "stops if doctor breaks off",
        doctor: "exit 1",
        env: { SEND_AGAIN: "not there: Kim" },
        code: 1,
        isApplied: false,
        stderr:
          "Stopped: nothing was applied. doctor did not say whether a voice or a chat may have been sent before (exit code 1). Run this job again.\n",
      },
      {
        name: "stops if this is not what was reviewed",
        doctor: "echo fine",
        env: { EXPECT: "ffffffffffff" },
        code: 3,
        isApplied: false,
        stderr:
          "Stopped: nothing was applied. This is not what was reviewed (digest ffffffffffff). Read the report above, then start this job by hand with its digest.\n",
      },
      {
        name: "stops without a digest",
        doctor: "echo fine",
        env: { EXPECT: "" },
        code: 1,
        isApplied: false,
        stderr:
          "comment: no pipeline, so no pull request has the digest. Give it: EXPECT=<digest> sh scripts/deploy.sh\n",
      },
    ]) {
      it(name, async () => {
        const ended = await inClone("deploy.sh", [], "", commands(doctor), { ...reviewed, ...env });
        assert.deepEqual([ended.code, ended.stdout.includes(UP), ended.stderr], [code, isApplied, stderr]);
      });
    }

    it("needs no digest for a stack that does not change", async () => {
      const ended = await inClone("deploy.sh", [], "", commands("echo fine", true));
      assert.deepEqual([ended.code, ended.stdout.includes(UP), ended.stderr], [0, true, ""]);
    });

    it("says what is not applied, and is red, if `pulumi up` fails", async () => {
      const { ours = "" } = commands("echo looked");
      const pulumi = '[ "$1" = up ] && exit 255; echo "{}"';
      const ended = await inClone("deploy.sh", [], "", { ours, pulumi }, reviewed);
      assert.deepEqual([ended.code, ended.stdout.match(/^looked$/gm)?.length], [255, 2]);
    });
  });

  describe("promote.sh", () => {
    const ours = (code: number) =>
      `echo "front in dev: 10 % to 50 %"; echo "$*"; [ ${code} = 0 ] && echo 50 > Pulumi.dev.yaml; exit ${code}`;
    const pushed = "git --git-dir ../origin.git log -1 --format='%an %s' --name-only promote/test/dev-front";

    it("pushes one commit on top of main, and opens its request", () =>
      withHost(async (host) => {
        const mine =
          "git checkout --quiet -b mine && echo 1 > mine && git add --all && git commit --quiet --message mine";
        const env = { ...github(host), NAME: "front", TO: "agent_front@14" };
        const ended = await inClone("promote.sh", [mine], pushed, { ours: ours(0) }, env);
        const said = "front in dev: 10 % to 50 %\npromote front --stack dev --to agent_front@14\n";
        const commit = "Kim front in dev: 10 % to 50 %\n\nPulumi.dev.yaml\n";
        assert.deepEqual(ended, ok(said + commit));
        const [{ title, head } = {}] = host.opened;
        assert.deepEqual([title, head], ["front in dev: 10 % to 50 %", "promote/test/dev-front"]);
        const ahead = await shell([
          "cd clone && git --git-dir ../origin.git rev-list --count main..promote/test/dev-front",
        ]);
        assert.equal(ahead.stdout, "1\n");
      }));

    it("pushes nothing and is red if the promotion has to wait", () =>
      withHost(async (host) => {
        const after = "git --git-dir ../origin.git branch --list 'promote/*'";
        const { code, stdout } = await inClone("promote.sh", [], after, { ours: ours(1) }, github(host));
        assert.deepEqual([code, stdout], [1, "front in dev: 10 % to 50 %\npromote --stack dev\n"]);
        assert.deepEqual(host.opened, []);
      }));
  });

  describe("abort.sh", () => {
    /** The command writes 0, and `pulumi up` of it is told. */
    const aborts = (code = 0): Fakes => ({
      ours: `echo 0 > Pulumi.dev.yaml; echo "$* for $(git --git-dir ../origin.git show main:Pulumi.dev.yaml)"; exit ${code}`,
    });
    const main =
      "git --git-dir ../origin.git show --format='%an %s' --name-only main; git --git-dir ../origin.git show main:Pulumi.dev.yaml";
    const hook = (name: string, where = ".git/hooks") =>
      `mkdir -p ${where} && printf '#!/bin/sh\\nexit 1\\n' > ${where}/${name} && chmod +x ${where}/${name}`;

    for (const { name, before } of [
      { name: "a clone", before: "true" },
      { name: "a detached head", before: "git checkout --quiet --detach" },
      { name: "a push of somebody else", before: elsewhere("echo 1 > new") },
      {
        name: "a branch with other commits",
        before: "git checkout --quiet -b mine && echo 1 > mine && git add --all && git commit --quiet --message mine",
      },
    ]) {
      it(`applies, then pushes one commit to main: ${name}`, async () => {
        const after = `${main}; git --git-dir ../origin.git ls-tree --name-only main | grep mine`;
        const ended = await inClone("abort.sh", [before], after, aborts());
        assert.equal(ended.code, 0, ended.stderr);
        assert.equal(ended.stdout, "abort --stack dev --up --yes for 10\nKim Abort in dev\n\nPulumi.dev.yaml\n0\n");
      });
    }

    const refusal = (
      name: string,
      options: string,
    ) => `main does not have this abort, so its next deployment would give the candidate calls again. In a clone, run:

git fetch origin && git switch --create "abort-dev" "origin/main"
npx pulumi-agent-platform abort ${options}
git commit --all --message "Abort${name} in dev" && git push origin HEAD

Then merge that branch.
`;
    for (const { name, before } of [
      { name: "a hook of the clone", before: hook("pre-commit") },
      { name: "a protected branch", before: hook("pre-receive", "../origin.git/hooks") },
      { name: "a remote that is away", before: "git remote set-url origin ../away" },
      { name: "a lock of a killed git", before: "touch .git/index.lock" },
      { name: "the same line changed since", before: elsewhere("echo 20 > Pulumi.dev.yaml") },
    ]) {
      it(`is red if it cannot push: ${name}`, async () => {
        const env = { NAME: "front", TO: "agent_front@12" };
        const ended = await inClone("abort.sh", [before], main, aborts(), env);
        assert.equal(ended.code, 1);
        assert.match(ended.stdout, /^abort front --stack dev --to agent_front@12 --up --yes for \d+\n/);
        assert.doesNotMatch(ended.stdout, /Abort/);
        assert.ok(ended.stderr.endsWith(refusal(" front", "front --stack dev --to agent_front@12")), ended.stderr);
      });
    }

    const frozen =
      'Stopped: the stack is frozen: launch week. Nothing was changed. To abort it all the same, give a reason in "bypass" (AGENT_PLATFORM_BYPASS).\n';
    for (const { name, env, code, stderr, content } of [
      { name: "writes nothing while a freeze stops it", env: {}, code: 1, stderr: frozen, content: "10" },
      {
        name: "passes a freeze with a reason",
        env: { AGENT_PLATFORM_BYPASS: "incident 4711" },
        code: 0,
        stderr: "",
        content: "0",
      },
    ]) {
      it(name, async () => {
        const fakes = { ...aborts(), pulumi: "echo launch week" };
        const after = "git --git-dir ../origin.git show main:Pulumi.dev.yaml";
        const ended = await inClone("abort.sh", [], after, fakes, env);
        assert.deepEqual([ended.code, ended.stderr, ended.stdout.split("\n").at(-2)], [code, stderr, content]);
      });
    }

    it("pushes the abort and is red if not every number has it", async () => {
      const ended = await inClone("abort.sh", [], main, aborts(1));
      assert.equal(ended.code, 1);
      assert.match(ended.stdout, /\nKim Abort in dev\n/);
    });

    it("pushes nothing if there is nothing to abort", async () => {
      const ended = await inClone("abort.sh", [], main, { ours: "echo Nothing to abort.; exit 3" });
      assert.deepEqual(ended, {
        code: 3,
        stdout: "Nothing to abort.\nKim 10\n\n.gitignore\nPulumi.dev.yaml\n10\n",
        stderr: "",
      });
    });

    it("starts no pipeline of GitLab for its push", async () => {
      const record = "printf '#!/bin/sh\\necho $GIT_PUSH_OPTION_0 > options\\n' > ../origin.git/hooks/post-receive";
      const before = [
        `git --git-dir ../origin.git config receive.advertisePushOptions true; ${record}`,
        "chmod +x ../origin.git/hooks/*",
      ];
      const ended = await inClone("abort.sh", before, "cat ../origin.git/options", aborts(), { GITLAB_CI: "true" });
      assert.match(ended.stdout, /\nci\.skip\n$/);
    });
  });
});
