import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

/** The addresses of the documentation and of bug reports. */

interface Manifest {
  readonly version: string;
  readonly homepage: string;
  readonly files: readonly string[];
}

/** By the package's own name, so that it is found from the sources as well as from dist/. */
export const manifest = (): Manifest => require("pulumi-agent-platform/package.json") as Manifest;

/** The folder of the package. It is found by its own name, from the sources as well as from dist/. */
export const packageRoot = (): string => dirname(require.resolve("pulumi-agent-platform/package.json"));

/**
 * What a project in the folder writes for this package in its package.json: a range of versions, or the path of what this command was
 * installed from. A range would take a package of that name from the registry, which may be somebody else's.
 */
export function packageVersion(folder: string, root = packageRoot()): string {
  const source = sourceOf(root);
  return source === undefined ? `^${manifest().version}` : `file:${relative(folder, source).replaceAll(sep, "/")}`;
}

interface InstalledPackages {
  readonly packages: Readonly<Record<string, { readonly resolved?: string } | undefined>>;
}

/** The clone that the package is, or the packed file that npm has installed it from. */
function sourceOf(root: string): string | undefined {
  const modules = dirname(root);
  if (!root.split(sep).includes("node_modules")) {
    return root;
  }
  const installed = join(modules, ".package-lock.json");
  if (!existsSync(installed)) {
    return undefined;
  }
  const { packages } = JSON.parse(readFileSync(installed, "utf8")) as InstalledPackages;
  const from = packages[`node_modules/${basename(root)}`]?.resolved ?? "";
  return from.startsWith("file:") ? resolve(dirname(modules), from.slice("file:".length)) : undefined;
}

/** The address on the web of a page, such as `docs/rollouts.md`, as it was in this version. */
export function docs(path: string): string {
  const { homepage, version } = manifest();
  return `${homepage}/blob/v${version}/${path}`;
}

/** The address of an error code's entry. */
export const codeAddress = (code: string): string => docs(`docs/reference/errors.md#${code.toLowerCase()}`);

export const BUGS = "the issues of the pulumi-agent-platform repository";
