import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { doctorCommand } from "../../cli/commands/doctor/command";
import { docs } from "../../cli/links";
import { type Entry, exported, group, number, platform, secret, type Written } from "./exports";
import { type RecordedStack, withRecorded } from "./recorded";
import { runWith } from "./terminal";

const ask = (stacks: Readonly<Record<string, RecordedStack>>, ...argv: string[]) =>
  withRecorded(stacks, (world) => {
    const named = Object.keys(stacks).flatMap((stack) => ["--stack", stack]);
    return runWith(doctorCommand.run, [...named, ...argv], world);
  });
const config = { "agent-platform:baseUrl": platform };
const doctor = (state: Written) => ask({ dev: { state, config } });

/** Pairs of what was found and what to do. */
function findingsOf(stdout: string): string[][] {
  const [, list = ""] = /\n\n\d+ problems? found\n\n([\s\S]*)$/.exec(stdout) ?? [];
  return list.split(/\n\n/).flatMap((item) => {
    const [, what = "", todo = "", address] =
      /^\d+\. ([\s\S]*?)\n {3}Do: ([\s\S]*?)(?:\n {3}See: (\S+))?\n?$/.exec(item) ?? [];
    // What has a code has an address, and the other way round.
    const [code] = /^AGP-\d{3}/.exec(what) ?? [];
    assert.equal(address, code && docs(`docs/reference/errors.md#${code.toLowerCase()}`));
    return what === "" ? [] : [[what, todo]];
  });
}

const voice = (id: string, outputs: Readonly<Record<string, unknown>>): Entry => ({
  kind: "CommunityVoice",
  name: "nova",
  id,
  outputs: { voiceName: "nova", workspaceId: 42, ...outputs },
});
const chat = (id: string, outputs: Readonly<Record<string, unknown>>): Entry => ({
  kind: "SmsChat",
  name: "hello",
  id,
  outputs: { toNumber: "+15557654321", workspaceId: 42, ...outputs },
});

const sendAgain = "run `pulumi up`. It sends the routing again, which does no harm.";
const runbook = (next: string) =>
  `before the next \`pulumi up\`, which ${next}, do what ${docs("docs/runbooks/killed-run.md")} says.`;

