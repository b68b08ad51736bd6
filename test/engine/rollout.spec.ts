import assert from "node:assert/strict";
import { abortCommand } from "../../cli/commands/abort";
import { promoteCommand } from "../../cli/commands/promote";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { runWith } from "../cli/terminal";
import { environment } from "../support/engine";
import { diffBlock, type PlatformStack, put, withPlatformStack } from "../support/platformStack";

/** A rollout that resources name: its diff, and `--up`. The platform's own store says who has what. */

const NUMBERS = ["+15550000001", "+15550000002", "+15550000003"];
const [, BAD = ""] = NUMBERS;
const DESK = "4001";
const ALL = [...NUMBERS, DESK];

const program = `
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  new NumberGroup("support", { numbers: ${JSON.stringify(NUMBERS)}, rollout: "front" });
  new NumberAssignment("desk", { number: "${DESK}", rollout: "front" });
  new NumberAssignment("night", { number: "4002", rollout: "night" });`;

const at = (percent: number) => ({ stable: "agent_front@12", candidate: "agent_front@13", percent });
const configOf = (front: object) => ({
  "agent-platform:rollouts": { front, night: { stable: "agent_night@4" } },
  "agent-platform:steps": "[2.5, 10, 50, 100]",
});

type Command = typeof abortCommand;

/** A command of the package in the project of this stack, and the last paragraph that it prints. */
async function commands({ stack }: PlatformStack) {
  const { directory } = await findOrInstallEngine();
  return async (command: Command, token: string) => {
    const env = environment(directory, stack.project, { AGENT_PLATFORM_ACCESS_TOKEN: token });
    const options = ["front", "--stack", "dev", "--config-file", stack.project.configFile, "--up", "--yes"];
    const printed = await runWith(command.run, options, { cwd: stack.project.directory, env });
    const end = printed.stdout.slice(printed.stdout.lastIndexOf("\n\n") + 2).trimEnd();
    return { ...printed, end: end.split("\n") };
  };
}

const has = ({ platform }: PlatformStack, split: object) =>
  assert.deepEqual(
    ALL.map((number) => platform.routing(number)?.inboundAgents),
    ALL.map(() => split),
  );
const every = (split: string) => `Every number of front in dev has ${split}.`;
const HALF = { "agent_front@12": 90, "agent_front@13": 10 };

describe("a rollout through the real engine", () => {
  it("is one line of a diff, and `--up` is red until every number has it", () =>
    withPlatformStack({ program, config: configOf(at(2.5)) }, async (both) => {
      await isOneLine(both);
      await promotes(both);
      await aborts(both);
    }));
});

async function isOneLine({ stack, sent, sentNothing }: PlatformStack) {
  await stack.up();
  const rolloutOf = (name: string) => stack.resources().find((one) => one.name === name)?.outputs?.rollout;
  const saved = { name: "front", ...at(2.5) };
  assert.deepEqual([rolloutOf("support"), rolloutOf("desk")], [saved, saved]);
  assert.equal(sent().length, ALL.length + 1);

  // What promote alone reads is in no diff.
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
}

/** One number fails: the others have the step, and the same command applies what is left. */
async function promotes(both: PlatformStack) {
  const { platform, sent } = both;
  const run = await commands(both);
  platform.inject({ kind: "status", status: 422, number: BAD, times: 1 });
  const half = await run(promoteCommand, platform.token);
  const red = `Not every number of front in dev has agent_front@12 90 %, agent_front@13 10 %: 1 of 3 numbers of NumberGroup "support" has agent_front@12 97.5 %, agent_front@13 2.5 %: ${BAD}.`;
  assert.deepEqual(
    [half.code, half.end.slice(0, 2)],
    [1, ["`pulumi up` of dev ended with exit code 1.", red]],
    half.stdout,
  );
  assert.match(half.stdout, /^AGP-044 dev: NumberGroup "support": not applied/m);
  sent();
  const rest = await run(promoteCommand, platform.token);
  assert.deepEqual([rest.code, rest.end.at(-1)], [0, every("agent_front@12 90 %, agent_front@13 10 %")], rest.stdout);
  assert.deepEqual(
    sent().map(([target]) => target),
    [put(BAD)],
  );
  has(both, HALF);
}

/** With a token that is not valid nothing arrives. Callers have what they had, and the token is named. */
async function aborts(both: PlatformStack) {
  const { platform, sent, sentNothing, stack } = both;
  const run = await commands(both);
  const refused = await run(abortCommand, "expired-token-1");
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /NumberGroup "support" has agent_front@12 90 %, agent_front@13 10 %/);
  assert.match(refused.end.join("\n"), /401[\s\S]*token/);
  has(both, HALF);
  sent();
  const back = await run(abortCommand, platform.token);
  assert.deepEqual([back.code, back.end.at(-1)], [0, every("agent_front@12 100 %")], back.stdout);
  assert.deepEqual(
    sent()
      .map(([target]) => target)
      .sort(),
    ALL.map(put).sort(),
  );
  has(both, { "agent_front@12": 100 });
  assert.equal((await run(abortCommand, platform.token)).code, 3);
  await stack.up();
  sentNothing();

  stack.setConfig({ "agent-platform:rollouts": { secret: JSON.stringify({ front: at(10) }) } });
  const { output } = await stack.preview({ expectFailure: true });
  assert.match(output, /AGP-015 agent-platform:rollouts is secret, so a reviewer could not see it\./);
}
