import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { describe, it } from "mocha";
import { hasMark, writeMark } from "../../provider/edge/failedMark";

describe("the mark of a program that failed", () => {
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

  it("is seen in the run of its engine alone, and counts for a day", () => {
    const [run, other] = [address(), address()];
    assert.equal(hasMark(run), false);
    writeMark(run);
    const [name = "", ...more] = readdirSync(folder);
    assert.deepEqual([hasMark(run), hasMark(other), more], [true, false, []]);
    for (const [hours, counts] of [
      [23, true],
      [25, false],
    ] as const) {
      const then = Date.now() / 1000 - hours * 3600;
      utimesSync(join(folder, name), then, then);
      assert.equal(hasMark(run), counts);
    }
    writeMark(run);
    assert.equal(hasMark(run), true);
  });

  const useless: Readonly<Record<string, [why: string, breaks: () => void]>> = {
    "others may read it": ["has mode 755", () => chmodSync(folder, 0o755)],
    "a file takes its place": [
      "cannot be used (EEXIST)",
      () => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, "");
      },
    ],
    "its disk is full": ["cannot be used (ENOSPC)", () => symlinkSync("/dev/full", join(folder, "probe"))],
  };
  for (const [what, [why, breaks]] of Object.entries(useless)) {
    it(`cannot be written, and cannot be known, if ${what}: so nothing is cleared`, () => {
      const run = address();
      assert.equal(hasMark(run), false);
      breaks();
      const message =
        `AGP-076 No number is cleared and no chat is ended, because it is not known whether the program failed. ${folder} ${why}. ` +
        "Make sure that the folder in the message has mode 0700 and free space, or set TMPDIR to another folder.";
      assert.throws(() => hasMark(run), { code: "AGP-076", message });
      assert.throws(() => writeMark(run));
    });
  }
});
