import { dirname } from "node:path";

/** The package itself. */

/** The package resolves its own name, so this works from the sources and from dist/. */
export const manifest = () => require("pulumi-agent-platform/package.json") as { readonly version: string };

/** Returns the package's folder. The package resolves its own name, so this works from the sources and from dist/. */
export const packageRoot = (): string => dirname(require.resolve("pulumi-agent-platform/package.json"));

export const ISSUE_TRACKER = "the issues of the pulumi-agent-platform repository";
