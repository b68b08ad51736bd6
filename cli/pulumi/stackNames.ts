import { existsSync, readdirSync } from "node:fs";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { runPulumi } from "./cli";
import { readProject } from "./projectFile";

/** Which stacks a command looks at: those that are named, or all of the project. */

export const ALL_STACKS = {
  "all-stacks": { type: "boolean", help: "every stack of the project that has a file Pulumi.<stack>.yaml" },
} as const;

export const STACKS_OPTIONS = {
  stack: { type: "string", multiple: true, value: "<name>", help: "a stack; repeatable" },
  ...ALL_STACKS,
} as const;

interface Named {
  readonly stack?: readonly string[] | undefined;
  readonly "all-stacks"?: boolean | undefined;
}

/** The stack of a command that is about one: the one that is named, or else the one that Pulumi has selected. */
export async function stackOf({ stack }: { readonly stack?: string | undefined }, io: Io): Promise<string> {
  const found = stack ?? (await runPulumi(["stack", "--show-name"], io).catch(() => "")).trim();
  if (found === "") {
    throw new UsageError("Name the stack: --stack <name>. None is selected here.");
  }
  return found;
}

/** Each stack once. The config files name the stacks of a project, because they are what a team reviews. */
export function stacksNamed({ stack = [], "all-stacks": isAll = false }: Named, io: Io): string[] {
  if (isAll && stack.length > 0) {
    throw new UsageError("Give --stack or --all-stacks, not both.");
  }
  return isAll ? allStacks(io) : [...new Set(stack)];
}

function allStacks(io: Io): string[] {
  const { configFolder, ending } = readProject(io);
  const files = existsSync(configFolder) ? readdirSync(configFolder) : [];
  const names = files.flatMap((file) => (file.endsWith(ending) ? (/^Pulumi\.(.+)\.\w+$/.exec(file)?.[1] ?? []) : []));
  if (names.length === 0) {
    throw new UsageError(
      `--all-stacks finds no file Pulumi.<stack>${ending} in this project. Name the stacks: --stack <name>.`,
    );
  }
  return names.sort();
}
