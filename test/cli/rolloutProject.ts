import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fakeCli } from "../support/engineFakes";
import { type Entry, group, platform, type RecordedStack, type Run, type Written, withRecorded } from "./recorded";
import type { World } from "./terminal";

/** A project with the rollouts of stacks, and a Pulumi CLI that exports the states that a test gives it, and reads and writes the configs. */

export const NOW = "2026-11-23T09:02:00.000Z";
const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };

export const front = (percent: number, more: object = {}) => ({
  stable: "agent_front@12",
  candidate: "agent_front@13",
  percent,
  ...more,
});

/** The same after an abort at this time. */
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

/** The state that `pulumi up` leaves. */
export type AfterUp = Written | "fails" | "unreadable";

/** Without a state the CLI knows no such stack. */
export interface StackGiven {
  readonly rollouts?: object;
  /** The config beside the rollouts; null is a secret. @default the steps */
  readonly config?: Readonly<Record<string, string | null>>;
  readonly state?: Written | null;
  readonly runs?: readonly Run[];
  readonly afterUp?: AfterUp;
}

/** A stack whose config and state have this percentage. */
export const stack = (percent: number, more: Record<string, unknown> = {}): StackGiven => ({
  rollouts: { front: front(percent) },
  state: { entries: [support(percent, more)] },
});

export interface RolloutProject {
  readonly folder: string;
  readonly world: World;
  /** What the config of a stack has by now. */
  rollouts(stack: string): Record<string, unknown>;
  /** What each `config set-all` of a stack was given. */
  sets(stack: string): string[];
}

/** Resolves with what the test returns. */
export function withRollouts<Result>(
  stacks: Readonly<Record<string, StackGiven>>,
  test: (project: RolloutProject) => Promise<Result>,
): Promise<Result> {
  const recorded = Object.entries(stacks).map(([name, { rollouts, config = STEPS, state = null, runs = [] }]) => {
    const all = { ...config, ...(rollouts && { "agent-platform:rollouts": JSON.stringify(rollouts) }) };
    return [name, { config: all, state, runs } satisfies RecordedStack];
  });
  const [after] = Object.values(stacks).flatMap(({ afterUp }) => afterUp ?? []);
  const all = { ...Object.fromEntries(recorded), ...(typeof after === "object" && { after: { state: after } }) };
  return withRecorded(all, (world) => {
    if (after !== undefined) {
      insteadOfUp(world.cwd, typeof after === "object" ? `${TAKES_AFTER}; exit` : UPS[after]);
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

/** Puts a line of the shell before what the CLI of a project does. It runs in the project; above that are the config and the state of each stack. */
export function beforeCli(folder: string, line: string): void {
  const bin = join(folder, "..", "bin");
  renameSync(join(bin, "pulumi"), join(bin, "real"));
  fakeCli(bin, `${line}\nexec ${bin}/real "$@"`);
}

/** Runs this line of the shell in place of `pulumi up`. */
export const insteadOfUp = (folder: string, line: string): void =>
  beforeCli(folder, `if [ "$1" = up ]; then ${line}; fi`);

const UPS = { fails: "exit 255", unreadable: "rm ../prod.export.json; exit" };

/** For that line: the state of prod becomes that of the stack `after`. */
export const TAKES_AFTER = "sed s/:after:/:prod:/ ../after.export.json > ../prod.export.json";
