import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineVersion } from "../../tools/engine/executables";

export const plugins = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

/** A folder of executables; each of them is this shell script, by default one that prints a supported version. */
export function fakeCli(directory: string, script = `echo v${engineVersion}`, others: readonly string[] = plugins) {
  mkdirSync(directory, { recursive: true });
  for (const name of ["pulumi", ...others]) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(directory, name), 0o755);
  }
}

/** Gives every test of the suite a folder of its own. */
export function temporaryFolder(): { readonly path: string } {
  const folder = { path: "" };
  beforeEach(() => {
    folder.path = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-tooling-")));
  });
  afterEach(() => rmSync(folder.path, { recursive: true, force: true }));
  return folder;
}
