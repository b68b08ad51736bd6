import { join } from "node:path";
import { ensureBuilt } from "../../tools/build";
import { repository } from "./repository";

/**
 * Returns the path of a file in `dist`. Tests must use this module for such paths, because importing it rebuilds `dist`
 * if a source has changed.
 */
export const built = (file: string): string => join(repository, "dist", file);

/**
 * The folder to link into `node_modules` as the package. Use it instead of `repository`, because importing this module
 * rebuilds an outdated `dist`.
 */
export const builtPackage = repository;

ensureBuilt();
