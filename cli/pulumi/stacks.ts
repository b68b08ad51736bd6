import { UsageError } from "../errors";
import type { Io } from "../io";
import { tryPulumi } from "./cli";
import { readConfig } from "./config";
import { readLastRun } from "./history";
import { readState, type StackState } from "./state";
import type { Target } from "./target";

/** Finds and reads the stacks that a command works on. */

export const STACKS_OPTION = {
  stack: { type: "string", multiple: true, value: "<name>", help: "a stack; default the selected one" },
} as const;

/** Returns the stacks that `--stack` names. Without that option, returns the stack that is selected in Pulumi. */
export async function stacksOf(named: readonly string[] | undefined, io: Io): Promise<string[]> {
  // Refuse an empty name, which may come from an unset variable in a pipeline. Pulumi would use the selected stack
  // instead, which may be the wrong one.
  if (named?.includes("")) {
    throw new UsageError("--stack is empty. Name the stack: --stack <name>.");
  }
  if (named !== undefined) {
    return [...new Set(named)];
  }
  const { stdout, failed = "it names none" } = await tryPulumi(["stack", "--show-name"], io);
  const selected = stdout.trim();
  if (selected === "") {
    throw new UsageError(`Name the stack: --stack <name>. Pulumi does not say which one is selected: ${failed}`);
  }
  return [selected];
}

export async function stackOf(named: string | undefined, io: Io): Promise<string> {
  const [stack = ""] = await stacksOf(named === undefined ? undefined : [named], io);
  return stack;
}

/**
 * Returns the project of these stacks. Throws if they belong to several projects.
 * @param advice the end of the error message, which says what to do
 */
export function onlyProject(projects: readonly (string | undefined)[], advice: string): string | undefined {
  const names = [...new Set(projects.flatMap((project) => project || []))];
  if (names.length > 1) {
    throw new UsageError(`These stacks belong to ${names.length} projects: ${names.join(", ")}. ${advice}`);
  }
  return names[0];
}

/** A stack's state, config and last run. */
export type KnownStack = Awaited<ReturnType<typeof readStack>>;

async function readStack(target: Target, io: Io) {
  // Read the state first, so that a missing stack always leads to the same error.
  return withConfigAndLastRun(await readState(target, io), io);
}

/** Adds the config and the last run to a state that has already been read. */
export async function withConfigAndLastRun(state: StackState, io: Io) {
  const { target } = state;
  const [config, lastRun] = await Promise.all([readConfig(target, io), readLastRun(target.stack, io)]);
  return { state, config, lastRun, env: io.env };
}

export const readStacks = async (named: readonly string[] | undefined, io: Io): Promise<KnownStack[]> =>
  Promise.all((await stacksOf(named, io)).map((stack) => readStack({ stack }, io)));
