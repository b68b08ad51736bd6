import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileWithKey, type StackNow, stackNow } from "../../provider/edge/stackNow";

const URN = "urn:pulumi:dev::calls::pulumi-nodejs:dynamic/agent-platform:NumberAssignment::line";
const project = (more = "", name = "calls") => `name: ${name}\nruntime: nodejs\n${more}`;
const config = (freeze: unknown) => `config:\n  agent-platform:freeze: ${JSON.stringify(freeze)}\n`;

type Files = Readonly<Record<string, string>>;

/** What is read in the program's folder. */
function inFolder<Read>(folder: string, files: Files, read: (folder: string) => Read): Read {
  const root = mkdtempSync(join(tmpdir(), "agent-platform-freeze-"));
  try {
    for (const [name, text] of Object.entries({ ...files, [`${folder}/.keep`]: "" })) {
      mkdirSync(join(root, dirname(name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    return read(join(root, folder));
  } finally {
    rmSync(root, { recursive: true });
  }
}

const readIn = (folder: string, files: Files): StackNow => inFolder(folder, files, (path) => stackNow(URN, path));

const heardIn = (folder: string, files: Files) => readIn(folder, files).freeze;

const HEARD: Readonly<Record<string, readonly [folder: string, files: Files]>> = {
  "beside the project file": [".", { "Pulumi.yaml": project(), "Pulumi.dev.yaml": config("audit") }],
  "above the program's folder": ["src/app", { "Pulumi.yaml": project(), "Pulumi.dev.yaml": config("audit") }],
  "with the ending .yml": [".", { "Pulumi.yml": project(), "Pulumi.dev.yml": config("audit") }],
  "in the file that Pulumi takes if there are two": [
    ".",
    {
      "Pulumi.json": JSON.stringify({ name: "calls", runtime: "nodejs" }),
      "Pulumi.dev.json": JSON.stringify({ config: { "agent-platform:freeze": "audit" } }),
      "Pulumi.yaml": project(),
      "Pulumi.dev.yaml": config("an old file"),
    },
  ],
  "in the folder that the older form of stackConfigDir names": [
    ".",
    { "Pulumi.yaml": project("config: conf\n"), "conf/Pulumi.dev.yaml": config("audit") },
  ],
  "in stackConfigDir": [
    ".",
    {
      "Pulumi.yaml": project("stackConfigDir: conf\n"),
      "conf/Pulumi.dev.yaml": config("audit"),
      "Pulumi.dev.yaml": config("an old file"),
    },
  ],
  "of the whole project": [".", { "Pulumi.yaml": `${project()}${config({ value: "audit" })}` }],
  "of the stack, and not that of the whole project": [
    ".",
    { "Pulumi.yaml": `${project()}${config("always")}`, "Pulumi.dev.yaml": config("audit") },
  ],
};

describe("the freeze in the config file of a stack", () => {
  for (const [where, [folder, files]] of Object.entries(HEARD)) {
    it(`is found ${where}`, () => assert.equal(heardIn(folder, files), "audit"));
  }

  it("has no reason if it is encrypted, and is none if it is empty", () => {
    const of = (freeze: unknown) => heardIn(".", { "Pulumi.yaml": project(), "Pulumi.dev.yaml": config(freeze) });
    assert.equal(of({ secure: "v1:abc" }), "the reason is encrypted");
    assert.deepEqual([of(""), of(null)], [undefined, undefined]);
  });

  it("is not that of another stack, of another project, or of a file that cannot be read", () => {
    const other = { "Pulumi.yaml": project(), "Pulumi.prod.yaml": config("audit") };
    assert.equal(heardIn(".", other), undefined);
    assert.equal(heardIn(".", { "Pulumi.yaml": project("", "other"), "Pulumi.dev.yaml": config("audit") }), undefined);
    assert.equal(heardIn(".", { "Pulumi.yaml": project(), "Pulumi.dev.yaml": "config: [" }), undefined);
  });
});

describe("the file of a setting", () => {
  const key = "agent-platform:rollouts";
  const has = `config:\n  ${key}: {}\n`;
  for (const [name, files] of [
    ["Pulumi.dev.yaml", { "Pulumi.yaml": project(), "Pulumi.dev.yaml": has }],
    ["Pulumi.dev.yaml", { "Pulumi.yaml": project("stackConfigDir: conf\n"), "conf/Pulumi.dev.yaml": has }],
    ["Pulumi.yml", { "Pulumi.yml": `${project()}${has}`, "Pulumi.dev.yml": config("audit") }],
    [undefined, { "Pulumi.yaml": project(), "Pulumi.dev.yaml": config("audit") }],
    [undefined, { "Pulumi.yaml": project("", "other"), "Pulumi.dev.yaml": has }],
    [undefined, {}],
  ] as const) {
    it(`is ${name} with ${Object.keys(files).join(", ") || "no file"}`, () => {
      assert.equal(
        inFolder("src", files as Files, (path) => fileWithKey(key, URN, path)),
        name,
      );
    });
  }
});

describe("what Pulumi leaves out of a program in YAML", () => {
  const line = (more = "") => `  line:\n    type: agent-platform:NumberAssignment\n${more}`;
  const yaml = (resources: string, more = "") => `name: calls\nruntime: yaml\n${more}resources:\n${resources}`;
  const inConfig = '"line": it has the name of a key of the config: rename the resource or the key';
  const noPackage = (name: string) =>
    `"line": the type of "${name}" has no package: write it, as in agent-platform:NumberGroup`;
  const forms: Readonly<Record<string, readonly [Files, ...string[]]>> = {
    "nothing of a program that is whole": [{ "Pulumi.yaml": yaml(line()), "Pulumi.dev.yaml": config("") }],
    "a key of the project's config": [{ "Pulumi.yaml": yaml(line(), "config: { line: { default: 1 } }\n") }, inConfig],
    "a key of the stack's config": [
      { "Pulumi.yaml": yaml(line()), "Pulumi.dev.yaml": "config: { calls:line: 1 }" },
      inConfig,
    ],
    "not that of another namespace": [{ "Pulumi.yaml": yaml(line()), "Pulumi.dev.yaml": "config: { aws:line: 1 }" }],
    "what comes after a type without its package": [
      { "Pulumi.yaml": yaml(`  a: { type: random }\n${line()}`) },
      noPackage("a"),
    ],
    "a type of ours without its package": [
      { "Pulumi.yaml": yaml("  line: { type: NumberAssignment }\n") },
      noPackage("line"),
    ],
    "not what comes before it": [{ "Pulumi.yaml": yaml(`${line()}  z: { type: random }\n`) }],
    "a second document": [
      { "Pulumi.yaml": `name: calls\nruntime: yaml\n---\nresources:\n${line()}` },
      '"line": it is in another document of Pulumi.yaml: move it into the first one',
    ],
    "the program in Main.yaml": [
      { "Pulumi.yaml": yaml(line()), "Main.yaml": `resources:\n${line()}`, "Pulumi.dev.yaml": "config: { line: 1 }" },
      inConfig,
    ],
    "not what get reads": [
      { "Pulumi.yaml": yaml(line("    get: { id: a }\n")), "Pulumi.dev.yaml": "config: { line: 1 }" },
    ],
    "nothing in another language": [{ "Pulumi.yaml": `${project()}config: { line: 1 }\nresources:\n${line()}` }],
  };
  for (const [what, [files, ...expected]] of Object.entries(forms)) {
    it(what, () => assert.deepEqual(readIn(".", files).leftOut, expected));
  }

  it("is known of a resource by its kind and its name", () => {
    const isWritten = (resources: string) => readIn(".", { "Pulumi.yaml": yaml(resources) }).isWritten;
    const types = [
      "agent-platform:NumberAssignment",
      "agent-platform:index:NumberAssignment",
      "agent-platform:NumberGroup",
      "aws:NumberAssignment",
    ];
    assert.deepEqual(
      types.map((type) => isWritten(`  line: { type: "${type}" }\n`)),
      [true, true, false, false],
    );
    assert.equal(isWritten("  other: { type: agent-platform:NumberAssignment }\n"), false);
  });
});
