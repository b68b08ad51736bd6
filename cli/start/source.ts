import { existsSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { isObject } from "../../provider/base/json";
import { UsageError } from "../errors";
import { manifestIn, parentsOf } from "../files";
import { packageRoot } from "../package";

const PACKAGE = "pulumi-agent-platform";

/**
 * Returns this package's version specifier for a new project. By default, it points to the source that this command was
 * installed from, because a version range might install a different package with this name.
 * @param folder the new project's folder
 * @param given what the user passed: an npm tarball, or any other version specifier that a package manager accepts
 * @param cwd the working directory, which may be in a project that has installed this package
 * @throws UsageError if it isn't known where this command was installed from, or if the file that the user passed
 * doesn't exist
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
  // Find the package.json that says where this package was installed from. It is in a folder above the installed copy
  // or, if that copy is in a shared store, in the working directory or above.
  const source = [...parentsOf(dirname(root)), ...parentsOf(cwd)].flatMap((path) => declaredIn(path, folder) ?? [])[0];
  if (source === undefined) {
    throw new UsageError(
      `Nothing was written, because we cannot tell which npm tarball this command was installed from. A version number in package.json might install a different package with this name. Pass the file: --package <path to ${PACKAGE}-….tgz>`,
    );
  }
  return source;
}

const fromFolder = (folder: string, path: string): string => `file:${relative(folder, path).split(sep).join("/")}`;

function givenSource(given: string, folder: string, cwd: string): string {
  const path = localPath(given, cwd);
  if (path !== undefined && !existsSync(path)) {
    throw new UsageError(`--package: ${given} does not exist.`);
  }
  return path === undefined ? given : fromFolder(folder, path);
}

/**
 * Returns the absolute path of the local file or folder that a version specifier refers to, if any. npm writes
 * `file:phones.tgz`, and yarn and bun write `./phones.tgz`.
 */
function localPath(source: string, folder: string): string | undefined {
  const path = source.replace(/^(file|link|portal):(\/\/)?/, "");
  const isLocal = path !== source || (/^\.{0,2}\/|\.tgz$/.test(source) && !source.includes("://"));
  return isLocal ? resolve(folder, path) : undefined;
}

/**
 * Returns the version specifier that a package.json lists for this package, if it says where the package came from. A
 * version range doesn't. A local path is made relative to the new project.
 * @param path the folder of the package.json
 * @param folder the new project's folder
 */
function declaredIn(path: string, folder: string): string | undefined {
  const { dependencies, devDependencies, optionalDependencies } = manifestIn(path);
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
