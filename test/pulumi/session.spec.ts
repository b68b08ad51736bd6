import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { newSession, turns } from "../../provider/pulumi/session";
import { newRun } from "../support/session";

describe("work on one number", () => {
  it("is done in the order in which it was asked for, and that on others meanwhile", async () => {
    const inTurn = turns();
    const done: string[] = [];
    let release = () => {};
    const first = inTurn("4001", async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      done.push("first");
    });
    const second = inTurn("4001", async () => void done.push("second"));
    await inTurn("4002", async () => void done.push("other"));
    release();
    await Promise.all([first, second]);
    assert.deepEqual(done, ["other", "first", "second"]);
  });

  it("goes on after one that failed", async () => {
    const inTurn = turns();
    const failed = inTurn("4001", () => Promise.reject(new Error("no")));
    const next = inTurn("4001", async () => "done");
    await assert.rejects(failed, { message: "no" });
    assert.equal(await next, "done");
  });
});

describe("a warning", () => {
  it("is printed once a run, on standard error", () => {
    const { settings } = newRun("http://127.0.0.1:9", "a-token");
    const session = newSession(settings, undefined);
    const printed: unknown[] = [];
    const write = process.stderr.write;
    process.stderr.write = (text: unknown) => printed.push(text) > 0;
    try {
      for (const text of ["AGP-067 a", "AGP-067 a", "AGP-067 b"]) session.warn({ code: "AGP-067", text });
    } finally {
      process.stderr.write = write;
    }
    assert.deepEqual(printed, ["warning: AGP-067 a\n", "warning: AGP-067 b\n"]);
  });
});

describe("an engine that reads no more", () => {
  it("is no error that nobody hears", () => {
    newSession(newRun("http://127.0.0.1:9", "a-token").settings, undefined);
    // An error event without a listener is thrown.
    for (const stream of [process.stdout, process.stderr]) {
      assert.equal(stream.emit("error", new Error("write EPIPE")), true);
    }
  });
});
