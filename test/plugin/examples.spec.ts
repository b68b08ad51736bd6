import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { name as npmName, version } from "../../package.json";
import { root } from "../../tools/reference/declarations";
import { needYaml } from "../support/engine";
import { byTarget, withPlatformStack } from "../support/platformStack";

interface Schema {
  readonly [field: string]: unknown;
  readonly language: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly resources: Readonly<Record<string, { readonly description: string }>>;
}

const schema = JSON.parse(readFileSync(join(root, "provider/edge/schema.json"), "utf8")) as Schema;

/** The examples as the schema has them: each with its resource, `NumberAssignment`. */
const examplesIn = (language: string) =>
  Object.entries(schema.resources).flatMap(([token, { description }]) => {
    const fences = [...description.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))];
    return fences.map(([, text = ""]) => ({ resource: token.split(":")[2] ?? "", text }));
  });

describe("a release", () => {
  it("has one version and one name, and comes from the repository that package.json names", () => {
    assert.equal(schema.version, version);
    assert.equal(schema.language.nodejs?.packageName, npmName);
    const release = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
    assert.ok(release.includes("npm publish release/*.tgz"));
    // A release from another repository would publish under a name that leads elsewhere.
    assert.ok(release.includes(`= "git+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git"`));
  });
});

describe("the schema's texts", () => {
  it("have one example of each resource in each language", () => {
    const resources = Object.keys(schema.resources).map((token) => token.split(":")[2]);
    for (const language of ["typescript", "yaml"]) {
      assert.deepEqual(
        examplesIn(language).map(({ resource }) => resource),
        resources,
      );
    }
  });

  it("have examples that run, and are the same in TypeScript and in YAML", async () => {
    await needYaml();
    const texts = examplesIn("typescript").map(({ text }) => text);
    const names = texts.flatMap((text) => /^import \{ (.*) \}/.exec(text)?.[1]?.split(", ") ?? []);
    const bodies = texts.map((text) => text.replace(/^import .*\n/, ""));
    const program = `import { ${[...new Set(names)].join(", ")} } from "pulumi-agent-platform";\n${bodies.join("")}`;
    await withPlatformStack({ program }, async ({ stack, sent, sentNothing, platform }) => {
      await stack.up();
      const requests = byTarget(sent()).map(([request]) => request);
      assert.deepEqual(requests, [
        "POST /api/chats/outbound-sms",
        "POST /api/voices/community",
        "PUT /api/numbers/%2B15551230001/agent",
        "PUT /api/numbers/%2B15551230002/agent",
        "PUT /api/numbers/%2B15551234567/agent",
      ]);
      assert.equal(platform.chats.length, 1);
      const resources = examplesIn("yaml").map(({ text }) => text.replace(/^resources:\n/, ""));
      const packages = `packages:\n  agent-platform: ${join(root, "plugin")}\n`;
      const { directory, name } = stack.project;
      const whole = `name: ${name}\nruntime: yaml\n${packages}resources:\n${resources.join("")}`;
      writeFileSync(join(directory, "Pulumi.yaml"), whole);
      assert.deepEqual((await stack.up()).changeSummary, { same: 5 });
      sentNothing();
    });
  });
});
