import { dirname, relative, sep } from "node:path";

/** The addresses of the documentation and of bug reports. */

interface Manifest {
  readonly version: string;
  readonly homepage: string;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly bugs?: string | { readonly url?: string };
}

/** By the package's own name, so that it is found from the sources as well as from dist/. */
export const manifest = (): Manifest => require("pulumi-agent-platform/package.json") as Manifest;

/** The folder of the package. It is found by its own name, from the sources as well as from dist/. */
export const packageRoot = (): string => dirname(require.resolve("pulumi-agent-platform/package.json"));

/**
 * What a project in the folder writes for this package in its package.json: a range of versions, or the path of the clone that this command
 * runs from.
 */
export function packageVersion(folder: string): string {
  const root = packageRoot();
  return root.split(sep).includes("node_modules")
    ? `^${manifest().version}`
    : `file:${relative(folder, root).replaceAll(sep, "/")}`;
}

/** The address on the web of a page, such as `docs/guides/rollout.md`. */
export function docs(path: string): string {
  return `${manifest().homepage}/blob/main/${path}`;
}

/** The address of an error code's entry. */
export const codeAddress = (code: string): string => docs(`docs/reference/errors.md#${code.toLowerCase()}`);

export function bugsAddress(): string {
  const { bugs } = manifest();
  return (typeof bugs === "string" ? bugs : bugs?.url) ?? "the issues of the pulumi-agent-platform repository";
}
