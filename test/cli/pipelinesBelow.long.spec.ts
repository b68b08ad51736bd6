import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { github, pipeline } from "./pipelineJobs";

const program = `
  import { Config } from "@pulumi/pulumi";
  import { NumberGroup } from "pulumi-agent-platform";
  const config = new Config();
  const triggers = { reassert: config.get("reassert") ?? "" };
  new NumberGroup("support", { numbers: ["+15550000001"], rollout: "front", triggers });`;

describe("the pipelines of a project in a folder of its repository", () => {
  it("promote on a branch from the deployed one, abort, and re-assert, each in a commit that touches its own file", () =>
    pipeline({ config: { "agent-platform:steps": "[10, 50, 100]" }, isBelowTop: true }, async (project, host) => {
      const { folder, passes, git, emulator, commit } = project;
      const { preview, deploy } = github(host, project);
      const file = join(folder, "Pulumi.dev.yaml");
      const { encryptionsalt, config } = JSON.parse(readFileSync(file, "utf8"));
      const front =
        "  agent-platform:rollouts:\n    front:\n      stable: agent_front@12\n      candidate: agent_front@13\n      percent: 10\n";
      const lines = Object.entries(config).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`);
      writeFileSync(file, `encryptionsalt: ${encryptionsalt}\nconfig:\n${lines.join("")}${front}`);
      const deployed = await commit(program, "10 %");
      assert.equal(await git("rev-parse", "--show-prefix"), "project/");
      await passes(["sh scripts/up.sh"], deploy);

      // The job begins on another commit: its branch has only the promotion.
      await git("commit", "--quiet", "--allow-empty", "--message", "not deployed");
      await passes(["sh scripts/promote.sh"], preview);
      const branch = "origin/promote/test/dev";
      assert.equal(await git("rev-parse", `${branch}^`), deployed);
      const touched = (ref: string) => git("show", "--name-only", "--format=", ref);
      assert.equal(await touched(branch), "project/Pulumi.dev.yaml");

      await git("checkout", "--quiet", "-B", "main", "origin/main");
      await passes(["sh scripts/reassert.sh"], { ...deploy, MARK: "run 1" });
      await passes(["sh scripts/abort.sh"], deploy);
      assert.equal(emulator.requests.length, 3);
      assert.equal(await touched("origin/main"), "project/Pulumi.dev.yaml");
      assert.equal(await touched("origin/main^"), "project/Pulumi.dev.yaml");
      assert.deepEqual(emulator.routing("+15550000001")?.inboundAgents, { "agent_front@12": 100 });
    }));
});
