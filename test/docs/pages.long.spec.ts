import assert from "node:assert/strict";
import { commandProblems } from "./checkCommands";
import { typeErrors } from "./checkTypes";

describe("the documentation", () => {
  it("contains only TypeScript examples that compile", () => assert.deepEqual(typeErrors(), []));

  it("mentions only commands and options that exist", async () => assert.deepEqual(await commandProblems(), []));
});
