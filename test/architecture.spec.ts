import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, it } from "mocha";
import ts from "typescript";
import packageJson from "../package.json";
import { providerText } from "../provider/config/kinds";
import * as handlers from "../provider/handlers";

const root = resolve(__dirname, "..");

/** From the ground up: a folder may import from those before it, never from those behind it or from one in the same line. */
const FLOORS = [["base"], ["words"], ["routing"], ["config"], ["api"], ["run"], ["numbers", "posts"], ["engine"]].map(
  (rooms) => rooms.map((room) => `provider/${room}`),
);

/** What a program uses, what a state names, and what tools read: each on all floors. */
const TOP = ["numberAssignment", "numberGroup", "communityVoice", "smsChat", "handlers", "index"];

/** Pure files: no clock, file, process or network. */
const PURE = [
  /^provider\/(base|words|routing|config)\//,
  /^provider\/run\/(ledger|messages|plan|violation)\.ts$/,
  /^provider\/(numbers|posts|engine)\/(check|plan|guards|release|verify|state|messages)\.ts$/,
];

/** Sends requests, or talks to the engine. */
const SENDS = /^provider\/(api\/(exchange|limiter|http)|numbers\/send|engine\/)/;

/** The commands that may send requests, each by its file. */
const SENDING_COMMANDS: readonly string[] = ["cli/probe/probe.ts"];

/** What a page for contributors may name in code style, and how to tell that it exists. */
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
    // A type must be declared, because its old name may live on as an ordinary word in comments.
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

/** The rooms of the commands, each on those before it. Those of one line know nothing of each other. */
const COMMANDS = [
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

/** Every room, and the rooms that it may import from; inside `provider/` the layers say more. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  provider: [],
  emulator: [],
  // What a resource does is decided by the provider: the commands read it there, and send nothing.
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

let text: string | undefined;
/** Every source that may define a name that a page uses. */
const sourceText = (): string => {
  text ??= ["provider", "emulator", "cli", "tools", "test/support"]
    .flatMap(sources)
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
  return text;
};

interface Import {
  readonly from: string;
  /** A path of this repository, or the name of a package. */
  readonly to: string;
}

/** Imports of types alone count only where asked for: they are gone at run time. */
function imports(file: string, { types = true } = {}): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const read = types ? text : text.replace(/^import type [^;]*;/gm, "");
  return ts.preProcessFile(read, true, true).importedFiles.map(({ fileName }) => ({
    from: file,
    to: fileName.startsWith(".") ? located(file, fileName) : fileName,
  }));
}

function located(file: string, specifier: string): string {
  const target = relative(root, resolve(root, dirname(file), specifier));
  const candidates = [target, `${target}.ts`, join(target, "index.ts")];
  return candidates.find((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile()) ?? target;
}

const floorOf = (path: string): number =>
  FLOORS.findIndex((rooms) => rooms.some((room) => path.startsWith(`${room}/`)));
const roomIn = (path: string): string => path.split("/").slice(0, 2).join("/");
const all = sources("provider").flatMap((file) => imports(file));
const everywhere = Object.keys(ROOMS)
  .flatMap(sources)
  .flatMap((file) => imports(file));
/** The imports of each file that are left at run time. */
const atRunTime = new Map(
  ["provider", "emulator", "cli"].flatMap(sources).map((file) => [file, imports(file, { types: false })]),
);
const providerAtRunTime = sources("provider").flatMap((file) => atRunTime.get(file) ?? []);

/** The shortest chain of run-time imports from a file to one that matches. It doesn't go through the files in `skipped`. */
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
    const onFloors = all.filter(({ from, to }) => floorOf(from) >= 0 && to.startsWith("provider/"));
    const isBelow = ({ from, to }: Import) =>
      roomIn(from) === roomIn(to) || (floorOf(to) >= 0 && floorOf(to) < floorOf(from));
    assert.deepEqual(
      onFloors.filter((one) => !isBelow(one)),
      [],
    );
    const others = sources("provider").filter((file) => floorOf(file) < 0);
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
    const roomOf = (path: string): string => Object.keys(ROOMS).find((room) => isIn(path, room)) ?? "";
    const strange = everywhere.filter(({ from, to }) => {
      const isOurs = roomOf(to) !== "" && roomOf(to) !== roomOf(from);
      return isOurs && !(ROOMS[roomOf(from)] ?? []).some((allowed) => to === allowed || isIn(to, allowed));
    });
    assert.deepEqual(strange, []);
  });

  it("lets modules in cli/ import only from lower layers", () => {
    const isOf = (path: string, room: string): boolean => path === room || path.startsWith(`${room}/`);
    const floor = (path: string): number => COMMANDS.findIndex((rooms) => rooms.some((room) => isOf(path, room)));
    const room = (path: string): string | undefined => COMMANDS.flat().find((one) => isOf(path, one));
    const inCli = everywhere.filter(({ from, to }) => from.startsWith("cli/") && to.startsWith("cli/"));
    const isBelow = ({ from, to }: Import) => room(from) === room(to) || floor(to) < floor(from) || floor(from) === 0;
    assert.deepEqual(
      inCli.filter((one) => !isBelow(one)),
      [],
    );
    const outside = sources("cli").filter((file) => floor(file) < 0);
    assert.deepEqual(outside, [], "no file is beside the rooms");
  });

  it("has no circular imports", () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of everywhere) {
      next.set(from, [...(next.get(from) ?? []), to]);
    }
    const circles: string[][] = [];
    const done = new Set<string>();
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        circles.push([...path.slice(path.indexOf(file)), file]);
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
    assert.deepEqual(circles, []);
  });

  it("imports the got package lazily and only in api/http.ts", () => {
    const users = providerAtRunTime.filter(({ to }) => to === "got" || to === "hpagent").map(({ from }) => from);
    assert.deepEqual([...new Set(users)], ["provider/api/http.ts"]);
    const atOnce = /^import (?!type\b)[^;]*"got";/m;
    assert.doesNotMatch(readFileSync(join(root, "provider/api/http.ts"), "utf8"), atOnce);
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

  it("imports the Pulumi SDK only in engine/ and the resource classes", () => {
    const users = providerAtRunTime.filter(({ from, to }) => floorOf(from) >= 0 && to === "@pulumi/pulumi");
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
    it(`contains every file, script and identifier in the inline code of ${page}`, () => {
      const text = readFileSync(join(root, page), "utf8");
      const named = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
      const known = named.filter((name) => IN_PAGES.some(({ form }) => form.test(name)));
      assert.notDeepEqual(known, [], "the page has names to check");
      const unknown = known.filter((name) => IN_PAGES.some(({ form, isThere }) => form.test(name) && !isThere(name)));
      assert.deepEqual(unknown, []);
    });
  }

  it("has exactly the folders that DESIGN.md lists", () => {
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
