import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { doctorCommand } from "../../cli/commands/doctor/command";
import { initCommand } from "../../cli/commands/init/command";
import { startEmulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { needYaml, withStack } from "../support/engine";
import { projectFolder } from "./projectFolder";
import { runWith } from "./terminal";

const dropped = (name: string) =>
  `Pulumi leaves the resource "${name}" out of this program, because a key of the config has its name. A run clears its numbers.`;

describe("doctor, of a program in YAML", () => {
  const folder = projectFolder();

  it("finds a resource that Pulumi drops in silence, because a key of the config has its name", async () => {
    const platform = await startEmulator();
    const written = ["--language", "yaml", "--pipelines", "none", "--base-url", platform.url];
    assert.equal((await runWith(initCommand.run, written, { cwd: folder.path })).code, 0);
    await needYaml();
    const env = { AGENT_PLATFORM_ACCESS_TOKEN: platform.token };
    await withStack({ existing: folder.path, env }, async (stack) => {
      const run = (...args: string[]) => stack.run([...args, "--stack", "dev"]);
      const { directory } = await findOrInstallEngine();
      const Path = [directory, process.env.PATH].join(delimiter);
      const io = { cwd: folder.path, env: { ...stack.project.env, ...env, HOME: process.env.HOME, PATH: Path } };
      const findings = async () => {
        const { stdout } = await runWith(doctorCommand.run, ["--stack", "dev", "--json"], io);
        return (JSON.parse(stdout) as { findings: { what: string }[] }).findings.map(({ what }) => what);
      };
      await run("up", "--yes", "--skip-preview");
      assert.deepEqual(await findings(), []);

      // The key of a stack's config file, which no line of Pulumi.yaml declares.
      await run("config", "set", "support", "x");
      // An output of the resource makes the program fail. Without one, it is dropped in silence.
      const refused = await stack.run(["preview", "--stack", "dev"], { expectFailure: true });
      assert.match(refused.output, /cannot access a property on 'support' \(type string\)/);
      writeFileSync(join(folder.path, "Pulumi.yaml"), folder.read("Pulumi.yaml").replace(/^outputs:[\s\S]*/m, ""));
      assert.match((await run("preview")).stdout, /NumberGroup support delete/);
      assert.deepEqual(await findings(), [dropped("support")]);
      await run("config", "rm", "support");

      // The key of the project.
      const program = folder.read("Pulumi.yaml").replace("  support:\n", "  reassert:\n");
      writeFileSync(join(folder.path, "Pulumi.yaml"), program);
      const { stdout } = await run("preview");
      assert.match(stdout, /NumberGroup support delete/);
      assert.doesNotMatch(stdout, /NumberGroup reassert/);
      assert.deepEqual(await findings(), [dropped("reassert")]);
    }).finally(() => platform.close());
  });
});
