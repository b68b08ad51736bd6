import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emulatorCommand } from "../../cli/commands/emulator";
import { probeCommand } from "../../cli/commands/probe";
import { type Emulator, type EmulatorOptions, type Fault, startEmulator } from "../../emulator";
import { assertNoAgents, NUMBER } from "./probed";
import { number as assignment, type RecordedStack, withRecorded } from "./recorded";
import { beforeCli } from "./rolloutProject";
import { type Printed, runWith, type World } from "./terminal";

const AGENTS = ["--agent", "agent_front@12", "--agent", "agent_front@13"];
const TOKEN = "probe-token-of-a-test";

interface Setup extends EmulatorOptions {
  readonly faults?: readonly Fault[];
  readonly config?: Readonly<Record<string, string | null>>;
  readonly state?: RecordedStack["state"];
  /** The number that the stack `prod` manages. */
  readonly liveNumber?: string;
  /** The platform of the stack `prod`. By default, it is that of `dev`, which is the probe's stack. */
  readonly liveUrl?: string;
  /** Whether the state of the stack `prod` can't be read. @default false */
  readonly isLiveHidden?: boolean;
  readonly agents?: readonly string[];
  readonly outbound?: string;
  readonly args?: readonly string[];
  /** The user's answer to the confirmation prompt. If undefined, `--yes` is passed, unless `isPipe` is set. */
  readonly typed?: string;
  /**
   * Whether to run `probe` with a pipe as standard input and without `--yes`, so that nobody can answer the prompt.
   * @default false
   */
  readonly isPipe?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

type ProbeRun = Printed & { readonly emulator: Emulator };

/** Runs `probe` against a new emulator, in a project with a stack. */
async function runProbe(setup: Setup = {}, world: (emulator: Emulator) => World = () => ({})): Promise<ProbeRun> {
  const { faults = [], config = {}, state = {}, args = [], typed, isPipe = false, env, ...rest } = setup;
  const {
    agents = AGENTS,
    outbound = "agent_out@9",
    liveNumber = "+15550000001",
    liveUrl,
    isLiveHidden,
    ...options
  } = rest;
  const emulator = await startEmulator({ token: TOKEN, ...options });
  for (const fault of faults) {
    emulator.inject(fault);
  }
  const settings = { "agent-platform:baseUrl": emulator.url, "agent-platform:workspaceId": "42", ...config };
  const argv = [NUMBER, ...agents, "--outbound", outbound, "--stack", "dev", ...args];
  try {
    const live = { entries: [assignment("it", liveNumber, { endpoint: liveUrl ?? emulator.url })] };
    const stacks = { dev: { config: settings, state: state ?? {} }, prod: { state: live } };
    const printed = await withRecorded(stacks, (project) => {
      if (isLiveHidden) {
        rmSync(join(project.cwd, "../prod.export.json"));
      }
      return runWith(probeCommand.run, typed === undefined && !isPipe ? [...argv, "--yes"] : argv, {
        ...project,
        env: { ...project.env, AGENT_PLATFORM_ACCESS_TOKEN: TOKEN, ...env },
        ...(typed !== undefined && { typed }),
        ...world(emulator),
      });
    });
    return { ...printed, emulator };
  } finally {
    await emulator.close();
  }
}

const settingsIn = (stdout: string): string[] =>
  [...stdout.matchAll(/pulumi config set agent-platform:(.+) --stack dev$/gm)].map(([, setting = ""]) => setting);

describe("probe", () => {
  it("suggests no settings if the platform behaves as expected", async () => {
    const run = await runProbe();
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.emulator.requests.length, 9, "requests");
    assert.deepEqual(settingsIn(run.stdout), []);
    assertNoAgents(run.emulator);
  });

  it("sends the nine probe requests in a fixed order", async () => {
    const { emulator } = await runProbe();
    const split = (first: number, second: number) => [
      { agent_id: "agent_front", agent_version: 12, weight: first },
      { agent_id: "agent_front", agent_version: 13, weight: second },
    ];
    const outbound = { outboundAgentId: "agent_out", outboundAgentVersion: 9 };
    const workspaceId = 42;
    assert.deepEqual(
      emulator.requests.map(({ body }) => body),
      [
        { workspaceId, inboundAgents: split(70, 30) },
        { workspaceId, inboundAgents: split(0.7, 0.3) },
        { workspaceId, inboundAgents: split(0.7, 0.3) },
        { workspaceId, inboundAgents: [{ agent_id: "agent_front", weight: 100 }] },
        { workspaceId, ...outbound },
        { workspaceId, ...outbound, inboundAgents: [] },
        { workspaceId, outboundAgentId: null, outboundAgentVersion: null },
        { workspaceId, inboundAgents: [{ agent_id: "agent_missing_probe", agent_version: 1, weight: 100 }] },
        { workspaceId, outboundAgentId: null, outboundAgentVersion: null, inboundAgents: [] },
      ],
    );
  });

  it("prints a `pulumi config set` command for each required setting", async () => {
    const profile = { clearOthers: "empty", weights: "sum1", agentVersion: "required", importError: "true" } as const;
    const run = await runProbe({ profile });
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(settingsIn(run.stdout).sort(), [
      "clearWith empty",
      "onMismatch warn",
      "requireVersions true",
      "weightTotal 1",
    ]);
    assertNoAgents(run.emulator);
  });

  it("exits with 1 if no setting can make the provider work", async () => {
    const run = await runProbe({ faults: [{ kind: "status", status: 422, after: 2 }] });
    assert.equal(run.code, 1, run.stdout);
    assert.deepEqual(settingsIn(run.stdout), []);
    assertNoAgents(run.emulator);
  });

  it("reads an encrypted token from the stack's config", async () => {
    const emulator = await startEmulator({ token: TOKEN });
    const config = { "agent-platform:baseUrl": emulator.url, "agent-platform:accessToken": null };
    const { code, stdout, stderr } = await withRecorded({ dev: { config } }, (project) => {
      beforeCli(project.cwd, `[ "$1 $2 $3" = "config get agent-platform:accessToken" ] && { echo ${TOKEN}; exit; }`);
      return runWith(probeCommand.run, [NUMBER, ...AGENTS, "--stack", "dev", "--yes"], project);
    });
    await emulator.close();
    assert.equal(code, 0, stderr);
    assert.equal(emulator.requests.length, 9, "requests");
    assert.equal((stdout + stderr).includes(TOKEN), false, "the output contains the token");
  });

  it("ignores the stack's `clearWith` setting", async () => {
    const run = await runProbe({ config: { "agent-platform:clearWith": "omit" } });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.emulator.requests.length, 9, "requests");
    assertNoAgents(run.emulator);
  });
});

