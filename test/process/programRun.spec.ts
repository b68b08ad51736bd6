import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { built } from "../support/built";
import { repository } from "../support/repository";

/**
 * Returns the source of a service that loads this package without running a Pulumi program, and then rejects a promise.
 */
const service = (before = "") => `
  require(${JSON.stringify(built("provider/index.js"))});
  ${before}
  Promise.reject(new Error("a mistake of the service"));
  setTimeout(() => console.log("goes on"), 100);`;

const run = (script: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  return { status, stdout, isShown: stderr.includes("a mistake of the service") };
};

describe("a service that loads the package", () => {
  it("exits with 1 after an unhandled promise rejection", () =>
    assert.deepEqual(run(service()), { status: 1, stdout: "", isShown: true }));

  it("continues if a listener handles a promise rejection", () => {
    const listens = 'process.on("unhandledRejection", ({ message }) => console.log(message));';
    assert.deepEqual(run(service(listens)), {
      status: 0,
      stdout: "a mistake of the service\ngoes on\n",
      isShown: false,
    });
  });
});

describe("importing the package", () => {
  it("does not replace methods of the Pulumi SDK's resource monitor client", () => {
    const script = `const sdk = require("@pulumi/pulumi/proto/resource_grpc_pb").ResourceMonitorClient.prototype;
      const methods = () => Object.getOwnPropertyNames(sdk).map((name) => sdk[name]);
      const before = methods();
      require(${JSON.stringify(built("provider/index.js"))});
      console.log(methods().every((method, at) => method === before[at]));`;
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8", cwd: repository });
    assert.equal(stdout, "true\n", stderr);
  });

  it("does not load zod or got", () => {
    const script = `require(${JSON.stringify(built("provider/index.js"))}); console.log(Object.keys(require.cache).join("\\n"))`;
    const loaded = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout.split("\n");
    assert.match(loaded.join("\n"), /@pulumi\/pulumi/, "the SDK is loaded");
    assert.deepEqual(
      loaded.filter((file) => /node_modules.(zod|got)\b/.test(file)),
      [],
    );
  });
});
