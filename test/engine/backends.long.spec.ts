import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../emulator";
import { newStack, type Stack } from "../support/engine";
import { killAll } from "../support/engineProcesses";
import { findPostgres, type Postgres, startPostgres } from "../support/postgres";

const numbers = Array.from({ length: 12 }, (_, index) => `+1555000${1000 + index}`);

const program = (weight: number, first = 0) => `
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  const inboundAgents = [
    { agentId: "agent_a", agentVersion: 1, weight: ${weight} },
    { agentId: "agent_b", agentVersion: 2, weight: ${100 - weight} },
  ];
  const numbers = ${JSON.stringify(numbers)}.map((number) => number.replace("+1555000", "+15550${String(first).padStart(2, "0")}"));
  for (const number of numbers.slice(0, 6)) new NumberAssignment(number, { number, inboundAgents });
  new NumberGroup("rest", { numbers: numbers.slice(6), inboundAgents });`;

describe("PostgreSQL as the state's backend", () => {
  let postgres: Postgres;
  let platform: Emulator;
  const stacks: Stack[] = [];

  before(async function () {
    const binaries = await findPostgres();
    if (binaries === undefined) {
      process.stderr.write(
        "SKIPPED: every test of the PostgreSQL backend: there is no server, and none could be installed.\n",
      );
      return this.skip();
    }
    postgres = await startPostgres(binaries);
  });
  beforeEach(async () => {
    platform = await startEmulator();
  });
  afterEach(async () => {
    platform.release();
    await Promise.all(stacks.splice(0).map((stack) => stack.remove()));
    await platform.close();
  });
  after(() => postgres?.stop());

  async function stackOn(url: string, projectName: string, first = 0): Promise<Stack> {
    const stack = await newStack({
      program: program(90, first),
      projectName,
      // A request is held for as long as a second run takes on a busy machine.
      config: {
        "agent-platform:baseUrl": platform.url,
        "agent-platform:requestTimeout": 600,
        "agent-platform:deadline": 600,
      },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: platform.token, PULUMI_BACKEND_URL: url },
    });
    stacks.push(stack);
    await stack.run(["stack", "init", "dev"]);
    return stack;
  }

  const splits = () =>
    [...platform.numbers.values()].map(({ inboundAgents }) => Object.values(inboundAgents).join("/"));
  const up = ["up", "--yes", "--skip-preview"];
  const resourcesIn = async (stack: Stack) =>
    (JSON.parse(await stack.exportText()) as { deployment: { resources: { type: string }[] } }).deployment.resources;

  it("refuses a second pipeline on the same stack, which sends nothing; the first one ends as if alone", async () => {
    const url = await postgres.database();
    const stack = await stackOn(url, "two-pipelines");
    platform.pause();
    const first = stack.spawn(up);
    await platform.waitForRequests(1);
    const other = await newStack({
      program: program(10),
      projectName: "two-pipelines",
      config: { "agent-platform:baseUrl": platform.url },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: "another-token", PULUMI_BACKEND_URL: url },
    });
    stacks.push(other);
    const second = await other.up({ expectFailure: true });
    assert.match(
      second.output,
      /error: the stack is currently locked by 1 lock\(s\)\. Either wait for the other process\(es\) to end or delete the lock file with `pulumi cancel`\./,
    );
    assert.match(second.output, /created by \S+@\S+ \(pid \d+\) at /);
    assert.ok(!second.output.includes("postgres://pulumi@"), second.output);
    platform.release();
    assert.equal((await first.result).exitCode, 0);
    assert.deepEqual([...new Set(platform.requests.map(({ authorized }) => authorized))], [true]);
    assert.equal(platform.requests.length, 12);
    assert.deepEqual(splits(), Array(12).fill("90/10"));
    // The lock is gone with its run.
    assert.equal((await stack.up()).changeSummary.same, 8);
    assert.equal(platform.requests.length, 12);
  });

  it("serves ten stacks at once, each of which has its own numbers and its own state", async () => {
    const url = await postgres.database();
    const all: Stack[] = [];
    for (let index = 0; index < 10; index += 1) {
      all.push(await stackOn(url, `fleet-${index}`, index));
    }
    const results = await Promise.all(all.map((stack) => stack.up({ timeoutMs: 900_000 })));
    assert.deepEqual(
      results.map(({ changeSummary }) => changeSummary),
      Array(10).fill({ create: 8 }),
    );
    assert.equal(platform.requests.length, 120);
    assert.deepEqual(splits(), Array(120).fill("90/10"));
    for (const stack of all) {
      const types = (await resourcesIn(stack)).map(({ type }) => type.split(":").at(-1));
      assert.deepEqual(types.filter((type) => type === "NumberAssignment").length, 6);
      assert.deepEqual(types.filter((type) => type === "NumberGroup").length, 1);
    }
  });

  it("keeps a stale lock after a kill; after `pulumi cancel` the next run finishes what was begun", async () => {
    const stack = await stackOn(await postgres.database(), "killed");
    await stack.up();
    platform.clearRequests();
    stack.write(program(50));
    platform.pause({ number: numbers[9] ?? "", applied: true });
    const doomed = stack.spawn(up);
    await platform.waitForRequests(10);
    killAll(doomed.processes());
    await doomed.result;
    platform.release();
    const refused = await stack.up({ expectFailure: true });
    assert.match(refused.output, /the stack is currently locked by 1 lock\(s\)/);
    await stack.run(["cancel", "--yes", "--stack", "dev"]);
    const sentBefore = platform.requests.length;
    const recovered = await stack.up();
    assert.match(recovered.output, /interrupted while updating/);
    assert.ok(platform.requests.length - sentBefore <= 12);
    assert.deepEqual(splits(), Array(12).fill("50/50"));
    const settled = platform.requests.length;
    assert.equal((await stack.up()).changeSummary.same, 8);
    assert.equal(platform.requests.length, settled);
    await stack.destroy();
    assert.deepEqual(splits(), Array(12).fill(""));
  });
});
