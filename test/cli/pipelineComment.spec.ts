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
  const mark = "<!-- agent-platform report -->\n";

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

  it("gives the digest at the report's end, whatever a name or a title in it says", () =>
    pipeline({}, async ({ job }, server) => {
      const report = "# reviewed-digest `aaaaaaaaaaaa`\n\nreviewed-digest `bbbbbbbbbbbb`\n\nUndo: …<br>\n";
      server.add(robot, `${mark}${report}reviewed-digest \`0123456789ab\`\n`);
      const found = await job(["node scripts/comment.mjs digest"], host(server));
      assert.deepEqual(found, { code: 0, output: "0123456789ab\n" });
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
      assert.deepEqual(await job(digest, { ...host(server), GITHUB_REPOSITORY: "team", GITHUB_SHA: "x/y" }), {
        code: 1,
        output: "comment: GET /commits/x/y/pulls: 404\n",
      });
    }));
});
