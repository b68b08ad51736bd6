import { join } from "node:path";
import { fakeCli } from "../support/engineFakes";
import { exported, type Written, withFiles } from "./exports";
import type { World } from "./terminal";

/** Stacks with a state, a config and a history, and a Pulumi CLI that prints them. The real engine's own form is tested beside it. */

export interface Run {
  readonly kind?: string;
  readonly at: string;
  readonly message?: string;
  readonly who?: string;
  readonly result?: string;
  /** The value of agent-platform:rollouts. */
  readonly rollouts?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A run as `pulumi stack history --json` prints it. */
const recordOf = ({ kind = "update", at, message = "", who = "Ada", result = "succeeded", ...more }: Run) => ({
  version: 0,
  kind,
  startTime: at,
  message,
  environment: {
    "exec.kind": "cli",
    "git.author": who,
    "git.head": "6007e12a1b2c3d4e5f60718293a4b5c6d7e8f901",
    "git.dirty": "false",
    "vcs.kind": "github.com",
    "vcs.owner": "acme",
    "vcs.repo": "phones",
    ...more.environment,
  },
  config: {
    "agent-platform:accessToken": { secret: true },
    ...(more.rollouts !== undefined && {
      "agent-platform:rollouts": {
        value: JSON.stringify(more.rollouts),
        objectValue: more.rollouts,
        secret: false,
      },
    }),
  },
  // A run that is not finished has no end.
  ...(result !== "in-progress" && { endTime: at, resourceChanges: { same: 1 } }),
  result,
});

export interface RecordedStack {
  /** Null: the CLI knows no such stack. */
  readonly state?: Written | null;
  readonly runs?: readonly Run[];
  readonly config?: Readonly<Record<string, string>>;
  readonly yaml?: string | Uint8Array;
}

const NOW = "2026-11-23T09:20:00Z";

/**
 * @param test gets the world in which the CLI prints these stacks, in a project `phones`
 * @param project the text of its file
 */
export function withRecorded<Result>(
  stacks: Readonly<Record<string, RecordedStack>>,
  test: (world: World & { readonly cwd: string }) => Promise<Result>,
  project = "name: phones\nruntime: nodejs\n",
): Promise<Result> {
  const files = Object.entries(stacks).flatMap(([name, { state = {}, runs = [], config = {}, yaml }]) => [
    ...(state === null ? [] : [[`${name}.export.json`, exported({ stack: name, ...state })]]),
    // Pulumi prints the newest run first.
    [`${name}.history.json`, JSON.stringify(runs.map(recordOf).reverse())],
    [
      `${name}.config.json`,
      JSON.stringify(Object.fromEntries(Object.entries(config).map(([key, value]) => [key, { value, secret: false }]))),
    ],
    ...(yaml === undefined ? [] : [[`phones/Pulumi.${name}.yaml`, yaml]]),
  ]);
  return withFiles({ "phones/Pulumi.yaml": project, ...Object.fromEntries(files) }, (root) => {
    // `stack export --stack <name>`, `stack history … --stack <name>` and `config --json --stack <name>`.
    fakeCli(
      join(root, "bin"),
      `what=$2; [ "$1" = config ] && what=config
for word; do [ "$last" = --stack ] && stack=$word; last=$word; done
cat "${root}/$stack.$what.json" 2> /dev/null || { echo "error: no stack named '$stack' found" >&2; exit 255; }`,
    );
    const env = { PATH: `${join(root, "bin")}:${process.env.PATH}`, HOME: root };
    return test({ cwd: join(root, "phones"), env, now: () => new Date(NOW) });
  });
}
