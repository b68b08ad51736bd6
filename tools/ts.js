"use strict";
// Runs TypeScript as it is: `node -r ./tools/ts file.ts`. Types are dropped, not checked: `npm run check` does that. What was
// compiled once is kept, so that a process of the tests has no compiler to load.
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { join, relative, resolve, sep } = require("node:path");

const root = resolve(__dirname, "..");
const kept = join(root, "node_modules/.cache/ts");
const options = {
  loader: "ts",
  format: "cjs",
  target: "node20",
  sourcemap: "inline",
  sourcesContent: false,
  tsconfigRaw: {},
};

function compiled(file) {
  const source = readFileSync(file, "utf8");
  const hash = createHash("sha1")
    .update(JSON.stringify([options, file, source]))
    .digest("hex");
  const banner = `//${hash}`;
  const path = join(kept, `${relative(root, file).replaceAll(sep, ".")}.js`);
  const before = read(path);
  if (before?.startsWith(banner)) {
    return before;
  }
  const { code } = require("esbuild").transformSync(source, { ...options, banner, sourcefile: file });
  if (file.startsWith(root + sep)) {
    keep(path, code);
  }
  return code;
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Whole or not at all, for several processes do this at once. */
function keep(path, code) {
  const partial = `${path}.${process.pid}`;
  mkdirSync(kept, { recursive: true });
  writeFileSync(partial, code);
  renameSync(partial, path);
}

process.setSourceMapsEnabled(true);
require.extensions[".ts"] = (module, file) => module._compile(compiled(file), file);
