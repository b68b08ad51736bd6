import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isObject, parseJson } from "../../provider/base/json";

/** A repository's package manager, and its commands. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  /** What a developer types to install all packages. */
  readonly install: string;
  /** What a CI job runs. It needs only Node and npm, and fails unless the lock file matches package.json. */
  readonly cleanInstall: string;
  /**
   * The lock file's path relative to the project, whether or not it exists yet: `package-lock.json`,
   * `../../pnpm-lock.yaml`.
   */
  readonly lockFile: string;
  /** What the user must change before Pulumi works with this package manager, as a sentence. */
  readonly note: string | undefined;
}

type Name = PackageManager["name"];

/**
 * The lock files of each package manager, starting with the one that a new project gets. If a folder has several, the
 * first manager in this object wins. npm comes first, because a repository can name any other manager in
 * `packageManager`.
 */
const LOCK_FILES: Readonly<Record<Name, readonly [string, ...string[]]>> = {
  npm: ["package-lock.json", "npm-shrinkwrap.json"],
  pnpm: ["pnpm-lock.yaml"],
  yarn: ["yarn.lock"],
  bun: ["bun.lock", "bun.lockb"],
};

const NAMES = Object.keys(LOCK_FILES) as readonly Name[];

/**
 * Reads `packageManager`, `devEngines` or the lock file of this folder, or of the nearest folder above it up to the
 * repository's root. Defaults to npm.
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
  /** The folder that declares or locks the package manager. */
  readonly path: string;
  /** Whether npm, and so `npx`, refuses to run in this folder. */
  readonly refusesNpm?: boolean;
}

/** The folder and its parents, up to the repository's root. */
function foldersFrom(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder || existsSync(join(folder, ".git")) ? [folder] : [folder, ...foldersFrom(parent)];
}

/**
 * Reads package.json: `"packageManager": "pnpm@10.4.1+sha512.…"`, or `devEngines`, which may list several package
 * managers.
 */
function declaredIn(path: string): Found | undefined {
  const manifest = parseJson(textOf(join(path, "package.json")));
  if (!isObject(manifest)) {
    return undefined;
  }
  const { packageManager, devEngines } = manifest;
  const [, corepack, exact] = /^(\w+)@([^+]+)/.exec(String(packageManager)) ?? [];
  const engines = [isObject(devEngines) ? devEngines.packageManager : undefined].flat().filter(isObject);
  const declared = [{ name: corepack, version: exact }, ...engines];
  // A mismatch in devEngines is an error by default.
  const refusesNpm =
    engines.length > 0 && engines.every(({ name, onFail = "error" }) => name !== "npm" && onFail === "error");
  return declared.flatMap(({ name, version }) => {
    const known = NAMES.find((manager) => manager === name);
    return known === undefined ? [] : [{ name: known, version: versionIn(version), path, refusesNpm }];
  })[0];
}

/** Returns the version if the text is an exact one. For a range, returns the first major version in it. */
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
 * Runs the other package managers through npx, because every machine with Node has npm, and recent versions of Node no
 * longer ship corepack.
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
  // Yarn 1 uses neither this settings file nor this line.
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
