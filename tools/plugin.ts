import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../package.json";
import { bundled } from "./plugin/bundle";
import { executable } from "./plugin/executable";
import { type TarEntry, tarball } from "./plugin/tar";
import { root } from "./reference/declarations";
import { packageSchema } from "./reference/schema";

/**
 * `npm run plugin` writes the plugin as one archive into release/, for `pulumi plugin install … --file`. It is the same for every platform,
 * and needs Node. With `--executable` it writes the archive for this platform that needs no Node.
 */

/** A launcher of the package starts what is built beside it. In an archive it starts the one file that is there. */
const launcher = (name: string): string =>
  readFileSync(join(root, "plugin", name), "utf8").replace(
    /\.\.[/\\]dist[/\\]provider[/\\]plugin[/\\]main\.js/,
    "plugin.js",
  );

const pluginName = "pulumi-resource-agent-platform";
/** The launcher that `pulumi package add` starts when it is given the folder. */
const ANY_NAME = "pulumi-resource-";
const archiveName = (platform: string): string => `${pluginName}-v${version}-${platform}.tar.gz`;

/** As the CLI names the platform whose archive it downloads. */
function platformName(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `${system}-${process.arch === "x64" ? "amd64" : process.arch}`;
}

const file = (name: string, content: string): TarEntry => ({
  name,
  content: Buffer.from(content),
  isExecutable: name === pluginName || name === ANY_NAME,
});
const schemaText = (): string => `${JSON.stringify(packageSchema(), null, 2)}\n`;
const terms = (licenses: string): TarEntry[] => [
  file("LICENSE", readFileSync(join(root, "LICENSE"), "utf8")),
  file("THIRD-PARTY-LICENSES.txt", licenses),
];

export function pluginArchive(): Buffer {
  const { code, licenses } = bundled("beside");
  return tarball([
    file(pluginName, launcher(pluginName)),
    file(`${pluginName}.cmd`, launcher(`${pluginName}.cmd`)),
    file(ANY_NAME, launcher(ANY_NAME)),
    file("plugin.js", code),
    file("schema.json", schemaText()),
    ...terms(licenses),
  ]);
}

export async function executableArchive(): Promise<Buffer> {
  const { content, licenses } = await executable();
  const ending = process.platform === "win32" ? ".exe" : "";
  return tarball([
    { name: `${pluginName}${ending}`, content, isExecutable: true },
    file(ANY_NAME, launcher(ANY_NAME)),
    file("schema.json", schemaText()),
    ...terms(licenses),
  ]);
}

async function writeArchive(): Promise<void> {
  const { values } = parseArgs({ options: { executable: { type: "boolean", default: false } } });
  const archive = values.executable ? await executableArchive() : pluginArchive();
  const name = archiveName(values.executable ? platformName() : "any");
  mkdirSync(join(root, "release"), { recursive: true });
  writeFileSync(join(root, "release", name), archive);
  console.log(`release/${name}: ${Math.round(archive.length / 1000)} kB`);
}

if (require.main === module) {
  void writeArchive();
}
