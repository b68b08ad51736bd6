import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { examples, livesExample } from "./support/examples";
import { repository } from "./support/repository";

/** examples.long.spec.ts lives the others. */
describe("examples", () => {
  it("are all run here", () => {
    const folders = readdirSync(join(repository, "examples"));
    const programs = folders.filter((folder) =>
      ["index.ts", "Pulumi.yaml"].some(
        (file) => existsSync(join(repository, "examples", folder, file)) && folder !== "test-kit",
      ),
    );
    assert.deepEqual(programs.sort(), Object.keys(examples).sort());
  });

  it("weighted-routing: is applied, is then no change, and goes", () => livesExample("weighted-routing"));
});
