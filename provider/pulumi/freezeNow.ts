import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { isObject } from "../core/equality";
import { NAMESPACE } from "../core/settings";
import { partsOf } from "../core/urn";

/**
 * The freeze in the stack's config file. For a delete without a program, such as `pulumi destroy`, the engine configures a dynamic provider with
 * the settings of the last run, and it passes the config on to plugins alone. Undefined if the file is not found: `--config-file` names another.
 */
export function freezeInFile(urn: string, folder = process.cwd()): string | undefined {
  const { stack, project } = partsOf(urn);
  const file = projectFileFrom(folder);
  const read = file === undefined ? undefined : parsed(file);
  if (file === undefined || read?.name !== project) {
    return undefined;
  }
  const { stackConfigDir } = read;
  const configs = resolve(dirname(file), typeof stackConfigDir === "string" ? stackConfigDir : "");
  // The engine gives both files the same ending.
  const ofStack = parsed(join(configs, `Pulumi.${stack}${extname(file)}`));
  return freezeIn(ofStack) ?? freezeIn(read);
}

function projectFileFrom(folder: string): string | undefined {
  const found = ["yaml", "yml", "json"].map((ending) => join(folder, `Pulumi.${ending}`)).find(existsSync);
  const above = dirname(folder);
  return found !== undefined || above === folder ? found : projectFileFrom(above);
}

/** The parser is loaded at a delete only. JSON is YAML. */
function parsed(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { parse } = require("yaml") as typeof import("yaml");
    const read: unknown = parse(readFileSync(file, "utf8"));
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function freezeIn(file: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const config = isObject(file?.config) ? file.config : {};
  const entry = config[`${NAMESPACE}:freeze`];
  if (isObject(entry)) {
    return "secure" in entry ? "the reason is encrypted" : textOf(entry.value);
  }
  return textOf(entry);
}

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null || value === "" ? undefined : String(value);
