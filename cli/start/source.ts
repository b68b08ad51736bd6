import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isObject, parseJson } from "../../provider/base/json";
import { UsageError } from "../errors";
import { packageRoot } from "../package";

const PACKAGE = "pulumi-agent-platform";

/**
 * Where a new project gets this package from, as its package.json says it: the file or the clone that this command was installed from. Never
 * a range of versions: the registry might have another package of this name.
 * @param folder of the new project
 * @param given what the user says instead: a packed file, or any other source that a package manager knows
 * @param cwd whose project may have installed the package
 * @throws UsageError if the source is unknown
 */
export function packageSource(
  folder: string,
  {
    given,
    cwd,
    root = packageRoot(),
  }: { readonly given: string | undefined; readonly cwd: string; readonly root?: string },
): string {
  if (given !== undefined) {
    return givenSource(given, folder, cwd);
  }
  if (!root.split(sep).includes("node_modules")) {
    return fromFolder(folder, root);
  }
  // What installed it has its source in its package.json: a project, a tool's global folder, npx's cache. The copy itself may lie in a store.
  const source = [...parentsOf(dirname(root)), ...parentsOf(cwd)].flatMap((path) => declaredIn(path, folder) ?? [])[0];
  if (source === undefined) {
    throw new UsageError(
      `It is not known which packed file this command was installed from, and a version in package.json might install another package of this name. Name the file: --package <path of ${PACKAGE}-….tgz>. Nothing was written.`,
    );
  }
  return source;
}

const fromFolder = (folder: string, path: string): string => `file:${relative(folder, path).split(sep).join("/")}`;

const parentsOf = (path: string): string[] => (dirname(path) === path ? [path] : [path, ...parentsOf(dirname(path))]);

function givenSource(given: string, folder: string, cwd: string): string {
  const path = localPath(given, cwd);
  if (path !== undefined && !existsSync(path)) {
    throw new UsageError(`--package: ${given} is not there.`);
  }
  return path === undefined ? given : fromFolder(folder, path);
}

/** The path of a source that is a file or a folder: npm writes `file:phones.tgz`, yarn and bun `./phones.tgz`, links `link:` or `portal:`. */
function localPath(source: string, folder: string): string | undefined {
  const path = source.replace(/^(file|link|portal):(\/\/)?/, "");
  const isLocal = path !== source || (/^\.{0,2}\/|\.tgz$/.test(source) && !source.includes("://"));
  return isLocal ? resolve(folder, path) : undefined;
}

/** The exact source in the package.json of this folder, as the new project would write it. */
function declaredIn(path: string, folder: string): string | undefined {
  const file = join(path, "package.json");
  const manifest = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  if (!isObject(manifest)) {
    return undefined;
  }
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const sources = [dependencies, devDependencies, optionalDependencies].map(
    (packages) => isObject(packages) && packages[PACKAGE],
  );
  return sources.flatMap((source) => (typeof source === "string" ? (exactSource(source, path, folder) ?? []) : []))[0];
}

function exactSource(source: string, path: string, folder: string): string | undefined {
  const target = localPath(source, path);
  if (target !== undefined) {
    return existsSync(target) ? fromFolder(folder, target) : undefined;
  }
  return /^(https?:|git[+:@])/.test(source) ? source : undefined;
}
