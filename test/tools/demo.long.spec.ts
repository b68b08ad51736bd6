import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { engineVersion } from "../../tools/engine/executables";
import { fakeCli, temporaryFolder } from "../support/engineFakes";
import { leftOf, processesWith } from "../support/engineProcesses";
import { quickStart } from "../support/engineProject";
import { repository } from "../support/repository";
import "../support/built";

describe("npm run demo", () => {
  /**
   * The demo's own temporary folder. In the system's folder, files of other demos would look like this demo's
   * leftovers.
   */
  const folder = temporaryFolder();

  function start(env: object) {
    const child = spawn(process.execPath, ["-r", "tsx/cjs", join(repository, "tools/demo.ts")], {
      cwd: repository,
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

  it("prints each command and the number of requests it sent", async () => {
    const { directory } = await findOrInstallEngine();
    const { ended, printed } = start({
      ...quickStart,
      PATH: [directory, process.env.PATH].join(delimiter),
      // The demo must ignore the settings of a real stack.
      PULUMI_HOME: join(folder.path, "home"),
      PULUMI_BACKEND_URL: "https://state.example.com",
      AGENT_PLATFORM_BASE_URL: "https://platform.example.com",
      AGENT_PLATFORM_ACCESS_TOKEN: "production",
      AGENT_PLATFORM_BYPASS: "a reason",
    });
    assert.deepEqual(await ended, [0, null], printed.stderr);
    assert.deepEqual(
      printed.stdout.split("\n").filter((line) => /^(\$|→| {2}agent_front\S+ +[\d,]+$)/.test(line)),
      [
        "$ pulumi stack init demo",
        "→ no request reached the platform.",
        "$ pulumi preview",
        "→ no request reached the platform.",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "  agent_front@12  8,998",
        "  agent_front@13  1,002",
        "$ npx pulumi-agent-platform promote --stack demo",
        "→ no request reached the platform.",
        "$ pulumi preview --diff",
        "→ no request reached the platform.",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "  agent_front@12  5,010",
        "  agent_front@13  4,990",
        "$ npx pulumi-agent-platform abort --stack demo --up --yes",
        "→ 3 requests reached the platform.",
        "  agent_front@12  10,000",
        "$ pulumi destroy --yes --remove",
        "→ 3 requests reached the platform.",
      ],
    );
    assert.match(printed.stdout, / {10}~ percent {0,2}: 10 => 50\n/);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith("agent-platform-")),
      [],
    );
  });

  it("prints the output of a failing Pulumi CLI and exits with 1", async () => {
    fakeCli(folder.path, `[ "$1" = version ] && { echo v${engineVersion}; exit; }\necho "this CLI: $*"; exit 3`);
    const { ended, printed } = start({ PATH: [folder.path, process.env.PATH].join(delimiter) });
    assert.deepEqual(await ended, [1, null]);
    assert.match(printed.stdout, /^this CLI: stack init demo /m);
    assert.match(printed.stderr, /`pulumi stack init demo` .* 3\.\n/);
  });

  it("leaves no engine process running after Ctrl-C", async () => {
    // All processes of the demo inherit this variable, so the test can find them.
    const { child, ended, printed } = start({ DEMO_TEST: folder.path });
    const processes = () => processesWith("DEMO_TEST", folder.path);
    while (!processes().some(({ role }) => role === "program")) {
      assert.equal(child.exitCode, null, `ended before the engine ran a program:\n${printed.stderr}`);
      // Pause between checks, because listing all processes takes CPU time that the engine needs.
      await delay(20);
    }
    process.kill(-(child.pid ?? assert.fail()), "SIGINT");
    // In a terminal, npm also gets the signal and forwards it, so the demo gets it twice.
    process.kill(child.pid ?? assert.fail(), "SIGINT");
    assert.deepEqual(await ended, [130, null]);
    assert.match(printed.stderr, /^\nStopped\./);
    // If the CLI got the signal twice, it would leave its plugins running.
    assert.deepEqual(await leftOf(processes), []);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith("agent-platform-")),
      [],
    );
  });
});
