import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportCommand } from "../../cli/commands/report";
import { readPreview } from "../../cli/pulumi/preview";
import { buildModel } from "../../cli/report/model";
import { plain } from "../../cli/report/text";
import { A, group, line, of, single } from "./reportSteps";
import { numberAt, previewOf, type SyntheticStep } from "./reportSynthetic";
import { runWith } from "./terminal";

/** Agents that are not approved and pass, because they get few calls. One of them may be a typing mistake. */

const config = { "agent-platform:approvedAgents": "agents.yaml", "agent-platform:maxUnapproved": "10" };
const file = "# the voice team\n- agent_front@12\n- agent_front@14\n- agent_out@9\n";
const passes = "It passes, because agents that are not approved may get up to 10 % of the calls (maxUnapproved).";

function cardsOf(steps: readonly SyntheticStep[], more: object = config, diagnostics: readonly object[] = []) {
  const preview = readPreview(previewOf(steps, { config: more, diagnostics }));
  const read = (name: string) => (name === "agents.yaml" ? file : undefined);
  const model = buildModel(preview, undefined, undefined, read);
  const own = model.cards.filter(({ family }) => family === "unapproved");
  return {
    headline: plain(model.headline),
    own: own.map(({ title, notes }) => [plain(title), ...notes.map(plain)]),
  };
}

describe("the report of agents that are not approved", () => {
  it("is about the list in the program's folder, which the provider reads", async () => {
    const root = mkdtempSync(join(tmpdir(), "agent-platform-approved-"));
    try {
      mkdirSync(join(root, "src"));
      writeFileSync(join(root, "Pulumi.yaml"), "name: phones\nruntime: nodejs\nmain: src/\n");
      writeFileSync(join(root, "agents.yaml"), "- agent_typo@14\n");
      writeFileSync(join(root, "src/agents.yaml"), "- agent_front@12\n");
      const steps = [
        single(
          "update",
          "line",
          line("+1", { "agent_front@12": 100 }),
          line("+1", { "agent_front@12": 99, "agent_typo@14": 1 }),
        ),
      ];
      writeFileSync(join(root, "preview.json"), previewOf(steps, { config }));
      const { stdout } = await runWith(reportCommand.run, ["preview.json"], { cwd: root });
      assert.match(stdout, /^### ⚠ `dev`: `agent_typo@14` is not in `agents\.yaml`/m);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it("names a typing mistake at 1 % first, and asks for the agent that was meant", () => {
    const many = Array.from({ length: 26 }, (_, index) => numberAt(index));
    const typo = of({ "agent_front@12": 99, "agent_frnot@14": 1 }, ...many);
    const title =
      "⚠ agent_frnot@14 is not in agents.yaml and gets 1 % of the calls of 26 numbers: did you mean agent_front@14?";
    const { headline, own } = cardsOf([group("update", "front", of({ "agent_front@12": 100 }, ...many), typo)]);
    assert.deepEqual(own, [[title, passes]]);
    assert.equal(headline, `${title} · agent_frnot@14 joins 26 numbers (front) at 1 %`);
  });

  it("is told once of an agent, over all resources, as inbound and as outbound agent", () => {
    const outbound = { outboundAgentId: "agent_night", outboundAgentVersion: 2 };
    const { own } = cardsOf([
      single("create", "one", undefined, { ...line("+1", { "agent_front@12": 95, "agent_night@2": 5 }), ...outbound }),
      single("create", "two", undefined, line("+2", { "agent_front@12": 90, "agent_night@2": 10 })),
    ]);
    const title =
      "⚠ agent_night@2 is not in agents.yaml and gets up to 10 % of the calls of 2 numbers and makes the outbound calls of 1 number";
    assert.deepEqual(own, [[title, passes]]);
  });

  it("is not told of an agent that gets no more than before, but for the numbers that join it", () => {
    const split = (night: number) => ({ "agent_front@12": 100 - night, "agent_night@2": night });
    const change = (before: number, after: number, ...numbers: string[]) =>
      cardsOf([group("update", "front", of(split(before), "+1"), of(split(after), ...numbers))]).own;
    assert.deepEqual(change(9, 5, "+1"), []);
    assert.deepEqual(change(5, 5, "+1", "+2"), [
      ["⚠ agent_night@2 is not in agents.yaml and gets 5 % of the calls of 1 number", passes],
    ]);
    assert.deepEqual(cardsOf([group("delete", "front", of(split(5), "+1"))]).own, []);
  });

  it("names the setting if the list is there, and a bypass", () => {
    const listed = { "agent-platform:approvedAgents": '["agent_front@12"]' };
    const diagnostics = [{ severity: "warning", message: "warning: AGP-068 bypassed" }];
    assert.deepEqual(cardsOf([group("create", "front", undefined, of(A, "+1"))], listed, diagnostics).own, [
      [
        "⚠ agent_a@1 is not in approvedAgents and gets 100 % of the calls of 1 number",
        "It passes, because the guards are bypassed for this run.",
      ],
    ]);
  });

  it("is found by the command in the folder of the preview", async () => {
    const folder = mkdtempSync(join(tmpdir(), "agent-platform-approved-"));
    try {
      writeFileSync(join(folder, "agents.yaml"), file);
      const step = single("create", "one", undefined, line("+1", { "agent_front@12": 95, "agent_frnot@12": 5 }));
      const { stdout } = await runWith(reportCommand.run, [], { stdin: previewOf([step], { config }), cwd: folder });
      assert.deepEqual(
        stdout.split("\n").filter((text) => /^###|Guards/.test(text)),
        [
          "### ⚠ `dev`: `agent_frnot@12` is not in `agents.yaml` and gets 5 % of the calls of 1 number: did you mean `agent_front@12`? · First assignment overwrites `+1` (`one`) with `agent_front@12` 95 %, `agent_frnot@12` 5 %",
          "#### ⚠ `agent_frnot@12` is not in `agents.yaml` and gets 5 % of the calls of 1 number: did you mean `agent_front@12`?",
          "#### First assignment overwrites `+1` (`one`) with `agent_front@12` 95 %, `agent_frnot@12` 5 %",
          "- Guards: ⚠ unapproved agents get 5 %, limit 10",
        ],
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
