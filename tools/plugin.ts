import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { version } from "../package.json";
import { root } from "./reference/declarations";
import { packageSchema } from "./reference/schema";

/**
 * `npm run plugin` writes the plugin as one archive into release/, for `pulumi plugin install … --file`; it needs Node alone. With
 * `--platforms` it writes the six that a release has, which are the same, and with `--repository owner/name` where the CLI finds them.
 */

// --- the plugin as files that need Node alone: everything that it imports is in one of them

/** The launchers of the package start what is built beside them; those of an archive, the one file in it. */
const launcher = (name: string): string =>
  readFileSync(join(root, "plugin", name), "utf8").replace(
    /\.\.[/\\]dist[/\\]provider[/\\]plugin[/\\]main\.js/,
    "plugin.js",
  );

const pluginName = "pulumi-resource-agent-platform";
const archiveName = (platform: string): string => `${pluginName}-v${version}-${platform}.tar.gz`;

/** Of the CLI's releases: one content for all of them. */
const PLATFORMS = [
  "linux-amd64",
  "linux-arm64",
  "darwin-amd64",
  "darwin-arm64",
  "windows-amd64",
  "windows-arm64",
] as const;

/** Where the CLI finds the archives, and the path of the Go module: written down in the schema, and in the SDKs that are made from it. */
const addressesIn = (repository: string | undefined): object =>
  repository === undefined
    ? {}
    : {
        repository: `https://github.com/${repository}`,
        pluginDownloadURL: `github://api.github.com/${repository}`,
      };

/** @param repository `owner/name` on GitHub, of a release; without one the archive is for the machine that builds it */
export function pluginArchive(repository?: string): Buffer {
  const { code, licenses } = bundled();
  const schema = { ...packageSchema(), ...addressesIn(repository) };
  const text = (name: string, content: string): TarEntry => ({
    name,
    content: Buffer.from(content),
    isExecutable: name === pluginName,
  });
  return tarball([
    text(pluginName, launcher(pluginName)),
    text(`${pluginName}.cmd`, launcher(`${pluginName}.cmd`)),
    text("plugin.js", code),
    text("schema.json", `${JSON.stringify(schema, null, 2)}\n`),
    text("LICENSE", readFileSync(join(root, "LICENSE"), "utf8")),
    text("THIRD-PARTY-LICENSES.txt", licenses),
  ]);
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

// --- the archive

interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

const BLOCK = 512;

/** A tar.gz that is the same, byte for byte, wherever it is made: no times, no owners, and launchers that may be run. */
function tarball(entries: readonly TarEntry[]): Buffer {
  const files = entries.flatMap((entry) => [headerOf(entry), padded(entry.content)]);
  const packed = gzipSync(Buffer.concat([...files, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  // The byte that names the operating system that packed it.
  packed[9] = 0xff;
  return packed;
}

function headerOf({ name, content, isExecutable }: TarEntry): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  const fields: readonly (readonly [offset: number, text: string])[] = [
    [0, name],
    [100, octal(isExecutable ? 0o755 : 0o644, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(content.length, 12)],
    [136, octal(0, 12)],
    [148, " ".repeat(8)],
    [156, "0"],
    [257, "ustar\0"],
    [263, "00"],
  ];
  for (const [offset, text] of fields) {
    header.write(text, offset, "latin1");
  }
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

const padded = (content: Buffer): Buffer =>
  Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);

function writeArchives(): void {
  const { values } = parseArgs({
    options: { platforms: { type: "boolean", default: false }, repository: { type: "string" } },
  });
  const folder = join(root, "release");
  const archive = pluginArchive(values.repository);
  mkdirSync(folder, { recursive: true });
  for (const platform of values.platforms ? PLATFORMS : ["any"]) {
    writeFileSync(join(folder, archiveName(platform)), archive);
    console.log(`release/${archiveName(platform)}: ${Math.round(archive.length / 1000)} kB`);
  }
}

if (require.main === module) {
  writeArchives();
}
