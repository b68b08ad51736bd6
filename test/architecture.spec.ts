import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, it } from "mocha";
import ts from "typescript";
import packageJson from "../package.json";
import { providerText } from "../provider/config/kinds";
import * as handlers from "../provider/handlers";

const root = resolve(__dirname, "..");

/** The folders in provider/, in layers. A folder may import only from folders in earlier layers. */
const PROVIDER_LAYERS = [
  ["base"],
  ["words"],
  ["routing"],
  ["config"],
  ["api"],
  ["run"],
  ["numbers", "posts"],
  ["engine"],
].map((folders) => folders.map((folder) => `provider/${folder}`));

/** The files directly in provider/, which may import from every layer. */
const TOP = ["numberAssignment", "numberGroup", "communityVoice", "smsChat", "handlers", "index"];

/** Files that must be pure. They must not use the clock, the file system, processes or the network. */
const PURE = [
  /^provider\/(base|words|routing|config)\//,
  /^provider\/run\/(ledger|messages|plan|violation)\.ts$/,
  /^provider\/(numbers|posts|engine)\/(check|plan|guards|release|verify|state|messages)\.ts$/,
];

/** Files that send requests or communicate with the engine. */
const SENDS = /^provider\/(api\/(exchange|limiter|http)|numbers\/send|engine\/)/;

/** The files in cli/ that may import code that sends requests. */
const SENDING_COMMANDS: readonly string[] = ["cli/probe/probe.ts"];

/** The kinds of names that contributor docs mention in inline code, each with a check that the name exists. */
const IN_PAGES: readonly { readonly form: RegExp; isThere(name: string): boolean }[] = [
  {
    form: /^[\w.-]+(?:\/[\w.-]+)*(?:\/|\.(?:ts|md|json|yml))$|^\w+(?:\/\w+)+$/,
    isThere: (name) =>
      ["", "provider", "test"].some((folder) =>
        ["", ".spec.ts"].some((end) => existsSync(join(root, folder, `${name}${end}`))),
      ),
  },
  {
    form: /^npm run /,
    isThere: (name) => Object.hasOwn(packageJson.scripts, name.split(" ")[2] ?? ""),
  },
  {
    // Look for a declaration, because a renamed type's old name could still be an ordinary word in comments.
    form: /^[A-Z]+[a-z]\w*$/,
    isThere: (name) => new RegExp(`\\b(?:class|interface|type) ${name}\\b`).test(sourceText()),
  },
  {
    form: /^(?![A-Z]+[a-z])\w+$/,
    isThere: (name) =>
      new RegExp(`\\b${name}\\b`).test(sourceText()) ||
      [name, `${name}.spec.ts`].some((path) => existsSync(join(root, "test", path))),
  },
];

/**
 * The files and folders in cli/, in layers. Each may import only from earlier layers, except that files in the first
 * layer may also import from each other.
 */
const CLI_LAYERS = [
  [
    ...["cli/errors.ts", "cli/io.ts", "cli/lists.ts", "cli/package.ts", "cli/command.ts"],
    ...["cli/files.ts", "cli/layout.ts", "cli/print.ts", "cli/shell.ts", "cli/signals.ts"],
  ],
  ["cli/pulumi"],
  ["cli/state"],
  ["cli/report", "cli/rollout", "cli/board", "cli/probe", "cli/start", "cli/help.ts"],
  ["cli/commands"],
  ["cli/main.ts"],
];

/** Maps each top-level folder to the other folders that it may import from. */
const TOP_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  provider: [],
  emulator: [],
  // The commands run the provider's code to predict what it would do.
  cli: ["provider", "emulator"],
  tools: ["provider", "emulator", "cli"],
  test: ["provider", "emulator", "cli", "tools"],
  bench: ["provider", "emulator", "cli", "tools", "test"],
};

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return sources(path);
    }
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

let cachedText: string | undefined;
/** Returns the text of all source files that could define a name mentioned in the docs. */
const sourceText = (): string => {
  cachedText ??= ["provider", "emulator", "cli", "tools", "test/support"]
    .flatMap(sources)
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
  return cachedText;
};

