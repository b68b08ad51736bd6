import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { boardCommand } from "../../cli/commands/board";
import { doctorCommand } from "../../cli/commands/doctor";
import type { Finding } from "../../cli/state/findings";
import { assertHides, assertShows } from "../support/named";
import { CASES, chat, voice } from "./doctorCases";
import { group, number, platform, type RecordedStack, withRecorded } from "./recorded";
import { runWith } from "./terminal";

const config = { "agent-platform:baseUrl": platform };

type Stacks = Readonly<Record<string, RecordedStack>>;
type Env = Readonly<Record<string, string>>;

/** Runs `doctor` on these stacks. */
const run = (stacks: Stacks, argv: readonly string[] = [], env: Env = {}) =>
  withRecorded(stacks, (world) => {
    const stackOptions = Object.keys(stacks).flatMap((stack) => ["--stack", stack]);
    return runWith(doctorCommand.run, [...stackOptions, ...argv], { ...world, env: { ...world.env, ...env } });
  });

/**
 * Runs `doctor --json` on these stacks. Returns the exit code, the output, and the findings, both in full and
 * abbreviated.
 */
async function diagnose(stacks: Stacks, env?: Env) {
  const { code, stdout } = await run(stacks, ["--json"], env);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
  return { code, stdout, findings, short: findings.map(inShort) };
}

/** Abbreviates a finding, for example to `AGP-044 g +2` or `- hello (sent again)`. */
const inShort = ({ code, urn, numbers = [], sendsAgain, isNote }: Finding): string =>
  [code ?? "-", urn?.split("::").at(-1), ...numbers, isNote && "(note)", sendsAgain && "(sent again)"]
    .filter(Boolean)
    .join(" ");

