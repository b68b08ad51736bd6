import assert from "node:assert/strict";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alone, LONGEST_WRITE, lockOf } from "../../cli/rollout/lock";
import { temporaryFolder } from "../support/engineFakes";

/** A process that has ended, because no process has this id. */
const ENDED = 2 ** 22 + 1;

/** A piece of work that ends when the test says so. */
const work = () => {
  let [finish, begin] = [() => {}, () => {}];
  const end = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const run = () => {
    begin();
    return end;
  };
  return { run, begun, finish: () => finish() };
};

const makeOlder = (lock: string, milliseconds: number) => {
  const time = new Date(Date.now() - milliseconds);
  utimesSync(lock, time, time);
};

describe("the lock of a config file", () => {
  const folder = temporaryFolder();
  const path = () => join(folder.path, "Pulumi.prod.yaml");

  it("keeps out a second writer for as long as the longest write takes, and then is removed", async () => {
    const first = work();
    const order: string[] = [];
    const written = alone(path(), first.run).then(() => order.push("first"));
    await first.begun;
    makeOlder(lockOf(path()), LONGEST_WRITE - 5000);
    const second = alone(path(), async () => order.push("second"));
    await alone(join(folder.path, "other"), async () => order.push("another file"));
    setTimeout(first.finish, 50);
    await Promise.all([written, second]);
    assert.deepEqual([order, existsSync(lockOf(path()))], [["another file", "first", "second"], false]);
  });

  for (const [what, pid, age] of [
    ["whose process has ended", ENDED, 0],
    ["that is older than the longest write, whatever process has its id now", process.ppid, LONGEST_WRITE + 1000],
  ] as const) {
    it(`holds nobody up if it is one ${what}`, async () => {
      writeFileSync(lockOf(path()), `${pid} left`);
      makeOlder(lockOf(path()), age);
      assert.equal(await alone(path(), async () => "written"), "written");
      assert.equal(existsSync(lockOf(path())), false);
    });
  }

  it("is removed only by who made it", async () => {
    const [first, second] = [work(), work()];
    const slow = alone(path(), first.run);
    await first.begun;
    makeOlder(lockOf(path()), LONGEST_WRITE + 1000);
    const next = alone(path(), second.run);
    await second.begun;
    const owner = readFileSync(lockOf(path()), "utf8");
    first.finish();
    await slow;
    assert.equal(readFileSync(lockOf(path()), "utf8"), owner);
    second.finish();
    await next;
    assert.equal(existsSync(lockOf(path())), false);
  });

  it("is left out if there is no folder for it", async () => {
    const { TMPDIR } = process.env;
    process.env.TMPDIR = join(folder.path, "missing");
    try {
      assert.equal(await alone(path(), async () => "written"), "written");
    } finally {
      process.env.TMPDIR = TMPDIR;
      if (TMPDIR === undefined) {
        delete process.env.TMPDIR;
      }
    }
  });
});
