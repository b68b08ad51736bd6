import { execFile } from "node:child_process";
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { isObject } from "../../provider/core/common/equality";
import { parseJson } from "../../provider/core/common/json";
import { printable } from "../../provider/core/common/redact";
import type { Environment } from "../../provider/core/config/settings";
import { UsageError } from "../errors";
import type { Io } from "../io";

/** The Pulumi CLI that a command reads a stack with. */
export interface PulumiCli {
  readonly path: string;
  readonly how: "on PATH" | "in Pulumi's own folder";
}

/** The CLI on PATH. If there is none, that in the folder `bin` of PULUMI_HOME, or the newest in its folder `versions`. */
export function findPulumi(env: Environment): PulumiCli | undefined {
  const onPath = (env.PATH ?? "").split(delimiter).filter(Boolean);
  const cliIn = (folders: readonly string[], how: PulumiCli["how"]) => {
    const path = folders.map(executableIn).find(isExecutable);
    return path === undefined ? undefined : { path, how };
  };
  return cliIn(onPath, "on PATH") ?? cliIn(ownFolders(env), "in Pulumi's own folder");
}

export const pulumiHome = (env: Environment): string => env.PULUMI_HOME || join(env.HOME || homedir(), ".pulumi");

function ownFolders(env: Environment): string[] {
  const versions = join(pulumiHome(env), "versions");
  return [join(pulumiHome(env), "bin"), ...namesIn(versions).map((version) => join(versions, version, "bin"))];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  } catch {
    return [];
  }
}

const executableIn = (folder: string): string => join(folder, process.platform === "win32" ? "pulumi.exe" : "pulumi");

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** What the CLI prints for these arguments; if it fails, an error with the CLI's own words. */
export async function runPulumi(cli: PulumiCli, args: readonly string[], io: Io): Promise<string> {
  const { stdout, failed } = await run(cli, args, io);
  if (failed === undefined) {
    return stdout;
  }
  const known = /no stack named/.test(failed) ? await stacksText(cli, io) : "";
  throw new UsageError(`\`pulumi ${args.slice(0, 2).join(" ")}\` failed: ${printable(failed)}${known}`);
}

function run({ path }: PulumiCli, args: readonly string[], io: Io) {
  const env = { ...io.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const options = { cwd: io.cwd, env, maxBuffer: 1024 * 1024 * 1024 };
  return new Promise<{ stdout: string; failed?: string }>((resolve) => {
    execFile(path, [...args, "--non-interactive", "--color", "never"], options, (error, stdout, stderr) => {
      const failed = error === null ? {} : { failed: stderr.trim().split("\n").at(-1) || error.message };
      resolve({ stdout, ...failed });
    });
  });
}

/** The stacks that there are, for whoever has named another one. */
async function stacksText(cli: PulumiCli, io: Io): Promise<string> {
  const { stdout } = await run(cli, ["stack", "ls", "--json"], io);
  const all = parseJson(stdout);
  const names = Array.isArray(all) ? all.flatMap((one) => (isObject(one) ? String(one.name) : [])) : [];
  return names.length === 0 ? "" : `. The stacks of this project: ${printable(names.join(", "))}`;
}

/** The versions that `isSupportedPulumi` accepts, in words. */
export const SUPPORTED_PULUMI = "3.200.0 or newer, below 4";
export const INSTALL_PULUMI = `install ${SUPPORTED_PULUMI}, as https://www.pulumi.com/docs/install/ says`;

/** Throws if there is no Pulumi CLI. @param user what needs it @param instead what the operator may do without it */
export function requirePulumi(env: Environment, user: string, instead = ""): PulumiCli {
  const cli = findPulumi(env);
  if (cli === undefined) {
    throw new UsageError(
      `${user} needs the Pulumi CLI, which is neither on PATH nor in Pulumi's own folder: ${INSTALL_PULUMI}${instead}.`,
    );
  }
  return cli;
}

/** The versions that the package works with: its peer range of the SDK, and the CLI of the same release. */
export function isSupportedPulumi(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(version.trim()) ?? [];
  return Number(major) === 3 && Number(minor) >= 200;
}

/** The environment without settings of Pulumi and of this package, for a stack that must not use those of a real one. */
export const withoutSettings = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || /^(PULUMI_|AGENT_PLATFORM_)/.test(name) ? [] : [[name, value]],
    ),
  );
