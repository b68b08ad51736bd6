import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { built } from "../support/built";

/** A service that loads this package, and in which a promise rejects while no program runs. */
const service = (before = "") => `
  require(${JSON.stringify(built("provider/index.js"))});
  ${before}
  Promise.reject(new Error("a mistake of the service"));
  setTimeout(() => console.log("goes on"), 100);`;

const run = (script: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  return { status, stdout, isShown: stderr.includes("a mistake of the service") };
};

describe("a promise that rejects outside of a run, and that nothing handles", () => {
  it("ends the process as it does without this package", () =>
    assert.deepEqual(run(service()), { status: 1, stdout: "", isShown: true }));

  it("is left to a listener of the service", () => {
    const listens = 'process.on("unhandledRejection", ({ message }) => console.log(message));';
    assert.deepEqual(run(service(listens)), {
      status: 0,
      stdout: "a mistake of the service\ngoes on\n",
      isShown: false,
    });
  });
});
