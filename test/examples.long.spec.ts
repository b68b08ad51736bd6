import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "../provider/stack/kinds";
import { exampleOf } from "../tools/reference/examples";
import { examples, livesExample } from "./support/examples";
import { byTarget, withPlatformStack } from "./support/platformStack";
import { repository } from "./support/repository";

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

  it("are applied, are then no change, and go", async () => {
    // Most of the time of each is one process that waits for another.
    await Promise.all(Object.keys(examples).map(livesExample));
  });
});

describe("the examples of the reference", () => {
  it("run, all in one program", async () => {
    const texts = KINDS.map(exampleOf);
    const names = texts.flatMap((text) => /^import \{ (.*) \}/.exec(text)?.[1]?.split(", ") ?? []);
    const bodies = texts.map((text) => text.replace(/^import .*\n/, ""));
    const program = `import { ${[...new Set(names)].join(", ")} } from "pulumi-agent-platform";\n${bodies.join("")}`;
    await withPlatformStack({ program }, async ({ stack, sent }) => {
      await stack.up();
      assert.deepEqual(
        byTarget(sent()).map(([request]) => request),
        [
          "POST /api/chats/outbound-sms",
          "POST /api/voices/community",
          "PUT /api/numbers/%2B15551230001/agent",
          "PUT /api/numbers/%2B15551230002/agent",
          "PUT /api/numbers/%2B15551234567/agent",
        ],
      );
    });
  });
});
