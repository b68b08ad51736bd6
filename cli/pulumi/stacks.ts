import { UsageError } from "../errors";
import type { Io } from "../io";
import { tryPulumi } from "./cli";
import { readConfig } from "./config";
import { readLastRun } from "./history";
import { readState, type StackState } from "./state";
import type { Target } from "./target";

/** The stacks that a command looks at. */

export const STACKS_OPTION = {
  stack: { type: "string", multiple: true, value: "<name>", help: "a stack; default the selected one" },
} as const;

/** Each stack that is named, or else the one that Pulumi has selected. */
export async function stacksOf(named: readonly string[] | undefined, io: Io): Promise<string[]> {
  // A pipeline may have forgotten to set a variable. Pulumi would take the selected stack then.
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

/** The project that all are of. @param advice what to do if there are several */
export function onlyProject(projects: readonly (string | undefined)[], advice: string): string | undefined {
  const names = [...new Set(projects.flatMap((project) => project || []))];
  if (names.length > 1) {
    throw new UsageError(`These stacks are of ${names.length} projects: ${names.join(", ")}. ${advice}`);
  }
  return names[0];
}

/** A stack's state, config and last run. */
export type KnownStack = Awaited<ReturnType<typeof readStack>>;

async function readStack(target: Target, io: Io) {
  // Read the state first. If the stack doesn't exist, this makes the error the same each time.
  return withConfigAndLastRun(await readState(target, io), io);
}

/** Adds the config and the last run to a state already read. */
export async function withConfigAndLastRun(state: StackState, io: Io) {
  const { target } = state;
  const [config, lastRun] = await Promise.all([readConfig(target, io), readLastRun(target.stack, io)]);
  return { state, config, lastRun, env: io.env };
}

export const readStacks = async (named: readonly string[] | undefined, io: Io): Promise<KnownStack[]> =>
  Promise.all((await stacksOf(named, io)).map((stack) => readStack({ stack }, io)));
