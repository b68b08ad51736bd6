import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "../../provider/base/json";
import { printable } from "../../provider/base/text";
import { UsageError } from "../errors";
import { parentsOf } from "../files";
import type { Io } from "../io";

export const PULUMI_MISSING =
  "The Pulumi CLI is not on PATH: install 3.276 or newer, as https://www.pulumi.com/docs/install/ says";

/** Runs the Pulumi CLI on PATH and returns its output. If it fails, throws an error with the CLI's own message. */
export async function runPulumi(args: readonly string[], io: Io): Promise<string> {
  const { stdout, failed } = await tryPulumi(args, io);
  if (failed === undefined) {
    return stdout;
  }
  const hint = /no stack named/.test(failed) ? await stacksText(io) : invalidFileText(failed, args);
  throw new UsageError(`\`pulumi ${args.slice(0, 2).join(" ")}\` failed: ${printable(failed)}${hint}`);
}

/**
 * Like runPulumi, but returns the CLI's error message as `failed`. Still rejects if the CLI isn't installed or fails
 * outside a Pulumi project.
 */
export async function tryPulumi(args: readonly string[], io: Io): Promise<{ stdout: string; failed?: string }> {
  const env = { ...io.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const options = { cwd: io.cwd, env, maxBuffer: 1024 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile("pulumi", [...args, "--non-interactive", "--color", "never"], options, (error, stdout, stderr) => {
      if (error?.code === "ENOENT") {
        return reject(new UsageError(`${PULUMI_MISSING}.`));
      }
      if (error !== null && !parentsOf(io.cwd).some(projectFileIn)) {
        return reject(
          new UsageError(
            "There is no Pulumi.yaml in this folder or above it. Run the command in the program's folder.",
          ),
        );
      }
      const failed = error === null ? {} : { failed: stderr.trim().split("\n").at(-1) || error.message };
      resolve({ stdout, ...failed });
    });
  });
}

/** Says where to look if a config file isn't valid YAML, because the CLI's own message doesn't name the file. */
function invalidFileText(failed: string, args: readonly string[]): string {
  const stack = args[args.indexOf("--stack") + 1]?.split("/").at(-1);
  return /invalid YAML/.test(failed)
    ? `. Correct ${printable(`Pulumi.${stack}.yaml`)} or Pulumi.yaml. To find conflict markers that a merge left there, run \`git diff --check\``
    : "";
}

/** Lists the existing stacks, for a user who named a stack that doesn't exist. */
async function stacksText(io: Io): Promise<string> {
  const names = await stackNames(io);
  return names.length === 0 ? "" : `. The stacks of this project: ${printable(names.join(", "))}`;
}

/** Returns the names of the project's stacks. Empty if Pulumi can't list them. */
export async function stackNames(io: Io): Promise<string[]> {
  const { stdout } = await tryPulumi(["stack", "ls", "--json"], io);
  const stacks = parseJson(stdout);
  return Array.isArray(stacks) ? stacks.flatMap((stack) => (isObject(stack) ? String(stack.name) : [])) : [];
}

// --- the project

/**
 * Returns the project file in this folder. The possible file names are tried in the order in which Pulumi looks for
 * them.
 */
export const projectFileIn = (folder: string): string | undefined =>
  ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"].map((name) => join(folder, name)).find(existsSync);
