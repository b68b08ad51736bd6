import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { tryCommand } from "../../cli/commands/try";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { fakeCli, temporaryFolder } from "../support/engineFakes";
import { leftOf, processesWith } from "../support/engineProcesses";
import { quickStart } from "../support/engineProject";
import { refusal, runWith } from "./terminal";

describe("agent-platform try", () => {
  /** For temporary files, so that what is left in it is what the command left. */
  const temporary = temporaryFolder();
  const outside = process.env.TMPDIR;
  const home = () => join(temporary.path, "home");
  beforeEach(() => {
    mkdirSync(home());
    process.env.TMPDIR = temporary.path;
  });
  afterEach(() => {
    process.env.TMPDIR = outside;
    if (outside === undefined) {
      delete process.env.TMPDIR;
    }
  });

  /** With settings of somebody's real stack, which must not reach this one. */
  async function world() {
    const { directory } = await findOrInstallEngine();
    const env = {
      ...quickStart,
      PATH: [directory, process.env.PATH].join(delimiter),
      HOME: home(),
      TMPDIR: temporary.path,
      PULUMI_HOME: "/nowhere",
      PULUMI_BACKEND_URL: "https://state.example.com",
      AGENT_PLATFORM_BASE_URL: "https://platform.example.com",
      AGENT_PLATFORM_ACCESS_TOKEN: "production",
      AGENT_PLATFORM_BYPASS: "a reason",
    };
    return { env, cwd: temporary.path };
  }

  it("shows preview, up, a promotion, its calls, an abort and destroy, and leaves nothing behind", async () => {
    const printed = await runWith(tryCommand.run, ["--verbose"], { ...(await world()), isTerminal: true });
    assert.deepEqual([printed.code, printed.stderr], [0, ""]);
    const stdout = stripVTControlCharacters(printed.stdout);
    assert.deepEqual(
      stdout.split("\n").filter((line) => /^(\$|→| {2}agent_front\S+ +[\d,]+$)/.test(line)),
      [
        "$ pulumi stack init try",
        "→ no request reached the platform.",
        "$ pulumi preview",
        "→ no request reached the platform.",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "  agent_front@12  8,998",
        "  agent_front@13  1,002",
        "$ npx pulumi-agent-platform promote --stack try",
        "→ no request reached the platform.",
        "$ pulumi preview --diff",
        "→ no request reached the platform.",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "  agent_front@12  5,010",
        "  agent_front@13  4,990",
        "$ npx pulumi-agent-platform abort --stack try --up --yes",
        "→ 3 requests reached the platform.",
        "  agent_front@12  10,000",
        "$ pulumi destroy --yes --remove",
        "→ 3 requests reached the platform.",
      ],
    );
    // What the CLI prints, what promote prints, and bodies are as wide as they are.
    const wide = stdout.split("\n").filter((line) => line.length > 80 && !/^[ @]|^The resources/.test(line));
    assert.deepEqual(wide, []);
    assert.match(stdout, / {10}~ percent {0,2}: 10 => 50\n/);
    assert.ok(stdout.includes("\nfront in try: agent_front@13 from 10 % to 50 % (steps 1, 10, 50, 100)\n"), stdout);
    assert.ok(stdout.includes("  (no agents)  10,000\n"));
    const split =
      '[{"agent_id":"agent_front","agent_version":12,"weight":90},{"agent_id":"agent_front","agent_version":13,"weight":10}]';
    const [shown, ...bodies] = stdout.match(/^PUT \/api\/numbers\/%2B15551230001\/agent 200 .*\n.*$/gm) ?? [];
    assert.equal(
      shown,
      `PUT /api/numbers/%2B15551230001/agent 200  agent_front@12 90, agent_front@13 10\n  {"workspaceId":42,"inboundAgents":${split}}`,
    );
    assert.equal(bodies.length, 3);
    assert.deepEqual([readdirSync(temporary.path), readdirSync(home())], [["home"], []]);
  });

  it("stops at a signal in the middle of a run, with nothing left and no process", async () => {
    const controller = new AbortController();
    const listeners = process.listenerCount("SIGINT");
    const { code, stderr } = await runWith(tryCommand.run, [], {
      ...(await world()),
      signal: controller.signal,
      onPrinted: (text) => text.startsWith("$ pulumi preview") && setImmediate(() => controller.abort()),
    });
    assert.deepEqual([code, stderr], [130, "\nStopped. Nothing is left of the stack.\n"]);
    assert.deepEqual(readdirSync(temporary.path), ["home"]);
    assert.deepEqual(await leftOf(() => processesWith("HOME", home())), []);
    assert.equal(process.listenerCount("SIGINT"), listeners);
  });

  const withFake = (script?: string) => {
    if (script !== undefined) {
      fakeCli(home(), script);
    }
    return runWith(tryCommand.run, [], { env: { PATH: home(), HOME: home() }, cwd: home() });
  };

  it("shows what the CLI said where it fails, and leaves nothing behind", async () => {
    await assert.rejects(withFake('[ "$1" = version ] && { echo v3.255.0; exit; }\necho "no space left"; exit 3'), {
      message: "`pulumi stack init try` ended with exit code 3.",
    });
    assert.deepEqual(readdirSync(temporary.path), ["home"]);
  });

  it("says in one sentence how to get a CLI, if there is none or one that is too old", async () => {
    const how = "install 3.200.0 or newer, below 4, as https://www.pulumi.com/docs/install/ says";
    assert.deepEqual(await withFake(), refusal("try", `The Pulumi CLI is not on PATH: ${how}.`));
    const old = refusal("try", `The Pulumi CLI on PATH is v3.199.0: ${how}.`);
    assert.deepEqual(await withFake("echo v3.199.0"), old);
  });
});
