import assert from "node:assert/strict";
import { reportCommand } from "../../cli/commands/report";
import { toMarkdown } from "../../cli/report/markdown";
import { A, group, list, reportOf } from "./reportSteps";
import { previewOf } from "./reportSynthetic";
import { runWith } from "./terminal";

/** A preview that the engine or a guard ended, as the engine's document has it. */

const urn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:NumberGroup::emea";
const gone = group("delete", "emea", { numbers: list("+1"), inboundAgents: A });

const failed = (steps: Parameters<typeof reportOf>[0], diagnostics: readonly object[]): string =>
  toMarkdown(reportOf(steps, { diagnostics }));

describe("the report of a preview that failed", () => {
  it("names what its only card is about, and says once why: a protected group", () => {
    const why = "because it is protected. To unprotect the resource, remove the flag:";
    const page = failed(
      [gone],
      [
        { urn, severity: "error", message: `error: Preview failed: resource "emea" cannot be deleted\n${why}\n` },
        { severity: "error", message: "error: preview failed\n" },
      ],
    );
    assert.deepEqual(page.split("\n").slice(2, 12), [
      '### ❌ `dev`: The preview failed: `resource "emea" cannot be deleted because it is protected. To unprotect the resource, remove the flag:`',
      "",
      "> **The preview failed: `emea`**",
      ">",
      `> \`resource "emea" cannot be deleted ${why}\``,
      "",
      "The preview stopped there, so this is not everything that the change would do.",
      "",
      "#### ⚠ 1 number (`emea`) loses its agents",
      "",
    ]);
  });

  it("does not say that a gate has passed: not all changes are known", async () => {
    const stdin = previewOf([gone], { diagnostics: [{ urn, severity: "error", message: "error: it is protected\n" }] });
    const { code, stdout } = await runWith(reportCommand.run, ["--fail-on", "replace"], { stdin });
    assert.deepEqual([code, stdout.includes("The preview stopped there"), stdout.includes("passed")], [1, true, false]);
  });

  const refusals: readonly (readonly [string, ...string[]])[] = [
    [
      "`emea`: `inboundAgents: agent_frnot@12 is not approved: did you mean agent_front@12?`",
      'AGP-023 NumberGroup "emea": inboundAgents: agent_frnot@12 is not approved: did you mean agent_front@12? Unapproved agents would receive 100 % (now 0 %, limit 10 %).\nAGP-021 NumberGroup "emea": moves 100 points.',
    ],
    [
      "`emea`: `the weights sum to 99.5, expected 100`",
      'AGP-020 NumberGroup "emea": the weights sum to 99.5, expected 100. Change a weight.',
    ],
    [
      "`emea`: `inboundAgents was set and is now missing`",
      'AGP-002 NumberGroup "emea" (+1): inboundAgents was set and is now missing. Restore it.',
      'AGP-020 NumberGroup "emea": the weights sum to 95. Change a weight.',
    ],
    ["`emea`: Guard maxShift", "AGP-021 moves 50 points."],
  ];
  for (const [headline, ...messages] of refusals) {
    it(`says in its headline what is refused, not by which guard: ${headline}`, () => {
      const diagnostics = messages.map((message) => ({ urn, severity: "error", message: `error: ${message}\n` }));
      assert.equal(failed([gone], diagnostics).split("\n")[2], `### ❌ \`dev\`: Refused, nothing is sent: ${headline}`);
    });
  }

  it("names every resource that is refused, in the headline or below", () => {
    const names = Array.from({ length: 13 }, (_, index) => `line-${index}`);
    const diagnostics = names.map((name) => ({
      urn: urn.replace("::emea", `::${name}`),
      severity: "error",
      message: `error: AGP-020 NumberGroup "${name}": the weights sum to 95. Change a weight.\n`,
    }));
    const page = failed([], diagnostics);
    assert.match(
      page,
      /^### ❌ Refused, nothing is sent: `line-0`: `the weights sum to 95`; also refused: `line-1`, `line-2`, `line-3` and 9 more$/m,
    );
    assert.match(page, /^> \*\*… and 3 more errors: `line-10`, `line-11`, `line-12`\*\*$/m);
    for (const name of names) {
      assert.ok(page.includes(`\`${name}\``), name);
    }
  });

  it("says what two guards refuse once: the engine prints the second one as well", () => {
    const [shift, approved] = ["AGP-021 NumberGroup: moves 50 points.", "AGP-023 NumberGroup: unapproved agents."];
    const page = failed(
      [],
      [
        { severity: "info#err", message: `error: ${shift}\n\n` },
        { severity: "info#err", message: `${approved}\n\n` },
        { urn, severity: "error", message: `error: ${shift}\n${approved}\n` },
      ],
    );
    assert.equal(page.split(approved).length - 1, 1, page);
    assert.equal(page.split(shift).length - 1, 1, page);
  });
});
