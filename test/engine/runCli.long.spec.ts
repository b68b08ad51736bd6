import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { engineVersion } from "../../tools/engine/executables";
import { fakeCli, temporaryFolder } from "../support/engineFakes";
import { repository } from "../support/repository";

describe("npm run pulumi", () => {
  const root = temporaryFolder();

  /** With a CLI on PATH that is this shell script, except for `pulumi version`. */
  function runWith(script: string, args: readonly string[] = []) {
    fakeCli(root.path, `[ "$1" = version ] && { echo v${engineVersion}; exit; }\n${script}`);
    const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, PULUMI_HOME, ...env } = process.env;
    const child = spawn(process.execPath, ["-r", "tsx/cjs", join(repository, "tools/engine/main.ts"), ...args], {
      env: { ...env, PATH: [root.path, env.PATH].join(delimiter) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    return { child, ended: once(child, "close").then(([exitCode]) => ({ exitCode, output })) };
  }

  it("passes arguments and the exit code on", async () => {
    const { ended } = runWith('printf "%s|" "$@"; exit 7', ["up", "--message", "two words", ""]);
    assert.deepEqual(await ended, { exitCode: 7, output: "up|--message|two words||" });
  });

  it("passes a signal on, once, and waits for what the CLI makes of it", async () => {
    const { child, ended } = runWith("trap 'echo stopping' INT; echo ready; sleep 2 & wait; wait; echo end; exit 3");
    await once(child.stdout, "data");
    child.kill("SIGINT");
    child.kill("SIGINT");
    assert.deepEqual(await ended, { exitCode: 3, output: "ready\nstopping\nend\n" });
  });
});
