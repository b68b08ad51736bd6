import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { tryCommand } from "../../cli/commands/try";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { fakeCli, temporaryFolder } from "../support/engineFakes";
import { leftOf, processesWith } from "../support/engineProcesses";
import { quickStart } from "../support/engineProject";
import { refusal, runWith } from "./terminal";

describe("agent-platform try", () => {
  /** The folder for temporary files, so that what is left in it is what the command left. */
  let temporary: string;
  const outside = process.env.TMPDIR;
  beforeEach(() => {
    temporary = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-outside-")));
    mkdirSync(join(temporary, "home"));
    process.env.TMPDIR = temporary;
  });
  afterEach(() => {
    if (outside === undefined) {
      delete process.env.TMPDIR;
    } else {
      process.env.TMPDIR = outside;
    }
    rmSync(temporary, { recursive: true, force: true });
  });

  /** With settings of somebody's real stack, which must not reach this one. */
  async function world(more: { signal?: AbortSignal; isTerminal?: boolean } = {}) {
    const { directory } = await findOrInstallEngine();
    const env = {
      ...quickStart,
      PATH: [directory, process.env.PATH].join(delimiter),
      HOME: join(temporary, "home"),
      TMPDIR: temporary,
      PULUMI_HOME: "/nowhere",
      PULUMI_BACKEND_URL: "https://state.example.com",
      AGENT_PLATFORM_BASE_URL: "https://platform.example.com",
      AGENT_PLATFORM_ACCESS_TOKEN: "production",
      AGENT_PLATFORM_BYPASS: "a reason",
    };
    return { env, cwd: temporary, ...more };
  }

  it("shows preview, up, a promotion, its calls, an abort and destroy, and leaves nothing behind", async () => {
    const { code, stdout: coloured, stderr } = await runWith(tryCommand.run, [], await world({ isTerminal: true }));
    assert.deepEqual([code, stderr], [0, ""]);
    const stdout = stripVTControlCharacters(coloured);
    const lines = stdout.split("\n");
    assert.deepEqual(
      lines.filter((line) => /^(\$|→| {2}agent_front\S+ +[\d,]+$)/.test(line)),
      [
        "$ pulumi preview",
        "→ no request reached the platform.",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "  agent_front@12  8,998",
        "  agent_front@13  1,002",
        "$ npx pulumi-agent-platform promote --stack try",
        "$ pulumi preview --diff",
        "→ no request reached the platform.",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "  agent_front@12  5,010",
        "  agent_front@13  4,990",
        "$ npx pulumi-agent-platform abort --stack try",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "  agent_front@12  10,000",
        "$ pulumi destroy --yes --remove",
        "→ 3 requests reached the platform.",
      ],
    );
    assert.match(stdout, / {10}~ percent {0,2}: 10 => 50\n/);
    assert.ok(stdout.includes("\nfront in try: agent_front@13 from 10 % to 50 % (steps 1, 10, 50, 100)\n"), stdout);
    assert.ok(stdout.includes("  (no agents)  10,000\n"));
    assert.deepEqual([readdirSync(temporary), readdirSync(join(temporary, "home"))], [["home"], []]);
  });

  it("stops at a signal in the middle of a run, with nothing left and no process", async () => {
    const controller = new AbortController();
    const listeners = process.listenerCount("SIGINT");
    const { code, stderr } = await runWith(tryCommand.run, [], {
      ...(await world({ signal: controller.signal })),
      onPrinted: (text) => text.startsWith("$ pulumi preview") && setImmediate(() => controller.abort()),
    });
    assert.deepEqual([code, stderr], [130, "\nStopped. Nothing is left of the stack.\n"]);
    assert.deepEqual(readdirSync(temporary), ["home"]);
    assert.deepEqual(await leftOf(() => processesWith("HOME", join(temporary, "home"))), []);
    assert.equal(process.listenerCount("SIGINT"), listeners);
  });

  it("shows what the CLI said where it fails, and leaves nothing behind", async () => {
    const home = join(temporary, "home");
    fakeCli(home, '[ "$1" = version ] && { echo v3.255.0; exit; }\necho "no space left"; exit 3');
    await assert.rejects(runWith(tryCommand.run, [], { env: { PATH: home, HOME: home }, cwd: home }), {
      message: "`pulumi stack init try` ended with exit code 3.\nno space left",
    });
    assert.deepEqual(readdirSync(temporary), ["home"]);
  });
});

describe("agent-platform try without a CLI that will do", () => {
  const path = temporaryFolder();
  const how = "install 3.200.0 or newer, below 4, as https://www.pulumi.com/docs/install/ says";

  it("says in one sentence how to get a CLI", async () => {
    const env = { PATH: path.path, HOME: path.path };
    const message = `The Pulumi CLI is not on PATH: ${how}.`;
    assert.deepEqual(await runWith(tryCommand.run, [], { env }), refusal("try", message));
  });

  it("refuses a CLI that is too old", async () => {
    fakeCli(path.path, "echo v3.199.0");
    const env = { PATH: path.path, HOME: path.path };
    const printed = await runWith(tryCommand.run, [], { env, cwd: path.path });
    assert.deepEqual(printed, refusal("try", `The Pulumi CLI on PATH is v3.199.0: ${how}.`));
  });
});