interface Import {
  readonly from: string;
  /** A path in this repository, or the name of a package. */
  readonly to: string;
}

/** Returns a file's imports. With `types: false`, skips `import type` statements, which don't exist at run time. */
function imports(file: string, { types = true } = {}): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const code = types ? text : text.replace(/^import type [^;]*;/gm, "");
  return ts.preProcessFile(code, true, true).importedFiles.map(({ fileName }) => ({
    from: file,
    to: fileName.startsWith(".") ? located(file, fileName) : fileName,
  }));
}

function located(file: string, specifier: string): string {
  const target = relative(root, resolve(root, dirname(file), specifier));
  const candidates = [target, `${target}.ts`, join(target, "index.ts")];
  return candidates.find((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile()) ?? target;
}

const layerOf = (path: string): number =>
  PROVIDER_LAYERS.findIndex((folders) => folders.some((folder) => path.startsWith(`${folder}/`)));
const subfolderOf = (path: string): string => path.split("/").slice(0, 2).join("/");
const providerImports = sources("provider").flatMap((file) => imports(file));
const allImports = Object.keys(TOP_FOLDERS)
  .flatMap(sources)
  .flatMap((file) => imports(file));
/** Each file's run-time imports, without `import type` statements. */
const atRunTime = new Map(
  ["provider", "emulator", "cli"].flatMap(sources).map((file) => [file, imports(file, { types: false })]),
);
const providerAtRunTime = sources("provider").flatMap((file) => atRunTime.get(file) ?? []);

/**
 * Returns the shortest chain of run-time imports from a file to one that matches `target`. Ignores chains that go
 * through a file in `skipped`.
 */
function pathTo(target: RegExp, file: string, skipped: ReadonlySet<string>): string[] | undefined {
  const seen = new Set([file, ...skipped]);
  const paths = [[file]];
  for (const path of paths) {
    const [last = ""] = path.slice(-1);
    if (target.test(last)) {
      return path;
    }
    for (const { to } of atRunTime.get(last) ?? []) {
      if (!seen.has(to)) {
        seen.add(to);
        paths.push([...path, to]);
      }
    }
  }
  return undefined;
}

describe("the source code", () => {
  it("lets modules in provider/ import only from lower layers", () => {
    const layeredImports = providerImports.filter(({ from, to }) => layerOf(from) >= 0 && to.startsWith("provider/"));
    const isBelow = ({ from, to }: Import) =>
      subfolderOf(from) === subfolderOf(to) || (layerOf(to) >= 0 && layerOf(to) < layerOf(from));
    assert.deepEqual(
      layeredImports.filter((entry) => !isBelow(entry)),
      [],
    );
    const others = sources("provider").filter((file) => layerOf(file) < 0);
    assert.deepEqual(others.sort(), TOP.map((name) => `provider/${name}.ts`).sort());
  });

  it("lets only the probe command import the API client", () => {
    const allowed = new Set(SENDING_COMMANDS);
    const paths = sources("cli").flatMap((file) =>
      allowed.has(file) ? [] : (pathTo(SENDS, file, allowed) ?? []).join(" → ") || [],
    );
    assert.deepEqual(paths, []);
  });

  it("lets each top-level folder import only from lower layers", () => {
    const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
    const folderOf = (path: string): string => Object.keys(TOP_FOLDERS).find((folder) => isIn(path, folder)) ?? "";
    const forbidden = allImports.filter(({ from, to }) => {
      const isOurs = folderOf(to) !== "" && folderOf(to) !== folderOf(from);
      return isOurs && !(TOP_FOLDERS[folderOf(from)] ?? []).some((allowed) => to === allowed || isIn(to, allowed));
    });
    assert.deepEqual(forbidden, []);
  });

  it("lets modules in cli/ import only from lower layers", () => {
    const isIn = (path: string, member: string): boolean => path === member || path.startsWith(`${member}/`);
    const layer = (path: string): number =>
      CLI_LAYERS.findIndex((members) => members.some((member) => isIn(path, member)));
    const memberOf = (path: string): string | undefined => CLI_LAYERS.flat().find((member) => isIn(path, member));
    const inCli = allImports.filter(({ from, to }) => from.startsWith("cli/") && to.startsWith("cli/"));
    const isBelow = ({ from, to }: Import) =>
      memberOf(from) === memberOf(to) || layer(to) < layer(from) || (layer(from) === 0 && layer(to) === 0);
    assert.deepEqual(
      inCli.filter((entry) => !isBelow(entry)),
      [],
    );
    const outside = sources("cli").filter((file) => layer(file) < 0);
    assert.deepEqual(outside, [], "files in cli/ that are in no layer");
  });

  it("has no circular imports", () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of allImports) {
      next.set(from, [...(next.get(from) ?? []), to]);
    }
    const cycles: string[][] = [];
    const done = new Set<string>();
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file]);
      } else if (!done.has(file)) {
        for (const target of next.get(file) ?? []) {
          walk(target, [...path, file]);
        }
        done.add(file);
      }
    };
    for (const file of next.keys()) {
      walk(file, []);
    }
    assert.deepEqual(cycles, []);
  });

  it("imports the got package lazily and only in api/http.ts", () => {
    const users = providerAtRunTime.filter(({ to }) => to === "got" || to === "hpagent").map(({ from }) => from);
    assert.deepEqual([...new Set(users)], ["provider/api/http.ts"]);
    const eagerImport = /^import (?!type\b)[^;]*"got";/m;
    assert.doesNotMatch(readFileSync(join(root, "provider/api/http.ts"), "utf8"), eagerImport);
  });

  it("does not use the clock, randomness or the environment in pure modules", () => {
    const impure = /\b(?:Date\.now|Math\.random|process\.|performance\.|new Date\(\)|setTimeout)/;
    const pure = sources("provider").filter((file) => PURE.some((pattern) => pattern.test(file)));
    assert.ok(pure.length > 20, pure.join());
    assert.deepEqual(
      pure.filter((file) => impure.test(readFileSync(join(root, file), "utf8"))),
      [],
    );
  });

  it("loads the Pulumi SDK only in provider/engine/", () => {
    const users = providerAtRunTime.filter(({ to }) => /^@pulumi\/pulumi(\/|$)/.test(to));
    assert.deepEqual(
      users.filter(({ from }) => !from.startsWith("provider/engine/")),
      [],
    );
  });

  it("lets the emulator import only Node's built-in modules", () => {
    const outside = sources("emulator")
      .flatMap((file) => imports(file))
      .filter(({ to }) => !to.startsWith("emulator/") && !to.startsWith("node:"));
    assert.deepEqual(outside, []);
  });

  it("exports the handlers under the names that saved states use", () => {
    assert.deepEqual(Object.keys(handlers).sort(), ["communityVoice", "numberAssignment", "numberGroup", "smsChat"]);
    assert.equal(providerText("SmsChat"), 'exports.handler = () => require("pulumi-agent-platform/handlers").smsChat');
  });

  for (const page of ["CONTRIBUTING.md", "DESIGN.md", "test/README.md"]) {
    it(`contains the files, scripts and identifiers in backquotes in ${page}`, () => {
      const text = readFileSync(join(root, page), "utf8");
      const named = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
      const known = named.filter((name) => IN_PAGES.some(({ form }) => form.test(name)));
      assert.notDeepEqual(known, [], "the page has names to check");
      const unknown = known.filter((name) => IN_PAGES.some(({ form, isThere }) => form.test(name) && !isThere(name)));
      assert.deepEqual(unknown, []);
    });
  }

  it("has the folders in provider/ and cli/ that DESIGN.md lists", () => {
    const [, tree = ""] = /^```text\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, "DESIGN.md"), "utf8")) ?? [];
    const named: string[] = [];
    let above = "";
    for (const line of tree.split("\n")) {
      above = /^(\w+)\//.exec(line)?.[1] ?? above;
      const [, folder] = /^(?:\w+\/| ) +([a-z]+) {2,}/.exec(line) ?? [];
      named.push(...(folder === undefined ? [] : [`${above}/${folder}`]));
    }
    const folders = ["provider", "cli"].flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [`${folder}/${entry.name}`] : [],
      ),
    );
    assert.deepEqual(named.sort(), folders.sort());
  });
});