describe("agent-platform doctor", () => {
  it("is content with a clean state, and says what it looked at", async () => {
    const entries = [number("a", "+1", {}), group("g", "+2\n+3\n"), voice("v1", {}), chat("c1", {})];
    const { code, stdout, stderr } = await doctor({ entries });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(
      stdout,
      `stack dev of project phones: 1 NumberAssignment, 1 NumberGroup, 1 CommunityVoice, 1 SmsChat; nothing pending

No problems found.
`,
    );
  });

  it("is content with an empty stack", async () => {
    await withRecorded({ dev: { config } }, async (world) => {
      writeFileSync(join(world.cwd, "../dev.export.json"), '{"version":3,"deployment":{"manifest":{},"metadata":{}}}');
      const { code, stdout } = await runWith(doctorCommand.run, ["--stack", "dev"], world);
      assert.equal(code, 0);
      assert.ok(stdout.startsWith("stack dev: no resource of this platform; nothing pending\n"), stdout);
    });
  });

  const open: Record<string, { state: Written; what: string; todo: string; exitCode?: number }> = {
    "an unresolved voice": {
      state: { entries: [voice("unresolved-7f", { unresolved: true })] },
      what: 'AGP-041 dev: CommunityVoice "nova": unresolved since an earlier run: the voice may or may not be in workspace 42.',
      todo: `check there, then set ONE of these arguments in the program and run \`pulumi up\`:
     if it exists:          adopt: "<voiceId>"
     if it does not exist:  retryUnresolved: "unresolved-7f"   (sends once)`,
    },
    "an assignment whose outcome is not known": {
      state: {
        entries: [
          number(
            "a",
            "+1",
            { unapplied: [{ numbers: "+1\n", reason: "unknown", applied: { inboundAgents: { agent_a: 1 } } }] },
            { initErrors: ["…"] },
          ),
        ],
      },
      what: 'AGP-040 dev: NumberAssignment "a" (+1): not applied in an earlier run: the outcome of the request was not known. Wanted: agent_a@1 90 %, agent_b@2 10 %. Applied last: agent_a 100 %.',
      todo: sendAgain,
    },
    "an assignment that was answered otherwise": {
      state: { entries: [number("a", "+1", { unapplied: [{ numbers: "+1\n", reason: "different" }] })] },
      what: 'AGP-050 dev: NumberAssignment "a" (+1): not applied in an earlier run: the response differed from what was sent. Wanted: agent_a@1 90 %, agent_b@2 10 %. Applied last: nothing.',
      todo: sendAgain,
    },
    "numbers of a group": {
      state: {
        entries: [
          group("g", "+1\n+2\n+3\n", {
            unapplied: [
              { numbers: "+1\n", reason: "unknown" },
              { numbers: "+2\n", reason: "rejected" },
              { numbers: "+3\n", reason: "rejected", applied: { inboundAgents: {} } },
            ],
          }),
        ],
      },
      what: 'AGP-070 dev: NumberGroup "g": not applied in an earlier run: 1 (+1): the outcome of the request was not known; 2 (+2, +3): the API rejected it.',
      todo: "run `pulumi up`. It sends these numbers only. `npx pulumi-agent-platform show <number>` shows what each of them may have.",
    },
    "a step that did not go through, and no marker": {
      state: { entries: [number("a", "+1", {}, { initErrors: ["…"] })] },
      what: 'dev: NumberAssignment "a": its last step failed.',
      todo: "run `pulumi up`.",
    },
    "the old half of a replacement": {
      state: { entries: [number("a", "+2"), number("a", "+1", {}, { delete: true })] },
      what: 'dev: NumberAssignment "a": replaced in an earlier run; the original is not deleted yet.',
      todo: "run `pulumi up`.",
    },
    "a chat whose replacement was being created": {
      state: {
        entries: [chat("c1", { sendKey: "first" })],
        pending: [{ ...chat("", { sendKey: "second" }), operation: "creating" }],
      },
      what: 'dev: SmsChat "hello": a run was stopped while it was creating this.',
      todo: runbook("sends it again"),
      exitCode: 3,
    },
    "the same, with an encrypted value in its metadata": {
      state: {
        entries: [chat("c1", { metadata: { key: secret("v1") } })],
        pending: [{ ...chat("", { metadata: { key: secret("v2") } }), operation: "creating" }],
      },
      what: 'dev: SmsChat "hello": a run was stopped while it was creating this.',
      todo: runbook("sends it again"),
      exitCode: 3,
    },
    "a chat that was adopted after it was being created": {
      state: { entries: [chat("c1", { adopt: "c1" })], pending: [{ ...chat("", {}), operation: "creating" }] },
      what: 'dev: SmsChat "hello": a run was stopped while it was creating this. A later run created it.',
      todo: "clear this entry: `pulumi refresh --clear-pending-creates`. It sends nothing.",
    },
    "a number that was being updated": {
      state: { entries: [number("a", "+1")], pending: [{ ...number("a", "+1"), operation: "updating" }] },
      what: 'dev: NumberAssignment "a" (+1): a run was stopped while it was updating this.',
      todo: runbook("may forget this entry"),
    },
    "a create that a later run has done, with other triggers": {
      state: {
        entries: [number("a", "+1", { triggers: { again: 1 } })],
        pending: [{ ...number("a", "+1"), operation: "creating" }],
      },
      what: 'dev: NumberAssignment "a" (+1): a run was stopped while it was creating this. A later run created it.',
      todo: "clear this entry: `pulumi refresh --clear-pending-creates`. It sends nothing.",
    },
    "a chat that was being ended": {
      state: { entries: [chat("c1", {})], pending: [{ ...chat("c1", {}), operation: "deleting" }] },
      what: 'dev: SmsChat "hello": a run was stopped while it was deleting this.',
      todo: runbook("may forget this entry"),
    },
    "a number that is held twice in one stack": {
      state: { entries: [number("a", "+1"), group("g", "+1\n+2\n")] },
      what: `AGP-003 +1 at ${platform}: held 2 times: dev: NumberAssignment "a", dev: NumberGroup "g". Each run of one of them overwrites the routing of the others.`,
      todo: "keep one. To drop an assignment without sending anything, remove it from its program and run `pulumi state delete` with its URN. A number that leaves a group loses its agents: afterwards change `triggers` of the one that stays, and run `pulumi up` there.",
    },
  };
  for (const [name, { state, what, todo, exitCode = 1 }] of Object.entries(open)) {
    it(`finds ${name}, with what to do, and exit code ${exitCode}`, async () => {
      const { code, stdout } = await doctor(state);
      assert.deepEqual(findingsOf(stdout), [[what, todo]]);
      assert.equal(code, exitCode);
    });
  }

  /** What is found in two stacks, a and b. */
  const two = async (a: Written, b: Written) => {
    const { code, stdout } = await ask({ a: { state: a, config }, b: { state: b, config } });
    assert.equal(code, findingsOf(stdout).length === 0 ? 0 : 1);
    return findingsOf(stdout);
  };

  it("finds a number that two stacks hold, by its platform, and an extension by its account and workspace as well", async () => {
    const elsewhere = number("elsewhere", "+1", { endpoint: "https://other.example" });
    const findings = await two(
      { entries: [number("x", "+1", { workspaceId: 1 }), number("y", "4001", { workspaceId: 1 })] },
      { entries: [group("g", "+1\n+2\n", { workspaceId: 2 }), number("y", "4001", { workspaceId: 2 }), elsewhere] },
    );
    const what = `AGP-003 +1 at ${platform}: held 2 times: a: NumberAssignment "x", b: NumberGroup "g". Each run of one of them overwrites the routing of the others.`;
    assert.deepEqual(
      findings.map(([found]) => found),
      [what],
    );
  });

  const urnIn = (stack: string, kind: string, name: string) =>
    `urn:pulumi:${stack}::phones::pulumi-nodejs:dynamic/agent-platform:${kind}::${name}`;
  const notHere = (urn: string) =>
    `do not run \`pulumi up\` here yet: it would unassign numbers that another stack manages. First forget the original in a terminal with \`pulumi state delete '${urn}'\`; when asked which one, choose the one marked Pending Deletion. If they have lost their agents already, change \`triggers\` of the resource that manages them there, and run \`pulumi up\` there.`;
  /** The delete of the original, which clears +1 and +9, did not go through. */
  const leavingGroup = [group("g", "+2\n"), group("g", "+1\n+2\n+9\n", {}, { delete: true })];

  it("warns of the `up` that clears, in a group that it left, a number that another stack holds", async () => {
    assert.deepEqual(await two({ entries: leavingGroup }, { entries: [number("x", "+1")] }), [
      [
        'a: NumberGroup "g": replaced in an earlier run; the original is not deleted yet. Another stack manages +1 (b: NumberAssignment "x").',
        notHere(urnIn("a", "NumberGroup", "g")),
      ],
    ]);
  });

  const harmless: Record<string, [Written, Written]> = {
    "its own stack holds as well": [
      { entries: [...leavingGroup, number("y", "+1"), number("z", "+9")] },
      { entries: [number("other", "+3")] },
    ],
    "another platform has": [
      { entries: leavingGroup },
      { entries: [number("x", "+1", { endpoint: "https://other.example" })] },
    ],
    "another workspace has": [
      { entries: [group("g", "4001\n", { workspaceId: 1 }, { delete: true })] },
      { entries: [number("x", "4001", { workspaceId: 2 })] },
    ],
    "another stack lets go as well": [
      { entries: leavingGroup },
      { entries: [group("h", "+1\n", {}, { delete: true })] },
    ],
  };
  for (const [name, [a, b]] of Object.entries(harmless)) {
    it(`does not warn of a number that is to be cleared and that ${name}`, async () => {
      const todos = new Set((await two(a, b)).map(([, todo]) => todo));
      assert.deepEqual([...todos], ["run `pulumi up`."]);
    });
  }

  describe("with the config and the runs of a stack", () => {
    const withStack = (
      config: object,
      test: (run: (env?: object) => ReturnType<typeof runWith>, cwd: string) => Promise<void>,
      files: Readonly<Record<string, string>> = {},
    ) =>
      withRecorded({ prod: {} }, async ({ cwd, env, ...world }) => {
        const given = { "prod.config.json": JSON.stringify(config), ...files };
        for (const [file, text] of Object.entries(given)) {
          writeFileSync(join(cwd, "..", file), text);
        }
        const run = (more = {}) =>
          runWith(doctorCommand.run, ["--stack", "prod"], { ...world, cwd, env: { ...env, ...more } });
        await test(run, cwd);
      });
    const plain = (value: string) => ({ value, secret: false });

    it("compares the state's platform with the one that would be used", () =>
      withStack(
        { "agent-platform:baseUrl": plain("https://new.example") },
        async (run) => {
          const { code, stdout } = await run();
          assert.equal(code, 1);
          assert.deepEqual(findingsOf(stdout), [
            [
              `AGP-060 prod: NumberAssignment "a": the state was created against ${platform}; the settings point to https://new.example.`,
              "if you mean to move it, run `pulumi up`: the new platform gets the routing, and the old one keeps what it has. If not, set the base URL back.",
            ],
          ]);
        },
        { "prod.export.json": exported({ stack: "prod", entries: [number("a", "+1")] }) },
      ));

    it("finds that the last run failed, although it left no trace in the state", async () => {
      const run = (result: string) => ({
        kind: "update",
        startTime: "2026-11-23T09:02:00.000Z",
        message: "front: 50 %\n\nmore",
        result,
      });
      // The record has the last run first.
      const record = (...results: readonly string[]) => ({ "prod.history.json": JSON.stringify(results.map(run)) });
      const config = { "agent-platform:baseUrl": plain(platform) };
      const what = 'prod: the last run failed at 2026-11-23 09:02 UTC ("front: 50 %").';
      await withStack(
        config,
        async (ask) =>
          assert.deepEqual(findingsOf((await ask()).stdout), [[what, "run `pulumi up` until it succeeds."]]),
        record("failed", "succeeded"),
      );
      await withStack(
        config,
        async (ask) => assert.deepEqual(findingsOf((await ask()).stdout), []),
        record("succeeded", "failed"),
      );
    });

    it("finds what is wrong with the settings, all at once", () =>
      withStack(
        {
          "agent-platform:accessToken": plain("hush-token"),
          "agent-platform:maxShift": plain("a lot"),
          "agent-platform:maxshift": plain("25"),
          "agent-platform:colour": plain("red"),
          "agent-platform:approvedAgents": plain("none.yaml"),
        },
        async (run) => {
          const { code, stdout } = await run({ AGENT_PLATFORM_BYPASS: "incident 7" });
          assert.equal(code, 1);
          assert.deepEqual(findingsOf(stdout), [
            [
              "AGP-010 the base URL of the platform is not set.",
              "`pulumi config set agent-platform:baseUrl https://…`, or set AGENT_PLATFORM_BASE_URL.",
            ],
            ["AGP-015 agent-platform:maxShift must be a finite number.", "fix the setting."],
            ["AGP-015 agent-platform:approvedAgents names a file that cannot be read.", "fix the setting."],
            [
              "AGP-015 agent-platform:colour is not a setting, and nothing reads it.",
              "run `pulumi config rm agent-platform:colour`.",
            ],
            [
              "AGP-015 agent-platform:maxshift is not a setting, and nothing reads it.",
              "did you mean agent-platform:maxShift? Set that, and run `pulumi config rm agent-platform:maxshift`.",
            ],
            [
              "the access token is in the stack's config file in plain text.",
              "create a new token, and store it with `pulumi config set --secret agent-platform:accessToken` or in AGENT_PLATFORM_ACCESS_TOKEN.",
            ],
            ["AGENT_PLATFORM_BYPASS is set: every guard is bypassed.", "unset it; it is meant for one run."],
          ]);
          assert.ok(!stdout.includes("hush"));
        },
      ));

    it("finds a variable that is left over from another platform", () =>
      withStack({ "agent-platform:baseUrl": plain(platform) }, async (run) => {
        const { code, stdout } = await run({ AGENT_PLATFORM_BASE_URL: "http://127.0.0.1:8080" });
        assert.equal(code, 1);
        assert.deepEqual(
          findingsOf(stdout).map(([what]) => what),
          [
            "AGP-012 AGENT_PLATFORM_BASE_URL and agent-platform:baseUrl name two different platforms. Unset the variable, or remove the key from the stack's config.",
          ],
        );
      }));

    it("does not judge a base URL that is encrypted", () =>
      withStack({ "agent-platform:baseUrl": { secret: true } }, async (run) => assert.equal((await run()).code, 0)));
  });

  it("says the same as JSON, with the address of each code", async () => {
    const state = { entries: [voice("unresolved-7f", { unresolved: true })] };
    const { code, stdout } = await ask({ dev: { state, config } }, "--json");
    const { stacks, findings } = JSON.parse(stdout);
    assert.equal(code, 1);
    assert.deepEqual(stacks, [
      {
        stack: "dev",
        project: "phones",
        resources: { CommunityVoice: 1 },
        pending: 0,
      },
    ]);
    assert.deepEqual(
      findings.map((finding: Record<string, string>) => [finding.code, finding.urn, finding.see]),
      [["AGP-041", urnIn("dev", "CommunityVoice", "nova"), docs("docs/reference/errors.md#agp-041")]],
    );
  });
});