describe("an unfinished probe", () => {
  it("exits with 3 and unassigns all agents on Ctrl-C", async () => {
    const controller = new AbortController();
    const run = await runProbe({}, (emulator) => {
      void emulator.waitForRequests(3).then(() => controller.abort("SIGINT"));
      return { signal: controller.signal };
    });
    assert.equal(run.code, 3, run.stdout);
    assert.deepEqual(settingsIn(run.stdout), []);
    assertNoAgents(run.emulator);
  });

  it("exits with 3 and prints AGP-031 if the platform rejects the token", async () => {
    const { code, stdout } = await runProbe({ faults: [{ kind: "status", status: 401, times: "always" }] });
    assert.equal(code, 3, stdout);
    assert.match(stdout, /AGP-031/);
  });

  it("exits with 3 if the request to unassign all agents is rejected", async () => {
    const { code, stdout } = await runProbe({ faults: [{ kind: "status", status: 401, after: 8, times: "always" }] });
    assert.equal(code, 3, stdout);
  });

  it("exits with 3 if no setting can unassign the outbound agent", async () => {
    const { code, stdout } = await runProbe({ profile: { clearOthers: "none" } });
    assert.equal(code, 3, stdout);
    assert.deepEqual(settingsIn(stdout), []);
  });

  it("exits with 3 if a 401 stops the probe early", async () => {
    const faults: readonly Fault[] = [
      { kind: "status", status: 422, after: 2 },
      { kind: "status", status: 401, after: 3 },
    ];
    const { code, stdout, emulator } = await runProbe({ faults });
    assert.equal(code, 3, stdout);
    assertNoAgents(emulator);
  });
});

