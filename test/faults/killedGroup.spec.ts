import assert from "node:assert/strict";
import { doctorCommand } from "../../cli/commands/doctor";
import { showCommand } from "../../cli/commands/show";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { runWith } from "../cli/terminal";
import { environment } from "../support/engine";
import { killAll, leftOf } from "../support/engineProcesses";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

const numbers = Array.from({ length: 6 }, (_, index) => `+1555000000${index}`);
const ofGroup = (agentId: string, more = "") => `import { NumberGroup, SmsChat } from "pulumi-agent-platform";
  const group = new NumberGroup("pool", {
    workspaceId: 42, numbers: ${JSON.stringify(numbers)}, inboundAgents: [{ agentId: "${agentId}", weight: 1 }]${more} });`;
const chat = `new SmsChat("hello", {
  workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550001111", toNumber: "+15550002222" });`;

/** What callers of each number have. */
const had = ({ platform }: Pick<PlatformStack, "platform">) =>
  numbers.map((number) => Object.keys(platform.routing(number)?.inboundAgents ?? {}).join());

describe("a run whose CLI is killed in the middle of a group", () => {
  it("leaves no process that sends, and the next run applies what it declares", async () => {
    await withPlatformStack({ program: ofGroup("agent_a") }, async ({ stack, platform }) => {
      const hold = platform.inject({ kind: "hold", after: 1, times: Number.POSITIVE_INFINITY });
      const run = stack.spawn(["up", "--yes", "--skip-preview"]);
      await platform.waitForRequests(2);
      const cli = run.processes().find(({ role }) => role === "cli");
      assert.ok(cli !== undefined);
      process.kill(cli.pid, "SIGKILL");
      const sending = () => run.processes().filter(({ role }) => role === "provider");
      assert.deepEqual(await leftOf(sending), []);
      hold.release();
      await run.result;
      killAll(run.processes());
      await stack.run(["cancel", "--yes", "--stack", stack.project.stackName]);
      platform.clearRequests();
      stack.write(ofGroup("agent_b"));
      await stack.up();
      assert.deepEqual(had({ platform }), Array(6).fill("agent_b"));
      const ofOthers = platform.requests.filter(({ body }) => !JSON.stringify(body).includes("agent_b"));
      assert.deepEqual([ofOthers, platform.requests.length], [[], numbers.length]);
    });
  });
});

describe("a run whose provider process alone is killed: the engine saves nothing of what it sent", () => {
  /** Kills the provider when so many requests have arrived, and returns what the engine printed. */
  async function killed({ stack, platform }: PlatformStack, requests: number): Promise<string> {
    platform.clearRequests();
    const hold = platform.inject({ kind: "hold", after: requests - 1, times: Number.POSITIVE_INFINITY });
    const run = stack.spawn(["up", "--yes", "--skip-preview"]);
    await platform.waitForRequests(requests);
    killAll(run.processes().filter(({ role }) => role === "provider"));
    const { exitCode, output } = await run.result;
    hold.release();
    assert.ok(exitCode !== 0, output);
    assert.equal(stack.export().deployment?.pending_operations, undefined);
    return output;
  }

  async function ask({ stack: { project } }: PlatformStack, command: "doctor" | "show") {
    const env = environment((await findOrInstallEngine()).directory, project, {});
    const { run } = command === "doctor" ? doctorCommand : showCommand;
    const { code, stdout } = await runWith(run, ["--stack", project.stackName], { cwd: project.directory, env });
    return { code, stdout };
  }
  const clean = /\n\nNo problems found\.\n$/;

  it("says who may have which agents, also after the program was reverted, until they are sent again", async () => {
    await withPlatformStack({ program: ofGroup("agent_a") }, async (world) => {
      const { stack, platform } = world;
      await stack.up();
      stack.write(ofGroup("agent_b"));
      assert.match(await killed(world, 3), /error reading from server: EOF/);
      stack.write(ofGroup("agent_a"));
      platform.clearRequests();
      for (const time of ["after the kill", "after a run that changes nothing"]) {
        const { code, stdout } = await ask(world, "doctor");
        assert.equal(code, 1, time);
        const text = stdout.replaceAll(/\s+/g, " ");
        assert.match(text, /pool" \(\+15550000000, .*\): the provider's process ended while it was updating/);
        assert.match(text, /Do: [^:]*: `pulumi up --stack dev`.*`triggers`.*help killed-run/);
        assert.match((await ask(world, "show")).stdout, /\+15550000000 {2}agent_a 100 %, not certain; pool/);
        await stack.up();
        assert.deepEqual(
          [had(world).filter((agent) => agent === "agent_b").length > 0, platform.requests.length],
          [true, 0],
        );
      }
      stack.write(ofGroup("agent_a", ", triggers: { again: 1 }"));
      await stack.up();
      assert.deepEqual(had(world), Array(6).fill("agent_a"));
      const { code, stdout } = await ask(world, "doctor");
      assert.deepEqual([code, clean.test(stdout)], [0, true], stdout);
      assert.doesNotMatch((await ask(world, "show")).stdout, /not certain/);
    });
  });

  it("sends no second SMS: the next run saves the chat as unresolved, and doctor ends with an error until it is adopted", async () => {
    await withPlatformStack({ program: ofGroup("agent_a") }, async (world) => {
      const { stack, platform } = world;
      await stack.up();
      stack.write(`${ofGroup("agent_a")}\n${chat}`);
      await killed(world, 1);
      const { code, stdout } = await ask(world, "doctor");
      assert.equal(code, 3, stdout);
      assert.match(stdout, /SmsChat "hello": the provider's process ended while it was creating/);
      // A run that leaves it out says nothing about it.
      await stack.up({ args: ["--exclude", "urn:pulumi:**:SmsChat::**"] });
      assert.equal((await ask(world, "doctor")).code, 3);

      const { diagnostics } = await stack.up({ expectFailure: true });
      const [saved] = stack.resources().filter(({ name }) => name === "hello");
      assert.deepEqual([platform.chats.length, saved?.outputs.unresolved], [1, true]);
      const said = diagnostics.filter(({ message }) => message.includes("AGP-041"));
      assert.equal(
        said[0]?.message.slice(said[0].message.indexOf("AGP")),
        `AGP-041 SmsChat "hello": an earlier run ended while it was creating this resource, so nothing was sent now. The chat to +15550002222 may have been started in workspace 42, and is not sent again by itself.
  Check the workspace's chats, then set one of these arguments on SmsChat "hello":
  if it exists:          adopt: "<chatId>"
  if it does not exist:  retryUnresolved: "${saved?.id}"   (sends once)`,
      );
      await stack.up();
      assert.deepEqual([(await ask(world, "doctor")).code, platform.chats.length], [1, 1]);

      const adopted = chat.replace("toNumber", `adopt: "${platform.chats[0]?.chatId}", toNumber`);
      stack.write(`${ofGroup("agent_a")}\n${adopted}`);
      await stack.up();
      assert.deepEqual([(await ask(world, "doctor")).code, platform.chats.length], [0, 1]);
    });
  });
});
