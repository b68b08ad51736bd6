import { strict as assert } from "node:assert";
import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { killAll } from "../support/engineProcesses";
import { inPairs } from "../support/inPairs";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

const number = "+15551234567";
const program = (options = "{}", percent = 10) => `
  import { NumberAssignment, canary } from "pulumi-agent-platform";
  new NumberAssignment("support", {
    number: "${number}", inboundAgents: canary("agent_front@12", "agent_front@13", ${percent}),
  }, ${options});`;

const type = "pulumi-nodejs:dynamic/agent-platform:NumberAssignment";

// The engine tries to write for half a minute, twice: meanwhile all others run, for this is before the first of all files.
let unwritten: Promise<void>;
before(() => {
  unwritten = unwritable();
  unwritten.catch(() => {});
});

/** What the engine cannot do for a dynamic provider, and what it does when it is stopped or cannot write. */
describe("the limits of the engine", () => {
  const it = inPairs();

  it("pulumi import fails, as for every dynamic resource: nothing is sent, nothing is saved, and create goes on working", async () => {
    await withPlatformStack({ program: program() }, async ({ stack, sent, sentNothing }) => {
      const onStack = ["--stack", stack.project.stackName, "--config-file", stack.project.configFile];
      const args = ["import", type, "support", number, "--yes", "--protect=false", "--generate-code=false", ...onStack];
      const imported = await stack.run(args, { expectFailure: true });
      assert.match(imported.output, NO_PROVIDER_TEXT);
      assert.deepEqual(stack.resources(), []);

      stack.write(program(`{ import: "${number}" }`));
      const optioned = await stack.up({ expectFailure: true });
      assert.match(optioned.output, NO_PROVIDER_TEXT);
      assert.deepEqual(stack.resources(), []);
      sentNothing();

      stack.write(program());
      await stack.up();
      assert.equal(sent().length, 1);
    });
  });

  it("asks nothing of a provider whose settings are not known at preview; the up asks, refuses and sends nothing", async () => {
    const unknownSettings = (maxShift: number) => `
      import * as pulumi from "@pulumi/pulumi";
      import { AgentPlatform, NumberAssignment, canary } from "pulumi-agent-platform";
      class Made extends pulumi.CustomResource {
        constructor(name) {
          const text = "exports.handler = () => ({ create: async () => ({ id: '${maxShift}', outs: {} }) })";
          super("pulumi-nodejs:dynamic:Made", name, { __provider: text });
        }
      }
      const made = new Made("made");
      const provider = new AgentPlatform("second", {
        baseUrl: new pulumi.Config("agent-platform").require("baseUrl"),
        accessTokenEnv: "AGENT_PLATFORM_ACCESS_TOKEN",
        weightTotal: made.id.apply(Number),
      });
      new NumberAssignment("support", { number: "${number}", inboundAgents: canary("agent_front@12", "agent_front@13", 10) }, { provider });`;
    await withPlatformStack({ program: unknownSettings(7) }, async ({ stack, sent, sentNothing }) => {
      assert.deepEqual((await stack.preview()).changeSummary, { create: 4 });
      const { diagnostics } = await stack.up({ expectFailure: true });
      sentNothing();
      const guard = "AGP-020 inboundAgents: weights sum to 100, expected 7 (agent_front@12 90, agent_front@13 10).";
      assert.deepEqual(
        diagnostics.filter(({ message }) => message.includes("AGP-")).map(({ message }) => message.includes(guard)),
        [true],
      );
      stack.write(unknownSettings(100));
      await stack.destroy();
      await stack.up();
      assert.equal(sent().length, 1);
    });
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
      const begun = performance.now();
      assert.notEqual((await run.result).exitCode, 0);
      platform.release();
      while (run.processes().length > 0 && performance.now() - begun < 10_000) await new Promise(setImmediate);
      const orphans = run.processes();
      killAll(orphans);
      assert.deepEqual(orphans, []);
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

/** The SDK's provider process is asked to read without properties, so without the line that says whose code it is to run. */
const NO_PROVIDER_TEXT = /error: .*Cannot read properties of undefined/;

async function recovered({ stack, platform }: Pick<PlatformStack, "stack" | "platform">): Promise<void> {
  await stack.run(["cancel", "--yes", "--stack", stack.project.stackName]);
  await stack.up();
  assert.deepEqual(platform.routing(number)?.inboundAgents, { "agent_front@12": 50, "agent_front@13": 50 });
  assert.deepEqual((await stack.up()).changeSummary, { same: 2 });
}
