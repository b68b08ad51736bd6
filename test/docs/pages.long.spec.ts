import assert from "node:assert/strict";
import { commandProblems } from "./checkCommands";
import { typeErrors } from "./checkTypes";

describe("what the pages show", () => {
  it("compiles every TypeScript block on the pages", () => assert.deepEqual(typeErrors(), []));

  it("uses only existing commands and options on the pages", async () => assert.deepEqual(await commandProblems(), []));
});
