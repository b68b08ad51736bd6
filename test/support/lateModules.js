/**
 * `--require`d by the programs and providers of the tests. The SDK loads a compiler and a package manager as soon as it is loaded itself,
 * which is two thirds of its start, and needs them only where a program hands over functions. Here they are loaded when they are used.
 */
const Module = require("node:module");

const late = new Set(["typescript", "@npmcli/arborist"]);
const load = Module._load;

Module._load = function (request, parent, isMain) {
  const whole = () => load.call(this, request, parent, isMain);
  if (!late.has(request) || !parent?.filename?.includes("@pulumi")) {
    return whole();
  }
  // With this mark an import takes the object as it is, and looks for nothing in it.
  return new Proxy({}, { get: (_, key) => key === "__esModule" || whole()[key], has: (_, key) => key in whole() });
};
