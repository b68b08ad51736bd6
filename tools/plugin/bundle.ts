import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json";
import { root } from "../reference/declarations";
import { packageSchema } from "../reference/schema";
import type { TarEntry } from "./tar";

/** The plugin as files that need Node alone: everything that it imports is in one of them. */

/** The launchers of the package start what is built beside them; those of an archive, the one file in it. */
const launcher = (name: string): string =>
  readFileSync(join(root, "plugin", name), "utf8").replace(
    /\.\.[/\\]dist[/\\]provider[/\\]plugin[/\\]main\.js/,
    "plugin.js",
  );

const pluginName = "pulumi-resource-agent-platform";
export const archiveName = (platform: string): string => `${pluginName}-v${version}-${platform}.tar.gz`;

/** Of the CLI's releases: one content for all of them. */
export const PLATFORMS = [
  "linux-amd64",
  "linux-arm64",
  "darwin-amd64",
  "darwin-arm64",
  "windows-amd64",
  "windows-arm64",
] as const;

/** Where a release stands: `owner/name` on GitHub. Without one the archive is for the machine that builds it. */
export interface Place {
  readonly repository: string | undefined;
}

/** Where the CLI finds the archives, and the path of the Go module: written down in the schema, and in the SDKs that are made from it. */
const placed = ({ repository }: Place): object =>
  repository === undefined
    ? {}
    : {
        repository: `https://github.com/${repository}`,
        pluginDownloadURL: `github://api.github.com/${repository}`,
      };

export function pluginFiles(place: Place): TarEntry[] {
  const { code, licenses } = bundled();
  const schema = { ...packageSchema(), ...placed(place) };
  const text = (name: string, content: string): TarEntry => ({
    name,
    content: Buffer.from(content),
    isExecutable: name === pluginName,
  });
  return [
    text(pluginName, launcher(pluginName)),
    text(`${pluginName}.cmd`, launcher(`${pluginName}.cmd`)),
    text("plugin.js", code),
    text("schema.json", `${JSON.stringify(schema, null, 2)}\n`),
    text("LICENSE", readFileSync(join(root, "LICENSE"), "utf8")),
    text("THIRD-PARTY-LICENSES.txt", licenses),
  ];
}

interface Bundle {
  readonly code: string;
  readonly licenses: string;
}

function bundled(): Bundle {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-plugin-"));
  const [code, meta] = [join(folder, "plugin.js"), join(folder, "meta.json")];
  try {
    const flags = ["--bundle", "--platform=node", "--target=node20", "--minify", "--legal-comments=none"];
    // Beside the bundle: a release writes down where it is found.
    const files = ["--external:./schema.json", `--outfile=${code}`, `--metafile=${meta}`, "--log-level=warning"];
    const esbuild = join(root, "node_modules/esbuild/bin/esbuild");
    execFileSync(esbuild, ["provider/plugin/main.ts", ...flags, ...files], { cwd: root, stdio: "inherit" });
    const { inputs } = JSON.parse(readFileSync(meta, "utf8")) as { inputs: object };
    return { code: readFileSync(code, "utf8"), licenses: licensesOf(Object.keys(inputs)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The packages that are in the bundle, each with its own terms. */
function licensesOf(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(folders)]
    .sort()
    .map(licenseOf)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenseOf(folder: string): string {
  const path = join(root, folder);
  const {
    name,
    version: its,
    license,
  } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license?: string;
  };
  const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry) && existsSync(join(path, entry)));
  const terms =
    file === undefined ? `License: ${license ?? "see the package"}\n` : readFileSync(join(path, file), "utf8");
  return `${name} ${its}\n\n${terms}`;
}
