import { join } from "node:path";
import { runToEnd, withProgress } from "./child";
import { engineVersion, executables } from "./executables";
import type { Make } from "./install";

/** Two ways to get the Pulumi CLI and its plugins: download them, or build them with Go. */

/**
 * Runs the SDK's installer, which installs the CLI with the SDK's version. It could not be stopped without a separate
 * process.
 */
const program = `
  const [sdk, root] = process.argv.slice(1);
  require(sdk).PulumiCommand.install({ root }).catch((error) => {
    console.error(error.message.replace(/\\s+/g, " "));
    process.exitCode = 1;
  });`;

export const download: Make = (staging, signal, say) =>
  withProgress(`downloading the Pulumi CLI ${engineVersion} (once per machine)`, say, () => {
    const sdk = require.resolve("@pulumi/pulumi/automation");
    // Long enough for a slow connection. If downloads are blocked, it fails within seconds.
    return runToEnd(process.execPath, ["-e", program, sdk, staging], { cwd: staging, signal, timeoutMs: 5 * 60_000 });
  });

interface Build {
  /** The name of the executable. */
  readonly file: string;
  readonly module: string;
  readonly package: string;
  readonly linkerFlags: string;
}

/**
 * The language host is built from an older release. In newer releases, it's a separate module that Go module proxies
 * don't offer.
 */
const builds: readonly Build[] = [
  {
    file: executables.languageHost,
    module: join(__dirname, "nodehost"),
    package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
    linkerFlags: "-s -w",
  },
  {
    file: executables.cli,
    module: join(__dirname, "cli"),
    package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    // Otherwise the CLI considers itself a development version, which has no comparable version number.
    linkerFlags: `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${engineVersion}`,
  },
];

export const buildWithGo: Make = async (staging, signal, say) => {
  await needGo(staging, signal);
  const text = `building the Pulumi CLI ${engineVersion} with Go (once per machine, 3 to 5 minutes on 2 cores)`;
  await withProgress(text, say, async () => {
    for (const build of builds) {
      await goBuild(build, staging, signal);
    }
  });
};

export async function needGo(staging: string, signal: AbortSignal): Promise<void> {
  try {
    await runToEnd("go", ["version"], { cwd: staging, signal, timeoutMs: 30_000 });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      throw new Error("Go is not installed");
    }
    throw error;
  }
}

export async function goBuild(build: Build, staging: string, signal: AbortSignal): Promise<void> {
  const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", `-ldflags=${build.linkerFlags}`];
  try {
    const output = join(staging, "bin", build.file);
    await runToEnd("go", ["build", ...flags, "-o", output, build.package], {
      cwd: build.module,
      // A go.work file in a parent folder could override the module's versions. Go's temporary files are removed with
      // the staging folder.
      env: { ...process.env, GOWORK: "off", GOTMPDIR: staging },
      signal,
      timeoutMs: 60 * 60_000,
    });
  } catch (error) {
    throw error instanceof Error ? new Error(withoutDownloads(error.message)) : error;
  }
}

/** Removes the list of downloads that Go prints before the actual error. */
function withoutDownloads(output: string): string {
  return output
    .split("\n")
    .filter((line) => !line.startsWith("go: downloading "))
    .join("\n");
}
