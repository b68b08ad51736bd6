import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { archiveName, PLATFORMS, pluginFiles } from "./plugin/bundle";
import { tarball } from "./plugin/tar";
import { root } from "./reference/declarations";

/**
 * `npm run plugin` writes the plugin as one archive into release/, for `pulumi plugin install … --file`; it needs Node alone. With
 * `--platforms` it writes the six that a release has, which are the same, and with `--repository owner/name` where the CLI finds them.
 */
const { values } = parseArgs({
  options: { platforms: { type: "boolean", default: false }, repository: { type: "string" } },
});

const folder = join(root, "release");
const archive = tarball(pluginFiles({ repository: values.repository }));
mkdirSync(folder, { recursive: true });
for (const platform of values.platforms ? PLATFORMS : ["any"]) {
  writeFileSync(join(folder, archiveName(platform)), archive);
  console.log(`release/${archiveName(platform)}: ${Math.round(archive.length / 1000)} kB`);
}
