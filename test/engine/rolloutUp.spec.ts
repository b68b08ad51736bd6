import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { abortCommand } from "../../cli/commands/abort";
import { promoteCommand } from "../../cli/commands/promote";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { runWith } from "../cli/terminal";
import { environment } from "../support/engine";
import { withPlatformStack } from "../support/platformStack";

/** `promote --up` and `abort --up` through the real engine: the platform's own store says who has what. */

const NUMBERS = ["+15550000001", "+15550000002", "+15550000003"];
const [, BAD = ""] = NUMBERS;
const DESK = "4001";
const ALL = [...NUMBERS, DESK];

const program = `
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  new NumberGroup("support", { numbers: ${JSON.stringify(NUMBERS)}, rollout: "front" });
  new NumberAssignment("desk", { number: "${DESK}", rollout: "front" });`;

const rollout = (stable: number, candidate?: number, percent?: number) => ({
  "agent-platform:rollouts": {
    front: {
      stable: `agent_front@${stable}`,
      ...(candidate !== undefined && { candidate: `agent_front@${candidate}`, percent }),
    },
  },
});

describe("--up", () => {
  it("promotes and returns in one command, ends red while a number does not have it, and green as soon as each has", () =>
    withPlatformStack({ program, config: rollout(12) }, async ({ stack, platform, sent, sentNothing }) => {
      const engine = await findOrInstallEngine();
      const env = environment(engine.directory, stack.project, { AGENT_PLATFORM_ACCESS_TOKEN: platform.token });
      const run = async (command: typeof abortCommand, ...argv: string[]) => {
        const options = ["front", "--stack", "dev", "--config-file", stack.project.configFile, ...argv];
        const printed = await runWith(command.run, options, { cwd: stack.project.directory, env });
        const end = printed.stdout.trimEnd().split("\n").slice(-2);
        return { ...printed, end, last: end.at(-1) };
      };
      const splits = () => ALL.map((number) => platform.routing(number)?.inboundAgents);
      const has = (split: object) =>
        assert.deepEqual(
          splits(),
          ALL.map(() => split),
        );
      const Every = "Every number of front in dev has it.";

      await stack.up();
      stack.setConfig({ "agent-platform:steps": "[100]" });
      const up = await run(promoteCommand, "--to", "agent_front@13", "--up", "--yes");
      assert.deepEqual([up.code, up.last], [0, Every], up.stdout + up.stderr);
      has({ "agent_front@13": 100 });
      stack.setConfig({ ...rollout(13, 14, 0), "agent-platform:steps": "[1, 10, 100]" });
      await stack.up();
      sent();

      // One number fails: the others have the step, and the same command applies what is left.
      platform.inject({ kind: "status", status: 422, number: BAD, times: 1 });
      const lag = `1 of 3 numbers of NumberGroup "support" has agent_front@13 100 %: ${BAD}`;
      const half = await run(promoteCommand, "--up", "--yes");
      const red = `Not every number of front in dev has it: ${lag}. Correct what the run says and run this command again, or see what is known: npx pulumi-agent-platform doctor --stack dev`;
      assert.deepEqual([half.code, half.end], [1, ["`pulumi up` of dev ended with exit code 1.", red]], half.stdout);
      const rest = await run(promoteCommand, "--up", "--yes");
      assert.deepEqual([rest.code, rest.last], [0, Every], rest.stdout);
      has({ "agent_front@13": 99, "agent_front@14": 1 });
      sent();

      // Version 13 is the bad one. Nobody is there to say yes to `pulumi up`: it is written, and red. A text of JSON becomes a map again.
      stack.setConfig({ "agent-platform:rollouts": JSON.stringify(rollout(13, 14, 1)["agent-platform:rollouts"]) });
      const asked = await run(abortCommand, "--to", "agent_front@12", "--up");
      assert.equal(asked.code, 1);
      assert.match(asked.stdout, /^Pulumi writes all rollouts .* because front cannot be edited in place there\.$/m);
      assert.match(readFileSync(stack.project.configFile, "utf8"), /front"?:\s+\{?"?aborted"?:/);
      assert.match(asked.last ?? "", /^Not every number of front in dev has it: .*agent_front@14 1 %/);
      sentNothing();
      platform.inject({ kind: "status", status: 422, number: BAD, times: 1 });
      const back = await run(abortCommand, "--up", "--yes", "--json");
      const { isApplied, outcome, text } = JSON.parse(back.stdout);
      assert.deepEqual([back.code, isApplied, outcome], [1, false, "nothing to abort"]);
      assert.ok(text.endsWith(red), text);
      assert.deepEqual(sent().length, ALL.length);
      const again = await run(abortCommand, "--up", "--yes");
      assert.deepEqual([again.code, again.last], [0, Every], again.stdout);
      has({ "agent_front@12": 100 });

      const nothing = await run(abortCommand, "--up", "--yes");
      assert.equal(nothing.code, 3);
      sent();
      await stack.up();
      sentNothing();
    }));

  it("says that the Pulumi CLI is missing, after it has written", () =>
    withPlatformStack({ program, config: rollout(12, 13, 10) }, async ({ stack }) => {
      const argv = ["front", "--stack", "dev", "--config-file", stack.project.configFile, "--up"];
      const printed = await runWith(abortCommand.run, argv, { cwd: stack.project.directory, env: { PATH: "/none" } });
      assert.equal(printed.code, 1);
      assert.match(
        printed.stdout,
        /^Written to .*\n\n`pulumi up` of dev did not start\. The Pulumi CLI is not on PATH/m,
      );
    }));
});
