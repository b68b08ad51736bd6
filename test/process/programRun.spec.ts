import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UNKNOWN } from "../../provider/base/engine";
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

interface Registration {
  readonly name: string;
  readonly reply: object | undefined;
  readonly isRemote?: boolean;
  readonly isPreview?: boolean;
  readonly isMarked: boolean;
}

const fine = { result: 0, unknown: false, object: { on: true } };
const incomplete = { ...fine, object: { list: [{ on: UNKNOWN }] } };
const REGISTRATIONS: readonly Registration[] = [
  { name: "a success", reply: fine, isMarked: false },
  { name: "a success of a remote component", reply: fine, isRemote: true, isMarked: false },
  { name: "a failure", reply: { ...fine, result: 1 }, isMarked: true },
  { name: "a skip of the older engine", reply: { ...fine, result: 2 }, isMarked: true },
  { name: "a skip of the newer engine", reply: { ...fine, unknown: true }, isMarked: true },
  { name: "an error, which the program may catch", reply: undefined, isMarked: true },
  { name: "an unknown output of a remote component", reply: incomplete, isRemote: true, isMarked: true },
  {
    name: "a failure in a preview, which deletes nothing",
    reply: { ...fine, result: 1 },
    isPreview: true,
    isMarked: false,
  },
];

const METHODS = ["registerResource", "readResource"];

/** One process has a run for each reply. It prints what the program got, and how many marks there are then. */
const registering = `
  const { readdirSync, rmSync } = require("node:fs");
  const { join } = require("node:path");
  const { runtime } = require("@pulumi/pulumi");
  const { ResourceMonitorClient } = require("@pulumi/pulumi/proto/resource_grpc_pb");
  let answer;
  for (const method of ${JSON.stringify(METHODS)}) {
    ResourceMonitorClient.prototype[method] = (_, done) => answer(done);
  }
  require(${JSON.stringify(built("provider/index.js"))});
  const folder = process.env.TMPDIR;
  const results = ${JSON.stringify(REGISTRATIONS)}.flatMap(({ reply, isRemote = false, isPreview = false }) =>
    ${JSON.stringify(METHODS)}.map((method) => {
      runtime._setIsDryRun(isPreview);
      const { result, unknown, object } = reply ?? {};
      const given = { getResult: () => result, getUnknown: () => unknown, getObject: () => ({ toJavaScript: () => object }) };
      answer = (done) => (reply ? done(null, given) : done(new Error("lost")));
      let got;
      runtime.getMonitor()[method]({ getRemote: () => isRemote }, (error, one) => {
        got = error?.message ?? (one === given ? "the reply" : "another one");
      });
      const marks = readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)));
      readdirSync(folder).forEach((name) => rmSync(join(folder, name), { recursive: true }));
      return { got, marks: marks.length };
    }),
  );
  console.log(JSON.stringify(results));`;

describe("the reply to a registration", () => {
  let results: { readonly got: string; readonly marks: number }[] = [];
  before(() => {
    const Tmpdir = mkdtempSync(join(tmpdir(), "agent-platform-"));
    const addresses = { PULUMI_NODEJS_MONITOR: "127.0.0.1:1", PULUMI_NODEJS_ENGINE: "127.0.0.1:2" };
    const env = { ...process.env, ...addresses, TMPDIR: Tmpdir };
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", registering], { encoding: "utf8", env });
    rmSync(Tmpdir, { recursive: true });
    assert.equal(stderr, "");
    results = JSON.parse(stdout) as typeof results;
  });

  for (const [row, { name, reply, isMarked }] of REGISTRATIONS.entries()) {
    for (const [column, method] of METHODS.entries()) {
      it(`${isMarked ? "marks the run" : "marks nothing"}: ${name} (${method})`, () =>
        assert.deepEqual(results[row * METHODS.length + column], {
          got: reply ? "the reply" : "lost",
          marks: isMarked ? 1 : 0,
        }));
    }
  }
});

describe("the program's process", () => {
  it("loads no schemas and no client", () => {
    const script = `require(${JSON.stringify(built("provider/index.js"))}); console.log(Object.keys(require.cache).join("\\n"))`;
    const loaded = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout.split("\n");
    assert.match(loaded.join("\n"), /@pulumi\/pulumi/, "the SDK is loaded");
    assert.deepEqual(
      loaded.filter((file) => /node_modules.(zod|got)\b/.test(file)),
      [],
    );
  });
});
