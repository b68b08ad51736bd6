import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { leavingTrace, openCalls, takeInterrupted } from "../../provider/edge/openCalls";

describe("the file of a call that is under way", () => {
  const { PULUMI_HOME: given } = process.env;
  const home = mkdtempSync(join(tmpdir(), "agent-platform-home-"));
  beforeEach(() => {
    process.env.PULUMI_HOME = home;
  });
  after(() => {
    rmSync(home, { recursive: true });
    if (given === undefined) {
      delete process.env.PULUMI_HOME;
    } else {
      process.env.PULUMI_HOME = given;
    }
  });

  const open = {
    operation: "updating",
    urn: "urn:pulumi:dev::phones::agent-platform:index:NumberGroup::g",
    inputs: { numbers: "+1\n", rollout: { name: "front" }, inboundWebhookUrl: "https://hush.example" },
  } as const;

  it("is there during the call alone, also if the call fails, and says which numbers it is about, and nothing secret", async () => {
    const during = await leavingTrace(open, async () => openCalls(process.env));
    const [{ at, pid, file, ...left }] = during as [Record<string, unknown>];
    const { numbers, rollout } = open.inputs;
    assert.deepEqual(left, { operation: open.operation, urn: open.urn, inputs: { numbers, rollout } });
    assert.equal(dirname(String(file)), join(home, "agent-platform"));
    assert.deepEqual([pid, Number.isNaN(Date.parse(String(at)))], [process.pid, false]);
    assert.deepEqual(openCalls(process.env), []);
    const failing = leavingTrace(open, () => Promise.reject(new Error("no")));
    await assert.rejects(failing, { message: "no" });
    assert.deepEqual(openCalls(process.env), []);
  });

  it("is left if the process ends, and taken away by the next call of the resource; one that cannot be read hides no other", async () => {
    const [folder] = readdirSync(home).map((name) => join(home, name));
    const left = await leavingTrace(open, async () => {
      const [file = ""] = readdirSync(folder ?? "");
      return [join(folder ?? "", file), readFileSync(join(folder ?? "", file))] as const;
    });
    writeFileSync(...left);
    writeFileSync(join(folder ?? "", "0.json"), "{");
    assert.equal(openCalls(process.env).filter(Boolean).length, 1);
    await leavingTrace(open, async () => {});
    assert.equal(openCalls(process.env).filter(Boolean).length, 0);
    rmSync(join(folder ?? "", "0.json"));
  });

  /** The parent of this process is alive. */
  const others: Readonly<Record<string, [left: object, counts: boolean]>> = {
    "a process whose id another one has by now, as after a restart of the machine": [{ pid: process.ppid }, true],
    "an earlier process with the id of this one, as in a container": [{ pid: process.pid }, true],
    "an update": [{ operation: "updating" }, false],
  };
  for (const [whose, [left, counts]] of Object.entries(others)) {
    it(`${counts ? "stops" : "does not stop"} the next create, and that once: ${whose}`, async () => {
      const folder = join(home, readdirSync(home)[0] ?? "");
      const file = await leavingTrace(open, async () => join(folder, readdirSync(folder)[0] ?? ""));
      writeFileSync(file, JSON.stringify({ operation: "creating", ...left }));
      assert.deepEqual([takeInterrupted(open.urn), takeInterrupted(open.urn)], [counts, false]);
      assert.equal(existsSync(file), !counts);
      rmSync(file, { force: true });
    });
  }

  it("stops no call if it cannot be written", async () => {
    process.env.PULUMI_HOME = join(home, "file");
    writeFileSync(process.env.PULUMI_HOME, "");
    assert.equal(await leavingTrace(open, async () => "sent"), "sent");
    assert.deepEqual(openCalls(process.env), []);
  });
});
