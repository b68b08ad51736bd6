/**
 * `--require`d by the programs and providers of the tests. As soon as the SDK is loaded it loads a compiler, a package manager, its Automation
 * API and a tracer, and zod all its languages, which is more than half of their start, and programs here hardly ever need one of them: each is
 * loaded when it is used.
 */
require("./moduleCache.js");
const Module = require("node:module");

const late = new Set([
  "typescript",
  "@npmcli/arborist",
  "normalize-package-data",
  "semver",
  "upath",
  "js-yaml",
  "./automation",
  "./v8Hooks",
  "../locales/index.cjs",
]);
const load = Module._load;
const { TEST_ATTEMPTS, TEST_CONCURRENCY } = process.env;

Module._load = function (request, parent, isMain) {
  const from = parent?.filename ?? "";
  const whole = () => load.call(this, request, parent, isMain);
  // A test says how often a provider sends one operation, and how many at a time: users have no settings for it.
  if (TEST_ATTEMPTS !== undefined && request === "./world" && from.includes("/provider/engine/")) {
    const loaded = whole();
    loaded.systemWorld.attempts = Number(TEST_ATTEMPTS);
    loaded.systemWorld.concurrency = Number(TEST_CONCURRENCY ?? loaded.systemWorld.concurrency);
    return loaded;
  }
  if (!/\/node_modules\/(@pulumi\/pulumi|zod)\//.test(from)) {
    return whole();
  }
  // Each resource asks where in the program it is, and for that the source maps of the SDK's own files would be read.
  if (request === "source-map-support/register") {
    return {};
  }
  // The SDK starts a debugger for programs that hold functions in their resources, and ours have none.
  if (request.endsWith("/v8Hooks") && from.endsWith("/cmd/run/index.js")) {
    return { isInitializedAsync: async () => {} };
  }
  // Its functions are taken out of the modules at once.
  if (from.endsWith("/tracing.js") && /^@opentelemetry\/(?!api$)/.test(request)) {
    return new Proxy({}, { get: (_, name) => lateFunction(() => whole()[name]) });
  }
  // With this mark an import takes the object as it is, and looks for nothing in it.
  const get = (_, key) => key === "__esModule" || (whole()[key] ?? (key === "default" ? whole() : undefined));
  return late.has(request) ? new Proxy({}, { get, has: (_, key) => key in whole() }) : whole();
};

function lateFunction(whole) {
  return new Proxy(class {}, {
    apply: (_, that, args) => Reflect.apply(whole(), that, args),
    construct: (_, args) => Reflect.construct(whole(), args),
  });
}
