import { strict as assert } from "node:assert";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProbe } from "../../cli/probe";
import { withSettings } from "../../cli/probe/configFile";
import { experiment } from "../../cli/probe/experiments";
import { readFacts } from "../../cli/probe/facts";
import { type Emulator, profiles, startEmulator } from "../../emulator";
import { createClient } from "../../provider";
import { type Printed, runWith, type World } from "./terminal";

const number = "+15550009999";
const agents = ["--agent", "agent_a@1", "--agent", "agent_b@2", "--agent", "agent_c@3"];

function probe(emulator: Emulator, argv: readonly string[], world: World = {}) {
  const env = { AGENT_PLATFORM_BASE_URL: emulator.url, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token };
  return runWith(runProbe, argv, { env, ...world });
}

/** Everything given, as somebody does who knows the platform's account. */
const whole = (emulator: Emulator) => [
  number,
  "--takes-no-calls",
  "--confirm",
  number,
  ...agents,
  ...["--workspace-id", "42", "--account-sid", emulator.account().accountSid],
];

async function withEmulator(profile: string, test: (emulator: Emulator) => Promise<void>): Promise<void> {
  const emulator = await startEmulator({ profile });
  try {
    await test(emulator);
  } finally {
    await emulator.close();
  }
}

/** The table that was printed: question to what was seen. */
const tableOf = ({ stdout }: Printed): Record<string, string> =>
  Object.fromEntries(
    stdout.split("\n").flatMap((line) => {
      const row = /^ {2}(\S.*?) {2,}(.+)$/.exec(line);
      return row === null ? [] : [[row[1], row[2]]];
    }),
  );

const settingsOf = ({ stdout }: Printed): string[] =>
  [...stdout.matchAll(/^ {2}pulumi config set agent-platform:(.*)$/gm)].map(([, setting = ""]) => setting);

const everyMirror =
  "record agent_id, record outbound_agents, record default_agent_id, assignment agent_id, assignment outbound_agents";
const notShown = "not shown by the answers";

const standard = {
  "success status": "200",
  "field success": "true",
  "which record is ours": "by its number (1 in the answer), and assignment",
  "inbound agents are shown in": "inbound_agents",
  "outbound agent is shown in": everyMirror,
  "answers lag behind": "no",
  weights: "any sum, fractions too",
  "weight 0": "kept",
  "three agents": "accepted",
  "an agent without a version": "optional",
  "weights in the answer": "as sent",
  "order in the answer": "as sent",
  "a field left out": "stays (merge)",
  null: "cleared",
  '[] and ""': "cleared",
  "account and workspace": "as declared",
  "differs from what was asked": "nothing",
};
type Table = Partial<Record<keyof typeof standard, string>>;

const nothingShown: Table = {
  "field success": notShown,
  "which record is ours": notShown,
  "inbound agents are shown in": notShown,
  "outbound agent is shown in": notShown,
  "answers lag behind": notShown,
  "weight 0": "accepted",
  "weights in the answer": notShown,
  "order in the answer": notShown,
  "a field left out": notShown,
  null: notShown,
  '[] and ""': notShown,
  "account and workspace": notShown,
  "differs from what was asked": notShown,
};

