import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, it } from "mocha";
import ts from "typescript";

const root = resolve(__dirname, "..");

/** From the ground up: a folder may import from those before it, never from those behind it or from one in the same line. */
const LAYERS = [
  ["provider/core"],
  ["provider/client"],
  ["provider/resources"],
  ["provider/edge"],
  ["provider/pulumi"],
  ["provider/handlers.ts"],
  ["provider/index.ts"],
];

/** The rooms of the core, each on those before it: what a routing is knows nothing of settings, and neither knows a plan or a guard. */
const CORE = ["common", "platform", "routing", "api", "config", "numbers", "messages"].map(
  (room) => `provider/core/${room}`,
);

/** The rooms of the commands, each on those before it. Those of one line know nothing of each other. */
const COMMANDS = [
  ["cli/errors.ts", "cli/io.ts", "cli/lists.ts", "cli/links.ts", "cli/signals.ts", "cli/command.ts"],
  ["cli/pulumi"],
  ["cli/stack"],
  ["cli/report", "cli/rollout", "cli/board", "cli/init", "cli/takeover", "cli/help.ts"],
  ["cli/commands"],
  ["cli/main.ts"],
];

/** Every room, and the rooms that it may import from; inside `provider/` the layers say more. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  provider: [],
  emulator: [],
  // What a resource does is decided in the core: the commands read it there, and send nothing. An import file holds what the check of a
  // number makes of arguments, so it asks that check.
  cli: [
    "provider/core",
    "provider/resources/numberAssignment.ts",
    "provider/resources/numberGroup.ts",
    // Whether the process that holds a lock is alive is asked of the file that asks it of marks.
    "provider/edge/runMarks.ts",
    "emulator",
  ],
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

const roomOf = (path: string): string | undefined =>
  LAYERS.flat().find((room) => path === room || path.startsWith(`${room}/`));
const layerOf = (path: string): number => LAYERS.findIndex((layer) => layer.some((room) => room === roomOf(path)));
const all = sources("provider").flatMap((file) => imports(file));
const everywhere = Object.keys(ROOMS)
  .flatMap(sources)
  .flatMap((file) => imports(file));
const atRunTime = sources("provider").flatMap((file) => imports(file, { types: false }));

describe("the structure of the code", () => {
  it("lets nothing in provider/ import upwards or from a neighbour", () => {
    const isBelow = ({ from, to }: Import) => roomOf(from) === roomOf(to) || layerOf(to) < layerOf(from);
    assert.deepEqual(
      all.filter((one) => !isBelow(one)),
      [],
    );
  });

  it("lets a room of the core import from those before it alone, and has no file beside the rooms", () => {
    const floor = (path: string): number => CORE.findIndex((room) => path.startsWith(`${room}/`));
    const inCore = all.filter(({ from }) => from.startsWith("provider/core/"));
    assert.deepEqual(
      inCore.filter(({ from, to }) => to.startsWith("provider/") && (floor(to) < 0 || floor(to) > floor(from))),
      [],
    );
    assert.deepEqual(
      sources("provider/core").filter((file) => floor(file) < 0),
      [],
    );
  });

  it("lets each room import from those that it stands on, and from no other", () => {
    const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
    const roomOf = (path: string): string => Object.keys(ROOMS).find((room) => isIn(path, room)) ?? "";
    const strange = everywhere.filter(({ from, to }) => {
      const isOurs = roomOf(to) !== "" && roomOf(to) !== roomOf(from);
      return isOurs && !(ROOMS[roomOf(from)] ?? []).some((allowed) => to === allowed || isIn(to, allowed));
    });
    assert.deepEqual(strange, []);
  });

  it("lets a room of the commands import from those before it alone, and has no file beside the rooms", () => {
    const isOf = (path: string, room: string): boolean => path === room || path.startsWith(`${room}/`);
    const floor = (path: string): number => COMMANDS.findIndex((rooms) => rooms.some((room) => isOf(path, room)));
    const room = (path: string): string | undefined => COMMANDS.flat().find((one) => isOf(path, one));
    const inCli = everywhere.filter(({ from, to }) => from.startsWith("cli/") && to.startsWith("cli/"));
    const isBelow = ({ from, to }: Import) => room(from) === room(to) || floor(to) < floor(from) || floor(from) === 0;
    assert.deepEqual(
      inCli.filter((one) => !isBelow(one)),
      [],
    );
    assert.deepEqual(
      sources("cli").filter((file) => floor(file) < 0),
      [],
    );
  });

  it("lets what is outside the core import messages from their index, or from what the program says", () => {
    const single = everywhere.filter(
      ({ from, to }) =>
        /^provider\/core\/messages\/(?!(index|program)\.ts$)/.test(to) && !from.startsWith("provider/core/"),
    );
    assert.deepEqual(single, []);
  });

  it("has no circle of imports", () => {
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

  it("lets core import zod alone, and got and hpagent only client/transport.ts", () => {
    const packages = (test: (file: string) => boolean) =>
      all.filter(({ from, to }) => test(from) && layerOf(to) < 0).map(({ from, to }) => `${from}: ${to}`);
    assert.deepEqual(
      packages((file) => file.startsWith("provider/core/")).filter((line) => !line.endsWith(": zod")),
      [],
    );
    const users = atRunTime.filter(({ to }) => to === "got" || to === "hpagent").map(({ from }) => from);
    assert.deepEqual(users, ["provider/client/transport.ts", "provider/client/transport.ts"]);
    // A preview sends nothing, and does not wait until got is loaded.
    const atOnce = /^import (?!type\b)[^;]*"got";/m;
    assert.doesNotMatch(readFileSync(join(root, "provider/client/transport.ts"), "utf8"), atOnce);
  });

  it("lets core use no clock, chance, environment or file", () => {
    const impure = /\b(?:Date\.now|Math\.random|process\.|performance\.|new Date\(\)|setTimeout)/;
    const found = sources("provider/core").filter((file) => impure.test(readFileSync(join(root, file), "utf8")));
    assert.deepEqual(found, []);
  });

  it("lets resources use the SDK for types alone, and the emulator nothing of provider/", () => {
    const users = atRunTime.filter(({ from, to }) => from.startsWith("provider/resources/") && to === "@pulumi/pulumi");
    assert.deepEqual(users, []);
    const outside = sources("emulator")
      .flatMap((file) => imports(file))
      .filter(({ to }) => !to.startsWith("emulator/") && !to.startsWith("node:"));
    assert.deepEqual(outside, []);
  });
});
