import assert from "node:assert/strict";
import { once } from "node:events";
import { bars, countsOf, diffOf, farthest, stepsOf } from "../../tools/demo/show";
import { processesWith } from "../support/engineProcesses";
import { folders, MARK, startDemo } from "./demoProcess";

describe("npm run demo", () => {
  it("ends well, says so in ten lines, and leaves nothing", async () => {
    const before = folders();
    const child = startDemo();
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const [exitCode] = (await once(child, "close")) as [number | null];
    assert.equal(exitCode, 0, output);
    for (const told of [
      "~ agent_front@12: 90 => 50",
      "1 request: one changed number is one PUT",
      "3 requests, 0 of them clear a number",
      "agent_front@13  declared ████████████████████░░░░░░░░░░░░░░░░░░░░  50.0 %",
      "── 7 of 7 ── What happened",
    ]) {
      assert.ok(output.includes(told), `${told} is not in:\n${output}`);
    }
    assert.equal(output.split("\n").filter((line) => /^ {4}\d+\. /.test(line)).length, 10);
    assert.deepEqual(folders(), before);
    assert.deepEqual(processesWith("DEMO_TEST", MARK), []);
  });
});

describe("what the demo shows of the engine's output", () => {
  it("is each step and each message of the provider, once", () => {
    const output = [
      "Updating (demo):",
      " +  pulumi-nodejs:dynamic/agent-platform:NumberAssignment a creating (0s) ",
      " +  pulumi-nodejs:dynamic/agent-platform:NumberAssignment a created (0.30s) ",
      "    pulumi:pulumi:Stack x running warning: AGP-061 kept.",
      "Diagnostics:",
      "    warning: AGP-061 kept.",
      "Resources:",
      "    + 1 created",
      "    2 unchanged",
      "",
      "Duration: 1s",
    ].join("\n");
    assert.deepEqual(stepsOf(output), [" +  NumberAssignment a created (0.30s)", "    warning: AGP-061 kept."]);
    assert.equal(countsOf(output), "+ 1 created, 2 unchanged");
  });

  it("is the diff without URNs and outputs of the stack", () => {
    const output = [
      "Previewing update (demo):",
      "    ~ pulumi-nodejs:dynamic/agent-platform:NumberAssignment: (update)",
      "        [urn=urn:pulumi:demo::x]",
      "      ~ inboundAgents: {",
      "    --outputs:--",
      "  ~ other: 1",
      "Resources:",
    ].join("\n");
    assert.deepEqual(diffOf(output), ["~ NumberAssignment: (update)", "  ~ inboundAgents: {"]);
  });

  it("is a bar for each share, and how far the two are apart", () => {
    const [declared, observed] = [
      { a: 3, bb: 1 },
      { a: 70, bb: 30 },
    ];
    assert.deepEqual(bars(declared, observed), [
      `a   declared ${"█".repeat(30)}${"░".repeat(10)}  75.0 %`,
      `    observed ${"█".repeat(28)}${"░".repeat(12)}  70.0 %  70 calls`,
      `bb  declared ${"█".repeat(10)}${"░".repeat(30)}  25.0 %`,
      `    observed ${"█".repeat(12)}${"░".repeat(28)}  30.0 %  30 calls`,
    ]);
    assert.equal(Math.round(farthest(declared, observed) * 1e9) / 1e9, 5);
  });
});
