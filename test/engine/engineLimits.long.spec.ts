import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { leftOf } from "../support/engineProcesses";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

const number = "+15551234567";
const program = (options = "{}", percent = 10) => `
  import { NumberAssignment, split } from "pulumi-agent-platform";
  new NumberAssignment("support", {
    number: "${number}", inboundAgents: split({ "agent_front@12": ${100 - percent}, "agent_front@13": ${percent} }),
  }, ${options});`;

/** What the engine does when it is stopped, or cannot write. */
describe("the limits of the engine", () => {
  // It tries to write for half a minute, twice: meanwhile the other test runs.
  let unwritten: Promise<void>;
  before(() => {
    unwritten = unwritable();
    unwritten.catch(() => {});
  });

  it("stopped twice, it leaves no process, and the next runs end as declared", async () => {
    await withPlatformStack({ program: program() }, async ({ stack, platform }) => {
      await stack.up();
      stack.write(program("{}", 50));
      platform.pause({ number, applied: true });
      let onOutput = (_text: string): void => {};
      const run = stack.spawn(["up", "--yes", "--skip-preview"], { onOutput: (text) => onOutput(text) });
      await platform.waitForRequests(2);
      // Two signals at once may arrive as one: the second is sent when the first one is seen to have come.
      const cancelling = new Promise<void>((resolve) => {
        onOutput = (text) => text.includes("cancel") && resolve();
      });
      run.child.kill("SIGINT");
      await cancelling;
      run.child.kill("SIGINT");
      assert.notEqual((await run.result).exitCode, 0);
      platform.release();
      assert.deepEqual(await leftOf(run.processes), []);
      await recovered({ stack, platform });
    });
  });

  it("a state that cannot be written fails the run; once it can, the next runs end as declared", () => unwritten);
});

async function unwritable(): Promise<void> {
  await withPlatformStack({ program: program() }, async ({ stack, platform }) => {
    await stack.up();
    stack.write(program("{}", 50));
    const { stateFile } = stack.project;
    const aside = join(stack.project.root, "aside.json");
    const held = platform.inject({ kind: "hold", applied: true });
    const run = stack.spawn(["up", "--yes", "--skip-preview"]);
    await platform.waitForRequests(2);
    renameSync(stateFile, aside);
    mkdirSync(stateFile);
    held.release();
    const { exitCode, output } = await run.result;
    assert.notEqual(exitCode, 0);
    // After trying for half a minute, twice.
    assert.match(output, /error: writing snapshot: failed to save snapshot/);
    rmdirSync(stateFile);
    renameSync(aside, stateFile);
    await recovered({ stack, platform });
  });
}

async function recovered({ stack, platform }: Pick<PlatformStack, "stack" | "platform">): Promise<void> {
  await stack.run(["cancel", "--yes", "--stack", stack.project.stackName]);
  await stack.up();
  assert.deepEqual(platform.routing(number)?.inboundAgents, { "agent_front@12": 50, "agent_front@13": 50 });
  assert.deepEqual((await stack.up()).changeSummary, { same: 2 });
}
