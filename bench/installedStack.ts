import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../package.json";
import { newStack, type Stack, type StackOptions } from "../test/support/engine";
import { pluginArchive } from "../tools/plugin";

let archive: Buffer | undefined;

/** As users have it: a program in YAML finds the plugin where `pulumi plugin install` has put the archive of a release. */
export async function newInstalledStack(options: StackOptions): Promise<Stack> {
  // Nothing of the SDK is loaded late, as it is for the tests.
  const env = { NODE_OPTIONS: "", ...options.env };
  const stack = await newStack({ ...options, env, plugin: "installed" });
  archive ??= pluginArchive();
  const file = join(stack.project.root, "plugin.tar.gz");
  writeFileSync(file, archive);
  await stack.run(["plugin", "install", "resource", "agent-platform", version, "--file", file]);
  return stack;
}
