import assert from "node:assert/strict";
import { platformStack } from "../support/platformStack";
import { clearsNothing, FAILING, runInline } from "./inlineProcess";

describe("the Automation API", () => {
  const life = platformStack({});

  before(async () => {
    const { code, output } = await runInline(life(), "declare();");
    assert.equal(code, 0, output);
    assert.equal(life().sent().length, 4);
  });

  for (const [what, body] of Object.entries(FAILING)) {
    it(`does not unassign numbers if an inline program ${what}`, () => clearsNothing(life(), body));
  }
});
