import assert from "node:assert/strict";
import { abortCommand } from "../../cli/commands/abort";
import { promoteCommand } from "../../cli/commands/promote";
import { assertNames, namedIn } from "../support/named";
import { platformStack, put } from "../support/platformStack";
import { assertSplit, at, BAD, commandRunner, configOf, program } from "./frontRollout";

const AT_10 = { "agent_front@12": 90, "agent_front@13": 10 };

describe("rollout failures", () => {
  const opened = platformStack({ program, config: configOf(at(2.5)) });

  it("completes a partially failed rollout step on a second `promote --up`", async () => {
    const { platform, stack, sent } = opened();
    await stack.up();
    const run = await commandRunner(opened());
    platform.inject({ kind: "status", status: 422, number: BAD, times: 1 });
    assert.equal((await run(promoteCommand, platform.token)).code, 1);
    sent();
    const { code, end, stdout } = await run(promoteCommand, platform.token);
    assert.equal(code, 3, stdout);
    assert.equal(namedIn(end[0] ?? ""), '"front" 90% agent_front@12 10% agent_front@13', stdout);
    assert.deepEqual(
      sent().map(([target]) => target),
      [put(BAD)],
    );
    assertSplit(opened(), AT_10);
  });

  it("reports a rejected token on `abort --up`", async () => {
    const run = await commandRunner(opened());
    const refused = await run(abortCommand, "expired-token-1");
    assert.equal(refused.code, 1);
    assertNames(refused.stdout, 'NumberGroup "support" 90% agent_front@12 10% agent_front@13');
    assert.match(refused.end.join("\n"), /401[\s\S]*token/);
    assertSplit(opened(), AT_10);
  });

  it("sends nothing on a second `abort --up`", async () => {
    const { platform, stack, sent, sentNothing } = opened();
    const run = await commandRunner(opened());
    assert.equal((await run(abortCommand, platform.token)).code, 0);
    assertSplit(opened(), { "agent_front@12": 100 });
    sent();
    assert.equal((await run(abortCommand, platform.token)).code, 3);
    await stack.up();
    sentNothing();
  });

  it("rejects rollouts that are stored as a secret", async () => {
    const { stack } = opened();
    stack.setConfig({ "agent-platform:rollouts": { secret: JSON.stringify({ front: at(10) }) } });
    const { output } = await stack.preview({ expectFailure: true });
    assert.match(output, /AGP-015 agent-platform:rollouts/);
  });
});
