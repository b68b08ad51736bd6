import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import { isObject } from "../../provider/core/common/equality";
import { readSettings } from "../../provider/core/config/readSettings";
import { NAMESPACE, type Settings } from "../../provider/core/config/settings";
import { programFolder } from "./projectFile";

/**
 * The settings in a file `Pulumi.<stack>.yaml`, without a Pulumi CLI. Undefined if they cannot be read: a preview says what is wrong with
 * them.
 * @param folder of the project
 */
export function settingsIn(folder: string, file: string): Settings | undefined {
  try {
    const content: unknown = parse(readFileSync(file, "utf8"));
    const config = isObject(content) && isObject(content.config) ? content.config : {};
    const read = readSettings({
      get: (key) => textOf(config[`${NAMESPACE}:${key}`]),
      env: {},
      readApproved: (path) => readFileSync(resolve(programFolder(folder), path), "utf8"),
    });
    return "settings" in read ? read.settings : undefined;
  } catch {
    return undefined;
  }
}

/** As Pulumi hands a value of the config on: lists and maps as JSON. */
const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null || typeof value === "string" ? (value ?? undefined) : JSON.stringify(value);
