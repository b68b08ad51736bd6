import assert from "node:assert/strict";
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
  it("promotes and returns in one command, and is red until every number has it", () =>
    withPlatformStack({ program, config: rollout(12) }, async ({ stack, platform, sent, sentNothing }) => {
      const engine = await findOrInstallEngine();
      const envWith = (token: string) =>
        environment(engine.directory, stack.project, { AGENT_PLATFORM_ACCESS_TOKEN: token });
      let env = envWith(platform.token);
      const run = async (command: typeof abortCommand, ...argv: string[]) => {
        const options = ["front", "--stack", "dev", "--config-file", stack.project.configFile, ...argv];
        const printed = await runWith(command.run, options, { cwd: stack.project.directory, env });
        const end = printed.stdout
          .slice(printed.stdout.lastIndexOf("\n\n") + 2)
          .trimEnd()
          .split("\n");
        return { ...printed, end };
      };
      const has = (split: object) =>
        assert.deepEqual(
          ALL.map((number) => platform.routing(number)?.inboundAgents),
          ALL.map(() => split),
        );
      const every = (split: string) => `Every number of front in dev has ${split}.`;

      await stack.up();
      stack.setConfig({ "agent-platform:steps": "[100]" });
      const up = await run(promoteCommand, "--to", "agent_front@13", "--up", "--yes");
      assert.deepEqual([up.code, up.end.at(-1)], [0, every("agent_front@13 100 %")], up.stdout + up.stderr);
      has({ "agent_front@13": 100 });
      stack.setConfig({ ...rollout(13, 14, 0), "agent-platform:steps": "[2.5, 10, 100]" });
      await stack.up();
      sent();

      // One number fails: the others have the step, and the same command applies what is left.
      platform.inject({ kind: "status", status: 422, number: BAD, times: 1 });
      const half = await run(promoteCommand, "--up", "--yes");
      const red = `Not every number of front in dev has agent_front@13 97.5 %, agent_front@14 2.5 %: 1 of 3 numbers of NumberGroup "support" has agent_front@13 100 %: ${BAD}.`;
      assert.deepEqual(
        [half.code, half.end.slice(0, 2)],
        [1, ["`pulumi up` of dev ended with exit code 1.", red]],
        half.stdout,
      );
      assert.match(half.stdout, /^AGP-044 dev: NumberGroup "support": not applied/m);
      const rest = await run(promoteCommand, "--up", "--yes");
      assert.deepEqual(
        [rest.code, rest.end.at(-1)],
        [0, every("agent_front@13 97.5 %, agent_front@14 2.5 %")],
        rest.stdout,
      );
      has({ "agent_front@13": 97.5, "agent_front@14": 2.5 });
      sent();

      // With a token that is not valid nothing arrives. Callers have what they had, and the token is named.
      env = envWith("expired-token-1");
      const refused = await run(abortCommand, "--up", "--yes");
      assert.equal(refused.code, 1);
      assert.match(refused.stdout, /NumberGroup "support" has agent_front@13 97\.5 %, agent_front@14 2\.5 %/);
      assert.match(refused.end.join("\n"), /401[\s\S]*token/);
      has({ "agent_front@13": 97.5, "agent_front@14": 2.5 });
      env = envWith(platform.token);
      platform.inject({ kind: "status", status: 422, number: BAD, times: 1 });
      sent();
      const back = await run(abortCommand, "--up", "--yes", "--json");
      const { isApplied, outcome, text } = JSON.parse(back.stdout);
      assert.deepEqual([back.code, isApplied, outcome], [1, false, "written before"]);
      const lag = `1 of 3 numbers of NumberGroup "support" has agent_front@13 97.5 %, agent_front@14 2.5 %: ${BAD}.`;
      assert.ok(text.includes(`\nNot every number of front in dev has agent_front@13 100 %: ${lag}\n`), text);
      assert.deepEqual(sent().length, ALL.length);
      const again = await run(abortCommand, "--up", "--yes");
      assert.deepEqual([again.code, again.end.at(-1)], [0, every("agent_front@13 100 %")], again.stdout);
      has({ "agent_front@13": 100 });

      const nothing = await run(abortCommand, "--up", "--yes");
      assert.equal(nothing.code, 3);
      sent();
      await stack.up();
      sentNothing();
    }));
});
