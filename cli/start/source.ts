import { existsSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { isObject } from "../../provider/base/json";
import { UsageError } from "../errors";
import { manifestIn, parentsOf } from "../files";
import { packageRoot } from "../package";

const PACKAGE = "pulumi-agent-platform";

/**
 * Returns what a new project's package.json should list as the source of this package: the tarball or the clone that
 * this command was installed from. Never returns a version range, because a registry might have a different package
 * with this name.
 * @param folder the new project's folder
 * @param given the source that the user passed: an npm tarball, or anything else that a package manager accepts
 * @param cwd the working directory, which may be in a project that has installed this package
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
  // The project, global folder or npx cache in which this package was installed has a package.json that lists its
  // source. Search above the installed copy, and also from the working directory upwards, because the copy may be in a
  // store that several projects share.
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
 * Returns the absolute path of a source that is a local file or folder, and undefined for any other source. npm writes
 * such a source as `file:phones.tgz`, yarn and bun write `./phones.tgz`, and links start with `link:` or `portal:`.
 */
function localPath(source: string, folder: string): string | undefined {
  const path = source.replace(/^(file|link|portal):(\/\/)?/, "");
  const isLocal = path !== source || (/^\.{0,2}\/|\.tgz$/.test(source) && !source.includes("://"));
  return isLocal ? resolve(folder, path) : undefined;
}

/**
 * Returns the source that a package.json lists for this package, if that is a URL, a git repository, or an existing
 * local file or folder, whose path is made relative to the new project. A version range is ignored, because it doesn't
 * say where the package came from.
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
