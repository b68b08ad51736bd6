import assert from "node:assert/strict";
import { platformStack } from "../support/platformStack";
import { assertClearsNothing, FAILING_PROGRAMS, runInline } from "./inlineProcess";

describe("the Automation API", () => {
  const opened = platformStack({});

  before(async () => {
    const { code, output } = await runInline(opened(), "declare();");
    assert.equal(code, 0, output);
    assert.equal(opened().sent().length, 4);
  });

  for (const [failure, body] of Object.entries(FAILING_PROGRAMS)) {
    it(`does not unassign numbers if an inline program ${failure}`, () => assertClearsNothing(opened(), body));
  }
});
