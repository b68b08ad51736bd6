/**
 * Each program and each provider of the tests loads the same three hundred modules, which costs more than all else that it does. The first one
 * keeps what V8 made of those in node_modules, and where Node found them; the others take it from that file. The modules of this package are
 * read and compiled by each process.
 */
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname, join, resolve, sep } = require("node:path");
const { deserialize, serialize } = require("node:v8");
const vm = require("node:vm");

const repository = resolve(__dirname, "../..");
const packages = join(repository, "node_modules") + sep;
/** With fewer that are not known, nothing is written: the file would be written by each process. */
const MANY = 20;

/** Another Node, or another installation of the packages, has a file of its own. */
const file = (() => {
  const installed = statSync(join(packages, ".package-lock.json"), { throwIfNoEntry: false })?.mtimeMs;
  return join(packages, ".cache", `test-modules-${process.version}-${process.arch}-${installed}`);
})();

let cache;
const known = () => {
  cache ??= read();
  return cache;
};
const compiled = new Map();

function read() {
  try {
    return deserialize(readFileSync(file));
  } catch {
    return { code: new Map(), places: new Map() };
  }
}

const { _resolveFilename: find, _extensions: extensions } = Module;
const { _compile: compile } = Module.prototype;
const load = extensions[".js"];

Module._resolveFilename = function (request, parent, isMain, options) {
  const from = parent?.filename ?? "";
  const whole = () => find.call(this, request, parent, isMain, options);
  if (options !== undefined || !from.startsWith(repository)) {
    return whole();
  }
  const { places } = known();
  const key = `${dirname(from)}\0${request}`;
  const place = places.get(key) ?? whole();
  if (place.startsWith(packages)) {
    places.set(key, place);
  }
  return place;
};

extensions[".js"] = function (module, filename) {
  // What is known is no ES module, so no package.json has to be asked.
  return filename.startsWith(packages) && known().code.has(filename)
    ? module._compile(readFileSync(filename, "utf8"), filename)
    : load.call(this, module, filename);
};

Module.prototype._compile = function (content, filename, ...rest) {
  if (!filename.startsWith(packages) || content.startsWith("#!")) {
    return compile.call(this, content, filename, ...rest);
  }
  const script = new vm.Script(Module.wrap(content), {
    filename,
    cachedData: known().code.get(filename),
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (script.cachedDataRejected !== false) {
    compiled.set(filename, script);
  }
  return script.runInThisContext().call(this.exports, this.exports, requireOf(this), this, filename, dirname(filename));
};

function requireOf(module) {
  const require = (request) => module.require(request);
  require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  require.main = process.mainModule;
  require.extensions = extensions;
  require.cache = Module._cache;
  return require;
}

process.on("exit", () => {
  if (compiled.size < MANY) {
    return;
  }
  const { code, places } = known();
  for (const [filename, script] of compiled) {
    code.set(filename, script.createCachedData());
  }
  mkdirSync(dirname(file), { recursive: true });
  // Processes of several tests may end at the same time.
  writeFileSync(`${file}.${process.pid}`, serialize({ code, places }));
  renameSync(`${file}.${process.pid}`, file);
});
