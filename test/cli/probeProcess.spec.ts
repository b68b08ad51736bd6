import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Emulator } from "../../emulator";
import { agents, number, whole, withEmulator } from "./probeSupport";

/** The probe as somebody runs it by hand: a process of its own, and a terminal that stays open. */
describe("agent-platform probe as a process", () => {
  let child: ChildProcess | undefined;
  afterEach(() => void child?.kill("SIGKILL"));

  function start(emulator: Emulator, argv: readonly string[]) {
    const main = join(__dirname, "../../cli/main.ts");
    const probing = spawn(process.execPath, ["-r", "tsx/cjs", main, "probe", ...argv], {
      env: { ...process.env, AGENT_PLATFORM_BASE_URL: emulator.url, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child = probing;
    const printed = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      probing[name].setEncoding("utf8").on("data", (text: string) => {
        printed[name] += text;
      });
    }
    const ended = once(probing, "close");
    const told = async (text: string): Promise<void> => {
      while (!printed.stderr.includes(text)) {
        assert.equal(probing.exitCode ?? probing.signalCode, null, `ended without "${text}":\n${printed.stderr}`);
        await Promise.race([once(probing.stderr, "data"), ended]);
      }
    };
    return { child: probing, printed, told, ended };
  }

  const unconfirmed = [number, "--takes-no-calls", ...agents];

  it("ends by itself once the number is typed, though the terminal stays open", () =>
    withEmulator("default", async (emulator) => {
      const { child, printed, told, ended } = start(emulator, unconfirmed);
      await told("Type the number again: ");
      child.stdin.write(`${number}\n`);
      assert.deepEqual(await ended, [0, null]);
      assert.match(printed.stdout, /^\+15550009999 was probed with \d+ PUTs and has no agents now\.\n/);
      assert.deepEqual(emulator.routing(number), { inboundAgents: {} });
    })).timeout(60_000);

  it("is ended by Ctrl-C before the number is typed, and nothing is sent", () =>
    withEmulator("default", async (emulator) => {
      const { child, told, ended } = start(emulator, unconfirmed);
      await told("Type the number again: ");
      child.kill("SIGINT");
      assert.deepEqual(await ended, [null, "SIGINT"]);
      assert.equal(emulator.requests.length, 0);
    })).timeout(60_000);

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`clears the number after ${signal}, and says at once that it will`, () =>
      withEmulator("default", async (emulator) => {
        emulator.pause({ number, applied: true });
        const { child, printed, told, ended } = start(emulator, whole(emulator));
        await emulator.waitForRequests(1);
        child.kill(signal);
        await told(
          "  weights 70 and 30\n  stopping: the number is still cleared; a second Ctrl-C leaves it as it is\n",
        );
        emulator.release();
        assert.deepEqual(await ended, [1, null]);
        assert.equal(
          printed.stdout.split("\n\n").slice(0, 2).join("\n"),
          `${number} was probed with 2 PUTs and has no agents now.\nEnded early: stopped by you`,
        );
        assert.deepEqual(emulator.routing(number), { inboundAgents: {} });
      })).timeout(60_000);
  }

  it("is ended by a second Ctrl-C at once", () =>
    withEmulator("default", async (emulator) => {
      emulator.pause({ number, applied: true });
      const { child, told, ended } = start(emulator, whole(emulator));
      await emulator.waitForRequests(1);
      child.kill("SIGINT");
      await told("stopping");
      child.kill("SIGINT");
      assert.deepEqual(await ended, [null, "SIGINT"]);
      emulator.release();
    })).timeout(60_000);
});
