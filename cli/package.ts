import { dirname } from "node:path";

/** The package itself, and the addresses of its pages and of bug reports. */

interface Manifest {
  readonly version: string;
  readonly homepage: string;
  readonly files: readonly string[];
}

/** By the package's own name, so that it is found from the sources as well as from dist/. */
export const manifest = (): Manifest => require("pulumi-agent-platform/package.json") as Manifest;

/** The folder of the package. It is found by its own name, from the sources as well as from dist/. */
export const packageRoot = (): string => dirname(require.resolve("pulumi-agent-platform/package.json"));

/** The address on the web of a page, such as `docs/rollouts.md`, as it was in this version. */
export function docs(path: string): string {
  const { homepage, version } = manifest();
  return `${homepage}/blob/v${version}/${path}`;
}

/** The address of an error code's entry. */
export const codeAddress = (code: string): string => docs(`docs/reference/errors.md#${code.toLowerCase()}`);

export const BUGS = "the issues of the pulumi-agent-platform repository";
