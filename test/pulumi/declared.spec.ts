import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, describe, it } from "mocha";
import { readSettings } from "../../provider/core/readSettings";
import type { Settings } from "../../provider/core/settings";
import { declaredBy } from "../../provider/pulumi/declared";

const ROOT = `${__dirname}/../..`;
const address = () => `127.0.0.1:${randomUUID()}`;

function settings(baseUrl: string, accessToken: string): Settings {
  const read = readSettings({ get: (key) => ({ baseUrl, accessToken })[key], env: {}, readApproved: () => "" });
  assert.ok("settings" in read);
  return read.settings;
}

const main = settings("https://one.example", "token-a");

describe("declared numbers", () => {
  it("are shared by the provider processes of one run, and by no other run", () => {
    const run = address();
    declaredBy(main, run).declareAll(["+15551230001", "4001"]);
    const other = declaredBy(main, run);
    assert.ok(other.isDeclared("+15551230001") && other.isDeclared("4001"));
    assert.ok(!other.isDeclared("+15551230002"));
    assert.ok(!declaredBy(main, address()).isDeclared("+15551230001"));
  });

  it("are one in the world in international format, and one an account as an extension", () => {
    const run = address();
    declaredBy(main, run).declareAll(["+15551230001", "4001"]);
    const second = declaredBy(settings("https://one.example", "token-b"), run);
    assert.ok(second.isDeclared("+15551230001"));
    assert.ok(!second.isDeclared("4001"));
  });

  it("are another platform's business under another base URL", () => {
    const run = address();
    declaredBy(main, run).declareAll(["+15551230001"]);
    assert.ok(!declaredBy(settings("https://two.example", "token-a"), run).isDeclared("+15551230001"));
  });

  it("end with the process that declared them: addresses come back in later runs", () => {
    const run = address();
    const script = `
      require("ts-node/register/transpile-only");
      const { declaredBy } = require("./provider/pulumi/declared");
      declaredBy(${JSON.stringify(main)}, ${JSON.stringify(run)}).declareAll(["+15551230001"]);
      process.exit(declaredBy(${JSON.stringify(main)}, ${JSON.stringify(run)}).isDeclared("+15551230001") ? 0 : 1);`;
    assert.equal(spawnSync(process.execPath, ["-e", script], { cwd: ROOT, stdio: "inherit" }).status, 0);
    assert.ok(!declaredBy(main, run).isDeclared("+15551230001"));
  });

  it("are kept in memory alone where no engine is known", () => {
    const alone = declaredBy(main, undefined);
    alone.declareAll(["+15551230001"]);
    assert.ok(alone.isDeclared("+15551230001"));
    assert.ok(!declaredBy(main, undefined).isDeclared("+15551230001"));
  });
});

describe("declared numbers, where the temp folder is of no use", () => {
  const given = process.env.TMPDIR;
  const own = mkdtempSync(join(tmpdir(), "declared-"));
  const folder = join(own, `agent-platform-${process.getuid?.() ?? userInfo().username}`);
  afterEach(() => {
    if (given === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = given;
    rmSync(folder, { recursive: true, force: true });
  });
  after(() => rmSync(own, { recursive: true, force: true }));

  /** The process's own memory holds, and nothing is thrown. */
  function holdAlone(run: string): void {
    const declared = declaredBy(main, run);
    declared.declareAll(["+15551230001"]);
    assert.ok(declared.isDeclared("+15551230001"));
    assert.ok(!declared.isDeclared("+15551230002"));
    assert.ok(!declaredBy(main, run).isDeclared("+15551230001"));
  }

  const useless: [string, string, () => void][] = [
    ["it is a file", join(own, "file"), () => writeFileSync(join(own, "file"), "")],
    ["a file has our folder's name", own, () => writeFileSync(folder, "")],
    ["a dangling link has our folder's name", own, () => symlinkSync(join(own, "gone"), folder)],
    ["others may read our folder", own, () => chmodSync(mkdirSync(folder, { recursive: true }) ?? folder, 0o755)],
  ];
  for (const [name, path, prepare] of useless) {
    it(`are kept in memory alone: ${name}`, () => {
      prepare();
      process.env.TMPDIR = path;
      holdAlone(address());
    });
  }

  it("are kept in memory where the file is lost, or cannot be read, after the run began", () => {
    process.env.TMPDIR = own;
    const run = address();
    const [one, other] = [declaredBy(main, run), declaredBy(main, run)];
    one.declareAll(["+15551230001"]);
    const [file = ""] = readdirSync(folder);
    rmSync(join(folder, file));
    mkdirSync(join(folder, file));
    one.declareAll(["+15551230002"]);
    assert.ok(one.isDeclared("+15551230001") && one.isDeclared("+15551230002"));
    assert.ok(!other.isDeclared("+15551230001"));
    rmSync(folder, { recursive: true });
    one.declareAll(["+15551230003"]);
    assert.ok(one.isDeclared("+15551230003") && !other.isDeclared("+15551230003"));
  });

  it("are shared under a user id without a name, as in a container that is run with -u", function () {
    if (process.getuid?.() !== 0) this.skip();
    const run = address();
    // The modules are read first: a user without a name may have no right to the folder of this repository.
    const script = `
      require("ts-node/register/transpile-only");
      const { declaredBy } = require("./provider/pulumi/declared");
      process.setgid(54321);
      process.setuid(54321);
      process.env.TMPDIR = ${JSON.stringify(tmpdir())};
      try { require("node:os").userInfo(); process.exit(2); } catch {}
      declaredBy(${JSON.stringify(main)}, ${JSON.stringify(run)}).declareAll(["+15551230001"]);
      process.exit(declaredBy(${JSON.stringify(main)}, ${JSON.stringify(run)}).isDeclared("+15551230001") ? 0 : 1);`;
    const { status } = spawnSync(process.execPath, ["-e", script], { cwd: ROOT, stdio: "inherit" });
    rmSync(join(tmpdir(), "agent-platform-54321"), { recursive: true, force: true });
    assert.equal(status, 0);
  });
});
