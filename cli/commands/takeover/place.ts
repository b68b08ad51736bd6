import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../../provider/core/common/equality";
import { parseJson } from "../../../provider/core/common/json";
import { UsageError } from "../../errors";
import { projectFileIn, readProject } from "../../pulumi/projectFile";

export const PROGRAM = "index.ts";
export const ELSEWHERE = "choose an empty folder, and copy from there what you need";

/** Node takes these before `index.ts`. */
const BEFORE = ["index.js", "index.mjs", "index.json", "index.node"];

/**
 * Does the folder have a project? An error if that may run another program than index.ts: a program that nothing runs would be worse than
 * none, because the next `up` deletes what an import has recorded.
 */
export function hasProject(folder: string): boolean {
  if (projectFileIn(folder) === undefined) {
    return false;
  }
  const { language, runtimeOptions, content, shown } = readProject({ cwd: folder });
  const at = (name: string) => join(folder, name);
  const manifest = existsSync(at("package.json")) ? parseJson(readFileSync(at("package.json"), "utf8")) : undefined;
  // A variable with the name `exports` would hide that of the compiled module. `npm init` writes `index.js`, whether there is one or not.
  const { main = PROGRAM, exports: entries } = isObject(manifest) ? manifest : { exports: "unknown" };
  const isIndex = /^(\.\/)?index(\.[jt]s)?$/.test(String(main)) && !BEFORE.map(at).some(existsSync);
  const isTypeScript = language === "nodejs" && runtimeOptions.typescript !== false;
  if (!isTypeScript || content.main !== undefined || entries !== undefined || !isIndex) {
    const rule = `takeover writes beside ${shown} only if that runs ${PROGRAM}, and it may run another program`;
    throw new UsageError(`${rule}. Nothing was written; ${ELSEWHERE}.`);
  }
  return true;
}
