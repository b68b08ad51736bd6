import { join } from "node:path";
import { ensureBuilt } from "../../tools/build";
import { repository } from "./repository";

/** A file in `dist`. Tests must use this module to reach `dist`, because it rebuilds first if a source changed. */
export const built = (file: string): string => join(repository, "dist", file);

/** The folder that a project's `node_modules` links to as the installed package. It runs `dist` as well. */
export const builtPackage = repository;

ensureBuilt();
