import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { built } from "../support/built";

/** A service that loads this package, and in which a promise rejects while no program runs. */
const service = (copies: number, before = "") => `
  const main = ${JSON.stringify(built("provider/index.js"))};
  for (let copy = 0; copy < ${copies}; copy += 1) {
    Object.keys(require.cache).forEach((key) => delete require.cache[key]);
    require(main);
  }
  ${before}
  Promise.reject(new Error("a mistake of the service"));
  setTimeout(() => console.log("goes on"), 100);`;

const run = (script: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  return { status, stdout, isShown: stderr.includes("a mistake of the service") };
};

describe("a promise that rejects outside of a run, and that nothing handles", () => {
  for (const copies of [1, 2]) {
    it(`ends the process as it does without this package: ${copies === 1 ? "one copy" : "two copies"} of it`, () => {
      assert.deepEqual(run(service(copies)), { status: 1, stdout: "", isShown: true });
    });
  }

  it("is left to a listener of the service", () => {
    const listens = 'process.on("unhandledRejection", ({ message }) => console.log(message));';
    assert.deepEqual(run(service(2, listens)), {
      status: 0,
      stdout: "a mistake of the service\ngoes on\n",
      isShown: false,
    });
  });
});
