import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HostServer, robot } from "./hostServer";
import { pipeline } from "./pipelineJobs";

describe("the comment on a request", () => {
  const host = (server: HostServer) => ({
    GITHUB_API_URL: server.url,
    GITHUB_REPOSITORY: "team/phones",
    GITHUB_TOKEN: "ghs",
    GITHUB_SHA: "abc123",
    PULL_REQUEST: "12",
  });
  const mark = "<!-- agent-platform report test/dev -->\n";

  it("is found among hundreds, and no other one is touched", () =>
    pipeline({}, async ({ job, folder }, server) => {
      for (let index = 0; index < 150; index += 1) {
        server.add("reviewer", `comment ${index}`);
      }
      server.add("reviewer", `${mark}reviewed-digest \`ffffffffffff\``);
      server.add(robot, `${mark}old`);
      writeFileSync(join(folder, "report.md"), "reviewed-digest `0123456789ab`\n");
      const posted = await job(["node scripts/comment.mjs post report.md"], host(server));
      assert.deepEqual(posted, { code: 0, output: "" });
      assert.equal(server.comments.length, 152);
      assert.equal(server.comments[151]?.body, `${mark}reviewed-digest \`0123456789ab\`\n`);
      assert.equal(server.comments[150]?.body, `${mark}reviewed-digest \`ffffffffffff\``);
      const found = await job(["node scripts/comment.mjs digest"], host(server));
      assert.deepEqual(found, { code: 0, output: "0123456789ab\n" });
    }));

  it("of many promotions in one stack names a branch that git can make, another one for each set of steps", () =>
    pipeline({}, async ({ job, folder, git, commit }) => {
      await commit("", "first");
      const branches: string[] = [];
      for (const percent of [10, 50]) {
        const promotions = Array.from({ length: 12 }, (_, index) => ({
          outcome: "written",
          stack: "prod",
          name: `support_line_${index}`,
          to: { candidate: "agent_support_line@13", percent: index === 11 ? percent : 10 },
        }));
        writeFileSync(join(folder, "promote.json"), JSON.stringify({ promotions }));
        const { output } = await job(["node scripts/comment.mjs branch promote.json"], { STACK: "prod" });
        await git("push", "--quiet", "origin", `HEAD:refs/heads/${output.trim()}`);
        branches.push(output.trim());
      }
      assert.equal(new Set(branches).size, 2);
    }));

  it("of a promotion names a branch that git allows, another one for each project, stack, rollout, version and percentage", () =>
    pipeline({}, async ({ job, folder }) => {
      const branches: string[] = [];
      const stacks = ["prod", "team/phones/prod", ".prod", "prod.", "a..b", "prod.lock", "v1.2", "-x", "lock"];
      for (const [stack, name, percent] of [
        ...stacks.map((one): [string, string, number] => [one, "front", 10]),
        ["prod", "latest:front", 50],
        ["prod", "front_desk-2", 0.5],
        ["prod", "a~b^c d?*[\\", 1],
      ] as const) {
        writeFileSync(
          join(folder, "promote.json"),
          JSON.stringify({ outcome: "written", stack, name, to: { candidate: "agent_a@13", percent } }),
        );
        const { code, output } = await job(["node scripts/comment.mjs branch promote.json"], { STACK: stack });
        assert.equal(code, 0);
        const branch = output.trim();
        assert.equal(spawnSync("git", ["check-ref-format", "--branch", branch]).status, 0, branch);
        branches.push(branch);
      }
      assert.deepEqual(branches, [
        "promote/test/prod/front-agent_a@13-10",
        "promote/test/prod/front-agent_a@13-10",
        "promote/test/%2eprod/front-agent_a@13-10",
        "promote/test/prod%2e/front-agent_a@13-10",
        "promote/test/a%2e.b/front-agent_a@13-10",
        "promote/test/prod%2elock/front-agent_a@13-10",
        "promote/test/v1.2/front-agent_a@13-10",
        "promote/test/-x/front-agent_a@13-10",
        "promote/test/lock/front-agent_a@13-10",
        "promote/test/prod/latest%3afront-agent_a@13-50",
        "promote/test/prod/front_desk-2-agent_a@13-0.5",
        "promote/test/prod/a%7eb%5ec%20d%3f%2a%5b%5c-agent_a@13-1",
      ]);
    }));

  it("gives the digest at the report's end, whatever a name or a title in it says", () =>
    pipeline({}, async ({ job }, server) => {
      const report = "# reviewed-digest `aaaaaaaaaaaa`\n\nreviewed-digest `bbbbbbbbbbbb`\n\nUndo: …<br>\n";
      server.add(robot, `${mark}${report}reviewed-digest \`0123456789ab\`\n`);
      const found = await job(["node scripts/comment.mjs digest"], host(server));
      assert.deepEqual(found, { code: 0, output: "0123456789ab\n" });
    }));

  it("gives the digest of its stack, if the report is of several", () =>
    pipeline({}, async ({ job }, server) => {
      const report = [
        "<!-- agent-platform-report phones -->",
        "<!-- reviewed-digest `dev` `e3b0c44298fc` -->",
        "reviewed-digest `canary` `0123456789ab`",
        "reviewed-digest `prod` `ba9876543210`",
      ];
      server.add(robot, `${mark}reviewed-digest \`ffffffffffff\`\n`);
      server.add(robot, `<!-- agent-platform report other -->\n${report.join("\n").replaceAll("a", "b")}\n`);
      server.add(robot, `<!-- agent-platform report test -->\n${report.join("\n")}\n`);
      const all = { ...host(server), STACKS: "dev canary prod" };
      const digest = (STACK: string) => job(["node scripts/comment.mjs digest"], { ...all, STACK });
      assert.deepEqual(await digest("dev"), { code: 0, output: "e3b0c44298fc\n" });
      assert.deepEqual(await digest("acme/phones/canary"), { code: 0, output: "0123456789ab\n" });
      assert.deepEqual(await digest("prod"), { code: 0, output: "ba9876543210\n" });
      const output = "comment: request 12 has no report of stack qa: run the job with a digest\n";
      assert.deepEqual(await digest("qa"), { code: 1, output });
    }));

  it("gives no digest of another stack or of another project", () =>
    pipeline({}, async ({ job }, server) => {
      server.add(robot, "<!-- agent-platform report phones/prod -->\nreviewed-digest `ffffffffffff`\n");
      server.add(robot, `${mark}<!-- agent-platform-report test/dev -->\n\nreviewed-digest \`0123456789ab\`\n`);
      const digest = (STACK: string) => job(["node scripts/comment.mjs digest"], { ...host(server), STACK });
      assert.deepEqual(await digest("dev"), { code: 0, output: "0123456789ab\n" });
      const output = "comment: request 12 has no report: run the job with a digest\n";
      assert.deepEqual(await digest("prod"), { code: 1, output });
    }));

  it("opens the request of a promotion with what its check said, and who started it", () =>
    pipeline({}, async ({ job, folder }, server) => {
      const text = "front in prod: 10 % → 50 %\n  check passed: ./rate.sh (99 % answered)";
      const to = { candidate: "agent_front@13", percent: 50 };
      const promoted = { outcome: "written", text, stack: "prod", name: "front", to };
      writeFileSync(join(folder, "promoted.json"), JSON.stringify(promoted));
      const by = {
        STACK: "prod",
        GITHUB_ACTOR: "chi",
        GITHUB_SERVER_URL: "https://git.example",
        GITHUB_RUN_ID: "7",
        BRANCH: "main",
      };
      const opened = await job(["node scripts/comment.mjs open promoted.json"], { ...host(server), ...by });
      assert.deepEqual(opened, { code: 0, output: "" });
      const end = "Started by `chi`: https://git.example/team/phones/actions/runs/7";
      assert.deepEqual(
        server.opened.map(({ body }) => body),
        [`\`\`\`text\n${text}\n\`\`\`\n\n${end}\n`],
      );
    }));

  it("says why there is no digest", () =>
    pipeline({}, async ({ job }, server) => {
      const digest = ["node scripts/comment.mjs digest"];
      assert.deepEqual(await job(digest, host(server)), {
        code: 1,
        output: "comment: request 12 has no report: run the job with a digest\n",
      });
      assert.deepEqual(await job(digest, { ...host(server), GITHUB_SHA: "0".repeat(40) }), {
        code: 1,
        output: "comment: this commit was merged by no request: run the job with a digest\n",
      });
      // A deployment that somebody starts on a branch whose request is still open.
      const output = "comment: this commit was merged by no request: run the job with a digest\n";
      server.add(robot, `${mark}reviewed-digest \`0123456789ab\`\n`);
      assert.deepEqual(await job(digest, { ...host(server), GITHUB_SHA: "1".repeat(40) }), { code: 1, output });
      const gitlab = {
        GITLAB_CI: "true",
        CI_API_V4_URL: server.url,
        CI_PROJECT_ID: "5",
        CI_COMMIT_SHA: "1".repeat(40),
      };
      assert.deepEqual(await job(digest, gitlab), { code: 1, output });
      assert.deepEqual(await job(digest, { ...host(server), GITHUB_REPOSITORY: "team", GITHUB_SHA: "x/y" }), {
        code: 1,
        output: "comment: GET /commits/x/y/pulls: 404\n",
      });
    }));

  it("says that there is no report, if a stack has no preview: the one of an earlier push is no longer true", () =>
    pipeline({}, async ({ job, commit }, server) => {
      await commit("", "nothing");
      const env = { ...host(server), STACKS: "dev nowhere", STACK: "" };
      server.add(robot, "<!-- agent-platform report test -->\nreviewed-digest `dev` `0123456789ab`\n");
      const previewed = await job(["sh scripts/preview.sh"], env);
      assert.notEqual(previewed.code, 0);
      assert.match(previewed.output, /preview\.nowhere\.json: The preview is empty\./);
      assert.equal((await job(["node scripts/comment.mjs post report.md"], env)).code, 0);
      assert.deepEqual(
        server.comments.map(({ body }) => body),
        ["<!-- agent-platform report test -->\n### ❌ No report: the preview of `nowhere` failed. The job says why.\n"],
      );
    }));

  it("is about stacks that are named with their organization and project", () =>
    pipeline({}, async ({ passes, commit }) => {
      await passes(["pulumi stack init canary", "cp Pulumi.dev.yaml Pulumi.canary.yaml"]);
      await commit("", "nothing");
      const Stacks = "organization/test/dev organization/test/canary";
      assert.match(await passes(["sh scripts/preview.sh"], { STACKS: Stacks }), /^No change: `dev`, `canary`\.$/m);
    }));

  it("hands GitLab a job for each stack, whatever the stack is called", () =>
    pipeline({}, async ({ passes, read }) => {
      const env = { GITLAB_CI: "true", DEPLOY_JOB: ".gitlab/deploy-stack.yml" };
      await passes(["node scripts/comment.mjs deployments default include .x 7"], env);
      const { include, ...jobs } = JSON.parse(read("deploy.gitlab-ci.yml"));
      assert.deepEqual(include, [{ local: ".gitlab/deploy-stack.yml" }]);
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
    }));
});
