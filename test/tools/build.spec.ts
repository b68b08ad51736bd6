import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, isBuilt } from "../../tools/build";

/** Builds a temporary project with three small source files. */
describe("npm run build", () => {
  const root = { path: realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-build-"))) };
  const file = (name: string): string => join(root.path, name);
  const write = (name: string, text: string): void => writeFileSync(file(name), text);
  const readBuilt = (): string => readFileSync(file("dist/provider/index.js"), "utf8");

  before(() => {
    for (const folder of ["provider", "cli", "emulator"]) {
      mkdirSync(file(folder));
    }
    const compilerOptions = {
      target: "es2022",
      module: "commonjs",
      outDir: "dist",
      rootDir: ".",
      types: [],
      lib: ["es5"],
    };
    write("tsconfig.json", "{}");
    write("tsconfig.build.json", JSON.stringify({ compilerOptions, include: ["provider", "cli", "emulator"] }));
    write("provider/index.ts", "export const version = 1;\n");
    write("provider/old.ts", "export const old = 1;\n");
    write("cli/main.ts", "export {};\n");
  });
  after(() => rmSync(root.path, { recursive: true }));

  it("detects that dist is out of date after the sources change", () => {
    assert.equal(isBuilt(root.path), false);
    assert.equal(build(["--noCheck"], root.path), undefined);
    assert.equal(isBuilt(root.path), true);
    assert.match(readBuilt(), /version=1/);
    assert.equal(statSync(file("dist/cli/main.js")).mode & 0o111, 0o111);

    // A checkout changes timestamps but not contents.
    utimesSync(file("provider/index.ts"), new Date(), new Date());
    assert.equal(isBuilt(root.path), true);

    write("provider/index.ts", "export const version = 2;\n");
    utimesSync(file("provider/index.ts"), 0, 0);
    assert.equal(isBuilt(root.path), false);
    rmSync(file("provider/old.ts"));
    assert.equal(build(["--noCheck"], root.path), undefined);
    assert.deepEqual([isBuilt(root.path), existsSync(file("dist/provider/old.js"))], [true, false]);
    assert.match(readBuilt(), /version=2/);

    write("emulator/new.ts", "export {};\n");
    assert.equal(isBuilt(root.path), false);
    rmSync(file("emulator/new.ts"));
    assert.equal(isBuilt(root.path), true);
    write("tsconfig.json", '{ "files": [] }');
    assert.equal(isBuilt(root.path), false);
  });

  it("leaves dist unchanged if the sources do not compile", () => {
    write("provider/index.ts", "export const version = ;\n");
    assert.match(build(["--noCheck"], root.path) ?? "", /provider\/index\.ts\(1,24\): error TS1109/);
    assert.match(readBuilt(), /version=2/);
    assert.equal(isBuilt(root.path), false);
    assert.deepEqual(readdirSync(root.path).sort(), [
      "cli",
      "dist",
      "emulator",
      "provider",
      "tsconfig.build.json",
      "tsconfig.json",
    ]);
  });
});
