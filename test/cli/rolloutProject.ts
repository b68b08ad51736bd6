import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type Entry, group, type RecordedStack, type Written, withRecorded } from "./recorded";
import type { World } from "./terminal";

/** A project with the config files of stacks, and a Pulumi CLI that exports the states that a test gives it. */

export const NOW = "2026-11-23T09:02:00.000Z";
const STEPS = "[1, 10, 50, 100]";

/** A stack's config file as a team keeps it: with comments, blank lines and quotes of its own. */
export const stackYaml = (
  rollout: string,
  others = "",
): string => `# The numbers of support. Ask the team "voice" before you edit.
config:
  agent-platform:baseUrl: 'https://platform.example' # production

  agent-platform:rollouts:
    front:
${rollout}
${others}  agent-platform:steps: '${STEPS}'
  phones:reassert: "0" # a text
`;

export const at = (percent: number): string =>
  `      stable: agent_front@12 # in use since October\n      candidate: "agent_front@13"\n      percent: ${percent} # promote edits this`;

/** The same after an abort at this time. */
export const aborted = (percent: number, time: string = NOW): string =>
  `      stable: agent_front@12 # in use since October\n      aborted: { agent: agent_front@13, percent: ${percent}, at: "${time}" }`;

export const saved = (percent: number, more: Record<string, unknown> = {}) => ({
  rollout: { name: "front", stable: "agent_front@12", candidate: "agent_front@13", percent },
  since: "2026-11-20T14:02:31.123Z",
  ...more,
});

export const support = (percent: number, more: Record<string, unknown> = {}): Entry =>
  group("support", "+15550000001\tLondon\n+15550000002\n", saved(percent, more));

/** A stack whose file and state have this percentage, with gates beside the rollout. */
export const staged = (percent: number, gates: string, more: Record<string, unknown> = {}): StackFiles => ({
  yaml: stackYaml(`${at(percent)}\n      promote: ${gates}`),
  state: { entries: [support(percent, more)] },
});

/** The same without gates. */
export const stack = (percent: number, more: Record<string, unknown> = {}): StackFiles => ({
  ...staged(percent, "", more),
  yaml: stackYaml(at(percent)),
});

/** Without a state the CLI knows no such stack. Without a config it says what the file of every test says. */
export type StackFiles = Pick<RecordedStack, "yaml" | "config" | "runs"> & { readonly state?: Written };

export interface RolloutProject {
  readonly folder: string;
  readonly world: World;
  read(file: string): string;
  files(): string[];
}

/** Resolves with what the test returns. */
export function withRollouts<Result>(
  stacks: Readonly<Record<string, StackFiles>>,
  test: (project: RolloutProject) => Promise<Result>,
): Promise<Result> {
  const recorded = Object.entries(stacks).map(([name, { state = null, ...stack }]) => {
    const rollouts = rolloutsOf(stack.yaml);
    const config = rollouts && { ...rollouts, ...(stack.config ?? { "agent-platform:steps": STEPS }) };
    return [name, { ...stack, config, state }];
  });
  return withRecorded(Object.fromEntries(recorded), (world) =>
    test({
      folder: world.cwd,
      world: { ...world, now: () => new Date(NOW) },
      read: (file) => readFileSync(join(world.cwd, file), "utf8"),
      files: () => readdirSync(world.cwd).sort(),
    }),
  );
}

/** The rollouts of a stack's file, as Pulumi prints them; null if the file is no YAML. */
function rolloutsOf(yaml: RecordedStack["yaml"] = ""): Readonly<Record<string, string>> | null {
  const key = "agent-platform:rollouts";
  const [document] = parseAllDocuments(yaml.toString(), { merge: true });
  if ((document?.errors ?? []).length > 0) {
    return null;
  }
  const value: unknown = document?.toJS()?.config?.[key];
  return value ? { [key]: typeof value === "string" ? value : JSON.stringify(value) } : {};
}
