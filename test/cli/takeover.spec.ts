import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { reportCommand } from "../../cli/commands/report";
import { takeoverCommand } from "../../cli/commands/takeover/command";
import { startEmulator } from "../../emulator";
import { repository, withStack } from "../support/engine";
import { projectFolder, readyFor, transpileOnly } from "./projectFolder";
import { refusal, runWith } from "./terminal";

const FILE = `number,label,agents,outbound,webhook,time routing
+442079460100,London sales,agent_front@12:90 agent_front@13:10,agent_front@12,https://hooks.example.com/in?a|b,on
+442079460101,-,agent_front@13:10 agent_front@12:90,agent_front@12,https://hooks.example.com/in?a|b,on
4001,Reception,agent_desk@3:100,agent_out@9,-,off
4002,-,-,-,-,-
`;

/** Each of the file's rows, under the resource that is written for it. The report's own specs show the rest of a card. */
const CARDS = [
  "#### First assignment overwrites 2 numbers (`front`) with `agent_front@12` 90 %, `agent_front@13` 10 %",
  "With outbound agent `agent_front@12` · webhook `https://hooks.example.com/in?…` · time routing on · guard weightTotal `100`",
  "The numbers: `+442079460100` `London sales` · `+442079460101`",
  "#### First assignment overwrites `4001` (`reception`) with `agent_desk@3` 100 %",
  "With outbound agent `agent_out@9` · time routing off · guard weightTotal `100`",
  "#### First assignment overwrites `4002` (`number-4002`) with no agents",
  "On merge: 4 PUTs. This preview sent nothing.<br>",
];

