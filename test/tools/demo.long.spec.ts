import assert from "node:assert/strict";
import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { killAll, processesWith } from "../support/engineProcesses";
import { folders, MARK, startDemo } from "./demoProcess";

describe("npm run demo", () => {
  it("interrupted in a run of the engine, ends with it and leaves nothing", async () => {
    const before = folders();
    const child = startDemo();
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "close"), [130, null]);
    assert.deepEqual(folders(), before);
    assert.deepEqual(processesWith("DEMO_TEST", MARK), []);
  });

  it("stopped by Ctrl-C in a terminal, which every process of it gets, leaves no part of the engine", async () => {
    const before = folders();
    const child = startDemo({ detached: true });
    const ended = once(child, "close");
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    while (!processesWith("DEMO_TEST", MARK).some(({ role }) => role === "program")) {
      assert.equal(child.exitCode, null, `ended before the engine ran a program:\n${said}`);
      await turn();
    }
    process.kill(-(child.pid ?? assert.fail()), "SIGINT");
    // npm, which got it as well, passes it on.
    process.kill(child.pid ?? assert.fail(), "SIGINT");
    assert.deepEqual(await ended, [130, null]);
    assert.equal(said, "\nStopped. Nothing is left of the stack.\n");
    // Told twice, the CLI would leave its plugins behind.
    const left = processesWith("DEMO_TEST", MARK);
    killAll(left);
    assert.deepEqual(left, []);
    assert.deepEqual(folders(), before);
  });
});
