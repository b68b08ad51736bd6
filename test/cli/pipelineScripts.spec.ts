import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { parse } from "yaml";
import { POSTED_KINDS } from "../../provider/core/platform/kinds";
import { temporaryFolder } from "../support/engineFakes";
import { repository } from "../support/repository";
import { type HostServer, robot, withHost } from "./hostServer";

/** The scripts by themselves, in an empty folder. The long tests run them with the real engine. */

const folder = temporaryFolder();

type Env = Readonly<Record<string, string>>;

interface Fakes {
  /** A line of the shell in place of the CLI. */
  readonly pulumi?: string;
  /** The same in place of our command. */
  readonly ours?: string;
}

/** What runs a script of examples/pipelines/scripts. */
const commandOf = (script: string) =>
  `${script.includes(".mjs") ? "node" : "sh"} ${join(repository, "examples/pipelines/scripts")}/${script}`;

const run = (script: string, env: Env = {}, fakes: Fakes = {}) => shell(commandOf(script), env, fakes);

function shell(command: string, env: Env, { pulumi = "exit 127", ours = "exit 127" }: Fakes) {
  const bin = join(folder.path, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  // npm's own takes longer than all else that a script does. The long tests have it.
  const npx = '[ "$1" = --no-install ] && shift; exec "$@"';
  for (const [name, line] of Object.entries({ npx, pulumi, "pulumi-agent-platform": ours })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  const own = { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path };
  const options = {
    cwd: folder.path,
    env: { ...own, PROJECT: "test", STACK: "dev", STACKS: "dev", BRANCH: "main", ...env },
  };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile("sh", ["-c", command], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  );
}

const ok = (stdout = "") => ({ code: 0, stdout, stderr: "" });
const red = (stderr: string) => ({ code: 1, stdout: "", stderr });

describe("the comment on a request", () => {
  const github = (host: HostServer) => ({
    GITHUB_API_URL: host.url,
    GITHUB_REPOSITORY: "team/phones",
    GITHUB_TOKEN: "ghs",
    GITHUB_SHA: "abc123",
    PULL_REQUEST: "12",
  });
  const mark = "<!-- agent-platform report test -->\n";

  it("is found among hundreds, and no other one is touched", () =>
    withHost(async (host) => {
      for (let index = 0; index < 150; index += 1) {
        host.add("reviewer", `comment ${index}`);
      }
      host.add("reviewer", `${mark}reviewed-digest \`ffffffffffff\``);
      host.add(robot, `${mark}old`);
      writeFileSync(join(folder.path, "report.md"), "reviewed-digest `0123456789ab`\n");
      assert.deepEqual(await run("comment.mjs post report.md", github(host)), ok());
      assert.deepEqual(
        host.comments.slice(150).map(({ body }) => body),
        [`${mark}reviewed-digest \`ffffffffffff\``, `${mark}reviewed-digest \`0123456789ab\`\n`],
      );
      assert.deepEqual(await run("comment.mjs digest", github(host)), ok("0123456789ab\n"));
    }));

  it("gives the digest of its project and of its stack, at the report's end, whatever a name or a title says", () =>
    withHost(async (host) => {
      const several = [
        "<!-- reviewed-digest `dev` `e3b0c44298fc` -->",
        "reviewed-digest `canary` `0123456789ab`",
        "reviewed-digest `prod` `ba9876543210`",
      ].join("\n");
      const digest = (env: Env = {}) => run("comment.mjs digest", { ...github(host), ...env });
      const missing = (of = "") => red(`comment: request 12 has no report${of}: run the job with a digest\n`);
      host.add(robot, `<!-- agent-platform report phones -->\n${several}\n`);
      assert.deepEqual(await digest(), missing());
      const titles = "# reviewed-digest `aaaaaaaaaaaa`\n\nreviewed-digest `bbbbbbbbbbbb`\n\n";
      host.add(robot, `${mark}${titles}reviewed-digest \`0123456789ab\`\n`);
      assert.deepEqual(await digest(), ok("0123456789ab\n"));
      host.comments.pop();
      host.add(robot, `${mark}${several}\n`);
      assert.deepEqual(await digest({ STACK: "dev" }), ok("e3b0c44298fc\n"));
      assert.deepEqual(await digest({ STACK: "acme/phones/canary" }), ok("0123456789ab\n"));
      assert.deepEqual(await digest({ STACK: "qa" }), missing(" of stack qa"));
    }));

  it("gives the request of many rollouts a title that GitHub takes", async () => {
    const to = { candidate: "agent_front@13", percent: 50 };
    const title = async (rollouts: number) => {
      const promotions = Array(rollouts).fill({ outcome: "written", stack: "prod", name: "front", to });
      writeFileSync(join(folder.path, "promoted.json"), JSON.stringify({ promotions }));
      return run("comment.mjs title promoted.json");
    };
    assert.deepEqual(await title(1), ok("front in prod: agent_front@13 at 50 %\n"));
    assert.deepEqual(await title(12), ok("12 rollouts of test go on\n"));
  });

  it("says why there is no digest", () =>
    withHost(async (host) => {
      host.add(robot, `${mark}reviewed-digest \`0123456789ab\`\n`);
      const unmerged = red("comment: this commit was merged to main by no request: run the job with a digest\n");
      // The second commit is of a request that is still open: somebody starts a deployment on its branch.
      for (const commit of ["0".repeat(40), "1".repeat(40)]) {
        assert.deepEqual(await run("comment.mjs digest", { ...github(host), GITHUB_SHA: commit }), unmerged);
      }
      const gitlab = { GITLAB_CI: "true", CI_API_V4_URL: host.url, CI_PROJECT_ID: "5", CI_COMMIT_SHA: "1".repeat(40) };
      assert.deepEqual(await run("comment.mjs digest", gitlab), unmerged);
      const refused = red("comment: GET /commits/x/y/pulls: 404 Not Found\n");
      assert.deepEqual(await run("comment.mjs digest", { ...github(host), GITHUB_SHA: "x/y" }), refused);
    }));

  it("is asked for again if the host fails, and written once; the host's reason is shown", () =>
    withHost(async (host) => {
      host.add(robot, `${mark}reviewed-digest \`0123456789ab\`\n`);
      host.faults.push("reset", [502, "<html><style>p {}</style><h1>502 Bad Gateway</h1>"]);
      assert.deepEqual(await run("comment.mjs digest", github(host)), ok("0123456789ab\n"));
      assert.equal(host.requests.length, 4);

      host.comments.pop();
      writeFileSync(join(folder.path, "report.md"), "reviewed-digest `0123456789ab`\n");
      const said = async (body: object | string, status = 403) => {
        host.requests.length = 0;
        const fault = [status, typeof body === "string" ? body : JSON.stringify(body)] as const;
        const none = [200, "[]"] as const;
        host.faults.push(none, fault);
        const { code, stderr } = await run("comment.mjs post report.md", github(host));
        assert.deepEqual([code, host.requests.length, host.comments.length], [1, 2, 0]);
        return stderr.replace("comment: POST /issues/12/comments: ", "");
      };
      const url = "https://docs.example.com";
      const forbidden = { message: "Resource not accessible by integration", documentation_url: url, status: "403" };
      assert.equal(await said(forbidden), "403 Resource not accessible by integration\n");
      const invalid = {
        message: "Validation Failed",
        errors: [{ field: "body", message: "is too\u202e long" }, "twice"],
      };
      assert.equal(await said(invalid, 422), "422 Validation Failed body is too long twice\n");
      const gitlab = {
        message: { base: ["has an open request"] },
        error: "x",
        error_description: "Token was revoked.",
      };
      assert.equal(await said(gitlab, 409), "409 has an open request x Token was revoked.\n");
      assert.equal(await said("<html><title>Sign in</title>", 200), "200 Sign in\n");
      assert.equal(await said("", 502), "502\n");
    }));

  it("is not written without a request, as in a merge queue", () =>
    withHost(async (host) => {
      const said = "This run is of no pull request, so it writes no comment. The report is in report.md.\n";
      assert.deepEqual(await run("comment.mjs post report.md", { ...github(host), PULL_REQUEST: "" }), ok(said));
      assert.deepEqual(host.requests, []);
    }));

  it("says that there is no report, if a stack has no preview: the one of an earlier push is no longer true", () =>
    withHost(async (host) => {
      const env = { ...github(host), STACKS: "organization/test/dev nowhere", STACK: "" };
      host.add(robot, `${mark}reviewed-digest \`dev\` \`0123456789ab\`\n`);
      const pulumi = 'case "$*" in *nowhere*) exit 255 ;; *) echo "{}" ;; esac';
      const ours = '[ "$*" = "report preview.dev.json preview.nowhere.json" ] && exit 2';
      const said = "### ❌ No report: the preview of `nowhere` failed. The job says why.\n";
      assert.deepEqual(await run("preview.sh", env, { pulumi, ours }), { code: 255, stdout: said, stderr: "" });
      assert.deepEqual(await run("comment.mjs post report.md", env), ok());
      assert.deepEqual(
        host.comments.map(({ body }) => body),
        [`${mark}${said}`],
      );
    }));
});

describe("the scripts by hand, in no pipeline", () => {
  for (const [script, missing] of [
    ["abort.sh", "STACK=dev BRANCH=main"],
    ["rollback.sh", "STACK=dev BRANCH=main COMMIT=<commit>"],
    ["reassert.sh", 'STACK=dev MARK="run 1" BRANCH=main'],
    ["operate.sh", 'OPERATION=abort STACK=dev STACKS="dev prod" BRANCH=main'],
    ["apply.sh", "STACK=dev BRANCH=main"],
    ["changes.sh", 'STACKS="dev prod"'],
    ["preview.sh", "STACK=dev"],
    ["up.sh", "STACK=dev"],
    ["promote.sh", 'STACKS="dev prod" PROJECT=phones BRANCH=main'],
  ] as const) {
    it(`${script} says what it needs`, async () => {
      const { code, stderr } = await run(script, { STACK: "", STACKS: "", BRANCH: "", PROJECT: "" });
      const path = join(repository, "examples/pipelines/scripts", script);
      assert.deepEqual([code, stderr], [2, `${script} needs this, such as: ${missing} sh ${path}\n`]);
    });
  }

  it("says the whole command, with what was given", async () => {
    const env = { OPERATION: "rollback", STACKS: "dev prod", STACK: "dev", BRANCH: "" };
    const { code, stderr } = await run("operate.sh", env);
    const given = 'OPERATION=rollback STACK=dev STACKS="dev prod" BRANCH=main';
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(`operate.sh needs this, such as: ${given} sh `), stderr);
  });

  /** A repository with a commit on main, which is pushed; and where it is then: on the branch mine, with one commit more. */
  const Repository = [
    "rm -rf clone origin.git x && git init --quiet --bare --initial-branch=main origin.git",
    "git init --quiet --initial-branch=main clone && cd clone",
    "git remote add origin ../origin.git",
    "git config user.name a && git config user.email a@b",
    "echo 10 > Pulumi.dev.yaml && git add --all && git commit --quiet --message 10 && git push --quiet origin main",
    "git checkout --quiet -b mine && echo mine > mine && git add --all && git commit --quiet --message mine",
  ].join("\n");
  const inClone = (script: string, env: Env, fakes: Fakes, before = "", after = "") =>
    shell(`${Repository}\n${before}\n${commandOf(script)}; code=$?; ${after}\nexit $code`, env, fakes);
  const promotes = (then: string) => ({
    ours: `echo 50 > Pulumi.dev.yaml; echo '{"text":"promoted","outcome":"written","file":"Pulumi.dev.yaml","stack":"dev","name":"front","to":{"candidate":"agent_front@13","percent":50}}'; ${then}`,
  });
  const Where =
    "git symbolic-ref --short HEAD; git status --porcelain --untracked-files=no; git show origin/promote/test/dev:Pulumi.dev.yaml";

  it("promote.sh pushes its branch and says so, and HEAD is where it was; also after a failure", async () => {
    const pushed =
      "promoted\nThe branch promote/test/dev is pushed. This is no pipeline, so open its pull request yourself.\nmine\n50\n";
    assert.deepEqual(await inClone("promote.sh", {}, promotes("exit 0"), "", Where), ok(pushed));
    const hook = "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    for (const [before, then, code] of [
      ["", "exit 2", 2],
      [hook, "exit 0", 1],
    ] as const) {
      const ended = await inClone("promote.sh", {}, promotes(then), before, Where);
      assert.deepEqual([ended.code, ended.stdout], [code, "promoted\nmine\n"]);
    }
  });

  it("promote.sh and abort.sh hand on the agent that is named", async () => {
    const asked = { ours: 'echo "$*" >&2; exit 2' };
    const env = { NAME: "front", TO: "agent_front@14", NEW: "1" };
    const said = async (script: string, given: Env) => (await inClone(script, given, asked)).stderr;
    assert.equal(await said("promote.sh", env), "promote --json --stack dev --to agent_front@14 --new front\n");
    assert.equal(await said("abort.sh", env), "abort --stack dev --json --to agent_front@14 front\n");
    assert.equal(await said("promote.sh", {}), "promote --json --stack dev\n");
    assert.equal(await said("abort.sh", {}), "abort --stack dev --json\n");
  });

  it("get what GitHub's form asks for", () => {
    const file = join(repository, "examples/pipelines/github/.github/workflows/phones.yml");
    const { on, jobs } = parse(readFileSync(file, "utf8"));
    assert.deepEqual(
      Object.keys(on.workflow_dispatch.inputs).filter((name) => !JSON.stringify(jobs).includes(`inputs.${name}`)),
      ["digest", "send_again"],
    );
    const [operate, promote] = [jobs.operate, jobs.promote].map(({ steps }) => steps.at(-1).env);
    const to = `\${{ inputs.to }}`;
    assert.deepEqual([operate.TO, promote.TO, promote.NEW], [to, to, `\${{ inputs.new && 'new' || '' }}`]);
  });

  it("promote.sh does not touch what nobody has committed", async () => {
    const { code, stdout, stderr } = await inClone("promote.sh", {}, promotes("exit 0"), "echo 2 > mine", "cat mine");
    const stopped = "Stopped: there are changes in no commit. Nothing was changed. Run: git stash\n";
    assert.deepEqual([code, stdout, stderr], [2, "2\n", stopped]);
  });

  it("operate.sh pushes no other branch to the one that is deployed", async () => {
    const stopped = "Stopped: this is mine. Nothing was changed. Run: git checkout main && git pull\n";
    assert.deepEqual(await inClone("operate.sh", { OPERATION: "abort" }, {}), { code: 2, stdout: "", stderr: stopped });
  });

  /** As the commands respond to abort.sh; `up` prints what it applies. */
  const aborts: Fakes = {
    pulumi: 'echo "pulumi $1: $(cat Pulumi.dev.yaml)"',
    ours: `case "$*" in
      doctor*) echo fine ;;
      *--dry-run*) echo '{"isApplied":true}' ;;
      *) echo 0 > Pulumi.dev.yaml; echo '{"text":"aborted","outcome":"written","file":"Pulumi.dev.yaml","stack":"dev","name":"front","to":{"aborted":{"agent":"agent_front@13","percent":10}}}' ;;
    esac`,
  };
  for (const [script, env, command] of [
    ["abort.sh", {}, "npx pulumi-agent-platform abort --stack dev && git commit --all"],
    [
      "abort.sh",
      { NAME: "front", TO: "agent_front@12" },
      "npx pulumi-agent-platform abort front --stack dev --to agent_front@12 && git commit --all",
    ],
    ["rollback.sh", { COMMIT: "HEAD" }, "git revert $COMMIT"],
  ] as const) {
    it(`${[...Object.keys(env), script].join(" ")} applies first, whatever becomes of the commit, and is red if the branch does not get it`, async () => {
      const start = `git checkout --quiet -B main; echo 0 > Pulumi.dev.yaml; git commit --quiet --all --message 0; echo 10 > Pulumi.dev.yaml; git commit --quiet --all --message 10; git push --quiet origin main`;
      const hook = `${start}; printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/prepare-commit-msg; chmod +x .git/hooks/prepare-commit-msg`;
      const line = `main does not have this change, so the next deployment undoes it. In a clone of main, run:\ngit pull && ${command} && git push\n`;
      for (const [made, code, end] of [
        [start, 0, ""],
        [hook, 3, line],
      ] as const) {
        const ended = await inClone(
          script,
          env,
          aborts,
          made,
          "git fetch --quiet; git show origin/main:Pulumi.dev.yaml",
        );
        assert.equal(ended.code, code, ended.stderr);
        assert.match(ended.stdout, /^pulumi up: 0$/m);
        assert.ok(ended.stderr.replace(/\b[\da-f]{40}\b/, "$$COMMIT").endsWith(end), ended.stderr);
      }
    });
  }

  it("changes.sh says what would be deployed", async () => {
    const ours = "echo '{\"isUnchanged\":'$(grep -q dev preview.json && echo true || echo false)'}'";
    const changes = (STACKS: string) => run("changes.sh", { STACK: "", STACKS }, { pulumi: 'echo "$3"', ours });
    assert.deepEqual(await changes("dev"), ok("dev: no change\nTo deploy: nothing.\n"));
    assert.deepEqual(
      await changes("dev qa prod"),
      ok("dev: no change\nqa: changes\nprod: changes\nTo deploy: qa prod.\n"),
    );
  });

  it("apply.sh asks for the digest", async () => {
    const asked =
      "comment: no pull request to take the digest from. Give it: EXPECT=<digest of the report> sh scripts/apply.sh\n";
    assert.deepEqual(await inClone("apply.sh", { BRANCH: "mine" }, {}, "git push --quiet origin mine"), red(asked));
  });

  const applied = { pulumi: 'echo "pulumi $1"', ours: 'echo "$1"' };
  const Stale =
    "Stopped: nothing was applied. main has other files here than this commit: it was taken back, or changed since. Start a deployment of main.\n";
  const Unknown = "Stopped: nothing was applied, because origin did not say what main has now. Run this job again.\n";
  const elsewhere =
    "mkdir -p ../x && cd ../x && git clone --quiet ../origin.git . && echo 1 > new && git add new && git -c user.name=b -c user.email=b@c commit --quiet --message other && git push --quiet origin HEAD:main";
  for (const [kind, before, said] of [
    ["is the newest", "", ""],
    ["is the newest in the project's folder", `mkdir phones; cd phones; (cd ..; ${elsewhere})`, ""],
    [
      "was taken back",
      "git revert --no-edit HEAD > log && git push --quiet origin main && git checkout --quiet HEAD^",
      Stale,
    ],
    ["was followed by another one", `(${elsewhere})`, Stale],
    ["was pushed over", "git push --quiet --force origin main^:main", Stale],
    ["cannot be compared", "git remote set-url origin ../away", Unknown],
  ] as const) {
    it(`apply.sh ${said === "" ? "applies" : "does not apply"} a commit that ${kind}`, async () => {
      const start = "git checkout --quiet -B main && git push --quiet origin main";
      const ended = await inClone("apply.sh", { EXPECT: "0123456789ab" }, applied, `${start}; ${before}`);
      assert.deepEqual([ended.code, ended.stdout.includes("pulumi up")], [said === "" ? 0 : 1, said === ""]);
      assert.ok(ended.stderr.endsWith(said), ended.stderr);
    });
  }
});

