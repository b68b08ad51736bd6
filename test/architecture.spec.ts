import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, it } from "mocha";
import ts from "typescript";

const root = resolve(__dirname, "..");

/** From the ground up: a folder may import from those before it, never from those behind it. */
const LAYERS = [
  "provider/core",
  "provider/client",
  "provider/resources",
  "provider/pulumi",
  "provider/handlers.ts",
  "provider/index.ts",
];

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

interface Import {
  from: string;
  /** A path of this repository, or the name of a package. */
  to: string;
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

const layerOf = (path: string): number => LAYERS.findIndex((layer) => path === layer || path.startsWith(`${layer}/`));
const all = sources("provider").flatMap((file) => imports(file));
const atRunTime = sources("provider").flatMap((file) => imports(file, { types: false }));

describe("the structure of the code", () => {
  it("lets nothing in provider/ import upwards", () => {
    const upwards = all.filter(({ from, to }) => layerOf(to) > layerOf(from));
    assert.deepEqual(upwards, []);
  });

  it("has no circle of imports", () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of all) next.set(from, [...(next.get(from) ?? []), to]);
    const circles: string[][] = [];
    const done = new Set<string>();
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file]);
      else if (!done.has(file)) {
        for (const target of next.get(file) ?? []) walk(target, [...path, file]);
        done.add(file);
      }
    };
    for (const file of next.keys()) walk(file, []);
    assert.deepEqual(circles, []);
  });

  it("lets core import zod alone, and got only client/client.ts", () => {
    const packages = (test: (file: string) => boolean) =>
      all.filter(({ from, to }) => test(from) && layerOf(to) < 0).map(({ from, to }) => `${from}: ${to}`);
    assert.deepEqual(
      packages((file) => file.startsWith("provider/core/")).filter((line) => !line.endsWith(": zod")),
      [],
    );
    const users = atRunTime.filter(({ to }) => to === "got").map(({ from }) => from);
    assert.deepEqual(users, ["provider/client/client.ts"]);
  });

  it("lets core use no clock, chance, environment or file", () => {
    const impure = /\b(?:Date\.now|Math\.random|process\.|performance\.|new Date\(\)|setTimeout|require\()/;
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

  it("keeps every source file under 250 lines", () => {
    const long = ["provider", "emulator", "cli"]
      .flatMap(sources)
      .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").split("\n").length - 1 }))
      .filter(({ lines, file }) => lines > 250 && file !== "provider/core/assumptions.ts");
    assert.deepEqual(long, []);
  });
});
