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
