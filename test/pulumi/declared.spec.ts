import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { describe, it } from "mocha";
import { readSettings } from "../../provider/core/readSettings";
import type { Settings } from "../../provider/core/settings";
import { declaredBy } from "../../provider/pulumi/declared";

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
    assert.equal(
      spawnSync(process.execPath, ["-e", script], { cwd: `${__dirname}/../..`, stdio: "inherit" }).status,
      0,
    );
    assert.ok(!declaredBy(main, run).isDeclared("+15551230001"));
  });

  it("are kept in memory alone where no engine is known", () => {
    const alone = declaredBy(main, undefined);
    alone.declareAll(["+15551230001"]);
    assert.ok(alone.isDeclared("+15551230001"));
    assert.ok(!declaredBy(main, undefined).isDeclared("+15551230001"));
  });
});