describe("the jobs of a deployment", () => {
  it("are one for each stack in GitLab, whatever the stack is called", async () => {
    const stacks = "default include .x 7";
    assert.deepEqual(
      await run(`comment.mjs deployments ${stacks}`, { GITLAB_CI: "true", STACKS: stacks, FOLDER: "" }),
      ok(),
    );
    const { include, ...jobs } = JSON.parse(readFileSync(join(folder.path, "deploy.gitlab-ci.yml"), "utf8"));
    const inputs = { project: "test", folder: "", stacks };
    assert.deepEqual(include, [{ local: ".gitlab/agent-platform.yml", inputs }]);
    assert.deepEqual(
      Object.entries(jobs as Record<string, { needs: string[]; variables: { STACK: string } }>).map(
        ([name, { needs, variables }]) => [name, variables.STACK, needs],
      ),
      [
        ["deploy default", "default", []],
        ["deploy include", "include", ["deploy default"]],
        ["deploy .x", ".x", ["deploy include"]],
        ["deploy 7", "7", ["deploy .x"]],
      ],
    );
  });

  it("are no more than GitHub's workflow has: the last stacks would never be deployed", async () => {
    const said = "comment: 5 stacks change, and the workflow has jobs for 4: deploy one by hand first\n";
    assert.deepEqual(await run("comment.mjs deployments a b c d e", { GITHUB_REPOSITORY: "team/phones" }), red(said));
  });
});

