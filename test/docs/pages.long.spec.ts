import assert from "node:assert/strict";
import { commandProblems } from "./checkCommands";
import { typeErrors } from "./checkTypes";

describe("what the pages show", () => {
  it("is TypeScript that compiles, by the package's names", () => assert.deepEqual(typeErrors(), []));

  it("is commands and options that exist", async () => assert.deepEqual(await commandProblems(), []));
});