describe("agent-platform doctor", () => {
  it("marks a failed deployment without a saved error, but not a failed abort", async () => {
    const failed = { at: "2026-11-23T09:02:00Z", result: "failed" };
    const marks = async (message: string) =>
      (await diagnose({ dev: { config, runs: [{ ...failed, message }] } })).findings.map(
        ({ isUnexplained }) => isUnexplained,
      );
    assert.deepEqual(await marks("front: 50%"), [true]);
    assert.deepEqual(await marks('Abort of the rollout "front"'), [undefined]);
  });

  describe("findings", () => {
    for (const { name, given, finds, copies, code = 1, names = [], notNames = [] } of CASES) {
      it(`reports ${name}`, async () => {
        const diagnosis = await diagnose({ dev: given });
        assert.deepEqual(diagnosis.short, finds);
        const text = diagnosis.findings
          .flatMap(({ problem, details = [], remedy }) => [problem, ...details, ...remedy])
          .join("\n");
        assert.deepEqual(
          (text.match(/`[^`\n]+`/g) ?? []).map((quoted) => quoted.slice(1, -1)),
          copies,
          "the commands and arguments in backquotes",
        );
        assertShows(text, ...names);
        assertHides(text, ...notNames);
        assert.equal(diagnosis.code, code);
        assert.doesNotMatch(diagnosis.stdout, /hush/, "the output contains the token");
      });
    }
  });

  it("reports no problems in an empty stack", () =>
    withRecorded({ dev: { config } }, async (world) => {
      const empty = '{"version":3,"deployment":{"manifest":{},"metadata":{}}}';
      writeFileSync(join(world.cwd, "../dev.export.json"), empty);
      assert.equal((await runWith(doctorCommand.run, ["--stack", "dev"], world)).code, 0);
    }));

  it("accepts a base URL from the environment unless it contradicts the config", async () => {
    const other = "https://other.example";
    assert.deepEqual((await diagnose({ dev: {} }, { AGENT_PLATFORM_BASE_URL: platform })).short, []);
    assert.deepEqual((await diagnose({ dev: { config } }, { AGENT_PLATFORM_BASE_URL: other })).short, ["AGP-012"]);
  });

  it("lists the most harmful problems first and notes last", async () => {
    const front = { stable: "agent_a@1", candidate: "agent_b@2", percent: 10 };
    const aborted = { stable: "agent_a@1", aborted: { agent: "agent_b@2", percent: 10, at: "2026-11-23T09:00:00Z" } };
    const onDesk = number("desk", "+1", { rollout: { name: "front", ...front } });
    const step = number("step", "+4", { inboundAgents: { "agent_a@1": 100 } }, { initErrors: ["…"] });
    const entries = [step, voice("unresolved-7f", { unresolved: true }), onDesk, number("other", "+5")];
    const pending = [
      { ...onDesk, operation: "updating" },
      { ...chat(""), operation: "creating" },
    ];
    const dev = {
      state: { entries, pending },
      config: {
        ...config,
        "agent-platform:rollouts": JSON.stringify({ front: aborted }),
        "agent-platform:accessToken": "hush-token",
      },
    };
    const failed = { state: {}, config, runs: [{ at: "2026-11-23T09:02:00Z", result: "failed" }] };
    const { code, short } = await diagnose({ failed, dev });
    const expected = [
      "- hello (sent again)",
      "- +1",
      "- desk +1",
      "AGP-041 nova",
      "-",
      "- step",
      "-",
      "- other +5 (note)",
    ];
    assert.deepEqual(short, expected);
    assert.equal(code, 3);
  });

  it("prints the first two errors of the last run in full", async () => {
    const at = "2026-11-23T09:02:05.3Z";
    const failing = (name: string, ...lines: string[]) =>
      number(name, `+${name}`, {}, { initErrors: [lines.join("\n  ")], modified: at });
    const entries = [
      failing("1", "AGP-070 one.", "AGP-031 the platform's answer.", "Do this."),
      failing("2", "Two."),
      failing("3", "Three."),
    ];
    const runs = [{ at: "2026-11-23T09:02:00Z", result: "failed" }];
    const { findings } = await diagnose({ dev: { state: { entries }, config, runs } });
    const shown = findings.flatMap(({ details = [] }) => details);
    assert.deepEqual(
      shown.slice(0, 4).map((line) => line.trim()),
      ["AGP-070 one.", "AGP-031 the platform's answer.", "Do this.", "Two."],
    );
    assert.equal(shown.length, 5);
    assert.ok(shown[4]?.includes("1"), shown[4]);
  });

  it("reports a number that two stacks declare", async () => {
    const elsewhere = number("elsewhere", "+1", { endpoint: "https://other.example" });
    const [first, second] = [{ workspaceId: 1 }, { workspaceId: 2 }];
    const a = { entries: [number("x", "+1", first), number("y", "4001", first)] };
    const b = { entries: [group("g", "+1\n+2\n", second), number("y", "4001", second), elsewhere] };
    const { code, findings, short } = await diagnose({ a: { state: a, config }, b: { state: b, config } });
    assert.equal(code, 1);
    assert.deepEqual(short, ["AGP-003 +1"]);
    const [{ problem = "", remedy = [] } = {}] = findings;
    for (const fact of ['a: NumberAssignment "x"', 'b: NumberGroup "g"', "`retainOnDelete: true`", "`triggers`"]) {
      assert.ok([problem, ...remedy].join("\n").includes(fact), fact);
    }
  });

  it("escapes lines that GitHub Actions would run as commands", async () => {
    const failed = { at: "2026-11-23T09:02:00Z", result: "failed" };
    const errors = { initErrors: ["AGP-030 no\n::error::gone"], modified: "2026-11-23T09:02:05.3Z" };
    const entries = [number("a", "+1", {}, errors), number("x ##[error]", "+2", {}, { initErrors: ["…"] })];
    const { stdout } = await run({ dev: { config, runs: [failed], state: { entries } } });
    assert.match(stdout, /error::gone/);
    assert.doesNotMatch(stdout, /^\s*::|##\[/m);
  });

  it("prints findings as JSON with their help topics", async () => {
    const state = { entries: [voice("unresolved-7f", { unresolved: true })] };
    const { stdout } = await run({ dev: { state, config } }, ["--json"]);
    const { stacks, findings } = JSON.parse(stdout);
    assert.deepEqual(stacks, [{ stack: "dev", project: "phones", resources: { CommunityVoice: 1 }, pending: 0 }]);
    assert.equal(findings[0].help, "AGP-041");
    assert.equal(findings[0].urn, "urn:pulumi:dev::phones::pulumi-nodejs:dynamic/agent-platform:CommunityVoice::nova");
  });

  it("shows notes on the board without counting them as problems", async () => {
    const boardOf = (name: string) => {
      const { given } = CASES.find((doctorCase) => doctorCase.name === name) ?? assert.fail(name);
      return withRecorded(
        { dev: given },
        async (world) => (await runWith(boardCommand.run, ["--stack", "dev"], world)).stdout,
      );
    };
    const twice = await boardOf("a chat that may have been started twice");
    assert.match(twice, /Needs attention: 1</);
    assert.match(twice, /pulumi refresh --clear-pending-creates --stack dev/);
    const note = await boardOf("a number that still uses an agent aborted with --to");
    assert.match(note, /Needs attention: nothing</);
    assert.match(note, /Note: .*NumberAssignment &quot;night&quot;/);
  });
});