/** What each reading of the interface makes of the table, and the settings where they are not `clearWith null` alone. */
const readings: Record<string, { table: Table; settings?: string[] }> = {
  default: { table: {} },
  "omittedFields=replace": { table: { "a field left out": "is cleared (replace)" } },
  "clears=null": { table: { '[] and ""': "kept" } },
  "clears=empty": { table: { null: "kept" }, settings: ["clearWith empty"] },
  "clears=omit": {
    table: { null: "kept", '[] and ""': "kept", "a field left out": "is cleared (replace)" },
    settings: ["clearWith omit"],
  },
  "clears=nullRefused": { table: { null: "refused" }, settings: ["clearWith empty"] },
  "clears=emptyRefused": { table: { '[] and ""': "refused" } },
  "putStatus=201": { table: { "success status": "201" } },
  "putStatus=202": { table: { "success status": "202" } },
  "putStatus=204": { table: { ...nothingShown, "success status": "204" }, settings: [] },
  "putBody=none": { table: nothingShown, settings: [] },
  "putBody=successOnly": {
    table: { ...nothingShown, "field success": "true", "which record is ours": "no record" },
    settings: [],
  },
  "success=absent": { table: { "field success": "absent" } },
  "success=null": { table: { "field success": "null" } },
  "success=falseOnRefusal": { table: {} },
  "errorStatuses=401/403/409": { table: {} },
  "weights=sum100": {
    table: { weights: "must sum to 100, fractions too", "weights in the answer": "as sent, or scaled to a sum of 100" },
    settings: ["clearWith null", "weightTotal 100"],
  },
  "weights=sum1": {
    table: { weights: "must sum to 1, fractions too", "weights in the answer": "as sent, or scaled to a sum of 1" },
    settings: ["clearWith null", "weightTotal 1"],
  },
  "weights=integers": { table: { weights: "any sum, whole numbers only" } },
  "weights=max2": { table: { "three agents": "refused" } },
  "answerWeights=scaled1": { table: { "weights in the answer": "scaled to a sum of 1" } },
  "answerWeights=scaled100rounded": { table: { "weights in the answer": "scaled to a sum of 100 and rounded" } },
  "answerOrder=sorted": { table: { "order in the answer": "sorted" } },
  "answerOrder=reversed": { table: { "order in the answer": "reversed" } },
  "records=several": { table: { "which record is ours": "by its number (3 in the answer), and assignment" } },
  "records=none": {
    table: {
      "which record is ours": "no record, and assignment",
      "outbound agent is shown in": "assignment agent_id, assignment outbound_agents",
    },
  },
  "records=otherFormat": {
    table: { "which record is ours": "the only one, written otherwise (1 in the answer), and assignment" },
  },
  "records=baseNumberOnly": {
    table: { "which record is ours": "by its base number (1 in the answer), and assignment" },
  },
  "assignment=absent": {
    table: {
      "which record is ours": "by its number (1 in the answer)",
      "outbound agent is shown in": "record agent_id, record outbound_agents, record default_agent_id",
    },
  },
  "outboundMirror=agent_id": { table: { "outbound agent is shown in": "record agent_id, assignment agent_id" } },
  "outboundMirror=outbound_agents": {
    table: { "outbound agent is shown in": "record outbound_agents, assignment outbound_agents" },
  },
  "outboundMirror=default_agent_id": {
    table: {
      "outbound agent is shown in": "record default_agent_id",
      // A default agent that is still named may be a binding that is gone.
      "a field left out": `inbound stays (merge); outbound ${notShown}`,
    },
  },
  "outboundMirror=none": {
    table: {
      "outbound agent is shown in": notShown,
      "a field left out": `inbound stays (merge); outbound ${notShown}`,
      null: `inbound cleared; outbound ${notShown}`,
      '[] and ""': `inbound cleared; outbound ${notShown}`,
    },
  },
  "inboundMirror=inbound_agents": { table: {} },
  "inboundMirror=singleId": {
    table: {
      "inbound agents are shown in": "inbound_agent_id",
      "weight 0": "accepted",
      "weights in the answer": notShown,
      "order in the answer": notShown,
    },
  },
  "agentVersion=required": {
    table: { "an agent without a version": "required" },
    settings: ["clearWith null", "requireVersions true"],
  },
  "agentVersion=latest": { table: { "an agent without a version": "answered with one" } },
  "unsetFields=absent": { table: {} },
  "staleAnswers=1": { table: { "answers lag behind": "by 1 more PUT" } },
  "defaultAgentAfterClear=stays": { table: {} },
  "importError=trueWithMessage": { table: { "differs from what was asked": "platformImportError" } },
  "answerAccount=absent": { table: { "account and workspace": notShown } },
  "answerAccount=different": {
    table: {
      "account and workspace": "ANOTHER than declared",
      "differs from what was asked": "workspaceId, accountSid",
    },
  },
  strict: {
    table: {
      weights: "must sum to 100, fractions too",
      "weights in the answer": "as sent, or scaled to a sum of 100",
      "an agent without a version": "required",
      null: "refused",
    },
    settings: ["clearWith empty", "weightTotal 100", "requireVersions true"],
  },
  terse: { table: { ...nothingShown, "success status": "204" }, settings: [] },
  legacy: {
    table: {
      "which record is ours": "by its number (3 in the answer), and assignment",
      "outbound agent is shown in": "record default_agent_id",
      "weights in the answer": "scaled to a sum of 100 and rounded",
      "order in the answer": "sorted",
      "a field left out": `inbound is cleared (replace); outbound ${notShown}`,
      null: `inbound kept; outbound ${notShown}`,
      '[] and ""': `inbound kept; outbound ${notShown}`,
      "account and workspace": notShown,
    },
    settings: ["clearWith omit"],
  },
};

