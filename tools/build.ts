import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";

/**
 * `npm run build [-- --noCheck]`: `dist` from the sources, whole or not at all. `dist` keeps a hash of the sources that it was made of, so
 * that a test can tell whether it runs what it reads.
 */

const repository = resolve(__dirname, "..");
const SOURCES = ["cli", "emulator", "provider"];
const CONFIGURATIONS = ["tsconfig.build.json", "tsconfig.json"];
const STAMP = ".sources";

/** Of every name and every byte. Times of files say less: a checkout changes them, and a copy keeps them. */
function hashOf(root: string): string {
  const hash = createHash("sha256");
  const inFolders = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [...CONFIGURATIONS.map((name) => join(root, name)), ...inFolders.sort()]) {
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex");
}

/** Was `dist` made of the sources as they are now? */
export function isBuilt(root = repository): boolean {
  const stamp = join(root, "dist", STAMP);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === hashOf(root);
}

/** @returns what the compiler printed if it failed. Then `dist` is what it was. */
export function build(args: readonly string[], root = repository): string | undefined {
  // A source that is saved while the compiler runs must not count as built.
  const hash = hashOf(root);
  const cache = join(repository, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "build-"));
  try {
    const compiler = join(repository, "node_modules/typescript/bin/tsc");
    const options = ["-p", join(root, "tsconfig.build.json"), "--outDir", join(folder, "dist"), ...args];
    const { status, stdout } = spawnSync(process.execPath, [compiler, ...options], { encoding: "utf8" });
    if (status !== 0) {
      return stdout;
    }
    chmodSync(join(folder, "dist/cli/main.js"), 0o755);
    writeFileSync(join(folder, "dist", STAMP), hash);
    if (existsSync(join(root, "dist"))) {
      renameSync(join(root, "dist"), join(folder, "before"));
    }
    renameSync(join(folder, "dist"), join(root, "dist"));
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds again if a source has changed since, and throws if that cannot be done. */
export function ensureBuilt(): void {
  if (isBuilt()) {
    return;
  }
  console.error("The sources have changed since `npm run build`: building again …");
  const failure = build(["--noCheck"]);
  if (failure !== undefined) {
    throw new Error(`The sources have changed since \`npm run build\`, and they do not compile:\n${failure}`);
  }
}

if (require.main === module) {
  const failure = build(process.argv.slice(2));
  if (failure !== undefined) {
    console.error(failure);
    process.exitCode = 1;
  }
}
