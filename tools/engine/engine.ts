import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { Interrupted } from "./child";
import { buildWithGo, download } from "./downloadOrBuild";
import { engineVersion, executableOnPath, executables, hasCli, placeProviderScript } from "./executables";
import { install, type Make } from "./install";

export interface Engine {
  /** The folder that contains `pulumi`. */
  readonly directory: string;
  readonly version: string;
  readonly how: "on PATH" | "installed before" | "downloaded" | "built with Go";
}

/** The environment and functions that the search uses. Tests replace them. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
  readonly download: Make;
  readonly build: Make;
}

const thisMachine: Machine = {
  env: process.env,
  say: (line) => console.error(line),
  download,
  build: buildWithGo,
};

/**
 * Finds a CLI on PATH or in Pulumi's folder of versions. If there is none, downloads it into that folder. If the
 * download fails, builds it there with Go.
 */
export async function findOrInstallEngine(overrides: Partial<Machine> = {}): Promise<Engine> {
  const machine = { ...thisMachine, ...overrides };
  const home = machine.env.PULUMI_HOME || join(machine.env.HOME ?? "", ".pulumi");
  const versionFolder = join(home, "versions", engineVersion);
  const directory = join(versionFolder, "bin");
  const reasons: string[] = [];

  const onPath = await lookOnPath(machine.env);
  if (typeof onPath !== "string") {
    return onPath;
  }
  reasons.push(onPath);

  if (hasCli(directory)) {
    placeProviderScript(directory);
    return { directory, version: engineVersion, how: "installed before" };
  }
  reasons.push(`${directory} does not contain one`);

  for (const [make, how, failed] of [
    [machine.download, "downloaded", "the download failed"],
    [machine.build, "built with Go", "building it with Go failed"],
  ] as const) {
    try {
      const alreadyThere = (await install(versionFolder, make, machine.say)) === "was there";
      return { directory, version: engineVersion, how: alreadyThere ? "installed before" : how };
    } catch (error) {
      if (error instanceof Interrupted) {
        throw error;
      }
      reasons.push(`${failed} (${shorten(error)})`);
    }
  }
  throw new Error(
    `No usable Pulumi CLI: ${reasons.join(", ")}. Install Pulumi ${engineVersion} and put it on PATH, or allow access ` +
      "to Pulumi's downloads or (with Go installed) to a Go module proxy. Then run this again.",
  );
}

/**
 * Sets the process's exit code to the number that `work` resolves to. If `work` rejects, prints the error and sets the
 * exit code to 1.
 */
export function endWith(work: Promise<number>): void {
  work.then(
    (exitCode) => {
      process.exitCode = exitCode;
    },
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    },
  );
}

/** Removes Pulumi's and this package's variables, for a stack that must not use a real stack's settings. */
export const withoutSettings = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || /^(PULUMI_|AGENT_PLATFORM_)/.test(name) ? [] : [[name, value]],
    ),
  );

/** A PATH on which the CLI finds its own plugins before another CLI's. */
export function pathWith({ directory }: Engine, path: string | undefined): string {
  return [directory, ...(path ? [path] : [])].join(delimiter);
}

/** Whether the package supports this CLI version. The range is the same as that of its peer dependency on the SDK. */
export function isSupportedPulumi(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(version.trim()) ?? [];
  return Number(major) === 3 && Number(minor) >= 200;
}

/** Returns the reason as a string if the CLI on PATH can't be used. */
async function lookOnPath({ PATH: path = "" }: Machine["env"]): Promise<Engine | string> {
  const pulumi = executableOnPath(executables.cli, path);
  if (!pulumi) {
    return "pulumi is not on PATH";
  }
  const printed = await askVersion(pulumi, path);
  if (!isSupportedPulumi(printed)) {
    return `pulumi on PATH has version "${printed}", but 3.200.0 or newer and below 4 is required`;
  }
  const searched = [dirname(pulumi), path].join(delimiter);
  const missing = Object.values(executables).filter((name) => !executableOnPath(name, searched));
  if (missing.length > 0) {
    return `pulumi on PATH lacks ${missing.join(" and ")}`;
  }
  return { directory: dirname(pulumi), version: printed.replace(/^v/, ""), how: "on PATH" };
}

async function askVersion(pulumi: string, path: string): Promise<string> {
  try {
    const env = { ...process.env, PATH: path, PULUMI_SKIP_UPDATE_CHECK: "true" };
    const { stdout } = await promisify(execFile)(pulumi, ["version"], { env, timeout: 30_000 });
    return stdout.trim();
  } catch (error) {
    return shorten(error);
  }
}

function shorten(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.trim().split("\n")[0] ?? "";
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