describe("agent-platform probe", () => {
  describe("finds what the platform does", () => {
    for (const [profile, { table, settings = ["clearWith null"] }] of Object.entries(readings)) {
      it(profile, () =>
        withEmulator(profile, async (emulator) => {
          const printed = await probe(emulator, whole(emulator));
          assert.deepEqual(tableOf(printed), { ...standard, ...table });
          assert.deepEqual(settingsOf(printed), settings);
          assert.equal(printed.code, 0);
          assert.deepEqual(emulator.routing(number), { inboundAgents: {} });
          assert.deepEqual([...emulator.numbers.keys()], [number], "no other number was touched");
        }),
      );
    }

    it("an answer that lags behind by two", () =>
      withEmulator("staleAnswers=2", async ({ url, token, routing }) => {
        const plan = { number, scope: {}, agents: [{ agentId: "agent_a" }, { agentId: "agent_b" }] } as const;
        const client = createClient({ baseUrl: url, accessToken: token });
        const world = { client, say: () => undefined, wait: () => Promise.resolve(), isStopped: () => false };
        const outcome = await experiment(plan, world);
        const { lag, null: nulls, omission } = readFacts(outcome.answers, plan);
        assert.deepEqual([lag, nulls, omission], [2, both("cleared"), both("kept")]);
        assert.equal(outcome.left, "cleared");
        assert.deepEqual(routing(number), { inboundAgents: {} });
      }));
  });

  const both = (effect: string) => ({ inbound: effect, outbound: effect });

  it("leaves no agent behind under any profile of the emulator", async () => {
    for (const profile of Object.keys(profiles)) {
      if (/^(rateLimit|retryAfter|staleAnswers|tokenExpiresAfter)/.test(profile)) continue;
      await withEmulator(profile, async (emulator) => {
        await probe(emulator, whole(emulator));
        const { inboundAgents = {}, outboundAgentId } = emulator.routing(number) ?? {};
        assert.deepEqual([profile, inboundAgents, outboundAgentId], [profile, {}, undefined]);
      });
    }
  });

  describe("sends nothing without a confirmation", () => {
    const refused: Record<string, { argv: string[]; stdin?: string; stderr: string }> = {
      "no --takes-no-calls": {
        argv: [number, "--confirm", number, ...agents],
        stderr:
          "The number is overwritten and left without agents. Make sure that nobody calls it, then add --takes-no-calls.\n",
      },
      "another number typed": {
        argv: [number, "--takes-no-calls", ...agents],
        stdin: "+15550009998\n",
        stderr: "The number was not confirmed: the second one differs. Nothing was sent.\n",
      },
      "nothing typed": {
        argv: [number, "--takes-no-calls", ...agents],
        stderr: "The number was not confirmed: the second one differs. Nothing was sent.\n",
      },
      "another number in --confirm": {
        argv: [number, "--takes-no-calls", "--confirm", "15550009999", ...agents],
        stderr: "The number was not confirmed: the second one differs. Nothing was sent.\n",
      },
      "one agent": {
        argv: [number, "--takes-no-calls", "--confirm", number, "--agent", "agent_a@1"],
        stderr: "Give two agents that exist and have different ids: --agent agent_a@1 --agent agent_b@2.\n",
      },
      "two versions of one agent": {
        argv: [number, "--takes-no-calls", "--confirm", number, "--agent", "agent_a@1", "--agent", "agent_a@2"],
        stderr: "Give two agents that exist and have different ids: --agent agent_a@1 --agent agent_b@2.\n",
      },
      "no agent's id": {
        argv: [number, "--takes-no-calls", "--confirm", number, "--agent", "front", "--agent", "agent_b"],
        stderr: '--agent takes an agent as in agent_front@12, not "front".\n',
      },
      "no number": {
        argv: ["--takes-no-calls", ...agents],
        stderr: "Name one number, a spare one that nobody calls.\n",
      },
      "a number that is a path": {
        argv: ["..", "--takes-no-calls", "--confirm", "..", ...agents],
        stderr: "The number must not be `.` or `..`.\n",
      },
      "a workspace that is no number": {
        argv: [number, "--takes-no-calls", "--confirm", number, ...agents, "--workspace-id", "main"],
        stderr: '--workspace-id takes a whole number, not "main".\n',
      },
      "a config file that does not exist": {
        argv: [number, "--takes-no-calls", "--confirm", number, ...agents, "--write", "Pulumi.none.yaml"],
        stderr: "Pulumi.none.yaml cannot be read. --write takes the config file of a stack that exists.\n",
      },
    };
    for (const [name, { argv, stdin, stderr }] of Object.entries(refused)) {
      it(name, () =>
        withEmulator("default", async (emulator) => {
          const printed = await probe(emulator, argv, stdin === undefined ? {} : { stdin });
          assert.equal(printed.code, 2);
          const prompt = `Everything that ${number} has is overwritten. Type the number again: `;
          assert.equal(printed.stderr.replace(prompt, ""), `agent-platform probe: ${stderr}`);
          assert.equal(printed.stdout, "");
          assert.equal(emulator.requests.length, 0);
        }),
      );
    }

    it("no base URL, no token", async () => {
      const argv = [number, "--takes-no-calls", "--confirm", number, ...agents];
      const none = await runWith(runProbe, argv);
      assert.equal(none.stderr, "agent-platform probe: Set AGENT_PLATFORM_BASE_URL to the platform's base URL.\n");
      const tokenless = await runWith(runProbe, argv, { env: { AGENT_PLATFORM_BASE_URL: "https://a.example" } });
      assert.equal(tokenless.stderr, "agent-platform probe: Set AGENT_PLATFORM_ACCESS_TOKEN to an access token.\n");
      assert.deepEqual([none.code, tokenless.code], [2, 2]);
    });
  });

  it("takes the number typed a second time as its confirmation, and says what it asks", () =>
    withEmulator("default", async (emulator) => {
      const printed = await probe(emulator, [number, "--takes-no-calls", ...agents], { stdin: `${number}\n` });
      assert.equal(printed.code, 0);
      assert.equal(
        printed.stderr,
        `Everything that ${number} has is overwritten. Type the number again:   weights 70 and 30
  weights 0.7 and 0.3
  weights 7 and 3
  weights 66.5 and 33.5
  an agent with weight 0
  three agents
  an agent without a version
  an outbound agent
  the outbound agent left out
  both, in another order
  the inbound agents left out
  both again
  null in both places
  both again
  [] and ""
  clearing the number
`,
      );
      assert.equal(emulator.requests.length, 16);
      assert.ok(printed.stdout.startsWith(`${number} was probed with 16 PUTs and has no agent bound now.\n\n`));
    }));

  it("ends where the platform refuses every split, and says in which words", () =>
    withEmulator("unknownAgents=422", async (emulator) => {
      const missing = ["--agent", "agent_missing_a", "--agent", "agent_missing_b"];
      const printed = await probe(emulator, [number, "--takes-no-calls", "--confirm", number, ...missing]);
      assert.equal(printed.code, 1);
      const [first, , second] = printed.stdout.split("\n");
      assert.equal(first, `${number} was not changed: 4 PUTs sent, none accepted.`);
      assert.equal(
        second,
        'Ended early: the platform answered 422 to PUT /api/numbers/{number}/agent: "agent agent_missing_a not found"',
      );
      assert.ok(printed.stdout.endsWith("\n\nNo setting follows from half a probe.\n"));
      assert.equal(emulator.routing(number), undefined);
    }));

  it("does not take a token that expires for a refusal of what was asked", () =>
    withEmulator("tokenExpiresAfter=1", async (emulator) => {
      const printed = await probe(emulator, whole(emulator));
      assert.equal(printed.code, 1);
      const [first, , second] = printed.stdout.split("\n");
      assert.equal(
        first,
        `${number} was probed with 5 PUTs; WHAT IT HOLDS NOW IS NOT KNOWN. Look at it, and clear it by hand.`,
      );
      assert.equal(
        second,
        'Ended early: the platform answered 401 to PUT /api/numbers/{number}/agent: "the access token has expired"',
      );
      assert.equal(tableOf(printed).weights, notShown);
    }));

  it("clears the number after a stop, and asks nothing more", () =>
    withEmulator("default", async (emulator) => {
      const stop = new AbortController();
      const printed = await probe(emulator, whole(emulator), {
        signal: stop.signal,
        onPrinted: (text) => text.includes("0.7") && stop.abort(),
      });
      assert.equal(printed.code, 1);
      const [first, , second] = printed.stdout.split("\n");
      assert.equal(first, `${number} was probed with 3 PUTs and has no agent bound now.`);
      assert.equal(second, "Ended early: stopped by you");
      assert.equal(emulator.requests.length, 3);
      assert.deepEqual(emulator.routing(number), { inboundAgents: {} });
    }));

  describe("writes the settings", () => {
    it("into the config file of a stack, where comments and secrets stay as they are", async () => {
      const folder = mkdtempSync(join(tmpdir(), "agent-platform-probe-"));
      const before =
        "encryptionsalt: v1:a\nconfig:\n  # kept\n  agent-platform:clearWith: auto\n  other:key:\n    secure: v1:b\n";
      writeFileSync(join(folder, "Pulumi.dev.yaml"), before);
      try {
        await withEmulator("strict", async (emulator) => {
          const printed = await probe(emulator, [...whole(emulator), "--write", "Pulumi.dev.yaml"], { cwd: folder });
          assert.deepEqual(settingsOf(printed), []);
          assert.ok(
            printed.stdout.endsWith(`\n\nWritten to Pulumi.dev.yaml:

  agent-platform:clearWith: "empty"
  agent-platform:weightTotal: "100"
  agent-platform:requireVersions: "true"
`),
          );
          assert.equal(
            readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8"),
            'encryptionsalt: v1:a\nconfig:\n  # kept\n  agent-platform:clearWith: "empty"\n  other:key:\n    secure: v1:b\n' +
              '  agent-platform:weightTotal: "100"\n  agent-platform:requireVersions: "true"\n',
          );
        });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    const files: Record<string, [string, string]> = {
      "an empty file": ["", 'config:\n  a: "null"\n'],
      "a file without config": ["encryptionsalt: v1:a\n", 'encryptionsalt: v1:a\nconfig:\n  a: "null"\n'],
      "another indentation": ["config:\n    b: 1\n", 'config:\n    b: 1\n    a: "null"\n'],
      "something after config": [
        "config:\n  b: 1\nsecretsprovider: x\n",
        'config:\n  b: 1\n  a: "null"\nsecretsprovider: x\n',
      ],
      "Windows line ends": ["config:\r\n  a: auto\r\n", 'config:\n  a: "null"\n'],
      "the same key twice as long": ["config:\n  ab: 1\n", 'config:\n  ab: 1\n  a: "null"\n'],
    };
    for (const [name, [before, after]] of Object.entries(files)) {
      it(`into ${name}`, () => assert.equal(withSettings(before, { a: "null" }), after));
    }

    it("not into a file in another form", () => {
      const message =
        "the config file is not written as `pulumi config set` writes it. Use the printed commands instead.";
      for (const text of ['{"config": {}}', "config: {a: b}\n", '"config":\n  a: 1\n'])
        assert.throws(() => withSettings(text, { a: "b" }), { message });
    });
  });

  it("never prints the token", () =>
    withEmulator("errorStatuses=401/403/409", async (emulator) => {
      const { stdout, stderr } = await probe(emulator, whole(emulator));
      assert.ok(stdout.length > 0);
      assert.ok(!`${stdout}${stderr}`.includes(emulator.token));
    }));
});
