import assert from "node:assert/strict";
import { commandProblems } from "./checkCommands";
import { typeErrors } from "./checkTypes";

describe("what the pages show", () => {
  it("compiles every TypeScript block in the docs", () => assert.deepEqual(typeErrors(), []));

  it("mentions only existing commands and options in the docs", async () =>
    assert.deepEqual(await commandProblems(), []));
});
