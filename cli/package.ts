import { dirname } from "node:path";

/** The package itself. */

/** By the package's own name, so that it is found from the sources as well as from dist/. */
export const manifest = () => require("pulumi-agent-platform/package.json") as { readonly version: string };

/** The folder of the package. It is found by its own name, from the sources as well as from dist/. */
export const packageRoot = (): string => dirname(require.resolve("pulumi-agent-platform/package.json"));

export const ISSUE_TRACKER = "the issues of the pulumi-agent-platform repository";
