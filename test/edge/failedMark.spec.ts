import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { describe, it } from "mocha";
import { markReader, removeMark, writeMark } from "../../provider/edge/failedMark";

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

  it("is seen in the run of its engine alone, by readers that began before it and after it", () => {
    const [run, other] = [address(), address()];
    const [early, ofOther] = [markReader(run), markReader(other)];
    assert.deepEqual([early(), ofOther()], [false, false]);
    writeMark(run);
    assert.deepEqual([early(), markReader(run)(), ofOther(), markReader(other)()], [true, true, false, false]);
    assert.deepEqual(readdirSync(folder).length, 1);
  });

  it("is removed by the next program at its address, and counts for a day", () => {
    const run = address();
    writeMark(run);
    removeMark(run);
    assert.equal(markReader(run)(), false);
    // None is there.
    removeMark(run);
    writeMark(run);
    const [name = ""] = readdirSync(folder);
    const hoursAgo = (hours: number) => Date.now() / 1000 - hours * 3600;
    utimesSync(join(folder, name), hoursAgo(23), hoursAgo(23));
    assert.equal(markReader(run)(), true);
    utimesSync(join(folder, name), hoursAgo(25), hoursAgo(25));
    assert.equal(markReader(run)(), false);
    writeMark(run);
    assert.equal(markReader(run)(), true);
  });

  const useless: Readonly<Record<string, [why: string, breaks: () => void]>> = {
    "others may read it": ["has mode 755", () => chmodSync(folder, 0o755)],
    "it is removed": ["is not the folder with which this run began", () => rmSync(folder, { recursive: true })],
    "it is removed and made again": [
      "is not the folder with which this run began",
      () => {
        rmSync(folder, { recursive: true });
        mkdirSync(folder, { mode: 0o700 });
      },
    ],
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
    it(`cannot be known if ${what} during the run: so nothing is cleared`, () => {
      const read = markReader(address());
      assert.equal(read(), false);
      breaks();
      const refused = {
        code: "AGP-076",
        message:
          `AGP-076 No number is cleared and no chat is ended, because it is not known whether the program failed. ${folder} ${why}. ` +
          "Make sure that the folder in the message has mode 0700 and free space, or set TMPDIR to another folder.",
      };
      assert.throws(read, refused);
      assert.throws(read, refused);
    });
  }

  it("cannot be known if the folder could not be used when the run began", () => {
    writeFileSync(folder, "");
    const read = markReader(address());
    rmSync(folder);
    assert.throws(read, { message: /^AGP-076 .* is not the folder with which this run began\. Make sure / });
    assert.throws(() => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, "");
      writeMark(address());
    });
  });
});
