import assert from "node:assert/strict";
import { promoteCommand } from "../../cli/commands/rollout/promote";
import { showCommand } from "../../cli/commands/show";
import { type Entry, exported, number, secret } from "./exports";
import { at, saved, stackYaml, support, withRollouts } from "./rolloutProject";
import { runWith } from "./terminal";

/** A single number that is secret: the id of its resource is made up. */
const vip = (more: Record<string, unknown> = {}): Entry => ({
  ...number("vip", "number-0c45"),
  outputs: { ...saved(10), number: secret("v1:hush"), inboundAgents: { "agent_front@12": 90 }, ...more },
});
const read = { env: { HOME: "/nonexistent" }, stdin: exported({ entries: [vip()] }) };

describe("a single number that is encrypted in the state", () => {
  it("is none that show finds by its id, and show says that it could not look", async () => {
    const { code, stdout } = await runWith(showCommand.run, ["number-0c45", "--export", "-"], read);
    assert.deepEqual(
      [code, stdout],
      [
        1,
        'number-0c45: no resource in standard input holds it. The numbers of "vip" are encrypted and cannot be looked at.\n',
      ],
    );
  });

  const promoted = (entries: readonly Entry[]) =>
    withRollouts({ prod: { yaml: stackYaml(at(10)), state: { entries } } }, async (project) => {
      const argv = ["front", "--stack", "prod", "--check", "tr '\\n' ' '"];
      const { code, stdout, stderr } = await runWith(promoteCommand.run, argv, project.world);
      return { code, text: stdout + stderr };
    });

  it("is not handed to the check of promote, which says so", async () => {
    const { code, text } = await promoted([support(10), vip()]);
    assert.equal(code, 0, text);
    const [, ...lines] = text.split("\n").slice(0, 4);
    assert.deepEqual(lines, [
      "  at 10 % since 2026-11-20 14:02 UTC, 2 days 18 hours; on 2 numbers",
      '  the numbers of NumberAssignment "vip" are encrypted: no check gets them',
      "  check passed: tr '\\n' ' ': \"+15550000001 +15550000002\"",
    ]);
  });

  it("holds the promotion while it is not applied", async () => {
    const { code, text } = await promoted([support(10), vip({ unapplied: secret("v1:left") })]);
    assert.equal(code, 1);
    assert.match(
      text,
      /^Held: numbers of NumberAssignment "vip", which are encrypted, do not have this split yet\. Run `pulumi up` until it succeeds\.\n/,
    );
  });
});
