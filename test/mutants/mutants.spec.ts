import assert from "node:assert/strict";
import { mutantsOf } from "./mutants";

describe("the mutants of a file", () => {
  it("change one decision each: a condition, a comparison, a negation, or a call", () => {
    const text = ["if (a && !b) {", "  log(a);", "}", "const c = a > 1 ? a : b;"].join("\n");
    assert.deepEqual(
      mutantsOf(text).map(({ line, was, is }) => `${line}: ${was} → ${is}`),
      [
        "1: a && !b → true",
        "1: a && !b → false",
        "1: && → ||",
        "1: !b → b",
        "2: log(a); → ;",
        "4: a > 1 → true",
        "4: a > 1 → false",
        "4: > → >=",
      ],
    );
    assert.equal(mutantsOf(text)[2]?.text, text.replace("&&", "||"));
  });
});
