import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, it } from "mocha";
import { parse } from "yaml";
import { pipelineFiles } from "../../cli/start/pipelines";
import { temporaryFolder } from "../support/engineFakes";
import { closeAll, listen } from "../support/rawServer";
import { repository } from "../support/repository";
import { checkRows } from "../support/rows";
import { type HostServer, robot, withHost } from "./hostServer";
import { includedPipeline, PHONES } from "./pipelineFiles";

/**
 * Tests each pipeline script separately, with fakes of the Git host, the Pulumi CLI and our CLI.
 * `pipelines.long.spec.ts` runs the scripts with the real engine.
 */

let folder: { readonly path: string };

type Env = Readonly<Record<string, string>>;

interface Fakes {
  /** A shell command to run instead of the Pulumi CLI. */
  readonly pulumi?: string;
  /** A shell command to run instead of `pulumi-agent-platform`. */
  readonly ours?: string;
}

const scripts = join(repository, "examples/pipelines/scripts");

/** Runs shell lines in the test's temporary folder. `$scripts` is the path of the folder with the scripts. */
function shell(lines: readonly string[], env: Env = {}, { pulumi = "exit 127", ours = "exit 127" }: Fakes = {}) {
  const bin = join(folder.path, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  // Use a fake npx, because the real one takes longer than the rest of a script. `pipelines.long.spec.ts` uses the real
  // one.
  const npx = '[ "$1" = --no-install ] && shift; exec "$@"';
  for (const [name, line] of Object.entries({ npx, npm: "exit 127", pulumi, "pulumi-agent-platform": ours })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  const author = {
    GIT_AUTHOR_NAME: "Kim",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "Kim",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  const baseEnv = { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path, scripts, ...author };
  const options = {
    cwd: folder.path,
    env: { ...baseEnv, PROJECT: "test", STACK: "dev", STACKS: "dev", BRANCH: "main", ...env },
  };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile("sh", ["-c", lines.join("\n")], options, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    ),
  );
}

/**
 * Shell lines that create a clone and its remote, with one commit on main. To keep the tests short, Pulumi.dev.yaml
 * contains only a rollout's percentage.
 */
const CLONE = [
  "rm -rf clone origin.git other && git init --quiet --bare --initial-branch=main origin.git",
  "git init --quiet --initial-branch=main clone && cd clone && git remote add origin ../origin.git",
  "printf 'report.*\\npreview*.json\\nboard.html\\n' > .gitignore && echo '{}' > package.json",
  "echo 10 > Pulumi.dev.yaml && git add --all && git commit --quiet --message 10 && git push --quiet origin main",
];

/** Returns a shell command that makes a change in another clone and pushes it to main. */
const pushElsewhere = (change: string) =>
  `(git clone --quiet ../origin.git ../other && cd ../other && ${change} && git add --all && git commit --quiet --message other && git push --quiet)`;

/** Runs a script in a new clone. The line `after` runs even if the script fails, and doesn't change the exit code. */
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
  // Some companies host GitLab under a path.
  CI_API_V4_URL: `${host.url}/gitlab/api/v4`,
  CI_PROJECT_ID: "5",
  CI_COMMIT_SHA: "abc123",
  CI_MERGE_REQUEST_IID: "12",
});
const HOSTS = { GitHub: github, GitLab: gitlab };
const REQUESTS: Readonly<Record<string, string>> = { GitHub: "pull request", GitLab: "merge request" };

const ok = (stdout = "") => ({ code: 0, stdout, stderr: "" });
const mark = "<!-- agent-platform report test -->\n";
const comment = (line: string, env: Env) => shell([`node $scripts/comment.mjs ${line}`], env);
const reportFile = (text: string) => writeFileSync(join(folder.path, "report.md"), text);
const bodies = (host: HostServer) => host.comments.map(({ body }) => body);

const UP = "pulumi up --stack dev --yes --skip-preview --non-interactive\n";

/** The Git hooks that the commands in the scripts can trigger. */
const HOOKS = [
  "pre-commit",
  "commit-msg",
  "pre-push",
  "pre-rebase",
  "post-checkout",
  "post-merge",
  "reference-transaction",
];
/** A shell command that makes every hook in `HOOKS` fail. Like husky, it sets `core.hooksPath`. */
const HUSKY = [
  "mkdir .husky",
  `for hook in ${HOOKS.join(" ")}; do printf '#!/bin/sh\\nexit 1\\n' > .husky/$hook; done`,
  "chmod +x .husky/* && git config core.hooksPath .husky",
].join(" && ");

