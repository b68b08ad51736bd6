import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { abortCommand } from "../../cli/commands/rollout/abort";
import { promoteCommand } from "../../cli/commands/rollout/promote";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { runWith } from "../cli/terminal";
import { environment } from "../support/engine";
import { killAll } from "../support/engineProcesses";
import { type PlatformStack, put, withPlatformStack } from "../support/platformStack";

/** What `promote` and `abort` say and write, after runs of the real engine that went wrong. */

const NUMBERS = { a: "+15550000001", b: "+15550000002", c: "+15550000003" } as const;

const program = `
  import { NumberAssignment } from "pulumi-agent-platform";
  for (const [name, number] of Object.entries(${JSON.stringify(NUMBERS)})) new NumberAssignment(name, { number, rollout: "front" });`;

const at = (percent: number) => ({ stable: "agent_front@12", candidate: "agent_front@13", percent });

interface Commands {
  promote(): Promise<{ readonly code: number; readonly stdout: string }>;
  abort(): Promise<{ readonly code: number; readonly stdout: string }>;
  /** An `up` that is killed with all its processes after the platform has applied a first request. */
  killedUp(): Promise<void>;
}

async function withRollout(percent: number, test: (both: PlatformStack & Commands) => Promise<void>): Promise<void> {
  const { directory } = await findOrInstallEngine();
  const config = { "agent-platform:rollouts": { front: at(percent) }, "agent-platform:steps": "[1, 10, 50, 100]" };
  await withPlatformStack({ program, config }, async (both) => {
    const { project, spawn } = both.stack;
    // The commands look for it where the engine does.
    symlinkSync(project.configFile, join(project.directory, "Pulumi.dev.yaml"));
    const world = { cwd: project.directory, env: environment(directory, project, {}) };
    await both.stack.up();
    await test({
      ...both,
      promote: () => runWith(promoteCommand.run, ["front", "--stack", "dev"], world),
      abort: () => runWith(abortCommand.run, ["front", "--stack", "dev"], world),
      async killedUp() {
        const seen = both.platform.requests.length;
        const held = both.platform.inject({ kind: "hold", times: Number.POSITIVE_INFINITY });
        const run = spawn(["up", "--yes", "--skip-preview"]);
        await both.platform.waitForRequests(seen + 1);
        killAll(run.processes());
        await run.result;
        held.release();
        await both.stack.run(["cancel", "--yes", "--stack", "dev"]);
      },
    });
  });
}

const again = " Run `pulumi up` until it succeeds.";

describe("promote", () => {
  it("waits for a number whose PUT was refused, for those outside a target, and for a killed run, and names them", () =>
    withRollout(1, async ({ stack, platform, promote, killedUp }) => {
      const written = async () => assert.equal((await promote()).code, 0);
      const held = async (...reasons: readonly string[]) => {
        const { code, stdout } = await promote();
        assert.deepEqual(
          [code, stdout.trimEnd().split("\n").sort()],
          [1, reasons.map((one) => `Held: ${one}${again}`)],
        );
      };
      await written();
      const body = { error: "number is being ported" };
      const refusal = platform.inject({ kind: "status", status: 409, body, number: NUMBERS.b, times: Infinity });
      await stack.up({ expectFailure: true, args: ["--continue-on-error"] });
      await held('NumberAssignment "b" has agent_front@13 at 1 %, beside agent_front@12.');
      refusal.remove();
      await stack.up();

      await written();
      const urn = stack.resources().find(({ name }) => name === "a")?.urn ?? "";
      await stack.up({ args: ["--target", urn] });
      const at10 = "has agent_front@13 at 10 %, beside agent_front@12.";
      await held(`NumberAssignment "b" ${at10}`, `NumberAssignment "c" ${at10}`);
      await stack.up();

      await written();
      await killedUp();
      const { code, stdout } = await promote();
      assert.equal(code, 1);
      assert.match(stdout, /^Held: a run was stopped while it was updating NumberAssignment "[abc]"\. Run/m);
    }));
});

describe("abort", () => {
  const splits = ({ platform }: PlatformStack) =>
    Object.values(NUMBERS).map((number) => platform.routing(number)?.inboundAgents);
  const stable = Object.values(NUMBERS).map(() => ({ "agent_front@12": 100 }));

  it("ends every call to the candidate after a first step that was killed, of which the state knows nothing", () =>
    withRollout(0, async (both) => {
      const { stack, promote, abort, killedUp, sent } = both;
      assert.equal((await promote()).code, 0);
      await killedUp();
      assert.notDeepEqual(splits(both), stable);
      sent();
      const aborted = await abort();
      assert.equal(aborted.code, 0);
      assert.ok(
        aborted.stdout.includes("\nIt sends the stable split to 3 numbers, whatever the state says of them.\n"),
      );
      await stack.up();
      assert.deepEqual(splits(both), stable);
      assert.deepEqual(
        sent()
          .map(([target]) => target)
          .sort(),
        Object.values(NUMBERS).map(put),
      );
      const second = await abort();
      assert.equal(second.code, 3);
      assert.match(second.stdout, /, and every number of front has that\.\n$/);
    }));
});
