import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { reportCommand } from "../../cli/commands/report";
import { runWith } from "../cli/terminal";
import { withPlatformStack } from "../support/platformStack";

/** A program of a thousand rows, three of them wrong: each mistake names its row in every form of the output. */
const ROWS = 1000;
const numberOf = (row: number) => (row === 57 ? "+1 555 57" : `+1555${1_000_000 + row}`);
const weightsOf = (row: number) =>
  row === 900 ? { "agnt_front@12": 100 } : { "agent_front@12": row === 500 ? -1 : 100 };

const typescript = `
  import { NumberAssignment, split } from "pulumi-agent-platform";
  for (let row = 1; row <= ${ROWS}; row += 1) {
    const number = row === 57 ? "+1 555 57" : "+1555" + String(1_000_000 + row);
    const weights: Record<string, number> = row === 900 ? { "agnt_front@12": 100 } : { "agent_front@12": row === 500 ? -1 : 100 };
    new NumberAssignment("row-" + row, { number, inboundAgents: split(weights) });
  }`;

const FORM =
  "starts with `+`, so it must be in international format: `+`, the country code, at most 15 digits, nothing else";
const BAD_NUMBER = `AGP-001 NumberAssignment "row-57" (+1 555 57): number ("+1 555 57") ${FORM}.`;
const mistakes = [
  BAD_NUMBER,
  'AGP-001 NumberAssignment "row-500" (+15551000500): inboundAgents[0].weight (-1) must not be negative.',
  'AGP-001 NumberAssignment "row-900" (+15551000900): inboundAgents[0].agentId ("agnt_front") must start with `agent_` and name an agent; did you mean "agent_front".',
];

/** Lines of the output that are an error, without what the engine writes before it; the progress repeats them. */
const errorsIn = (output: string): string[] =>
  output.split("\n").flatMap((line) => /^ *error: (.*)$/.exec(line)?.[1] ?? []);

const REFUSED = /: refused because of the mistake above\. Nothing was sent\.$/;

describe("a thousand rows with three mistakes", () => {
  it("in TypeScript: preview, --diff, --json and the report name the resource, the number and the value of all three", () =>
    withPlatformStack({ program: typescript }, async ({ stack, sentNothing }) => {
      const plain = await stack.preview({ expectFailure: true });
      const diff = await stack.preview({ diff: true, expectFailure: true });
      for (const { output } of [plain, diff]) {
        const [others, own] = [errorsIn(output).filter((error) => REFUSED.test(error)), errorsIn(output)];
        assert.deepEqual(own.filter((error) => !REFUSED.test(error)).sort(), [...mistakes].sort());
        assert.ok(others.length <= mistakes.length, others.join("\n"));
      }
      const { stdout } = await stack.preview({ json: true, expectFailure: true });
      const report = await runWith(reportCommand.run, ["-"], { stdin: stdout });
      for (const mistake of mistakes) {
        assert.ok(stdout.includes(JSON.stringify(mistake).slice(1, -1)), mistake);
        assert.ok(report.stdout.includes(mistake), mistake);
      }
      assert.ok(!report.stdout.includes("refused because of the mistake"));
      assert.match(report.stdout, /^### ❌ `dev`: Refused, nothing is sent: `row-/m);
      assert.match(report.stdout, /^#### First assignment overwrites 99\d numbers with `agent_front@12` 100 %$/m);
      sentNothing();
    }));

  it("in YAML: the engine stops at the first, which names all the same", () => {
    const rows = Array.from({ length: ROWS }, (_, index) => index + 1);
    const resources = Object.fromEntries(
      rows.map((row) => [
        `row-${row}`,
        {
          type: "agent-platform:NumberAssignment",
          properties: { number: numberOf(row), inboundAgents: weightsOf(row) },
        },
      ]),
    );
    const shown = `agent-platform:index:NumberAssignment resource 'row-57' has a problem: ${BAD_NUMBER}`;
    return withPlatformStack({ program: { resources } }, async ({ stack, sentNothing }) => {
      const plain = await stack.preview({ expectFailure: true });
      const diff = await stack.preview({ diff: true, expectFailure: true });
      for (const { output } of [plain, diff]) {
        assert.deepEqual(errorsIn(output), [shown]);
      }
      const { stdout } = await stack.preview({ json: true, expectFailure: true });
      const report = await runWith(reportCommand.run, ["-"], { stdin: stdout });
      assert.ok(report.stdout.includes(BAD_NUMBER), report.stdout);
      sentNothing();
    });
  });

  it("in one group, in YAML: all three, with the number, its label and the agent", () => {
    const numbers = Object.fromEntries(
      Array.from({ length: ROWS }, (_, index) => [numberOf(index + 1), `Row ${index + 1}`] as const),
    );
    const resources = {
      desks: {
        type: "agent-platform:NumberGroup",
        properties: { numbers, inboundAgents: { "agent_front@12": -1, "agnt_front@13": 100 } },
      },
    };
    const own = [
      `numbers["+1 555 57"] ("Row 57") ${FORM}`,
      'inboundAgents["agent_front@12"] (-1) has a weight that must not be negative',
      'inboundAgents["agnt_front@13"] (100) must start with `agent_` and name an agent; did you mean "agent_front@13"',
    ].map((text) => `AGP-001 NumberGroup "desks": ${text}.`);
    return withPlatformStack({ program: { resources } }, async ({ stack, sentNothing }) => {
      const { output } = await stack.preview({ diff: true, expectFailure: true });
      assert.deepEqual(
        errorsIn(output)
          .map((error) => error.replace(/^.* has a problem: /, ""))
          .sort(),
        [...own].sort(),
      );
      sentNothing();
    });
  });
});
