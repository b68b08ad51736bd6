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
  const originalTmpdir = process.env.TMPDIR;
  const temporary = mkdtempSync(join(tmpdir(), "agent-platform-mark-"));
  const folder = join(temporary, `agent-platform-${process.getuid?.() ?? userInfo().username}`);
  const address = () => `127.0.0.1:${randomUUID()}`;
  before(() => {
    process.env.TMPDIR = temporary;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  after(() => {
    rmSync(temporary, { recursive: true });
    if (originalTmpdir === undefined) {
      delete process.env.TMPDIR;
    } else {
      process.env.TMPDIR = originalTmpdir;
    }
  });

  it("remembers a failed program for one day", () => {
    const [run, other] = [address(), address()];
    assert.equal(hasFailed(run), false);
    markFailed(run);
    const [name = "", ...others] = readdirSync(folder);
    assert.deepEqual([hasFailed(run), hasFailed(other), others], [true, false, []]);
    for (const [hours, isCounted] of [
      [23, true],
      [25, false],
    ] as const) {
      const then = Date.now() / 1000 - hours * 3600;
      utimesSync(join(folder, name), then, then);
      assert.equal(hasFailed(run), isCounted);
    }
    markFailed(run);
    assert.equal(hasFailed(run), true);
  });

  it("detects that another running process has checked resources", async () => {
    const [run, other] = [address(), address()];
    marksOf(run).markChecking();
    assert.equal(marksOf(run).isCheckedElsewhere(), false);
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const [ownMark = ""] = readdirSync(folder);
    const otherMark = join(folder, ownMark.replace(`${process.pid}`, `${child.pid}`));
    writeFileSync(otherMark, "");
    assert.deepEqual([marksOf(run).isCheckedElsewhere(), marksOf(other).isCheckedElsewhere()], [true, false]);
    const yesterday = Date.now() / 1000 - 25 * 3600;
    utimesSync(otherMark, yesterday, yesterday);
    assert.equal(marksOf(run).isCheckedElsewhere(), false);
    // `markChecking` also removes expired marks.
    marksOf(run).markChecking();
    assert.deepEqual(readdirSync(folder), [ownMark]);
    writeFileSync(otherMark, "");
    child.kill();
    await once(child, "exit");
    assert.equal(marksOf(run).isCheckedElsewhere(), false);
  });

  const unusable: Readonly<Record<string, [problem: string, breakFolder: () => void]>> = {
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
  for (const [label, [problem, breakFolder]] of Object.entries(unusable)) {
    it(`rejects ${label}`, () => {
      const run = address();
      assert.equal(hasFailed(run), false);
      breakFolder();
      const refusal = ({ code, message }: ResourceError) =>
        code === "AGP-076" && namedIn(message).includes(`${folder} ${problem}`);
      assert.throws(() => hasFailed(run), refusal);
      assert.throws(() => marksOf(run).isCheckedElsewhere(), refusal);
      // `markChecking` doesn't throw, so that previews still work. Each delete checks the folder itself.
      marksOf(run).markChecking();
      assert.throws(() => markFailed(run));
    });
  }
});
