import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeoverCommand } from "../../cli/commands/takeover/command";
import { startEmulator } from "../../emulator";
import { withStack } from "../support/engine";
import { projectFolder, transpileOnly } from "./projectFolder";
import { previewOf, type SyntheticStep } from "./reportSynthetic";
import { runWith } from "./terminal";

const FILE = `number,label,agents,outbound,webhook,time routing
+442079460100,London sales,agent_front@12:90 agent_front@13:10,agent_front@12,https://hooks.example.com/in?a|b,on
+442079460101,-,agent_front@13:10 agent_front@12:90,agent_front@12,https://hooks.example.com/in?a|b,on
4001,Reception,agent_desk@3:100,-,-,off
4002,-,-,-,-,-
`;

describe("agent-platform takeover", () => {
  const folder = projectFolder();
  const takeover = (...argv: string[]) => runWith(takeoverCommand.run, argv, { cwd: folder.path });
  const put = (name: string, text: string | Buffer) => writeFileSync(join(folder.path, name), text);

  it("writes a project whose preview equals the file, and whose first up binds what the file says", async () => {
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
      assert.deepEqual(await takeover("numbers.csv", "--preview", "preview.json"), {
        code: 0,
        stderr: "",
        stdout: `All 4 numbers: the preview matches the file. Compare this table with the platform's web application: the first \`pulumi up\` sends it, and the previous routings cannot be read back.

|  | number | label | agents | outbound | webhook | time routing |
| --- | --- | --- | --- | --- | --- | --- |
|  | +442079460100 | London sales | agent_front@12:90 agent_front@13:10 | agent_front@12 | https://hooks.example.com/in?a\\|b | on |
|  | +442079460101 | - | agent_front@12:90 agent_front@13:10 | agent_front@12 | https://hooks.example.com/in?a\\|b | on |
|  | 4001 | Reception | agent_desk@3:100 | - | - | off |
|  | 4002 | - | - | - | - | - |
`,
      });
      await stack.run(["up", "--stack", "dev", "--yes", "--skip-preview"]);
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
        { number: "4001", inboundAgents: { "agent_desk@3": 100 }, isTimeRoutingEnabled: false },
        { number: "4002", inboundAgents: {} },
      ],
    );
    assert.equal(platform.requests.length, 4);
  });

  it("marks what a preview has otherwise, more or less", async () => {
    put("numbers.csv", FILE);
    const type = "pulumi-nodejs:dynamic/agent-platform:";
    const step = (kind: string, name: string, inputs: unknown) => ({
      op: "create",
      urn: `urn:pulumi:dev::phones::${type}${kind}::${name}`,
      newState: { type: `${type}${kind}`, inputs },
    });
    const steps = [
      step("NumberGroup", "front", {
        numbers: "+442079460100\tLondon\n+442079460101\n4003\n",
        inboundAgents: { "agent_front@12": 70, "agent_front@13": 30 },
        outboundAgentId: "agent_front",
        outboundAgentVersion: 12,
        inboundWebhookUrl: "[secret]",
        isTimeRoutingEnabled: true,
        overrides: { "+442079460101": { outboundAgentId: "agent_night" } },
      }),
      step("NumberAssignment", "reception", {
        number: "4001",
        inboundAgents: { "agent_desk@3": 100 },
        isTimeRoutingEnabled: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
      }),
    ];
    const stdin = JSON.stringify({ steps });
    const { code, stdout } = await runWith(takeoverCommand.run, ["numbers.csv", "--preview", "-"], {
      cwd: folder.path,
      stdin,
    });
    assert.equal(code, 1);
    const [verdict, , , , ...lines] = stdout.trimEnd().split("\n");
    assert.match(verdict ?? "", /^5 rows differ: file → preview\. Compare this table/);
    assert.deepEqual(lines, [
      "| differs | +442079460100 | London sales → London | agent_front@12:90 agent_front@13:10 → agent_front@12:70 agent_front@13:30 | agent_front@12 | https://hooks.example.com/in?a\\|b → [secret] | on |",
      "| differs | +442079460101 | - | agent_front@12:90 agent_front@13:10 → agent_front@12:70 agent_front@13:30 | agent_front@12 → agent_night | https://hooks.example.com/in?a\\|b → [secret] | on |",
      "| differs | 4001 | Reception | agent_desk@3:100 | - | - | off → known after apply |",
      "| not in the preview | 4002 | - | - | - | - | - |",
      "| not in the file | 4003 | - | agent_front@12:70 agent_front@13:30 | agent_front@12 | [secret] | on |",
    ]);
  });

  const desk = { inboundAgents: { "agent_desk@3": 100 } };
  const one = "number,label,agents,outbound,webhook,time routing\n4001,Reception,agent_desk@3:100,-,-,-\n";
  const reception: SyntheticStep = {
    op: "create",
    kind: "NumberAssignment",
    name: "reception",
    new: { number: "4001", ...desk },
  };
  const compared = async (...[steps, more]: Parameters<typeof previewOf>) => {
    put("numbers.csv", one);
    put("preview.json", previewOf(steps, more));
    return takeover("numbers.csv", "--preview", "preview.json");
  };

  it("marks what a preview clears beside what the file says", async () => {
    const { code, stdout } = await compared([
      reception,
      { op: "delete", kind: "NumberAssignment", name: "single", old: { number: "4005", ...desk } },
      { op: "delete", kind: "NumberGroup", name: "gone", old: { numbers: "4006\tSpare\n4007\n", ...desk } },
      { op: "create", kind: "NumberGroup", name: "renamed", new: { numbers: "4007\n", ...desk } },
      {
        op: "replace",
        kind: "NumberGroup",
        name: "fewer",
        old: { numbers: "4008\n4009\n", ...desk },
        new: { numbers: "4009\n", ...desk },
      },
      { op: "delete", kind: "NumberGroup", name: "hidden", old: { numbers: "[secret]", ...desk } },
    ]);
    assert.equal(code, 1);
    const [verdict, , , , ...lines] = stdout.trimEnd().split("\n");
    assert.match(verdict ?? "", /^6 rows differ: /);
    assert.deepEqual(lines, [
      "|  | 4001 | Reception | agent_desk@3:100 | - | - | - |",
      "| not in the file | 4007 | - | agent_desk@3:100 | - | - | - |",
      "| not in the file | 4009 | - | agent_desk@3:100 | - | - | - |",
      "| cleared | 4005 | - | agent_desk@3:100 | - | - | - |",
      "| cleared | 4006 | Spare | agent_desk@3:100 | - | - | - |",
      "| cleared | 4008 | - | agent_desk@3:100 | - | - | - |",
      "| cleared | [secret] | - | agent_desk@3:100 | - | - | - |",
    ]);
  });

  it("does not mark what a deleted resource leaves as it is", async () => {
    const steps = [
      reception,
      {
        op: "delete",
        kind: "NumberAssignment",
        name: "kept",
        old: { number: "4005", ...desk },
        retainOnDelete: true,
      } as const,
    ];
    const { code } = await compared(steps);
    assert.equal(code, 0);
  });

  const urn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:NumberAssignment::z";
  for (const [message, said] of [
    ["AGP-021 too much would move", "Refused, nothing is sent: Guard maxShift (z)"],
    ["error: the program threw.", "The preview failed: the program threw"],
  ] as const) {
    it(`compares no preview that failed with ${JSON.stringify(message)}`, async () => {
      const printed = await compared([reception], { diagnostics: [{ severity: "error", urn, message }] });
      assert.deepEqual(printed, {
        code: 1,
        stdout: "",
        stderr: `agent-platform takeover: ${said}. A preview that failed shows only a part. Fix it, then preview again.\n`,
      });
    });
  }

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
    put("Pulumi.yaml", "name: mine\nruntime: nodejs\n");
    put("index.ts", "");
    assert.deepEqual(await takeover("numbers.csv"), {
      code: 2,
      stdout: "",
      stderr:
        "agent-platform takeover: index.ts exists already. Nothing was written; choose another folder, or another name with --program.\n",
    });
    const { code, stdout } = await takeover("numbers.csv", "--program", "numbers.ts");
    assert.equal(code, 0);
    assert.ok(stdout.includes('Written to .: numbers.ts.\nImport it where your program begins: import "./numbers";\n'));
    assert.deepEqual(folder.files(), ["Pulumi.yaml", "index.ts", "numbers.csv", "numbers.ts"]);
  });

  for (const [argv, message] of [
    [[], "Name one file, and at most one folder."],
    [["a.csv", "b", "c"], "Name one file, and at most one folder."],
    [["none.csv"], "none.csv cannot be read (ENOENT)."],
    [["latin.csv"], "latin.csv is not UTF-8; save it as UTF-8."],
    [["numbers.csv", "--weight-total", "0"], "--weight-total takes a number above 0."],
    [["numbers.csv", "--program", "../x.ts"], "--program takes the name of a file, such as numbers.ts."],
    [["numbers.csv", "--stack", "a/b"], "--stack takes a name of letters, digits, `-`, `_` and `.`."],
    [
      ["numbers.csv", "--preview", "numbers.csv"],
      "This is neither JSON nor the events of a preview. Write it with `pulumi preview --json > preview.json`.",
    ],
  ] as const) {
    it(`refuses ${JSON.stringify(argv)}`, async () => {
      put("numbers.csv", FILE);
      put("latin.csv", Buffer.from([0x6e, 0xfc]));
      assert.deepEqual(await takeover(...argv), {
        code: 2,
        stdout: "",
        stderr: `agent-platform takeover: ${message}\n`,
      });
      assert.deepEqual(folder.files(), ["latin.csv", "numbers.csv"]);
    });
  }
});
