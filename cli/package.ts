import { dirname } from "node:path";

/** What the code has to know about its own package: where it is installed, its version, and where to report bugs. */

/** Loads this package's package.json by name, because a relative path would differ between the sources and dist/. */
export const manifest = () => require("pulumi-agent-platform/package.json") as { readonly version: string };

/** Returns this package's folder, whether the code runs from the sources or from dist/. */
export const packageRoot = (): string => dirname(require.resolve("pulumi-agent-platform/package.json"));

export const ISSUE_TRACKER = "the issues of the pulumi-agent-platform repository";
