import { join } from "node:path";
import { ensureBuilt } from "../../tools/build";
import { repository } from "./repository";

/**
 * Returns the path of a file in `dist`. Tests must use this module for such paths, because importing it rebuilds `dist`
 * if a source has changed.
 */
export const built = (file: string): string => join(repository, "dist", file);

/**
 * The folder to link into `node_modules` as the package. Don't use `repository` for this, because its `dist` could be
 * outdated.
 */
export const builtPackage = repository;

ensureBuilt();
