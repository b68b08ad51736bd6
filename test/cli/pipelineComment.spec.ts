import assert from "node:assert/strict";
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
  const mark = "<!-- agent-platform report test -->\n";

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

  it("gives the digest of its project and of its stack, at the report's end, whatever a name or a title says", () =>
    pipeline({}, async ({ job }, server) => {
      const one =
        "# reviewed-digest `aaaaaaaaaaaa`\n\nreviewed-digest `bbbbbbbbbbbb`\n\nreviewed-digest `0123456789ab`\n";
      const several = [
        "<!-- reviewed-digest `dev` `e3b0c44298fc` -->",
        "reviewed-digest `canary` `0123456789ab`",
        "reviewed-digest `prod` `ba9876543210`",
      ].join("\n");
      const digest = (env: Readonly<Record<string, string>> = {}) =>
        job(["node scripts/comment.mjs digest"], { ...host(server), ...env });
      const none = { code: 1, output: "comment: request 12 has no report: run the job with a digest\n" };
      server.add(robot, `<!-- agent-platform report phones -->\n${several}\n`);
      assert.deepEqual(await digest(), none);
      server.add(robot, `${mark}${one}`);
      assert.deepEqual(await digest(), { code: 0, output: "0123456789ab\n" });
      server.comments.pop();
      server.add(robot, `${mark}${several}\n`);
      assert.deepEqual(await digest({ STACK: "dev" }), { code: 0, output: "e3b0c44298fc\n" });
      assert.deepEqual(await digest({ STACK: "acme/phones/canary" }), { code: 0, output: "0123456789ab\n" });
      const output = "comment: request 12 has no report of stack qa: run the job with a digest\n";
      assert.deepEqual(await digest({ STACK: "qa" }), { code: 1, output });
    }));

  it("opens the request of a promotion with what the command said, and writes an open one over", () =>
    pipeline({}, async ({ job, folder }, server) => {
      const open = async (percent: number, rollouts = 1) => {
        const promotions = Array.from({ length: rollouts }, () => ({
          outcome: "written",
          stack: "prod",
          name: "front",
          to: { candidate: "agent_front@13", percent },
        }));
        writeFileSync(
          join(folder, "promoted.json"),
          JSON.stringify({ promotions, text: `front goes to ${percent} %` }),
        );
        const command = ["node scripts/comment.mjs open promote/test/prod promoted.json"];
        assert.deepEqual(await job(command, { ...host(server), BRANCH: "main" }), { code: 0, output: "" });
      };
      const asked = (percent: number, title = `front in prod: agent_front@13 at ${percent} %`) => ({
        head: "promote/test/prod",
        base: "main",
        title,
        body: `\`\`\`text\nfront goes to ${percent} %\n\`\`\`\n`,
      });
      await open(10);
      await open(50);
      assert.deepEqual(server.opened, [asked(50)]);
      server.ended.push("merged");
      await open(100);
      assert.deepEqual(server.opened, [asked(50), asked(100)]);
      // GitHub takes no longer title.
      await open(100, 12);
      assert.deepEqual(server.opened, [asked(50), asked(100, "12 rollouts of test go on")]);
    }));

  it("says why there is no digest", () =>
    pipeline({}, async ({ job }, server) => {
      const digest = ["node scripts/comment.mjs digest"];
      const output = "comment: this commit was merged by no request: run the job with a digest\n";
      server.add(robot, `${mark}reviewed-digest \`0123456789ab\`\n`);
      // The second commit is of a request that is still open: somebody starts a deployment on its branch.
      for (const commit of ["0".repeat(40), "1".repeat(40)]) {
        assert.deepEqual(await job(digest, { ...host(server), GITHUB_SHA: commit }), { code: 1, output });
      }
      const gitlab = {
        GITLAB_CI: "true",
        CI_API_V4_URL: server.url,
        CI_PROJECT_ID: "5",
        CI_COMMIT_SHA: "1".repeat(40),
      };
      assert.deepEqual(await job(digest, gitlab), { code: 1, output });
      const refused = { code: 1, output: "comment: GET /commits/x/y/pulls: 404\n" };
      assert.deepEqual(await job(digest, { ...host(server), GITHUB_SHA: "x/y" }), refused);
    }));

  it("says that there is no report, if a stack has no preview: the one of an earlier push is no longer true", () =>
    pipeline({}, async ({ job, commit, read }, server) => {
      await commit("", "nothing");
      const env = { ...host(server), STACKS: "organization/test/dev nowhere", STACK: "" };
      server.add(robot, "<!-- agent-platform report test -->\nreviewed-digest `dev` `0123456789ab`\n");
      const previewed = await job(["sh scripts/preview.sh"], env);
      assert.notEqual(previewed.code, 0);
      assert.match(previewed.output, /preview\.nowhere\.json: The preview is empty\./);
      // A stack may be named with its organization and project.
      assert.match(read("preview.dev.json"), /^\{/);
      assert.equal((await job(["node scripts/comment.mjs post report.md"], env)).code, 0);
      assert.deepEqual(
        server.comments.map(({ body }) => body),
        ["<!-- agent-platform report test -->\n### ❌ No report: the preview of `nowhere` failed. The job says why.\n"],
      );
    }));

  it("hands GitLab a job for each stack, whatever the stack is called", () =>
    pipeline({}, async ({ passes, read }) => {
      const env = { GITLAB_CI: "true", STACKS: "default include .x 7", FOLDER: "" };
      await passes(["node scripts/comment.mjs deployments default include .x 7"], env);
      const { include, ...jobs } = JSON.parse(read("deploy.gitlab-ci.yml"));
      const inputs = { project: "test", folder: "", stacks: "default include .x 7" };
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
    }));

  it("hands GitHub no more stacks than its workflow has jobs for: the last ones would never be deployed", () =>
    pipeline({}, async ({ job }) => {
      const output = "comment: 5 stacks change, and the workflow has jobs for 4: deploy one by hand first\n";
      assert.deepEqual(await job(["node scripts/comment.mjs deployments a b c d e"]), { code: 1, output });
    }));
});
