import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { name as npmName, version } from "../../package.json";
import { SETTINGS, type SettingRow } from "../../provider/core/config/settings";
import { root } from "../../tools/reference/declarations";
import { picture, SLUG } from "../../tools/reference/repository";
import { needYaml } from "../support/engine";
import { byTarget, withPlatformStack } from "../support/platformStack";

interface Schema {
  readonly [field: string]: unknown;
  readonly keywords: readonly string[];
  readonly language: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly resources: Readonly<Record<string, { readonly description: string }>>;
  readonly config: { readonly variables: Readonly<Record<string, { readonly secret?: boolean }>> };
}

const schema = JSON.parse(readFileSync(join(root, "provider/plugin/schema.json"), "utf8")) as Schema;
const page = readFileSync(join(root, "docs/_index.md"), "utf8");
const body = page.replace(/^---\n[\s\S]*?\n---\n/, "");
const prose = body.replace(/^```[\s\S]*?^```$/gm, "");

/** The examples as the registry shows them: each with its resource, `NumberAssignment`. */
const publishedExamples = (language: string) =>
  Object.entries(schema.resources).flatMap(([token, { description }]) => {
    const fences = [...description.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))];
    return fences.map(([, text = ""]) => ({ resource: token.split(":")[2] ?? "", text }));
  });

/** Each row of the fact sheet that the registry writes under the pull request which adds a package. */
describe("the registry's check of a community package", () => {
  it("docs generate: the schema has what the package's metadata is made of", () => {
    assert.equal(schema.name, SLUG.split("/")[1]?.replaceAll("pulumi-", ""));
    assert.match(String(schema.version), /^\d+\.\d+\.\d+$/);
    assert.notEqual(schema.publisher ?? "", "");
    const categories = schema.keywords.filter((keyword) => keyword.startsWith("category/"));
    assert.deepEqual(categories, ["category/cloud"]);
    assert.equal(schema.repository, `https://github.com/${SLUG}`);
    assert.equal(schema.homepage, `https://github.com/${SLUG}`);
  });

  it("docs generate: the page begins with front matter, and has the name and the layout", () => {
    const [, matter = ""] = /^---\n([\s\S]*?)\n---\n/.exec(page) ?? [];
    const lines = matter.split("\n").map((line) => line.split(": ") as [string, string]);
    const { title, meta_desc: about = "", layout } = Object.fromEntries(lines) as Record<string, string>;
    assert.deepEqual([title, layout], [schema.displayName, "package"]);
    assert.ok(about.includes(title ?? "?") && about.length < 160, about);
  });

  it("schema: it has the version of the release's tag", () => {
    assert.equal(schema.version, version);
  });

  it("nodejs SDK: it has the name under which a release publishes it", () => {
    assert.equal(schema.language.nodejs?.packageName, npmName);
    const release = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
    assert.ok(release.includes("npm publish release/*.tgz"));
    // A release from another repository would publish under a name that leads elsewhere.
    assert.ok(release.includes(`= "git+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git"`));
  });

  it("doc-lint: no picture or link of the page is relative", () => {
    const findings = [/<img[^>]+src=["'](?!h)/i, /!\[[^\]]*\]\([./]/, /<a[^>]+href="[./]/, /\]\((?!https?:\/\/)/];
    assert.deepEqual(
      page.split("\n").filter((line) => findings.some((finding) => finding.test(line))),
      [],
    );
  });

  it("logo: it is a picture of this repository", () => {
    assert.equal(schema.logoUrl, picture("docs/pictures/logo.svg"));
    assert.ok(existsSync(join(root, "docs/pictures/logo.svg")));
  });
});

describe("the registry's rules for an overview page", () => {
  it("has its sections in their order, and no heading of the first level", () => {
    const headings = [...prose.matchAll(/^(#+) (.+)$/gm)].map(([, level, text]) => `${level} ${text}`);
    assert.deepEqual(headings.slice(0, 3), ["## Installation", "## Example Usage", "## Configuration"]);
    assert.deepEqual(
      headings.filter((heading) => !heading.startsWith("## ")),
      [],
    );
    assert.match(body.trimStart(), /^The Agent Platform provider for Pulumi /);
  });

  it("says of each setting that is required, secret, or has a variable which one it is", () => {
    const rows: Readonly<Record<string, SettingRow>> = SETTINGS;
    assert.deepEqual(Object.keys(schema.config.variables), Object.keys(rows));
    const lines = page.match(/^- `\w+`.*$/gm) ?? [];
    for (const [name, row] of Object.entries(rows)) {
      const line = lines.find((one) => one.startsWith(`- \`${name}\` (`)) ?? "";
      assert.equal(line.includes("required"), name === "baseUrl", name);
      assert.equal(line.includes("secret"), row.secret === true, name);
      assert.ok(row.env === undefined || line.includes(`\`${row.env}\``), name);
    }
  });
});

describe("the schema's texts", () => {
  it("have one example of each resource in each language", () => {
    const resources = Object.keys(schema.resources).map((token) => token.split(":")[2]);
    for (const language of ["typescript", "yaml"]) {
      assert.deepEqual(
        publishedExamples(language).map(({ resource }) => resource),
        resources,
      );
    }
  });

  it("have examples that run, and are the same in TypeScript and in YAML", async () => {
    await needYaml();
    const texts = publishedExamples("typescript").map(({ text }) => text);
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
      const resources = publishedExamples("yaml").map(({ text }) => text.replace(/^resources:\n/, ""));
      const packages = `packages:\n  agent-platform: ${join(root, "plugin")}\n`;
      const { directory, name } = stack.project;
      const whole = `name: ${name}\nruntime: yaml\n${packages}resources:\n${resources.join("")}`;
      writeFileSync(join(directory, "Pulumi.yaml"), whole);
      assert.deepEqual((await stack.up()).changeSummary, { same: 5 });
      sentNothing();
    });
  });
});
