import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isObject } from "../../provider/base/json";
import { manifestIn } from "../files";

/** A repository's package manager, and its commands. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  /** The command that a developer runs to install all packages, such as `pnpm install`. */
  readonly install: string;
  /**
   * The command that a CI job runs to install all packages. It needs only Node and npm on the machine, and fails unless
   * the lock file matches package.json.
   */
  readonly cleanInstall: string;
  /** The lock file's path relative to the project, such as `../../pnpm-lock.yaml`. The file may not exist yet. */
  readonly lockFile: string;
  /**
   * Tells the user what to change in the package manager's setup so that Pulumi and npx work with it. Undefined if
   * nothing has to be changed.
   */
  readonly note: string | undefined;
}

type Name = PackageManager["name"];

/** The names that each package manager's lock file can have. A new lock file gets the first one. */
const LOCK_FILES: Readonly<Record<Name, readonly [string, ...string[]]>> = {
  // If a folder has several package managers' lock files, the first one listed here wins. npm is first, because
  // package.json can name any other one.
  npm: ["package-lock.json", "npm-shrinkwrap.json"],
  pnpm: ["pnpm-lock.yaml"],
  yarn: ["yarn.lock"],
  bun: ["bun.lock", "bun.lockb"],
};

const NAMES = Object.keys(LOCK_FILES) as readonly Name[];

/**
 * Finds out which package manager a folder uses, from its package.json, its lock file, or those of the folders above it
 * in the repository. Defaults to npm.
 */
export function packageManagerOf(folder: string): PackageManager {
  const folders = foldersFrom(folder);
  const found = folders.flatMap((path) => declaredIn(path) ?? lockedIn(path) ?? [])[0];
  const { name, version, path, refusesNpm = false }: Found = found ?? { name: "npm", version: undefined, path: folder };
  const locks = folders.flatMap((above) => LOCK_FILES[name].map((file) => join(above, file)));
  const lockFile = locks.find(existsSync) ?? join(path, LOCK_FILES[name][0]);
  const { note, ...commands } = commandsOf(name, version, folder, dirname(lockFile));
  return {
    name,
    install: `${name} install`,
    ...commands,
    note: refusesNpm
      ? `npx refuses to run here because devEngines allows only ${name}, but this package's jobs and commands need npx. Add \`"onFail": "warn"\` to devEngines.packageManager.`
      : note,
    lockFile: relative(folder, lockFile).split(sep).join("/"),
  };
}

interface Found {
  readonly name: Name;
  readonly version: string | undefined;
  /** The folder whose package.json or lock file shows which package manager is in use. */
  readonly path: string;
  /** Whether npm refuses to run in this folder because devEngines doesn't allow it. In that case, `npx` refuses too. */
  readonly refusesNpm?: boolean;
}

/** The folder and its parents, up to the repository's root. */
function foldersFrom(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder || existsSync(join(folder, ".git")) ? [folder] : [folder, ...foldersFrom(parent)];
}

/**
 * Returns the package manager that package.json names: in `packageManager`, such as `pnpm@10.4.1+sha512.…`, or else in
 * `devEngines`, which may list several.
 */
function declaredIn(path: string): Found | undefined {
  const { packageManager, devEngines } = manifestIn(path);
  const [, corepack, exact] = /^(\w+)@([^+]+)/.exec(String(packageManager)) ?? [];
  const engines = [isObject(devEngines) ? devEngines.packageManager : undefined].flat().filter(isObject);
  const declared = [{ name: corepack, version: exact }, ...engines];
  // If devEngines doesn't allow npm, npm refuses to run, unless `onFail` changes that. Its default is `error`.
  const refusesNpm =
    engines.length > 0 && engines.every(({ name, onFail = "error" }) => name !== "npm" && onFail === "error");
  return declared.flatMap(({ name, version }) => {
    const known = NAMES.find((manager) => manager === name);
    return known === undefined ? [] : [{ name: known, version: versionIn(version), path, refusesNpm }];
  })[0];
}

/**
 * Returns an exact version unchanged. For a range such as `^10.4.0`, returns the first major version in it, here `10`.
 */
function versionIn(text: unknown): string | undefined {
  const [found] = /\d+(\.\d+)*(-[\w.]+)?/.exec(String(text ?? "")) ?? [];
  return found === text ? found : found?.split(".")[0];
}

function lockedIn(path: string): Found | undefined {
  const name = NAMES.find((manager) => LOCK_FILES[manager].some((file) => existsSync(join(path, file))));
  return name && { name, version: undefined, path };
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/**
 * Returns the commands for this package manager. CI jobs run every package manager except npm through npx, because
 * recent versions of Node come without Corepack.
 */
function commandsOf(name: Name, version: string | undefined, folder: string, root: string) {
  switch (name) {
    case "npm":
      return { cleanInstall: "npm ci", note: undefined };
    case "pnpm":
      return { cleanInstall: `npx --yes pnpm@${version ?? "10"} install --frozen-lockfile`, note: undefined };
    case "bun":
      return { cleanInstall: `npx --yes bun@${version ?? "1"} install --frozen-lockfile`, note: undefined };
    case "yarn":
      return yarnCommands(version, folder, root);
  }
}

function yarnCommands(version: string | undefined, folder: string, root: string) {
  const settings = join(root, ".yarnrc.yml");
  // Yarn 1 uses neither .yarnrc.yml nor the line `__metadata:` in yarn.lock, so either of them shows that Yarn is
  // newer.
  const isModern = existsSync(settings) || /^__metadata:/m.test(textOf(join(root, "yarn.lock")));
  if (version === undefined ? !isModern : /^[01](\.|$)/.test(version)) {
    // Run Yarn 1 in the folder of its lock file. In a subfolder, it looks in the wrong place for tarballs that the lock
    // file refers to.
    const up = relative(folder, root).split(sep).join("/");
    const install = up === "" ? "install" : `--cwd ${up} install`;
    return {
      install: `yarn ${install}`,
      cleanInstall: `npx --yes yarn@${version ?? "1"} ${install} --frozen-lockfile`,
      note: undefined,
    };
  }
  const hasModules = /^nodeLinker:\s*["']?(node-modules|pnpm)\b/m.test(textOf(settings));
  return {
    cleanInstall: `npx --yes @yarnpkg/cli-dist@${version ?? "4"} install --immutable`,
    note: hasModules
      ? undefined
      : "Pulumi cannot load packages from Yarn's zip files. Add `nodeLinker: node-modules` to .yarnrc.yml.",
  };
}
