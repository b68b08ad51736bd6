import assert from "node:assert/strict";
import type { abortCommand } from "../../cli/commands/abort";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { runWith } from "../cli/terminal";
import { environment } from "../support/engine";
import type { PlatformStack } from "../support/platformStack";

/**
 * A rollout used by a NumberGroup and a NumberAssignment, with helpers to run rollout commands and check the result.
 */

/** The number whose requests the platform rejects in some tests. */
export const BAD = "+15550000002";
const NUMBERS = ["+15550000001", BAD, "+15550000003"];
const DESK = "4001";
export const ROLLOUT_NUMBERS = [...NUMBERS, DESK];

export const program = `
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  new NumberGroup("support", { numbers: ${JSON.stringify(NUMBERS)}, rollout: "front" });
  new NumberAssignment("desk", { number: "${DESK}", rollout: "front" });
  new NumberAssignment("night", { number: "4002", rollout: "night" });`;

export const at = (percent: number) => ({ stable: "agent_front@12", candidate: "agent_front@13", percent });
export const configOf = (front: object) => ({
  "agent-platform:rollouts": { front, night: { stable: "agent_night@4" } },
  "agent-platform:steps": "[2.5, 10, 50, 100]",
});

type Command = typeof abortCommand;

/**
 * Returns a function that runs one of this package's commands on the rollout. In its result, `end` is the last
 * paragraph of the output, split into lines.
 */
export async function commandRunner({ stack }: PlatformStack) {
  const { directory } = await findOrInstallEngine();
  return async (command: Command, token: string) => {
    const env = environment(directory, stack.project, { AGENT_PLATFORM_ACCESS_TOKEN: token });
    const options = ["front", "--stack", "dev", "--up", "--yes"];
    const printed = await runWith(command.run, options, { cwd: stack.project.directory, env });
    const end = printed.stdout.slice(printed.stdout.lastIndexOf("\n\n") + 2).trimEnd();
    return { ...printed, end: end.split("\n") };
  };
}

/** Asserts that each of the rollout's numbers has this split on the platform. */
export const assertSplit = ({ platform }: PlatformStack, split: object) =>
  assert.deepEqual(
    ROLLOUT_NUMBERS.map((number) => platform.routing(number)?.inboundAgents),
    ROLLOUT_NUMBERS.map(() => split),
  );
