import { join } from "node:path";
import { ensureBuilt } from "../../tools/build";
import { repository } from "./repository";

/**
 * Returns the path of a file in `dist`. Tests must use this module for such paths, because importing it rebuilds `dist`
 * if a source has changed.
 */
export const built = (file: string): string => join(repository, "dist", file);

/**
 * The folder to link into a project's `node_modules` as the installed package. Tests must use this instead of
 * `repository`, because importing this module also rebuilds an outdated `dist`, which the package runs from.
 */
export const builtPackage = repository;

ensureBuilt();
