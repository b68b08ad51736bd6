import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parse } from "yaml";
import { readSettings } from "../../provider/core/config/readSettings";
import type { Settings } from "../../provider/core/config/settings";
import { render, violated } from "../../provider/core/messages";
import type { NumbersKind } from "../../provider/core/platform/kinds";
import { split } from "../../provider/pulumi/splits";
import { LIFECYCLES } from "../../provider/resources/lifecycles";
import { inJavaScript } from "../support/transpiled";

/** What a preview would say of a program that a command wrote: by the provider's own check and the stack's own settings, without the engine. */

interface Declared {
  readonly kind: NumbersKind;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Previewed {
  /** What check makes of each resource, by its name. */
  readonly inputs: Readonly<
    Record<string, { readonly number?: string | undefined; readonly numbers?: unknown; readonly triggers?: unknown }>
  >;
  /** The messages with which the preview would fail. */
  readonly refused: readonly string[];
}

/** @param program its file in the folder: in TypeScript, or a `Pulumi.yaml` in YAML */
export function previewed(folder: string, program: string, stack: string): Previewed {
  const config = configOf(folder, `Pulumi.${stack}${extname(program) === ".yml" ? ".yml" : ".yaml"}`);
  const own = Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) => (key === "numbers" ? [["numbers", value]] : [])),
  );
  const declared = extname(program) === ".ts" ? inTypeScript(folder, program, own) : inYaml(folder, program, own);
  const settings = settingsOf(folder, config);
  const checked = declared.map(({ kind, name, args }) => ({
    name,
    kind,
    ...LIFECYCLES[kind].check(undefined, args, settings),
  }));
  return {
    inputs: Object.fromEntries(checked.map(({ name, inputs }) => [name, inputs])),
    refused: checked.flatMap(({ kind, name, failures, violations }) =>
      [...failures, ...violated(`${kind} "${name}"`, violations)].map(render),
    ),
  };
}

function inTypeScript(folder: string, program: string, own: StackValues): Declared[] {
  const declared: Declared[] = [];
  const resource = (kind: NumbersKind) =>
    class {
      constructor(name: string, args: Declared["args"]) {
        declared.push({ kind, name, args });
      }
    };
  const modules: Readonly<Record<string, object>> = {
    "@pulumi/pulumi": {
      Config: class {
        get = () => undefined;
        requireObject = (name: string) => own[name];
      },
    },
    "pulumi-agent-platform": {
      NumberAssignment: resource("NumberAssignment"),
      NumberGroup: resource("NumberGroup"),
      split,
    },
  };
  const code = inJavaScript(readFileSync(join(folder, program), "utf8"));
  new Function("require", "exports", "module", code)((name: string) => modules[name], {}, {});
  return declared;
}

/** As Pulumi reads a program in YAML: it drops a resource in silence whose name is a key of the config. */
function inYaml(folder: string, program: string, own: StackValues): Declared[] {
  const { config, resources } = parse(readFileSync(join(folder, program), "utf8")) as {
    readonly config: object;
    readonly resources: Readonly<Record<string, { readonly type: string; readonly properties: Declared["args"] }>>;
  };
  return Object.entries(resources)
    .filter(([name]) => !Object.hasOwn(config, name) && name !== "pulumi")
    .map(([name, { type, properties }]) => ({
      kind: type.replace(/^.*:/, "") as NumbersKind,
      name,
      args: JSON.parse(JSON.stringify(properties), (_, value) =>
        typeof value === "string" ? filledIn(value, own) : value,
      ),
    }));
}

/** `$$` is a dollar sign, and `${…}` a reference to the config: `reassert`, or a value that is more than a text. */
function filledIn(text: string, own: StackValues): unknown {
  const [, whole = ""] = /^\$\{(\w+)\}$/.exec(text) ?? [];
  return own[whole] ?? textOf(text);
}

const textOf = (text: string): string =>
  text.replace(/\$\$|\$\{([^}]*)\}/g, (found, name?: string) => {
    if (name !== undefined && name !== "reassert") {
      throw new Error(`The program has no ${name}.`);
    }
    return name === undefined ? found.slice(1) : "";
  });

type StackValues = Readonly<Record<string, unknown>>;

const configOf = (folder: string, file: string): StackValues =>
  (parse(readFileSync(join(folder, file), "utf8")) as { readonly config: StackValues }).config;

function settingsOf(folder: string, config: StackValues): Settings {
  const settingOf = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : value);
  const read = readSettings({
    get: (key) => settingOf(config[`agent-platform:${key}`]),
    env: {},
    readApproved: (path) => readFileSync(join(folder, path), "utf8"),
  });
  if ("problems" in read) {
    throw new Error(read.problems.map(({ text }) => text).join("\n"));
  }
  return read.settings;
}
