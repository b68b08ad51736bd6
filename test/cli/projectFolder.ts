import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../support/repository";

export interface ProjectFolder {
  /** A folder whose programs find the packages of this repository, as after `npm install`. */
  readonly path: string;
  read(path: string): string;
  /** Every file, with its path from the folder. */
  files(): string[];
}

/** A program's types are checked if nothing runs it: the compiler takes longer than the rest of a run. */
export const transpileOnly = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

/** Gives every test of the suite a folder of its own. */
export function projectFolder(): ProjectFolder {
  let root = "";
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-cli-")));
    symlinkSync(join(repository, "node_modules"), join(root, "node_modules"), "dir");
    mkdirSync(join(root, "phones"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  return {
    get path() {
      return join(root, "phones");
    },
    read: (path) => readFileSync(join(root, "phones", path), "utf8"),
    files: () =>
      readdirSync(join(root, "phones"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, "phones").length + 1))
        .sort(),
  };
}
