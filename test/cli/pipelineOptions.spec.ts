import assert from "node:assert/strict";
import { applied, github, pipeline } from "./pipelineJobs";
import { program } from "./pipelineProject";

describe("a change of the resource option retainOnDelete alone", () => {
  it("is deployed as it was reviewed: else numbers that leave later lose their agents", () =>
    pipeline({}, async (project, host) => {
      const { passes, commit, read } = project;
      const { deploy } = github(host, project);
      await applied(project);
      await commit(program(10).replace("triggers }", "triggers }, { retainOnDelete: true }"), "retained");
      await passes(["sh scripts/preview.sh"]);
      const [, digest = ""] = /reviewed-digest `(\w+)`/.exec(read("report.md")) ?? [];
      assert.match(read("report.md"), /retainOnDelete` is set on `support`/);
      const env = { ...deploy, GITHUB_OUTPUT: "output", EXPECT: digest };
      assert.equal(await passes(["sh scripts/changes.sh"], env), "dev: deployed\n");
      await passes(["sh scripts/apply.sh"], env);
    }));
});