describe("examples/pipelines", () => {
  folder = temporaryFolder();

  describe("comment.mjs", () => {
    for (const [name, envOf] of Object.entries(HOSTS)) {
      it(`updates only its own report comment on ${name}`, () =>
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

      it(`creates a report comment on ${name} if there is none`, () =>
        withHost(async (host) => {
          reportFile("the report\n");
          assert.deepEqual(await comment("post report.md", envOf(host)), ok());
          assert.deepEqual(bodies(host), [`${mark}the report\n`]);
        }));

      it(`prints no digest for an unmerged commit on ${name}`, () =>
        withHost(async (host) => {
          host.add(robot, `${mark}reviewed-digest \`0123456789ab\`\n`);
          // The first commit isn't part of any pull or merge request. The second is part of one that is still open.
          for (const commit of ["0".repeat(40), "1".repeat(40)]) {
            const env = { ...envOf(host), GITHUB_SHA: commit, CI_COMMIT_SHA: commit };
            const { code, stdout } = await comment("digest", env);
            assert.equal(code, 1, commit);
            assert.equal(stdout, "", commit);
          }
        }));
    }

    const threeStacks = [
      "reviewed-digest `dev` `e3b0c44298fc`",
      "reviewed-digest `canary` `0123456789ab`",
      "reviewed-digest `prod` `ba9876543210`",
    ].join("\n");
    for (const { name, report, stack, digest } of [
      {
        name: "prints the digest from a report on a single stack",
        report: "reviewed-digest `0123456789ab`",
        stack: "dev",
        digest: "0123456789ab\n",
      },
      { name: "prints the digest of an unchanged stack", report: threeStacks, stack: "dev", digest: "e3b0c44298fc\n" },
      {
        name: "prints the digest of a stack in Pulumi Cloud",
        report: threeStacks,
        stack: "acme/phones/canary",
        digest: "0123456789ab\n",
      },
      { name: "prints no digest for an unknown stack", report: threeStacks, stack: "qa", digest: "" },
      {
        name: "ignores a digest that appears in a heading",
        report: "# reviewed-digest `aaaaaaaaaaaa`",
        stack: "dev",
        digest: "",
      },
    ]) {
      it(name, () =>
        withHost(async (host) => {
          host.add(robot, `<!-- agent-platform report phones -->\nreviewed-digest \`ffffffffffff\`\n`);
          host.add(robot, `${mark}${report}\n`);
          const { code, stdout } = await comment("digest", { ...github(host), STACK: stack });
          assert.equal(stdout, digest);
          assert.equal(code, digest === "" ? 1 : 0);
        }),
      );
    }

    it("retries a request after a server error", () =>
      withHost(async (host) => {
        host.add(robot, `${mark}reviewed-digest \`0123456789ab\`\n`);
        host.faults.push("reset", [502, "<html><h1>502 Bad Gateway</h1>"]);
        assert.deepEqual(await comment("digest", github(host)), ok("0123456789ab\n"));
        assert.equal(host.calls.length, 4);
      }));

    const refusals = [
      { name: "JSON", fault: [403, '{"message":"Not \u202eaccessible"}'], result: '403 {"message":"Not accessible"}' },
      { name: "an HTML page", fault: [200, "<title>Sign in</title>"], result: "200  Sign in" },
      { name: "an empty body", fault: [502, ""], result: "502" },
    ] as const;
    it("prints the error of a failed POST and does not retry it", () =>
      checkRows(
        refusals,
        ({ name }) => name,
        ({ fault, result }) =>
          withHost(async (host) => {
            host.faults.push([200, "[]"], fault);
            reportFile("text");
            const { code, stderr } = await comment("post report.md", github(host));
            assert.equal(code, 1);
            assert.ok(stderr.trim().endsWith(`POST /issues/12/comments: ${result}`), stderr);
            assert.equal(host.calls.length, 2);
            assert.deepEqual(bodies(host), []);
          }),
      ));

    const token = "ghs_a+B/9=";
    const characters = (form: (code: number) => string) =>
      [...token].map((character) => form(character.charCodeAt(0))).join("");
    const errorPages = {
      unencoded: `<p>Bad credentials: ${token}</p>`,
      "in JSON escapes": `{"error":"${characters((code) => `\\u00${code.toString(16)}`)}"}`,
      "percent-encoded": encodeURIComponent(token),
      "in decimal entities": characters((code) => `&#${code};`),
      "in hexadecimal entities": characters((code) => `&#x${code.toString(16)};`),
      "broken up by tags and newlines": `${token.slice(0, 4)}<wbr>\n${token.slice(4)}`,
    };
    it("hides an error page that contains the token, even if it is encoded", () =>
      checkRows(
        Object.entries(errorPages),
        ([name]) => name,
        ([, page]) =>
          withHost(async (host) => {
            host.faults.push([403, page]);
            const { code, stdout, stderr } = await comment("digest", { ...github(host), GITHUB_TOKEN: token });
            assert.equal(code, 1);
            assert.match(stderr, /: 403 \(not shown/);
            assert.ok(!(stdout + stderr).includes(page.slice(-6)), stderr);
          }),
      ));

    it("hides a token that contains a line break", () =>
      withHost(async (host) => {
        const { code, stdout, stderr } = await comment("digest", { ...github(host), GITHUB_TOKEN: "ghs_secret\nline" });
        assert.equal(code, 1);
        assert.doesNotMatch(stdout + stderr, /ghs_secret/);
      }));

    const canUseProxy = process.allowedNodeEnvironmentFlags.has("--use-env-proxy");

    it("uses the runner's proxy or says which Node.js version can", () =>
      withHost(async (host) => {
        host.add(robot, `${mark}reviewed-digest \`0123456789ab\`\n`);
        const targets: string[] = [];
        const proxy = createServer().on("connect", ({ url = "" }, socket) => {
          targets.push(url);
          const tunnel = connect(Number(new URL(host.url).port), "127.0.0.1", () => {
            socket.write("HTTP/1.1 200 OK\r\n\r\n");
            tunnel.pipe(socket).pipe(tunnel);
          });
        });
        const proxied = { http_proxy: `http://127.0.0.1:${await listen(proxy)}`, NODE_USE_ENV_PROXY: "1" };
        try {
          const env = { ...github(host), ...proxied, GITHUB_API_URL: "http://github.invalid" };
          const { code, stdout, stderr } = await comment("digest", env);
          if (canUseProxy) {
            assert.equal(stdout, "0123456789ab\n", stderr);
            assert.deepEqual(new Set(targets), new Set(["github.invalid:80"]));
            const direct = await comment("digest", { ...github(host), ...proxied, no_proxy: "127.0.0.1" });
            assert.equal(direct.stdout, "0123456789ab\n", direct.stderr);
            assert.equal(targets.length, 2, "the proxy must not be used for a host in no_proxy");
          } else {
            assert.equal(code, 1);
            assert.match(stderr, /Node 22\.21/);
          }
        } finally {
          proxy.closeAllConnections();
          await closeAll(proxy, []);
        }
      }));

    it("does not post a comment if there is no pull request", () =>
      withHost(async (host) => {
        reportFile("text");
        const { code } = await comment("post report.md", { ...github(host), PULL_REQUEST: "" });
        assert.equal(code, 0);
        assert.deepEqual(host.calls, []);
      }));
  });

  describe("comment.mjs open", () => {
    const open = (title: string, files: string, env: Env) => comment(`open promote/test/dev ${title} ${files}`, env);

    for (const [name, envOf] of Object.entries(HOSTS)) {
      it(`updates an open ${REQUESTS[name]} instead of opening a second one`, () =>
        withHost(async (host) => {
          reportFile("the report\n");
          for (const title of ["one", "two"]) {
            assert.deepEqual(await open(title, "report.md", envOf(host)), ok());
          }
          const body = "```text\nthe report\n```\n";
          const expected =
            name === "GitHub"
              ? { head: "promote/test/dev", base: "main", title: "two", body }
              : { source_branch: "promote/test/dev", target_branch: "main", title: "two", description: body };
          assert.deepEqual(host.opened, [expected]);
        }));
    }

    for (const { name, output, shown } of [
      {
        name: "adds the check's output to the pull request",
        output: "12: 3 of 200\n",
        shown: "```text\n12: 3 of 200\n```\n",
      },
      {
        name: "quotes Markdown and slash commands in the check's output",
        output: "a\n```\n/merge @all <img>\n`````\n",
        shown: "``````text\na\n```\n/merge @all <img>\n`````\n``````\n",
      },
      {
        name: "replaces invisible characters in the check's output",
        output: "a\u202eb\u001b[31m\r\nc\u0000",
        shown: "```text\na\ufffdb\ufffd[31m\nc\ufffd\n```\n",
      },
      {
        name: "truncates the check's output to 10,000 bytes",
        output: `${"x".repeat(9999)}é${"y".repeat(5000)}`,
        shown: `\`\`\`text\n${"x".repeat(9999)}\ufffd\n\`\`\`\n\nThe first 10000 of 15001 bytes.\n`,
      },
    ]) {
      it(name, () =>
        withHost(async (host) => {
          reportFile("10% to 50%\n");
          writeFileSync(join(folder.path, "checked.txt"), output);
          assert.deepEqual(await open("one", "report.md checked.txt", github(host)), ok());
          const [{ body = "" } = {}] = host.opened;
          assert.ok(body.startsWith("```text\n10% to 50%\n```\n"), body);
          assert.ok(body.endsWith(`\n\n${shown}`), body.slice(-200));
        }),
      );
    }
  });

  describe("preview job", () => {
    const { jobs } = parse(pipelineFiles("github", PHONES)[".github/workflows/phones.yml"] ?? "");
    const onGitHub: string = jobs.preview.steps.find(({ id }: { readonly id?: string }) => id === "project").run;
    const onGitLab = includedPipeline(pipelineFiles("gitlab", PHONES))["phones preview"]?.before_script ?? [];
    const base = "export BASE=$(git rev-parse HEAD) && export CI_MERGE_REQUEST_DIFF_BASE_SHA=$BASE && mkdir infra";
    for (const { name, change, previews } of [
      { name: "runs the preview if a project file changed", change: "echo 1 > infra/index.ts", previews: true },
      { name: "skips the preview if only other files changed", change: "echo 1 > elsewhere", previews: false },
      {
        name: "runs the preview if the base commit is unknown",
        change: "export BASE= CI_MERGE_REQUEST_DIFF_BASE_SHA=",
        previews: true,
      },
    ]) {
      it(name, async () => {
        const commit = `${base} && ${change} && git add --all && git commit --quiet --allow-empty --message change`;
        const github = ["export GITHUB_OUTPUT=../output && cd infra", onGitHub, "cat ../output 2> /dev/null || true"];
        const githubResult = await shell([
          ...CLONE,
          "git config uploadpack.allowAnySHA1InWant true",
          commit,
          ...github,
        ]);
        assert.equal(githubResult.code, 0, githubResult.stderr);
        assert.equal(githubResult.stdout, previews ? "changes=true\n" : "");
        const gitlab = ["export FOLDER=infra/ CI_PROJECT_DIR=$PWD", ...onGitLab.slice(0, 2), "exit 7"];
        const gitlabResult = await shell([...CLONE, commit, ...gitlab]);
        assert.equal(gitlabResult.code, previews ? 7 : 0, gitlabResult.stderr);
      });
    }
  });

  describe("preview.sh", () => {
    /** The fake preview prints the project's files, and the fake report prints that preview. */
    const printFiles: Fakes = { pulumi: "cat Pulumi.dev.yaml numbers", ours: "cat preview.dev.json" };
    const request = { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main", INSTALL: "echo installed >> ../installed" };
    const branch = [
      "echo old > numbers && git add --all && git commit --quiet --message numbers && git push --quiet origin main",
      "git checkout --quiet -b label && echo new > numbers && git commit --quiet --all --message label",
    ];
    const detached = "git checkout --quiet --detach";
    const moved = pushElsewhere("echo 50 > Pulumi.dev.yaml");
    const installs = "cat ../installed 2> /dev/null";

    it("previews the merge result if the target branch has moved", async () => {
      const before = [...branch, moved, detached, HUSKY];
      const { code, stdout } = await inClone("preview.sh", before, installs, printFiles, request);
      assert.equal(code, 0);
      assert.match(stdout, /\n50\nnew\n$/);
    });

    const lockFiles = ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"];
    it("reinstalls dependencies if the target's lock file differs", () =>
      checkRows(
        lockFiles,
        (lock) => lock,
        async (lock) => {
          const before = ["rm -f ../installed", ...branch, pushElsewhere(`mkdir -p top && echo 1 > ${lock}`), detached];
          const { code, stdout } = await inClone("preview.sh", before, installs, printFiles, request);
          assert.equal(code, 0);
          assert.match(stdout, /\ninstalled\n$/);
        },
      ));

    it("lists the missing commits if the branch conflicts with its target", async () => {
      const other = pushElsewhere("echo theirs > numbers");
      const { code, stdout } = await inClone(
        "preview.sh",
        [...branch, other, detached],
        "cat report.md",
        printFiles,
        request,
      );
      assert.equal(code, 1);
      assert.match(stdout, /\n\n {4}[\da-f]{7,} other\n$/);
    });

    it("reports an error if the target branch can't be fetched", async () => {
      const away = "git remote set-url origin ../away";
      const { code, stdout } = await inClone("preview.sh", [...branch, away], "cat report.md", printFiles, request);
      assert.equal(code, 1);
      assert.match(stdout, /^### ❌ /);
      assert.doesNotMatch(stdout, /conflict/);
    });

    it("names the stack whose preview failed", async () => {
      const pulumi = 'case "$*" in *nowhere*) exit 255 ;; *) echo "{}" ;; esac';
      const ours = '[ "$*" = "report preview.dev.json preview.nowhere.json" ] && exit 2';
      const env = { STACKS: "organization/test/dev nowhere" };
      const { code, stdout } = await shell(["sh $scripts/preview.sh; code=$?; cat report.md; exit $code"], env, {
        pulumi,
        ours,
      });
      assert.equal(code, 255);
      assert.match(stdout, /^### ❌ .*`nowhere`/);
      assert.doesNotMatch(stdout, /`dev`/);
    });

    const allGates = "delete,replace,sms,shift=25";
    const labelSets = [
      { labels: "", gates: allGates },
      { labels: "bug", gates: allGates },
      { labels: "number-removal", gates: "sms,shift=25" },
      { labels: "bug,number-removal", gates: "sms,shift=25" },
      { labels: "number-removal,bug", gates: "sms,shift=25" },
      { labels: "sends-sms", gates: "delete,replace,shift=25" },
      { labels: "number-removal,sends-sms", gates: "shift=25" },
      { labels: "no-number-removal,number-removal-no", gates: allGates },
      { labels: "scope::number-removal,no sends-sms", gates: allGates },
    ];
    it("lifts a gate only if the pull request has the matching label", () =>
      checkRows(
        labelSets,
        ({ labels }) => labels || "no labels",
        async ({ labels, gates }) => {
          const env = { FAIL_ON: allGates, LABELS: labels };
          const { code, stdout } = await shell(["sh $scripts/preview.sh"], env, {
            pulumi: "echo {}",
            ours: 'echo "$*"',
          });
          assert.equal(code, 0);
          assert.equal(stdout, `report preview.dev.json --fail-on=${gates}\n`);
        },
      ));

    it("does not pass --fail-on if FAIL_ON is empty", async () => {
      const ours = 'echo "$*"; exit 1';
      const { code, stdout } = await shell(["sh $scripts/preview.sh"], { FAIL_ON: "" }, { pulumi: "echo {}", ours });
      assert.equal(code, 1);
      assert.equal(stdout, "report preview.dev.json\n");
    });
  });

  /**
   * Returns fakes of both CLIs for deploy.sh. The fake `report --expect` accepts only the digest 0123456789ab.
   * @param doctor the shell command to run as `doctor`
   * @param isUnchanged whether the report says that the deployment changes nothing
   * @param json what `doctor --json` prints
   * @param condition the condition of the report's only fact
   */
  const deployFakes = (doctor: string, isUnchanged = false, json = '{"findings":[]}', condition = "sms"): Fakes => ({
    pulumi: 'echo "pulumi $*"',
    ours: `case "$*" in
    doctor*--json*) echo '${json}'; exit 1 ;;
    doctor*) ${doctor} ;;
    *--json) echo '${JSON.stringify({ isUnchanged, sentNumbers: ["+15550000001"], facts: [{ condition }] })}' ;;
    *--expect*) echo "$*"; case "$*" in *0123456789ab) ;; *) exit 3 ;; esac ;;
    *) echo "$*" ;;
  esac`,
  });

  const reviewed = { EXPECT: "0123456789ab" };

  describe("deploy.sh", () => {
    for (const { name, before, isStale } of [
      { name: "the newest commit", before: [], isStale: false },
      {
        name: "a commit if newer ones changed only other folders",
        before: ["mkdir phones && cd phones", `(cd .. && ${pushElsewhere("echo 1 > new")})`],
        isStale: false,
      },
      {
        name: "a reverted commit",
        before: ["git revert --no-edit HEAD > log && git push --quiet origin main && git checkout --quiet HEAD^"],
        isStale: true,
      },
      { name: "a commit that is not the newest", before: [pushElsewhere("echo 1 > new")], isStale: true },
      {
        name: "a commit that is not on the branch",
        before: ["echo 20 > Pulumi.dev.yaml && git commit --quiet --all --message 20"],
        isStale: true,
      },
      {
        name: "if the remote is unreachable",
        before: ["git remote set-url origin ../away"],
        isStale: true,
      },
    ]) {
      it(`${isStale ? "refuses to deploy" : "deploys"} ${name}`, async () => {
        const { code, stdout, stderr } = await inClone("deploy.sh", before, "", deployFakes("echo fine"), reviewed);
        assert.equal(code, isStale ? 1 : 0, stderr);
        assert.equal(stdout.includes(UP), !isStale, stdout);
      });
    }

    for (const { name, doctor, env = {}, code, isApplied } of [
      {
        name: "deploys even if doctor finds a minor problem",
        doctor: "echo odd; exit 1",
        code: 0,
        isApplied: true,
      },
      { name: "stops if a deployment would send an SMS again", doctor: "echo sent; exit 3", code: 3, isApplied: false },
      {
        name: "deploys if a reason is given for resending an SMS",
        doctor: "echo sent; exit 3",
        env: { SEND_AGAIN: "not there: Kim" },
        code: 0,
        isApplied: true,
      },
      {
        name: "stops if doctor prints nothing",
        doctor: "exit 1",
        env: { SEND_AGAIN: "not there: Kim" },
        code: 1,
        isApplied: false,
      },
      {
        name: "stops if the reviewed digest differs",
        doctor: "echo fine",
        env: { EXPECT: "ffffffffffff" },
        code: 3,
        isApplied: false,
      },
      {
        name: "stops if there is no reviewed digest",
        doctor: "echo fine",
        env: { EXPECT: "" },
        code: 1,
        isApplied: false,
      },
    ]) {
      it(name, async () => {
        const result = await inClone("deploy.sh", [HUSKY], "", deployFakes(doctor), { ...reviewed, ...env });
        assert.equal(result.code, code, result.stderr);
        assert.equal(result.stdout.includes(UP), isApplied, result.stdout);
      });
    }

    // The deployment sends a request to the first of these numbers.
    const stopped = (...numbers: string[]) =>
      JSON.stringify({ findings: [{ help: "killed-run", numbers }, { help: "killed-run" }] });
    const unexplained = JSON.stringify({ findings: [{ isUnexplained: true }] });
    for (const { name, json, condition, env = {}, code } of [
      {
        name: "stops if nothing would be sent to a number that a stopped run may have changed",
        json: stopped("+15550000001", "+15550000002"),
        code: 3,
      },
      {
        name: "deploys if the routing of a stopped run's numbers is sent again",
        json: stopped("+15550000001"),
        code: 0,
      },
      {
        name: "deploys if a reason is given for sending nothing to a stopped run's numbers",
        json: stopped("+15550000002"),
        env: { SEND_AGAIN: "checked: Kim" },
        code: 0,
      },
      {
        name: "stops if the last deployment failed for an unknown reason and this one would send an SMS",
        json: unexplained,
        code: 3,
      },
      {
        name: "deploys if the last deployment failed for an unknown reason and this one sends no SMS",
        json: unexplained,
        condition: "shift",
        code: 0,
      },
      {
        name: "deploys if a reason is given for sending an SMS after a failed deployment",
        json: unexplained,
        env: { SEND_AGAIN: "checked: Kim" },
        code: 0,
      },
      {
        name: "stops if doctor does not say which numbers a stopped run may have changed",
        json: "",
        code: 1,
      },
    ]) {
      it(name, async () => {
        const fakes = deployFakes("echo stopped; exit 1", false, json, condition);
        const result = await inClone("deploy.sh", [], "", fakes, { ...reviewed, ...env });
        assert.equal(result.code, code, result.stderr);
        assert.equal(result.stdout.includes(UP), code === 0, result.stdout);
      });
    }

    it("deploys an unchanged stack without a reviewed digest", async () => {
      const { code, stdout } = await inClone("deploy.sh", [], "", deployFakes("echo fine", true));
      assert.equal(code, 0);
      assert.ok(stdout.includes(UP), stdout);
    });

    it("runs doctor again if `pulumi up` fails", async () => {
      const { ours = "" } = deployFakes("echo looked");
      const pulumi = '[ "$1" = up ] && exit 255; echo "{}"';
      const { code, stdout } = await inClone("deploy.sh", [], "", { ours, pulumi }, reviewed);
      assert.equal(code, 255);
      assert.equal(stdout.match(/^looked$/gm)?.length, 2);
    });
  });

  describe("promote.sh", () => {
    const promotion = {
      name: "front",
      text: "front in dev: 10% to 50%\nmore",
      from: { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 },
      to: { stable: "agent_front@12", candidate: "agent_front@13", percent: 50 },
    };
    const numbers = [
      { number: "+15550000001", rollout: { name: "front" } },
      { number: "+15550000002", rollout: { name: "back" } },
      { number: "+15550000003" },
      { number: "+15550000004", rollout: { name: "front" } },
    ];
    /** Returns a fake of our CLI. Its `promote` prints `result` and, if `code` is 0, sets the percentage to 50. */
    const ours = (code = 0, result: object = promotion) => `case "$*" in
      promote*) echo "$*" > ../called; printf '%s\\n' '${JSON.stringify(result)}'; [ ${code} = 0 ] && echo 50 > Pulumi.dev.yaml; exit ${code} ;;
      show*) printf '%s\\n' '${JSON.stringify({ numbers })}' ;;
    esac`;
    const pushed = "git --git-dir ../origin.git log -1 --format='%an %s' --name-only promote/test/dev-front";
    const branches = "git --git-dir ../origin.git branch --list 'promote/*'";
    /** Returns a shell command that pushes the scripts to main, with these lines as check.sh. */
    const addCheck = (lines: string) =>
      `mkdir scripts && cp $scripts/* scripts && printf '%s\\n' '${lines}' > scripts/check.sh && git add --all && git commit --quiet --message check && git push --quiet origin main`;
    const withCheck = (lines: string, after: string, env: Env, result?: object) =>
      shell([...CLONE, addCheck(lines), `sh scripts/promote.sh; code=$?`, after, "exit $code"], env, {
        ours: ours(0, result),
      });

    it("pushes one commit and opens a pull request", () =>
      withHost(async (host) => {
        const before = [
          "git checkout --quiet -b mine && echo 1 > mine && git add --all && git commit --quiet --message mine",
          // Corepack may add this field during an install.
          `echo '{"packageManager":"pnpm@10"}' > package.json`,
          HUSKY,
        ];
        const env = { ...github(host), NAME: "front", TO: "agent_front@14", COMMIT_PREFIX: "chore: " };
        const after = `${pushed}; git --git-dir ../origin.git rev-list --count main..promote/test/dev-front; cat ../called`;
        const { code, stdout, stderr } = await inClone("promote.sh", before, after, { ours: ours() }, env);
        assert.equal(code, 0, stderr);
        const commit = "Kim chore: front in dev: 10% to 50%\n\nPulumi.dev.yaml\n1\n";
        const called = "promote --stack=dev --to=agent_front@14 --json -- front\n";
        assert.equal(stdout, `${promotion.text}\n${commit}${called}`);
        const [{ title, head } = {}] = host.opened;
        assert.equal(title, "chore: front in dev: 10% to 50%");
        assert.equal(head, "promote/test/dev-front");
      }));

    for (const { name, promoteCode, event, scriptCode } of [
      { name: "the promotion must wait", promoteCode: 1, event: "workflow_dispatch", scriptCode: 1 },
      { name: "a scheduled promotion must wait", promoteCode: 1, event: "schedule", scriptCode: 1 },
      { name: "there is nothing to promote", promoteCode: 3, event: "workflow_dispatch", scriptCode: 3 },
      { name: "a scheduled promotion has nothing to promote", promoteCode: 3, event: "schedule", scriptCode: 0 },
    ]) {
      it(`exits with ${scriptCode} if ${name}`, () =>
        withHost(async (host) => {
          const env = { ...github(host), GITHUB_EVENT_NAME: event };
          const result = await inClone("promote.sh", [], branches, { ours: ours(promoteCode) }, env);
          assert.equal(result.code, scriptCode);
          assert.equal(result.stdout, `${promotion.text}\n`);
          assert.deepEqual(host.opened, []);
        }));
    }

    it("passes the rollout step and its numbers to check.sh", () =>
      withHost(async (host) => {
        const lines =
          'echo "$NAME $STACK $STABLE $CANDIDATE $PERCENT $NEXT_PERCENT $GITHUB_TOKEN"; echo $NUMBERS; echo loud >&2';
        const { code, stdout, stderr } = await withCheck(lines, pushed, { ...github(host), NAME: "front" });
        assert.equal(code, 0, stderr);
        const checkOutput = "front dev agent_front@12 agent_front@13 10 50 \n+15550000001 +15550000004\nloud\n";
        assert.equal(stdout, `${promotion.text}\n${checkOutput}Kim front in dev: 10% to 50%\n\nPulumi.dev.yaml\n`);
        assert.ok(host.opened[0]?.body?.endsWith(`\n\`\`\`text\n${checkOutput}\`\`\`\n`), host.opened[0]?.body);
      }));

    it("passes a percentage of 0 to check.sh for a new candidate", () =>
      withHost(async (host) => {
        const newCandidate = {
          ...promotion,
          from: { stable: "agent_front@12", candidate: "agent_front@13", percent: 100 },
          to: { stable: "agent_front@13", candidate: "agent_front@14", percent: 10 },
        };
        const { stdout } = await withCheck('echo "$STABLE $CANDIDATE $PERCENT"', "", github(host), newCandidate);
        assert.match(stdout, /^agent_front@13 agent_front@14 0$/m);
      }));

    it("does not open a pull request if the check fails", () =>
      withHost(async (host) => {
        const after = `${branches}; git status --porcelain`;
        const { code, stdout } = await withCheck("echo 40 calls are too few; exit 7", after, github(host));
        assert.equal(code, 1);
        assert.equal(stdout, `${promotion.text}\n40 calls are too few\n`);
        assert.deepEqual(host.opened, []);
      }));

    for (const [name, envOf] of Object.entries(HOSTS)) {
      it(`closes the ${REQUESTS[name]} if a later check fails`, () =>
        withHost(async (host) => {
          const promote = (calls: string) => `echo '${calls}' > ../calls; sh scripts/promote.sh; echo "exit $?"`;
          const lines = [
            ...CLONE,
            addCheck("cat ../calls; grep -q 400 ../calls"),
            ...["400", "40", "4000"].map(promote),
          ];
          const { stdout } = await shell(lines, envOf(host), { ours: ours() });
          assert.deepEqual(stdout.match(/^exit \d+$/gm), ["exit 0", "exit 1", "exit 0"], stdout);
          const [first, second, ...others] = host.opened;
          assert.equal(first?.state ?? first?.state_event, name === "GitHub" ? "closed" : "close");
          assert.match(first?.body ?? first?.description ?? "", /\n```text\n40\n```\n$/);
          assert.equal(second?.state ?? second?.state_event, undefined);
          assert.match(second?.body ?? second?.description ?? "", /\n4000\n/);
          assert.deepEqual(others, []);
        }));
    }
  });

  describe("check.sh", () => {
    const calls = (version: number, outcomes: Readonly<Record<string, number>>, number = "+15550000001") =>
      Object.entries(outcomes).flatMap(([outcome, count]) =>
        Array(count).fill(`${number},agent_front,${version},${outcome}\r`),
      );
    const stable = calls(12, { done: 190, failed: 10 });
    for (const { name, rows, env = {}, code, output } of [
      {
        name: "accepts a candidate that performs as well as the stable agent",
        rows: calls(13, { done: 95, failed: 5 }),
        code: 0,
        output: "100 calls, 5 ",
      },
      {
        name: "rejects a candidate with too few calls",
        rows: calls(13, { done: 99 }),
        code: 1,
        output: "99 calls, 0 ",
      },
      {
        name: "rejects a candidate that performs worse than the stable agent",
        rows: calls(13, { done: 89, failed: 11 }),
        code: 1,
        output: "100 calls, 11 ",
      },
      {
        name: "ignores calls to numbers outside the rollout",
        rows: calls(13, { done: 200 }, "+15550000009"),
        code: 1,
        output: "0 calls, 0 ",
      },
      {
        name: "accepts a candidate with 20 calls if MIN_CALLS is 20",
        rows: calls(13, { done: 20 }),
        env: { MIN_CALLS: "20" },
        code: 0,
        output: "20 ",
      },
      {
        name: "does not require calls to start a rollout",
        rows: [],
        env: { PERCENT: "0" },
        code: 0,
        output: "agent_front@13",
      },
    ]) {
      it(name, async () => {
        writeFileSync(
          join(folder.path, "calls.csv"),
          ["number,agent,version,outcome\r", ...stable, ...rows].join("\n"),
        );
        const step = {
          STABLE: "agent_front@12",
          CANDIDATE: "agent_front@13",
          PERCENT: "10",
          NUMBERS: "+15550000001\n+15550000002",
        };
        const url = `file://${join(folder.path, "calls.csv")}`;
        const result = await shell(["sh $scripts/../check/check.sh"], { ...step, EXPORT_URL: url, ...env });
        assert.equal(result.code, code, result.stderr);
        assert.ok(result.stdout.includes(output), result.stdout);
      });
    }

    it("fails if the call export is missing", async () => {
      const step = { STABLE: "a@1", CANDIDATE: "a@2", PERCENT: "10", NUMBERS: "+15550000001" };
      const env = { ...step, MIN_CALLS: "0", EXPORT_URL: `file://${join(folder.path, "missing.csv")}` };
      const { code, stderr } = await shell(["sh $scripts/../check/check.sh"], env);
      assert.notEqual(code, 0);
      assert.match(stderr, /missing\.csv/);
    });
  });

  describe("abort.sh", () => {
    /**
     * Returns a fake of our CLI. Its `abort` sets the percentage to 0, and prints its arguments and the percentage
     * that is on main at that moment.
     */
    const abortFakes = (code = 0): Fakes => ({
      ours: `echo 0 > Pulumi.dev.yaml; echo "$* for $(git --git-dir ../origin.git show main:Pulumi.dev.yaml)"; exit ${code}`,
    });
    const showMain =
      "git --git-dir ../origin.git show --format='%an %s' --name-only main; git --git-dir ../origin.git show main:Pulumi.dev.yaml";
    const addFailingHook = (path: string) =>
      `mkdir -p $(dirname ${path}) && printf '#!/bin/sh\\nexit 1\\n' > ${path} && chmod +x ${path}`;

    for (const { name, before } of [
      { name: "from a fresh clone", before: "true" },
      { name: "from a detached HEAD", before: "git checkout --quiet --detach" },
      { name: "despite a concurrent push", before: pushElsewhere("echo 1 > new") },
      {
        name: "from a branch with other commits",
        before: "git checkout --quiet -b mine && echo 1 > mine && git add --all && git commit --quiet --message mine",
      },
      { name: "despite failing husky hooks", before: HUSKY },
      {
        name: "even if the install changed package.json",
        before: `echo '{"packageManager":"pnpm@10"}' > package.json`,
      },
    ]) {
      it(`pushes an abort to main ${name}`, async () => {
        const after = `${showMain}; git --git-dir ../origin.git ls-tree --name-only main | grep mine`;
        const result = await inClone("abort.sh", [before], after, abortFakes());
        assert.equal(result.code, 0, result.stderr);
        assert.equal(result.stdout, "abort --stack=dev --up --yes for 10\nKim Abort in dev\n\nPulumi.dev.yaml\n0\n");
      });
    }

    it("accepts a rollout whose name looks like an option", async () => {
      const env = { NAME: "--help", TO: "--yes" };
      const { stdout } = await inClone("abort.sh", [], "", { ours: 'echo "$*"' }, env);
      assert.equal(stdout, "abort --stack=dev --to=--yes --up --yes -- --help\n");
    });

    const commandsToPush = `git -c core.hooksPath=/dev/null fetch origin &&
git -c core.hooksPath=/dev/null switch --create "abort-dev-TIME" "origin/main" &&
pnpm install &&
npx pulumi-agent-platform abort --stack "dev" --to "agent_front@12" -- "front" &&
git -c core.hooksPath=/dev/null commit --message "chore: Abort front in dev" -- ":(top,glob)**/Pulumi.dev.yaml" &&
git -c core.hooksPath=/dev/null push origin HEAD`;
    for (const { name, before } of [
      { name: "the branch is protected", before: addFailingHook("../origin.git/hooks/pre-receive") },
      { name: "the remote is unreachable", before: "git remote set-url origin ../away" },
      { name: "a git lock file is left over", before: "touch .git/index.lock" },
      { name: "main changed the same line", before: pushElsewhere("echo 20 > Pulumi.dev.yaml") },
    ]) {
      it(`prints the commands to push by hand if ${name}`, async () => {
        const env = { NAME: "front", TO: "agent_front@12", INSTALL: "pnpm install", COMMIT_PREFIX: "chore: " };
        const result = await inClone("abort.sh", [before], showMain, abortFakes(), env);
        assert.equal(result.code, 1);
        assert.match(result.stdout, /^abort --stack=dev --to=agent_front@12 --up --yes -- front for \d+\n/);
        assert.doesNotMatch(result.stdout, /Abort/);
        const printed = result.stderr.replace(/(?<=abort-dev-)\d{8}-\d{6}/, "TIME");
        assert.ok(printed.includes(`\n\n${commandsToPush}\n\n`), result.stderr);
      });
    }

    it("prints commands that skip git hooks and use the commit prefix", async () => {
      // The remote rejects the push, so the script prints commands. Run them in a clone whose hooks all fail, except
      // for the one that checks commit messages.
      const messageHook = '#!/bin/sh\\nhead -1 "$1" | grep -q ^chore:\\n';
      const clone = `git clone --quiet origin.git later && cd later && ${HUSKY} && mkdir node_modules && cp -r ../node_modules .`;
      const env = { INSTALL: "true", COMMIT_PREFIX: "chore: " };
      const { stderr } = await inClone(
        "abort.sh",
        [addFailingHook("../origin.git/hooks/pre-receive")],
        "",
        abortFakes(),
        env,
      );
      const [, printed = ""] = /folder:\n\n([\s\S]*?)\n\nThen/.exec(stderr) ?? [];
      const abort = { ours: "echo 0 > Pulumi.dev.yaml" };
      const showCommit = 'git --git-dir ../origin.git log -1 --format=%s --name-only "$(git branch --show-current)"';
      // A second paste must stop at the branch that exists, and not push whatever branch is checked out.
      const pasteAgain = [
        "git -c core.hooksPath=/dev/null switch --quiet --create feature",
        `if ${printed}; then echo pushed; fi`,
      ];
      const result = await shell(
        [
          "set -e; rm origin.git/hooks/pre-receive",
          clone,
          `printf '${messageHook}' > .husky/commit-msg`,
          printed,
          showCommit,
          ...pasteAgain,
          "git --git-dir ../origin.git branch --list feature",
        ],
        env,
        abort,
      );
      assert.equal(result.code, 0, result.stderr);
      assert.ok(result.stdout.endsWith("\nchore: Abort in dev\n\nPulumi.dev.yaml\n"), result.stdout);
    });

    for (const { name, env, code, prints } of [
      { name: "does not abort during a freeze", env: {}, code: 1, prints: "10\n" },
      {
        name: "aborts during a freeze if a reason is given",
        env: { AGENT_PLATFORM_BYPASS: "incident 4711" },
        code: 0,
        prints: "abort --stack=dev --up --yes for 10\n0\n",
      },
    ]) {
      it(name, async () => {
        const fakes = { ...abortFakes(), pulumi: "echo launch week" };
        const after = "git --git-dir ../origin.git show main:Pulumi.dev.yaml";
        const result = await inClone("abort.sh", [], after, fakes, env);
        assert.equal(result.code, code);
        assert.equal(result.stdout, prints);
      });
    }

    it("pushes an abort even if it did not reach every number", async () => {
      const result = await inClone("abort.sh", [], showMain, abortFakes(1));
      assert.equal(result.code, 1);
      assert.match(result.stdout, /\nKim Abort in dev\n/);
    });

    it("pushes nothing if there is nothing to abort", async () => {
      const after = "git --git-dir ../origin.git log --format=%s main";
      const result = await inClone("abort.sh", [], after, { ours: "exit 3" });
      assert.deepEqual(result, { code: 3, stdout: "10\n", stderr: "" });
    });

    it("pushes an abort without triggering a GitLab pipeline", async () => {
      const record = "printf '#!/bin/sh\\necho $GIT_PUSH_OPTION_0 > options\\n' > ../origin.git/hooks/post-receive";
      const before = [
        `git --git-dir ../origin.git config receive.advertisePushOptions true; ${record}`,
        "chmod +x ../origin.git/hooks/*",
      ];
      const result = await inClone("abort.sh", before, "cat ../origin.git/options", abortFakes(), {
        GITLAB_CI: "true",
      });
      assert.match(result.stdout, /\nci\.skip\n$/);
    });
  });
});
