import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { historyCommand } from "../../cli/commands/history";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { environment, withStack } from "../support/engine";
import { runWith } from "./terminal";

/** What Pulumi itself records of a run: the form that the other tests have by hand. */

const program = `
  import { runtime } from "@pulumi/pulumi";
  if (process.env.BREAK === "1" && !runtime.isDryRun()) {
    throw new Error("on purpose");
  }`;

describe("agent-platform history, of a backend of files", () => {
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
      const at = (percent: number) =>
        setConfig({
          "agent-platform:rollouts": JSON.stringify({
            front: { stable: "agent_front@12", candidate: "agent_front@13", percent },
          }),
        });
      git("init", "--quiet", "--initial-branch=main");
      git("remote", "add", "origin", "https://github.com/acme/phones.git");
      writeFileSync(join(cwd, ".gitignore"), "node_modules/\n");

      at(10);
      const first = commit("front: 10 % (#38)");
      await up();
      at(50);
      const second = commit("front: 50 % (#41)\n\nThe body is not shown.");
      await up({ env: { BREAK: "1" }, expectFailure: true });
      await refresh();
      await up();
      at(100);
      const third = commit("front: 100 %");
      await up();
      // A run that was killed leaves nothing in the record of this backend.
      at(1);
      const { child, result } = spawn(["up", "--yes", "--skip-preview"]);
      child.kill("SIGKILL");
      await result;

      const env = environment((await findOrInstallEngine()).directory, project, {});
      const { code, stdout, stderr } = await runWith(historyCommand.run, ["--stack", stackName], { cwd, env });
      assert.deepEqual([code, stderr], [0, ""]);
      const told = stdout
        .replace(/^\d{4}-\d\d-\d\d \d\d:\d\d/gm, "<time>")
        .replace(/applied (?:\S+ )?\d\d:\d\d/g, "applied <time>");
      const agents = "agent_front@12 → agent_front@13  Ada ";
      assert.equal(
        told,
        `<time>  50 % → 100 %    ${agents} ${third} front: 100 %       applied
<time>  10 % → 50 %     ${agents} ${second} front: 50 % (#41)  failed, applied <time>
<time>  starts at 10 %  ${agents} ${first} front: 10 % (#38)  applied
`,
      );
    }));
});