describe("agent-platform takeover", () => {
  const folder = projectFolder();
  const takeover = (...argv: string[]) => runWith(takeoverCommand.run, argv, { cwd: folder.path });
  const put = (name: string, text: string | Buffer) => {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  };

  it("writes a project whose report says what the file does, and whose first up binds what the file says", async () => {
    const platform = await startEmulator();
    put("numbers.csv", FILE);
    const written = await takeover("numbers.csv", ".", "--base-url", platform.url);
    assert.deepEqual([written.code, written.stderr], [0, ""]);
    assert.ok(written.stdout.startsWith("4 numbers: 2 in 1 group with the same routing, 2 with their own routings.\n"));

    const env = { AGENT_PLATFORM_ACCESS_TOKEN: platform.token, ...transpileOnly };
    await withStack({ existing: folder.path, env }, async (stack) => {
      // With the settings that were written, not with those of the test.
      const { stdout } = await stack.run(["preview", "--stack", "dev", "--json"]);
      assert.equal(platform.requests.length, 0);
      put("preview.json", stdout);
      // The report of the first run says of each number what the file does.
      const report = await runWith(reportCommand.run, ["preview.json"], { cwd: folder.path });
      assert.deepEqual([report.code, report.stderr], [0, ""]);
      const lines = report.stdout.split("\n").filter((line) => /^(####|With|The numbers:|On merge:) /.test(line));
      assert.deepEqual(lines, CARDS);
      await stack.run(["up", "--stack", "dev", "--yes", "--skip-preview"]);
      assert.equal(platform.requests.length, 4);

      // What the pipelines' Re-assert does.
      await stack.run(["config", "set", "reassert", "1", "--stack", "dev"]);
      await stack.run(["up", "--stack", "dev", "--yes", "--skip-preview"]);
      assert.equal(platform.requests.length, 8);
    }).finally(() => platform.close());

    const bound = [...platform.numbers.values()].map(({ accountSid: _, workspaceId: __, ...routing }) => routing);
    const front = {
      inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
      outboundAgentId: "agent_front",
      outboundAgentVersion: 12,
      inboundWebhookUrl: "https://hooks.example.com/in?a|b",
      isTimeRoutingEnabled: true,
    };
    assert.deepEqual(
      bound.sort((a, b) => (a.number < b.number ? -1 : 1)),
      [
        { number: "+442079460100", ...front },
        { number: "+442079460101", ...front },
        {
          number: "4001",
          inboundAgents: { "agent_desk@3": 100 },
          outboundAgentId: "agent_out",
          outboundAgentVersion: 9,
          isTimeRoutingEnabled: false,
        },
        { number: "4002", inboundAgents: {} },
      ],
    );
  });

  for (const [rows, file] of [
    ["agents that make calls alone", "4001,24/7 desk,-,agent_out@9,-,off\n"],
    ["agents without a version", "4001,-,agent_desk:100,agent_out@9,-,-\n4002,-,agent_desk:100,agent_out@9,-,-\n"],
    ["no agents", "4001,-,-,-,-,-\n"],
    ["the name of a config key", "4001,Reassert,agent_desk@3:100,agent_out@9,-,-\n4002,Pulumi,-,agent_out@9,-,-\n"],
  ] as const) {
    for (const language of ["typescript", "yaml"] as const) {
      it(`writes a project that previews with ${rows}: ${language}`, async () => {
        put("numbers.csv", `${FILE.split("\n")[0]}\n${file}`);
        assert.equal((await takeover("numbers.csv", ".", "--language", language)).code, 0);
        await readyFor(language, folder);
        await withStack({ existing: folder.path, env: transpileOnly }, async (stack) => {
          const { stdout } = await stack.run(["preview", "--stack", "dev"]);
          const numbers = stdout.match(/Number(Assignment|Group) .* create/g)?.length;
          assert.equal(numbers, rows === "the name of a config key" ? 2 : 1, stdout);
        });
      });
    }
  }

  it("writes the settings of a second stack beside a project, whose guards know the agents of its numbers", async () => {
    put("numbers.csv", FILE);
    await takeover("numbers.csv", ".", "--stack", "prod");
    put("canary.csv", `${FILE.split("\n")[0]}\n4005,-,agent_front@12:100,agent_new@1,-,-\n`);
    const second = ["canary.csv", ".", "--program", "canary.ts", "--stack", "canary"];
    const written = await takeover(...second, "--base-url", "https://canary.example");
    assert.deepEqual(JSON.parse(folder.read("package.json")).dependencies, {
      "@pulumi/pulumi": "^3.252.0",
      "pulumi-agent-platform": `file:${relative(folder.path, repository)}`,
    });
    assert.equal(written.code, 0);
    // A program that imports the numbers of two stacks would assign those of each in both.
    assert.ok(
      written.stdout.includes(`
Written to .: canary.ts, Pulumi.canary.yaml, agents.canary.yaml.
These are numbers of the stack canary. Load them for it alone, where your program begins: if (getStack() === "canary") require("./canary");
`),
      written.stdout,
    );
    assert.match(folder.read("Pulumi.canary.yaml"), /^ {2}agent-platform:baseUrl: https:\/\/canary\.example$/m);
    assert.match(folder.read("Pulumi.canary.yaml"), /^ {2}agent-platform:approvedAgents: agents\.canary\.yaml$/m);
    assert.match(folder.read("agents.canary.yaml"), /\n- agent_front@12\n- agent_new@1\n$/);

    put("fewer.csv", `${FILE.split("\n")[0]}\n4006,-,agent_front@12:100,-,-,-\n`);
    const third = await takeover("fewer.csv", ".", "--program", "fewer.ts", "--stack", "test");
    assert.ok(third.stdout.includes("\nWritten to .: fewer.ts, Pulumi.test.yaml.\n"), third.stdout);
    assert.match(folder.read("Pulumi.test.yaml"), /^ {2}agent-platform:approvedAgents: agents\.yaml$/m);
  });

  it("writes nothing into a project in JSON", async () => {
    put("numbers.csv", FILE);
    put("Pulumi.json", '{ "name": "mine", "runtime": "nodejs" }');
    assert.deepEqual(
      await takeover("numbers.csv", ".", "--stack", "prod"),
      refusal("takeover", "Pulumi.json is JSON. This command edits YAML alone: write the project as Pulumi.yaml."),
    );
    assert.deepEqual(folder.files().sort(), ["Pulumi.json", "numbers.csv"]);
  });

  it("writes the settings and the list of agents where Pulumi and the provider read them", async () => {
    put("numbers.csv", FILE);
    put("Pulumi.yaml", "name: mine\nruntime: nodejs\nmain: src/\nstackConfigDir: config\n");
    const { stdout } = await takeover("numbers.csv", ".", "--stack", "prod");
    assert.ok(stdout.includes("\nWritten to .: index.ts, config/Pulumi.prod.yaml, src/agents.yaml.\n"), stdout);
    assert.match(folder.read("config/Pulumi.prod.yaml"), /^ {2}agent-platform:approvedAgents: agents\.yaml$/m);
    put("src/agents.yaml", "- agent_front@12\n");
    const other = await takeover("numbers.csv", ".", "--program", "more.ts");
    assert.match(other.stdout, /^The guards of config\/Pulumi\.prod\.yaml block the first preview:\n\n {2}AGP-023 /m);
  });

  it("says what the guards of a project refuse of the numbers, and nothing if they allow them", async () => {
    put("numbers.csv", FILE);
    put("Pulumi.yaml", "name: mine\nruntime: nodejs\n");
    const settings = (approved: string) =>
      `config:\n  agent-platform:baseUrl: https://p.example\n  agent-platform:approvedAgents: ${approved}\n  agent-platform:maxUnapproved: 10\n`;
    put("Pulumi.dev.yaml", settings("agents.yaml"));
    put("agents.yaml", "- agent_front@12\n");
    put("Pulumi.prod.yaml", settings("all.yaml"));
    put("all.yaml", "- agent_front@12\n- agent_desk@3\n- agent_out@9\n");
    const { stdout } = await takeover("numbers.csv");
    assert.ok(
      stdout.includes(`Written to .: index.ts.
The guards of Pulumi.dev.yaml block the first preview:

  AGP-023 reception: inboundAgents: agent_desk@3 is not approved. Unapproved agents would receive 100 % (now 0 %, limit 10 %).
  AGP-023 reception: outboundAgentId: agent_out@9 is not approved.

Callers have these routings already, so let the guards allow them in the same change.
Resource names are permanent`),
      stdout,
    );
    const named = await takeover("numbers.csv", ".", "--program", "prod.ts", "--stack", "prod");
    assert.doesNotMatch(named.stdout, /block the first preview/);
  });

  it("says what GitLab needs, if its file belongs to somebody", async () => {
    mkdirSync(join(folder.path, ".git"));
    put(".gitlab-ci.yml", "mine");
    put("numbers.csv", FILE);
    const { stdout } = await takeover("numbers.csv", "teams/phones");
    const include = "include:\n  - local: teams/phones/.gitlab-ci.yml\n";
    assert.ok(
      stdout.includes(
        `../../.gitlab-ci.yml exists already. Add this to it, so that GitLab reads the pipeline of this project:\n\n${include}`,
      ),
      stdout,
    );
  });

  it("does not ignore a stack or a base URL in silence", async () => {
    put("numbers.csv", FILE);
    put("Pulumi.yml", "name: mine\nruntime: nodejs\n");
    put("Pulumi.prod.yml", "config: {}\n");
    const named = await takeover("numbers.csv", ".", "--stack", "prod");
    assert.ok(named.stdout.includes("Written to .: index.ts.\nPulumi.prod.yml exists already and was not changed.\n"));
    assert.deepEqual(
      await takeover("numbers.csv", ".", "--program", "b.ts", "--stack", "prod", "--base-url", "https://p.example"),
      refusal(
        "takeover",
        "Pulumi.prod.yml exists already, and keeps its base URL. Leave out --base-url, or edit the file.",
      ),
    );
    assert.deepEqual(folder.files(), ["Pulumi.prod.yml", "Pulumi.yml", "index.ts", "numbers.csv"]);
  });

  it("writes nothing where rows are to be fixed", async () => {
    put("numbers.csv", `${FILE}4002,,-,-,-,-\n`);
    assert.deepEqual(await takeover("numbers.csv"), {
      code: 1,
      stdout: "",
      stderr: `agent-platform takeover: 2 things to fix in numbers.csv. Nothing was written.

  line 6, label: blank; write - for none.
  line 6, number: the same number as line 5.
`,
    });
    assert.deepEqual(folder.files(), ["numbers.csv"]);
  });

  it("writes the program alone into a project that is there", async () => {
    put("numbers.csv", FILE);
    put("Pulumi.yml", "name: mine\nruntime: nodejs\n");
    put("index.ts", "");
    const message =
      "index.ts exists already. Nothing was written; choose another folder, or another name with --program.";
    assert.deepEqual(await takeover("numbers.csv"), refusal("takeover", message));
    const { code, stdout } = await takeover("numbers.csv", "--program", "numbers.ts");
    assert.equal(code, 0);
    assert.ok(stdout.includes('Written to .: numbers.ts.\nImport it where your program begins: import "./numbers";\n'));
    assert.deepEqual(folder.files(), ["Pulumi.yml", "index.ts", "numbers.csv", "numbers.ts"]);
    const yaml = "Pulumi.yml exists already. Nothing was written; choose another folder.";
    assert.deepEqual(await takeover("numbers.csv", "--language", "yaml"), refusal("takeover", yaml));
  });

  it("writes nothing into a folder that is a file", async () => {
    put("numbers.csv", FILE);
    put("phones", "mine");
    const message =
      "phones is a file, not a folder. Nothing was written; choose another folder, or another name with --program.";
    assert.deepEqual(await takeover("numbers.csv", "phones"), refusal("takeover", message));
  });

  for (const [argv, message] of [
    [[], "Name one file, and at most one folder."],
    [["a.csv", "b", "c"], "Name one file, and at most one folder."],
    [["none.csv"], "none.csv cannot be read (ENOENT)."],
    [["latin.csv"], "latin.csv is not UTF-8; save it as UTF-8."],
    [["numbers.csv", "--weight-total", "0"], "--weight-total takes a number above 0."],
    [["numbers.csv", "--program", "../x.ts"], "--program takes the name of a file, such as numbers.ts."],
    [["numbers.csv", "--stack", "a/b"], "--stack takes a name of letters, digits, `-`, `_` and `.`."],
  ] as const) {
    it(`refuses ${JSON.stringify(argv)}`, async () => {
      put("numbers.csv", FILE);
      put("latin.csv", Buffer.from([0x6e, 0xfc]));
      assert.deepEqual(await takeover(...argv), refusal("takeover", message));
      assert.deepEqual(folder.files(), ["latin.csv", "numbers.csv"]);
    });
  }
});