describe("up.sh", () => {
  const Continued = "up --stack dev --yes --skip-preview --continue-on-error --non-interactive";
  const Stopped = "up --stack dev --yes --skip-preview --non-interactive";
  /** @param doctor what runs in place of the command */
  const up = (doctor: string, env: Env = {}) => run("up.sh", env, { pulumi: 'echo "pulumi $*"', ours: doctor });

  const older =
    "The Pulumi SDK here is older than 3.252.0, so this run stops at the first failure. To continue: npm install @pulumi/pulumi@^3.252.0\n";
  // With an older one, which Node 20 gets, a run that continues after a failure clears numbers that the program declares.
  for (const [version, ran, stderr] of [
    ["3.251.9", Stopped, older],
    ["3.252.0", Continued, ""],
    [undefined, Continued, ""],
  ] as const) {
    it(`with ${version === undefined ? "no SDK, as in YAML" : `the SDK ${version}`}: pulumi ${ran}`, async () => {
      if (version !== undefined) {
        const sdk = join(folder.path, "node_modules/@pulumi/pulumi");
        mkdirSync(sdk, { recursive: true });
        writeFileSync(join(sdk, "package.json"), JSON.stringify({ name: "@pulumi/pulumi", version }));
      }
      assert.deepEqual(await up("echo fine"), { code: 0, stdout: `fine\npulumi ${ran}\n`, stderr });
    });
  }

  const untold =
    "doctor did not say whether a voice or a chat may have been sent before (exit code 1), so `pulumi up` could send one again. Run this job again.\n";

  it("applies nothing if doctor breaks off: a message could be sent a second time", async () => {
    const stopped = red(`${untold}Stopped: nothing was applied.\n`);
    assert.deepEqual(await up("exit 1", { SEND_AGAIN: "not there" }), stopped);
  });

  it("applies the rest of an abort without voices and chats if doctor breaks off, and is red", async () => {
    const excluded = POSTED_KINDS.map((kind) => ` --exclude urn:pulumi:**:${kind}::**`).join("");
    const stderr = `${untold}The rest is applied without voices and chats.\n`;
    assert.deepEqual(await up("exit 1", { URGENT: "1" }), {
      code: 1,
      stdout: `pulumi ${Continued}${excluded}\n`,
      stderr,
    });
  });
});
