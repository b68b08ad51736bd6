import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { engineVersion } from "../../tools/engine/executables";
import { fakeCli, temporaryFolder } from "../support/engineFakes";
import { leftOf, processesWith } from "../support/engineProcesses";
import { repository } from "../support/repository";
import "../support/built";

describe("npm run demo", () => {
  /** For temporary files: in the folder of the machine others run demos. */
  const folder = temporaryFolder();

  function start(env: object) {
    const child = spawn(process.execPath, ["-r", "tsx/cjs", join(repository, "tools/demo.ts")], {
      cwd: repository,
      // Its folder is found again in the environment of every process of it.
      env: { ...process.env, TMPDIR: folder.path, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const printed = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      printed.stderr += text;
    });
    return { child, printed, ended: once(child, "close") };
  }

  it("is agent-platform try, with the CLI that is found or installed", async () => {
    fakeCli(folder.path, `[ "$1" = version ] && { echo v${engineVersion}; exit; }\necho "this CLI: $*"; exit 3`);
    const { ended, printed } = start({ PATH: [folder.path, process.env.PATH].join(delimiter) });
    assert.deepEqual(await ended, [1, null]);
    assert.match(printed.stdout, /^this CLI: stack init try /m);
    assert.match(printed.stderr, /`pulumi stack init try` ended with exit code 3\.\n/);
  });

  it("stopped by Ctrl-C in a terminal, which every process of it gets, leaves no part of the engine", async () => {
    const { child, ended, printed } = start({ DEMO_TEST: folder.path });
    const processes = () => processesWith("DEMO_TEST", folder.path);
    while (!processes().some(({ role }) => role === "program")) {
      assert.equal(child.exitCode, null, `ended before the engine ran a program:\n${printed.stderr}`);
      // To look at every process of the machine is work, and the engine is to have the processors.
      await delay(20);
    }
    process.kill(-(child.pid ?? assert.fail()), "SIGINT");
    // npm, which got it as well, passes it on.
    process.kill(child.pid ?? assert.fail(), "SIGINT");
    assert.deepEqual(await ended, [130, null]);
    assert.equal(printed.stderr, "\nStopped. Nothing is left of the stack.\n");
    // Told twice, the CLI would leave its plugins behind.
    assert.deepEqual(await leftOf(processes), []);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith("agent-platform-")),
      [],
    );
  });
});
