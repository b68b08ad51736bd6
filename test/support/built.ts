import { join } from "node:path";
import { ensureBuilt } from "../../tools/build";
import { repository } from "./repository";

/** A file in `dist`. Tests reach `dist` only through this module, which builds it first if a source has changed. */
export const built = (file: string): string => join(repository, "dist", file);

/** The folder that a project's `node_modules` links to as the installed package. It runs `dist` as well. */
export const builtPackage = repository;

ensureBuilt();
