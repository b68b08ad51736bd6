import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { withProgress } from "../tools/engine/child";
import { goBuild, needGo } from "../tools/engine/downloadOrBuild";
import { placeOnce } from "../tools/engine/install";

/** What a team without this package would use. Both are Go modules; go obeys the checksums below and those of each module's own go.sum. */
interface Tool {
  readonly module: string;
  readonly version: string;
  readonly sum: string;
  readonly package: string;
  readonly file: string;
  readonly linkerFlags: string;
}

export const openTofu: Tool = {
  module: "github.com/opentofu/opentofu",
  version: "v1.10.10",
  sum: "h1:ELFHOkY0x/bHvkgBP4KK3i7Y19CSFuHOyeZOLc0cqWY=",
  package: "./cmd/tofu",
  file: "tofu",
  // As its releases: without it each run says that it is a development version.
  linkerFlags: "-s -w -X github.com/opentofu/opentofu/version.dev=no",
};
export const restapi: Tool = {
  module: "github.com/Mastercard/terraform-provider-restapi",
  version: "v1.20.0",
  sum: "h1:z4kPtDZgG1HmLsawE4SzP1PxPyz2hAHxwkrHMuRvFrA=",
  package: ".",
  file: "terraform-provider-restapi",
  linkerFlags: "-s -w",
};

/** The folder with both of them, outside of the repository: they are built once a machine. */
export async function needOpenTofu(): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "pulumi-agent-platform-bench", `opentofu-${openTofu.version}-restapi-${restapi.version}`);
  for (const tool of [restapi, openTofu]) {
    await placeOnce(folder, tool.file, (staging, signal, say) => build(tool, staging, signal, say), console.error);
  }
  return folder;
}

async function build(tool: Tool, staging: string, signal: AbortSignal, say: (line: string) => void): Promise<void> {
  await needGo(staging, signal);
  const text = `building ${tool.file} ${tool.version} with Go (once per machine, minutes)`;
  await withProgress(text, say, async () => {
    const module = await download(tool, staging);
    await goBuild({ file: tool.file, module, package: tool.package, linkerFlags: tool.linkerFlags }, staging, signal);
  });
}

/** The folder with the module's source. `go install` will not do: it refuses a module that replaces others. */
async function download({ module, version, sum }: Tool, staging: string): Promise<string> {
  const env = { ...process.env, GOWORK: "off" };
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", `${module}@${version}`], {
    cwd: staging,
    env,
  });
  const found = JSON.parse(stdout) as { readonly Dir: string; readonly Sum: string };
  if (found.Sum !== sum) {
    throw new Error(`${module} ${version} has the checksum ${found.Sum}, not ${sum}`);
  }
  return found.Dir;
}
