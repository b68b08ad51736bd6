import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { doctorCommand } from "../../cli/commands/doctor/command";
import { showCommand } from "../../cli/commands/show";
import type { Io } from "../../cli/io";
import { startEmulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { newStack, type Stack } from "../support/engine";
import { runWith } from "./terminal";

/** States that the real engine wrote, read through the real CLI. */

const program = (percent: number, more = "") => `
  import { CommunityVoice, NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";
  import { secret } from "@pulumi/pulumi";
  const inboundAgents = split({ "agent_a@1": ${100 - percent}, "agent_b@2": ${percent} });
  new NumberAssignment("single", { number: "+15550000001", inboundAgents, inboundWebhookUrl: secret("https://hush.example") });
  new NumberGroup("many", { numbers: { "+15550000002": "London", "+15550000003": "" }, inboundAgents });
  ${more}`;

const voice = (name: string) =>
  `new CommunityVoice("${name}", { workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", voiceName: "${name}", publicUserId: "u" });`;

const findingsOf = (stdout: string): string[] => [...stdout.matchAll(/^\d+\. (.*)$/gm)].map(([, what = ""]) => what);

describe("doctor and show, with the real CLI", () => {
  it("find nothing in a clean stack, and afterwards what the engine left open", async () => {
    const emulator = await startEmulator();
    const config = { "agent-platform:baseUrl": emulator.url, "agent-platform:accessToken": { secret: emulator.token } };
    const stack = await newStack({ program: program(10), config, env: { TEST_ATTEMPTS: "1" } });
    try {
      const run = await commandsOn(stack);
      await stack.up();
      const clean = await run(doctorCommand.run, []);
      assert.equal(clean.code, 0, clean.stdout);
      // In the order of the state, which is that in which they were done.
      assert.match(clean.stdout, /: 1 Number\w+, 1 Number\w+; nothing pending\n\nNo problems found\.\n$/);

      // Two numbers and a voice of unknown outcome.
      for (const number of ["+15550000001", "+15550000003"]) {
        emulator.inject({ kind: "status", status: 500, number, times: Number.POSITIVE_INFINITY });
      }
      emulator.inject({ kind: "status", status: 500, operation: "addCommunityVoice" });
      stack.write(program(20, voice("nova")));
      await stack.up({ args: ["--continue-on-error"], expectFailure: true });
      const open = await run(doctorCommand.run, []);
      assert.equal(open.code, 1);
      const found = findingsOf(open.stdout).sort();
      assert.match(found.pop() ?? "", /^dev: the last run failed at \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/);
      assert.deepEqual(found, [
        'AGP-041 dev: CommunityVoice "nova": unresolved since an earlier run: the voice may or may not be in workspace 42.',
        'AGP-044 dev: NumberAssignment "single": not applied in an earlier run: 1 (+15550000001): the outcome of the request was not known.',
        'AGP-044 dev: NumberGroup "many": not applied in an earlier run: 1 (+15550000003): the outcome of the request was not known.',
      ]);
      const shown = await run(showCommand.run, ["+15550000003"]);
      assert.match(shown.stdout, /split wanted +agent_a@1 80 %, agent_b@2 20 %\n/);
      assert.match(shown.stdout, /applied last +agent_a@1 90 %, agent_b@2 10 %\n/);
      assert.match(shown.stdout, /may hold +agent_a@1 80 %, agent_b@2 20 %\n/);

      // The engine is killed while a voice is being added.
      emulator.clearFaults();
      stack.write(program(20, voice("nova") + voice("stella")));
      const held = emulator.inject({ kind: "hold", operation: "addCommunityVoice" });
      const killed = stack.spawn(["up", "--yes", "--skip-preview"]);
      await waitForPending(stack, "stella");
      killed.child.kill("SIGKILL");
      await killed.result;
      held.release();
      const stopped = await run(doctorCommand.run, []);
      assert.equal(stopped.code, 3, "the next `up` would add it again");
      assert.ok(
        findingsOf(stopped.stdout).includes(
          'dev: CommunityVoice "stella": a run was stopped while it was creating this.',
        ),
        stopped.stdout,
      );
      const sent = emulator.requests.length;
      assert.equal((await run(showCommand.run, ["+15550000001"])).code, 0);
      assert.equal(emulator.requests.length, sent, "neither of them sends anything");
      assert.ok(!`${open.stdout}${shown.stdout}${stopped.stdout}`.includes(emulator.token));
    } finally {
      await stack.remove();
      await emulator.close();
    }
  });
});

/** Until this one alone is under way: the engine writes what it is about to do before it does it. */
async function waitForPending(stack: Stack, name: string): Promise<void> {
  const pending = () => stack.export().deployment?.pending_operations ?? [];
  const isAlone = () => pending().length === 1 && pending()[0]?.resource.urn.endsWith(`::${name}`);
  while (!isAlone()) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function commandsOn({ project }: Stack) {
  const { directory } = await findOrInstallEngine();
  copyFileSync(project.configFile, join(project.directory, "Pulumi.dev.yaml"));
  const env = { ...project.env, HOME: process.env.HOME, PATH: [directory, process.env.PATH].join(delimiter) };
  return (command: (argv: readonly string[], io: Io) => Promise<number>, argv: readonly string[]) =>
    runWith(command, [...argv, "--stack", "dev"], { cwd: project.directory, env });
}
