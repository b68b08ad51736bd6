import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pipelineExamples } from "../../tools/pipelines";
import { repository } from "../support/repository";

describe("the pipelines of examples/pipelines", () => {
  it("are as init writes them, and there are no others", () => {
    const below = (folder: string): string[] =>
      readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? below(join(folder, entry.name)) : [join(folder, entry.name)],
      );
    const made = pipelineExamples();
    const there = below("examples/pipelines").filter((path) => /\.ya?ml$/.test(path));
    assert.deepEqual(there.sort(), [...made.keys()].sort());
    for (const [path, text] of made) {
      assert.equal(readFileSync(join(repository, path), "utf8"), text, `${relative(".", path)}: run \`npm run docs\``);
    }
  });
});