describe("the checks before a probe", () => {
  it("sends no requests if the user types y instead of yes", async () => {
    const { code, emulator } = await runProbe({ typed: "y\n" });
    assert.equal(code, 3);
    assert.equal(emulator.requests.length, 0, "requests");
  });

  it("sends the requests after the user types yes", async () => {
    const { code, emulator } = await runProbe({ typed: "yes\n" });
    assert.equal(code, 0);
    assert.equal(emulator.requests.length, 9, "requests");
  });

  it("prints the requests of a dry run without sending them", async () => {
    const dryRun = await runProbe({ args: ["--dry-run"], env: { AGENT_PLATFORM_ACCESS_TOKEN: "" } });
    assert.equal(dryRun.code, 0, dryRun.stderr);
    assert.equal(dryRun.emulator.requests.length, 0, "requests");
    const { emulator } = await runProbe();
    const shown = [...dryRun.stdout.matchAll(/^ +(\{.*\})$/gm)].map(([, body = ""]) => JSON.parse(body));
    assert.deepEqual(
      shown,
      emulator.requests.map(({ body }) => body),
    );
  });

  const declared = { entries: [assignment("it", NUMBER)] };
  for (const { name, ...setup } of [
    { name: "rejects a number that the stack manages", state: declared },
    { name: "rejects a number that another stack manages on the same platform", liveNumber: NUMBER },
    { name: "refuses to run on a frozen stack", config: { "agent-platform:freeze": "incident 7" } },
    { name: "refuses to run without a token", env: { AGENT_PLATFORM_ACCESS_TOKEN: "" } },
    { name: "rejects an agent without a version", agents: ["--agent", "agent_front@12", "--agent", "agent_front"] },
    { name: "rejects more than two inbound agents", args: ["--agent", "agent_front@14"] },
    { name: "rejects an invalid outbound agent", outbound: "front" },
    { name: "rejects more than one number", args: ["+15550009998"] },
    { name: "rejects an invalid base URL", config: { "agent-platform:baseUrl": "platform" } },
  ] as const satisfies readonly (Setup & { name: string })[]) {
    it(name, async () => {
      const { code, stdout, emulator } = await runProbe(setup);
      assert.equal(code, 2, stdout);
      assert.equal(emulator.requests.length, 0, "requests");
    });
  }

  it("accepts a number that another stack manages on another platform", async () =>
    assert.equal((await runProbe({ liveNumber: NUMBER, liveUrl: "https://live.example" })).code, 0));

  it("names another stack that cannot be read, and continues", async () => {
    const { code, stderr } = await runProbe({ isLiveHidden: true });
    assert.equal(code, 0);
    assert.match(stderr, /\bprod\b/);
  });

  it("requires --yes if standard input is not a terminal", async () => {
    const { code, emulator } = await runProbe({ isPipe: true });
    assert.equal(code, 2);
    assert.equal(emulator.requests.length, 0, "requests");
  });
});

describe("probe records", () => {
  it("prints only a JSON record to stdout with --json", async () => {
    const { code, stdout, stderr } = await runProbe({ args: ["--json"] });
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).number, NUMBER);
  });

  it("emulates the platform described in a probe record", () =>
    withRecorded({}, async ({ cwd }) => {
      writeFileSync(join(cwd, "record.json"), JSON.stringify({ profile: { putStatus: 202 } }));
      const controller = new AbortController();
      let status = 0;
      const printed = await runWith(emulatorCommand.run, ["--platform", "record.json", "--token", TOKEN], {
        cwd,
        signal: controller.signal,
        onPrinted(text) {
          const [, url] = /BASE_URL=(\S+)/.exec(text) ?? [];
          if (url !== undefined) {
            const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
            void fetch(`${url}/api/numbers/1/agent`, { method: "PUT", headers, body: "{}" })
              .then((reply) => {
                status = reply.status;
              })
              .finally(() => controller.abort());
          }
        },
      });
      assert.equal(printed.code, 0, printed.stderr);
      assert.equal(status, 202);
    }));

  for (const [name, text] of Object.entries({
    "rejects a probe record that is a list": "[]",
    "rejects a probe record without a profile": '{ "steps": [] }',
    "rejects a probe record that is not JSON": "no JSON",
  })) {
    it(name, () =>
      withRecorded({}, async ({ cwd }) => {
        writeFileSync(join(cwd, "record.json"), text);
        const { code } = await runWith(emulatorCommand.run, ["--platform", "record.json"], { cwd });
        assert.equal(code, 2);
      }),
    );
  }
});
