import assert from "node:assert/strict";
import { abortCommand } from "../../cli/commands/abort";
import { promoteCommand } from "../../cli/commands/promote";
import { namedIn } from "../support/named";
import { diffBlock, platformStack, put } from "../support/platformStack";
import { assertSplit, at, BAD, commandRunner, configOf, program, ROLLOUT_NUMBERS } from "./frontRollout";

describe("a rollout in the real Pulumi engine", () => {
  const opened = platformStack({ program, config: configOf(at(2.5)) });

  it("shows a rollout change in the diff of each resource", async () => {
    const { stack, sent, sentNothing } = opened();
    await stack.up();
    const rolloutOf = (name: string) => stack.resources().find((resource) => resource.name === name)?.outputs?.rollout;
    const saved = { name: "front", ...at(2.5) };
    assert.deepEqual([rolloutOf("support"), rolloutOf("desk")], [saved, saved]);
    assert.equal(sent().length, ROLLOUT_NUMBERS.length + 1);

    // The diffs don't show `minSoak`, because only `promote` reads it.
    stack.setConfig(configOf({ ...at(10), promote: { minSoak: "48h" } }));
    const { output } = await stack.preview({ diff: true });
    for (const name of ["support", "desk"]) {
      const lines = diffBlock(output, name).filter((line) => /[~+-] /.test(line) && !/agent_front@1[23]:/.test(line));
      assert.deepEqual(
        lines.map((line) => line.trim().replace(/ +/g, " ").replace(" :", ":")),
        ["~ inboundAgents: {", "~ rollout: {", "~ percent: 2.5 => 10"],
      );
    }
    assert.doesNotMatch(output, /pulumi:providers|rollouts/);
    sentNothing();
    stack.setConfig(configOf(at(2.5)));
  });

  it("fails `promote --up` if the platform rejects one number", async () => {
    const { platform, sent } = opened();
    const run = await commandRunner(opened());
    platform.inject({ kind: "status", status: 422, number: BAD, times: 1 });
    const { code, end, stdout } = await run(promoteCommand, platform.token);
    const missing = `1 3 NumberGroup "support" 97.5% agent_front@12 2.5% agent_front@13 ${BAD}`;
    assert.deepEqual(
      [code, end.slice(0, 2).map(namedIn)],
      [1, ["`pulumi up` 1", `"front" 90% agent_front@12 10% agent_front@13 ${missing}`]],
      stdout,
    );
    assert.match(stdout, /^AGP-044 dev: NumberGroup "support": /m);
    sent();
  });

  it("routes all calls back to the stable agent with `abort --up`", async () => {
    const { platform, sent } = opened();
    const run = await commandRunner(opened());
    const { code, end, stdout } = await run(abortCommand, platform.token);
    assert.deepEqual([code, namedIn(end.at(-2) ?? "")], [0, '"front" 100% agent_front@12'], stdout);
    const targets = sent().map(([target]) => target);
    assert.deepEqual(targets.sort(), ROLLOUT_NUMBERS.map(put).sort());
    assertSplit(opened(), { "agent_front@12": 100 });
  });
});
