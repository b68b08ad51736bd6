import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { isObject } from "../core/common/equality";
import { partsOf } from "../core/common/urn";
import { NAMESPACE } from "../core/config/settings";
import { freezeText } from "../edge/settings";

/**
 * The freeze in the stack's config file. For a delete without a program, such as `pulumi destroy`, the engine configures a dynamic provider with
 * the settings of the last run, and it passes the config on to plugins alone. Undefined if the file is not found: `--config-file` names another.
 */
export function freezeInFile(urn: string, folder = process.cwd()): string | undefined {
  const { stack, project: name } = partsOf(urn);
  const project = projectFrom(folder, name);
  if (project === undefined) {
    return undefined;
  }
  const { file, read } = project;
  const { stackConfigDir } = read;
  const configs = resolve(dirname(file), typeof stackConfigDir === "string" ? stackConfigDir : "");
  // The engine gives both files the same ending.
  const ofStack = parsed(join(configs, `Pulumi.${stack}${extname(file)}`));
  return freezeIn(ofStack) ?? freezeIn(read);
}

/** The project file in this folder or above. The folder that `main` names may have a project of its own. */
function projectFrom(folder: string, name: string): { readonly file: string; readonly read: Yaml } | undefined {
  const file = ["yaml", "yml", "json"].map((ending) => join(folder, `Pulumi.${ending}`)).find(existsSync);
  const read = file === undefined ? undefined : parsed(file);
  if (file !== undefined && read?.name === name) {
    return { file, read };
  }
  const above = dirname(folder);
  return above === folder ? undefined : projectFrom(above, name);
}

type Yaml = Readonly<Record<string, unknown>>;

/** The parser is loaded at a delete only. JSON is YAML. */
function parsed(file: string): Yaml | undefined {
  try {
    const { parse } = require("yaml") as typeof import("yaml");
    const read: unknown = parse(readFileSync(file, "utf8"));
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function freezeIn(file: Yaml | undefined): string | undefined {
  const config = isObject(file?.config) ? file.config : {};
  const entry = config[`${NAMESPACE}:freeze`];
  if (isObject(entry)) {
    return "secure" in entry ? "the reason is encrypted" : freezeText(entry.value);
  }
  return freezeText(entry);
}
