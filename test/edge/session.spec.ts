import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { newSession } from "../../provider/edge/session";
import { newRun } from "../support/session";

describe("a warning", () => {
  it("is told once a run", () => {
    const { settings } = newRun("http://127.0.0.1:9", "an-access-token");
    const told: string[] = [];
    const session = newSession(settings, undefined, (text) => void told.push(text));
    for (const who of ["a", "a", "b"]) {
      session.warn({ code: "AGP-064", who, lines: ["told", "and why"] });
    }
    assert.deepEqual(told, ["AGP-064 a: told\n  and why", "AGP-064 b: told\n  and why"]);
  });
});

describe("an engine that reads no more", () => {
  it("is no error that nobody hears", () => {
    newSession(newRun("http://127.0.0.1:9", "an-access-token").settings, undefined, () => {});
    // An error event without a listener is thrown.
    for (const stream of [process.stdout, process.stderr]) {
      assert.equal(stream.emit("error", new Error("write EPIPE")), true);
    }
  });
});
