import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isObject, parseJson } from "../../provider/base/json";

/** The package manager of a repository, and its commands. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  /** What a person types to install everything. */
  readonly install: string;
  /** What a job runs on a machine that has Node and npm: it installs exactly what the lock file says, or fails. */
  readonly cleanInstall: string;
  /** The lock file, from the project's folder, whether or not it exists yet: `package-lock.json`, `../../pnpm-lock.yaml`. */
  readonly lockFile: string;
  /** What the user has to change before Pulumi works with it, as a sentence. */
  readonly note: string | undefined;
}

type Name = PackageManager["name"];

/** The first one is what a new project gets. npm comes first, because the others can be told what to do by `packageManager`. */
const LOCK_FILES: Readonly<Record<Name, readonly [string, ...string[]]>> = {
  npm: ["package-lock.json", "npm-shrinkwrap.json"],
  pnpm: ["pnpm-lock.yaml"],
  yarn: ["yarn.lock"],
  bun: ["bun.lock", "bun.lockb"],
};

const NAMES = Object.keys(LOCK_FILES) as readonly Name[];

/**
 * The package manager that `packageManager`, `devEngines` or a lock file names: in this folder, or else in the nearest one above it, up to the top
 * of its git repository. npm if nothing does.
 */
export function packageManagerOf(folder: string): PackageManager {
  const folders = foldersFrom(folder);
  const found = folders.flatMap((path) => declaredIn(path) ?? lockedIn(path) ?? [])[0];
  const { name, version, path, refusesNpm = false }: Found = found ?? { name: "npm", version: undefined, path: folder };
  const locks = folders.flatMap((above) => LOCK_FILES[name].map((file) => join(above, file)));
  const lockFile = locks.find(existsSync) ?? join(path, LOCK_FILES[name][0]);
  const { note, ...commands } = commandsOf(name, version, dirname(lockFile));
  return {
    name,
    install: `${name} install`,
    ...commands,
    note: refusesNpm
      ? `npx refuses to run here, because devEngines allows ${name} alone, and this package's jobs and commands need it: write \`"onFail": "warn"\` beside its packageManager.`
      : note,
    lockFile: relative(folder, lockFile).split(sep).join("/"),
  };
}

interface Found {
  readonly name: Name;
  readonly version: string | undefined;
  /** The folder that says so. */
  readonly path: string;
  /** Whether npm refuses to run there, `npx` included. */
  readonly refusesNpm?: boolean;
}

/** The folder and those above it, up to the top of its repository. */
function foldersFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, ".git")) ? [folder] : [folder, ...foldersFrom(above)];
}

/** What its package.json asks for: `"packageManager": "pnpm@10.4.1+sha512.…"`, or `devEngines`, which may allow several. */
function declaredIn(path: string): Found | undefined {
  const manifest = parseJson(textOf(join(path, "package.json")));
  if (!isObject(manifest)) {
    return undefined;
  }
  const { packageManager, devEngines } = manifest;
  const [, corepack, exact] = /^(\w+)@([^+]+)/.exec(String(packageManager)) ?? [];
  const engines = [isObject(devEngines) ? devEngines.packageManager : undefined].flat().filter(isObject);
  const asked = [{ name: corepack, version: exact }, ...engines];
  // Unless told otherwise, npm takes another name for an error.
  const refusesNpm =
    engines.length > 0 && engines.every(({ name, onFail = "error" }) => name !== "npm" && onFail === "error");
  return asked.flatMap(({ name, version }) => {
    const known = NAMES.find((manager) => manager === name);
    return known === undefined ? [] : [{ name: known, version: versionIn(version), path, refusesNpm }];
  })[0];
}

/** An exact version as it is; of a range, the first major version that it names. */
function versionIn(text: unknown): string | undefined {
  const [found] = /\d+(\.\d+)*(-[\w.]+)?/.exec(String(text ?? "")) ?? [];
  return found === text ? found : found?.split(".")[0];
}

function lockedIn(path: string): Found | undefined {
  const name = NAMES.find((manager) => LOCK_FILES[manager].some((file) => existsSync(join(path, file))));
  return name && { name, version: undefined, path };
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** npm is on every machine that has Node, and runs the version that the repository asks for. Newer versions of Node have no corepack. */
function commandsOf(name: Name, version: string | undefined, top: string) {
  switch (name) {
    case "npm":
      return { cleanInstall: "npm ci", note: undefined };
    case "pnpm":
      return { cleanInstall: `npx --yes pnpm@${version ?? "10"} install --frozen-lockfile`, note: undefined };
    case "bun":
      return { cleanInstall: `npx --yes bun@${version ?? "1"} install --frozen-lockfile`, note: undefined };
    case "yarn":
      return yarnCommands(version, top);
  }
}

function yarnCommands(version: string | undefined, top: string) {
  const settings = join(top, ".yarnrc.yml");
  // Yarn 1 has no such file and no such line.
  const isModern = existsSync(settings) || /^__metadata:/m.test(textOf(join(top, "yarn.lock")));
  if (version === undefined ? !isModern : /^[01](\.|$)/.test(version)) {
    return { cleanInstall: `npx --yes yarn@${version ?? "1"} install --frozen-lockfile`, note: undefined };
  }
  const hasModules = /^nodeLinker:\s*["']?(node-modules|pnpm)\b/m.test(textOf(settings));
  return {
    cleanInstall: `npx --yes @yarnpkg/cli-dist@${version ?? "4"} install --immutable`,
    note: hasModules
      ? undefined
      : "Pulumi cannot load packages from Yarn's zip files: write `nodeLinker: node-modules` into .yarnrc.yml.",
  };
}
