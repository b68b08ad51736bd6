import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** A copy of the sources, in which a file can be changed without any effect on the checkout. */

const root = resolve(__dirname, "../..");
const COPIED = ["provider", "emulator", "test", "tools", "cli", "package.json", ".mocharc.json", "tsconfig.json"];

/** The provider's process loads the package by its name: in the copy that is the copy's sources, and not what was compiled. */
const ENTRIES = ["handlers", "index"];

/** A mutant may turn a loop into an endless one: the tool ends its spec after this time. */
const LIMIT_MS = 180_000;

export interface Tree {
  read(file: string): string;
  write(file: string, text: string): void;
  /** Titles of the tests that are red, or "hangs". */
  redTests(specs: readonly string[]): Promise<string[]>;
  remove(): void;
}

export function copyTree(): Tree {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-mutants-"));
  for (const name of COPIED) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  linkModules(join(folder, "node_modules"));
  symlinkSync(folder, join(folder, "node_modules/pulumi-agent-platform"));
  mkdirSync(join(folder, "dist/provider"), { recursive: true });
  for (const entry of ENTRIES) {
    const text = `require("tsx/cjs");\nmodule.exports = require("../../provider/${entry}.ts");\n`;
    writeFileSync(join(folder, "dist/provider", `${entry}.js`), text);
  }
  writeFileSync(
    join(folder, "tools/build.ts"),
    "export const isBuilt = () => true;\nexport const build = () => undefined;\nexport const ensureBuilt = () => undefined;\n",
  );
  return {
    read: (file) => readFileSync(join(folder, file), "utf8"),
    write: (file, text) => writeFileSync(join(folder, file), text),
    redTests: (specs) => redTests(folder, specs),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function linkModules(target: string): void {
  const source = join(root, "node_modules");
  mkdirSync(target);
  for (const name of readdirSync(source)) {
    if (name === "pulumi-agent-platform" || name === ".cache") {
      continue;
    }
    symlinkSync(join(source, name), join(target, name));
  }
}

interface MochaReport {
  readonly failures: readonly { readonly fullTitle: string }[];
}

function redTests(folder: string, specs: readonly string[]): Promise<string[]> {
  const mocha = join(folder, "node_modules/mocha/bin/mocha.js");

  return new Promise((settle) => {
    execFile(
      process.execPath,
      [mocha, "--reporter", "json", "--exit", ...specs],
      { cwd: folder, timeout: LIMIT_MS, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error?.killed) {
          return settle(["hangs"]);
        }
        const start = stdout.indexOf('{\n  "stats"');
        if (start < 0) {
          return settle([`does not load: ${stderr.trim().split("\n")[0] ?? ""}`]);
        }
        const { failures } = JSON.parse(stdout.slice(start)) as MochaReport;
        settle(failures.map(({ fullTitle }) => fullTitle));
      },
    );
  });
}
