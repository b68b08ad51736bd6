import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { describe, it } from "mocha";
import { markFailed, marksOf } from "../../provider/engine/marks";
import type { ResourceError } from "../../provider/words/message";
import { namedIn } from "../support/named";

const hasFailed = (address: string): boolean => marksOf(address).hasFailed();

describe("marksOf", () => {
  const given = process.env.TMPDIR;
  const own = mkdtempSync(join(tmpdir(), "agent-platform-mark-"));
  const folder = join(own, `agent-platform-${process.getuid?.() ?? userInfo().username}`);
  const address = () => `127.0.0.1:${randomUUID()}`;
  before(() => {
    process.env.TMPDIR = own;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  after(() => {
    rmSync(own, { recursive: true });
    if (given === undefined) {
      delete process.env.TMPDIR;
    } else {
      process.env.TMPDIR = given;
    }
  });

  it("remembers a failed program for one day", () => {
    const [run, other] = [address(), address()];
    assert.equal(hasFailed(run), false);
    markFailed(run);
    const [name = "", ...more] = readdirSync(folder);
    assert.deepEqual([hasFailed(run), hasFailed(other), more], [true, false, []]);
    for (const [hours, counts] of [
      [23, true],
      [25, false],
    ] as const) {
      const then = Date.now() / 1000 - hours * 3600;
      utimesSync(join(folder, name), then, then);
      assert.equal(hasFailed(run), counts);
    }
    markFailed(run);
    assert.equal(hasFailed(run), true);
  });

  it("detects that another running process has checked resources", async () => {
    const [run, other] = [address(), address()];
    marksOf(run).markChecking();
    assert.equal(marksOf(run).isCheckedElsewhere(), false);
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const [own = ""] = readdirSync(folder);
    const theirs = join(folder, own.replace(`${process.pid}`, `${child.pid}`));
    writeFileSync(theirs, "");
    assert.deepEqual([marksOf(run).isCheckedElsewhere(), marksOf(other).isCheckedElsewhere()], [true, false]);
    const yesterday = Date.now() / 1000 - 25 * 3600;
    utimesSync(theirs, yesterday, yesterday);
    assert.equal(marksOf(run).isCheckedElsewhere(), false);
    // An old one is taken away by the next.
    marksOf(run).markChecking();
    assert.deepEqual(readdirSync(folder), [own]);
    writeFileSync(theirs, "");
    child.kill();
    await once(child, "exit");
    assert.equal(marksOf(run).isCheckedElsewhere(), false);
  });

  const useless: Readonly<Record<string, [why: string, breaks: () => void]>> = {
    "a marks folder that other users can read": ["755", () => chmodSync(folder, 0o755)],
    "a read-only marks folder": ["500", () => chmodSync(folder, 0o500)],
    "a file in place of the marks folder": [
      "EEXIST",
      () => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, "");
      },
    ],
  };
  for (const [what, [why, breaks]] of Object.entries(useless)) {
    it(`rejects ${what}`, () => {
      const run = address();
      assert.equal(hasFailed(run), false);
      breaks();
      const refusal = ({ code, message }: ResourceError) =>
        code === "AGP-076" && namedIn(message).includes(`${folder} ${why}`);
      assert.throws(() => hasFailed(run), refusal);
      assert.throws(() => marksOf(run).isCheckedElsewhere(), refusal);
      // A preview goes on: whoever deletes meets the same folder.
      marksOf(run).markChecking();
      assert.throws(() => markFailed(run));
    });
  }
});
