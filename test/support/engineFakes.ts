import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineVersion } from "../../tools/engine/executables";

export const plugins = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

/**
 * Writes a fake Pulumi CLI and other fake executables into a folder. All of them are the same shell script, which
 * prints a supported version by default.
 */
export function fakeCli(directory: string, script = `echo v${engineVersion}`, others: readonly string[] = plugins) {
  mkdirSync(directory, { recursive: true });
  for (const name of ["pulumi", ...others]) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(directory, name), 0o755);
  }
}

/** Creates a temporary folder before each test in the suite, and removes it afterwards. */
export function temporaryFolder(): { readonly path: string } {
  const folder = { path: "" };
  beforeEach(() => {
    folder.path = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-tooling-")));
  });
  afterEach(() => rmSync(folder.path, { recursive: true, force: true }));
  return folder;
}
