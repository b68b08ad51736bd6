import assert from "node:assert/strict";
import { clientFor } from "../client/support";
import { diffBlock, put, withPlatformStack } from "../support/platformStack";

/** A rollout that resources name, and that the stack's config holds, through the real engine. */

const LAST = "+15550000002";
const NUMBERS = ["+15550000001", LAST];
const LINE = "4001";
const ALL = [...NUMBERS, LINE];

const program = `
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  new NumberGroup("support", { numbers: ${JSON.stringify(NUMBERS)}, rollout: "front" });
  new NumberAssignment("desk", { number: "${LINE}", rollout: "front" });
  new NumberAssignment("night", { number: "4002", rollout: "night" });`;

const configOf = (front: object) => ({
  "agent-platform:rollouts": { front, night: { stable: "agent_night@4" } },
  "agent-platform:steps": "[1, 10, 50, 100]",
});
const at = (percent: number, promote = { minSoak: "24h" }) => ({
  stable: "agent_front@12",
  candidate: "agent_front@13",
  percent,
  promote,
});
const aborted = (time: string) => ({
  stable: "agent_front@12",
  aborted: { agent: "agent_front@13", percent: 10, at: time },
});

describe("a rollout with a name", () => {
  it("is one line of a diff for a step, of which a failed number alone is sent again, and an abort sends it to every number, whatever the state says", async () => {
    const start = { program, config: configOf(at(1)) };
    await withPlatformStack(start, async ({ stack, sent, sentNothing, platform }) => {
      const splits = () => ALL.map((number) => platform.routing(number)?.inboundAgents);
      const all = (split: object) => ALL.map(() => split);
      await stack.up();
      assert.deepEqual(splits(), all({ "agent_front@12": 99, "agent_front@13": 1 }));
      const rolloutOf = (name: string) => stack.resources().find((one) => one.name === name)?.outputs?.rollout;
      const saved = { name: "front", stable: "agent_front@12", candidate: "agent_front@13", percent: 1 };
      assert.deepEqual([rolloutOf("support"), rolloutOf("desk")], [saved, saved]);
      assert.equal(sent().length, ALL.length + 1);

      stack.setConfig(configOf(at(10, { minSoak: "48h" })));
      const { output } = await stack.preview({ diff: true });
      // What promote alone reads is in no diff.
      for (const name of ["support", "desk"]) {
        const lines = diffBlock(output, name).filter((line) => /[~+-] /.test(line) && !/agent_front@1[23]:/.test(line));
        assert.deepEqual(
          lines.map((line) => line.trim().replace(/ +/g, " ").replace(" :", ":")),
          ["~ inboundAgents: {", "~ rollout: {", "~ percent: 1 => 10"],
        );
      }
      assert.doesNotMatch(output, /pulumi:providers|rollouts/);
      sentNothing();
      platform.inject({ kind: "status", status: 422, number: LAST });
      await stack.up({ expectFailure: true, args: ["--continue-on-error"] });
      assert.equal(sent().length, ALL.length);
      // The group has saved what was applied, so the next run sends the rest alone.
      await stack.up();
      assert.deepEqual(
        sent().map(([target]) => target),
        [put(LAST)],
      );
      assert.deepEqual(splits(), all({ "agent_front@12": 90, "agent_front@13": 10 }));

      const abort = async (time: string) => {
        stack.setConfig(configOf(aborted(time)));
        await stack.up();
        assert.deepEqual(splits(), all({ "agent_front@12": 100 }));
        assert.deepEqual(
          sent()
            .map(([target]) => target)
            .sort(),
          ALL.map(put).sort(),
        );
      };
      await abort("2026-11-23T09:02:11Z");
      // A hand in the web application: the state does not know that the candidate has all calls of one number.
      const inboundAgents = [{ agentId: "agent_front", agentVersion: 13, weight: 100 }];
      await clientFor(platform).assignNumber({ number: LINE, inboundAgents });
      sent();
      await abort("2026-11-23T10:00:00Z");

      // The next candidate takes the abort away, which sends nothing by itself.
      stack.setConfig(configOf({ stable: "agent_front@12" }));
      await stack.up();
      sentNothing();

      // A reviewer could not see it.
      stack.setConfig({ "agent-platform:rollouts": { secret: JSON.stringify({ front: at(1) }) } });
      const secret = await stack.preview({ expectFailure: true });
      assert.ok(
        secret.output.includes(
          "AGP-015 agent-platform:rollouts is secret, so a reviewer could not see it. Write it in plain text.",
        ),
        secret.output,
      );
      sentNothing();
    });
  });
});
