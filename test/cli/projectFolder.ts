import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../support/repository";

export interface ProjectFolder {
  /** The folder's path. Programs in it can import this package and its dependencies without `npm install`. */
  readonly path: string;
  read(path: string): string;
  /** Lists the paths of all files, relative to the folder. */
  files(): string[];
}

/** Makes Pulumi skip type checking, which would take longer than the rest of the run. */
export const transpileOnly = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

/** Creates an empty project folder before each test in the suite, and removes it afterwards. */
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
