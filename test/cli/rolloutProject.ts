import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fakeCli } from "../support/engineFakes";
import { type Entry, group, platform, type RecordedStack, type Run, type Written, withRecorded } from "./recorded";
import type { World } from "./terminal";

/**
 * A project whose stacks have rollouts, and a fake Pulumi CLI that exports the stacks' states, and reads and writes
 * their configs.
 */

export const NOW = "2026-11-23T09:02:00.000Z";
const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };

export const front = (percent: number, more: object = {}) => ({
  stable: "agent_front@12",
  candidate: "agent_front@13",
  percent,
  ...more,
});

/** Returns the rollout `front` as it appears in the config after an abort at this percentage and time. */
export const aborted = (percent: number, at: string = NOW) => ({
  ...front(0),
  aborted: { agent: "agent_front@13", percent, at },
});

export const saved = (percent: number, more: Record<string, unknown> = {}) => ({
  rollout: { name: "front", ...front(percent) },
  since: "2026-11-20T14:02:31.123Z",
  ...more,
});

export const support = (percent: number, more: Record<string, unknown> = {}): Entry =>
  group("support", "+15550000001\tLondon\n+15550000002\n", saved(percent, more));

/**
 * The state after `pulumi up`. With "fails", the command fails. With "unreadable", it succeeds, but the state can't be
 * read afterwards.
 */
export type AfterUp = Written | "fails" | "unreadable";

/** A stack for the fake CLI. Without a state, the CLI reports that the stack doesn't exist. */
export interface StackGiven {
  readonly rollouts?: object;
  /** The config without the rollouts. A setting that is null is a secret. @default the steps 1, 10, 50 and 100 */
  readonly config?: Readonly<Record<string, string | null>>;
  readonly state?: Written | null;
  readonly runs?: readonly Run[];
  readonly afterUp?: AfterUp;
}

/** Returns a stack in which the rollout `front` is at this percentage, both in the config and in the state. */
export const stack = (percent: number, more: Record<string, unknown> = {}): StackGiven => ({
  rollouts: { front: front(percent) },
  state: { entries: [support(percent, more)] },
});

export interface RolloutProject {
  readonly folder: string;
  readonly world: World;
  /** Returns the rollouts that are now in a stack's config. */
  rollouts(stack: string): Record<string, unknown>;
  /** Returns the assignments in each `config set-all` command for a stack, with one string for each command. */
  sets(stack: string): string[];
}

/** Runs a test in a project with these stacks, and resolves with the test's result. */
export function withRollouts<Result>(
  stacks: Readonly<Record<string, StackGiven>>,
  test: (project: RolloutProject) => Promise<Result>,
): Promise<Result> {
  const recorded = Object.entries(stacks).map(([name, { rollouts, config = STEPS, state = null, runs = [] }]) => {
    const fullConfig = { ...config, ...(rollouts && { "agent-platform:rollouts": JSON.stringify(rollouts) }) };
    return [name, { config: fullConfig, state, runs } satisfies RecordedStack];
  });
  const [after] = Object.values(stacks).flatMap(({ afterUp }) => afterUp ?? []);
  const allStacks = { ...Object.fromEntries(recorded), ...(typeof after === "object" && { after: { state: after } }) };
  return withRecorded(allStacks, (world) => {
    if (after !== undefined) {
      insteadOfUp(world.cwd, typeof after === "object" ? `${TAKES_AFTER}; exit` : FAILED_UPS[after]);
    }

    const read = (name: string) => {
      const path = join(world.cwd, "..", name);
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    };
    return test({
      folder: world.cwd,
      world: { ...world, env: { ...world.env, AGENT_PLATFORM_BASE_URL: platform }, now: () => new Date(NOW) },
      rollouts: (name) => JSON.parse(JSON.parse(read(`${name}.config.json`))["agent-platform:rollouts"]?.value ?? "{}"),
      sets: (name) => read(`${name}.sets`).split("\n").slice(0, -1),
    });
  });
}

/**
 * Makes the project's fake CLI run a line of shell code before each command. The line runs in the project's folder, and
 * the stacks' configs and states are in `..`.
 */
export function beforeCli(folder: string, line: string): void {
  const bin = join(folder, "..", "bin");
  renameSync(join(bin, "pulumi"), join(bin, "real"));
  fakeCli(bin, `${line}\nexec ${bin}/real "$@"`);
}

/** Makes the project's fake CLI run a line of shell code in place of `pulumi up`. */
export const insteadOfUp = (folder: string, line: string): void =>
  beforeCli(folder, `if [ "$1" = up ]; then ${line}; fi`);

const FAILED_UPS = { fails: "exit 255", unreadable: "rm ../prod.export.json; exit" };

/** A line for `insteadOfUp` that replaces the state of the stack `prod` with the state of the stack `after`. */
export const TAKES_AFTER = "sed s/:after:/:prod:/g ../after.export.json > ../prod.export.json";
