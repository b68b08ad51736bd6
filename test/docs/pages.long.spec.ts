import assert from "node:assert/strict";
import { commandProblems } from "./checkCommands";
import { typeErrors } from "./checkTypes";

describe("the documentation", () => {
  it("contains only TypeScript examples that compile", () => assert.deepEqual(typeErrors(), []));

  it("uses only known commands and options in shell examples", async () =>
    assert.deepEqual(await commandProblems(), []));
});
