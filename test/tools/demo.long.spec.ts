import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { temporaryFolder } from "../support/engineFakes";
import { leftOf, processesWith } from "../support/engineProcesses";
import { startDemo } from "./demoProcess";

describe("npm run demo", () => {
  /** The folder for temporary files: in that of the machine others run demos. */
  const temporary = temporaryFolder();
  const start = (options: { detached?: boolean } = {}) =>
    startDemo(temporary.path, { env: { TMPDIR: temporary.path }, ...options });
  const processes = () => processesWith("DEMO_TEST", temporary.path);

  async function assertNothingLeft(): Promise<void> {
    assert.deepEqual(await leftOf(processes), []);
    assert.deepEqual(
      readdirSync(temporary.path).filter((name) => name.startsWith("agent-platform-")),
      [],
    );
  }

  it("stopped by Ctrl-C in a terminal, which every process of it gets, leaves no part of the engine", async () => {
    const child = start({ detached: true });
    const ended = once(child, "close");
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    while (!processes().some(({ role }) => role === "program")) {
      assert.equal(child.exitCode, null, `ended before the engine ran a program:\n${said}`);
      await turn();
    }
    process.kill(-(child.pid ?? assert.fail()), "SIGINT");
    // npm, which got it as well, passes it on.
    process.kill(child.pid ?? assert.fail(), "SIGINT");
    assert.deepEqual(await ended, [130, null]);
    assert.equal(said, "\nStopped. Nothing is left of the stack.\n");
    // Told twice, the CLI would leave its plugins behind.
    await assertNothingLeft();
  });
});
