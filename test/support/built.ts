import { join } from "node:path";
import { ensureBuilt } from "../../tools/build";
import { repository } from "./repository";

/** A file of `dist`. This is the only way of a test to `dist`, so that none of them runs what was built of other sources. */
export const built = (file: string): string => join(repository, "dist", file);

ensureBuilt();
