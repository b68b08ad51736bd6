import assert from "node:assert/strict";
import { split } from "../../provider";
import { dynamicProvider } from "../../provider/engine/provider";
import { numberAssignment, numberGroup } from "../../provider/numbers/lifecycle";
import type { Lifecycle, Props } from "../../provider/run/resource";
import { kindOf, urnOf } from "../support/providerCalls";
import { newRun } from "../support/session";
import { inJavaScript } from "../support/transpiled";
import { group } from "./recorded";
import { AWKWARD, FILE } from "./tables";
import { BASE, type TakeoverFolder, takeover } from "./takeoverProject";

interface ImportEntry {
  readonly name: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** Runs a program without the Pulumi engine, and returns the resources that it declares. */
function declaredBy(program: string) {
  const declared: { name: string; args: Props; lifecycle: Lifecycle<object, object> }[] = [];
  const classOf = (lifecycle: unknown) =>
    class {
      constructor(name: string, args: Props) {
        declared.push({ name, args, lifecycle: lifecycle as Lifecycle<object, object> });
      }
    };
  const modules: Readonly<Record<string, unknown>> = {
    "@pulumi/pulumi": {
      Config: class {
        get = () => undefined;
      },
    },
    "pulumi-agent-platform": {
      split,
      NumberAssignment: classOf(numberAssignment),
      NumberGroup: classOf(numberGroup),
    },
  };
  new Function("require", "exports", inJavaScript(program))((name: string) => modules[name], {});
  return declared;
}

/** Returns the inputs of the first resource in import.json. */
const importedInputs = (folder: TakeoverFolder) =>
  (JSON.parse(folder.read("import.json")).resources as ImportEntry[])[0]?.inputs ?? {};

describe("agent-platform takeover", () => {
  it("writes numbers.ts and import.json and prints the next commands", () =>
    takeover(FILE, ["--import"], { files: { "index.ts": "// mine" } }, ({ code, stdout, stderr }, folder) => {
      assert.equal(code, 0, stderr);
      assert.deepEqual([folder.written(), folder.read("index.ts")], [["import.json", "numbers.ts"], "// mine"]);
      assert.deepEqual(
        stdout.match(/^ {2}(import|pulumi) .*$/gm)?.map((line) => line.trim()),
        [
          'import "./numbers";',
          "pulumi import --file import.json --generate-code=false --stack prod",
          "pulumi preview --stack prod",
        ],
      );
    }));

  it("prints a `cd` command if the project is in a subfolder", () =>
    takeover(FILE, ["team/my phones"], { files: { "team/my phones/Pulumi.yaml": "name: p" } }, ({ stdout }) => {
      const commands = ["cd 'team/my phones'", "pulumi preview --stack prod"];
      assert.ok(stdout.includes(`Next:\n\n${commands.map((line) => `  ${line}\n`).join("")}`), stdout);
    }));

  const modules = { "package.json": '{"type":"module"}' };
  const twoStacks = { "Pulumi.dev.yaml": "", "Pulumi.prod.yaml": "" };
  for (const { name, files, lines } of [
    {
      name: "an `import` statement for a project with one stack",
      files: { "Pulumi.prod.yaml": "" },
      lines: ['import "./numbers";'],
    },
    {
      name: "an `import` with a file extension for an ES module project",
      files: modules,
      lines: ['import "./numbers.js";'],
    },
    {
      name: "a conditional `require` for a project with two stacks",
      files: twoStacks,
      lines: [
        'import { getStack } from "@pulumi/pulumi";',
        'if (getStack() === "prod") {',
        '  require("./numbers");',
        "}",
      ],
    },
    {
      name: "a conditional `import` for an ES module project with two stacks",
      files: { ...twoStacks, ...modules },
      lines: [
        'import { getStack } from "@pulumi/pulumi";',
        'if (getStack() === "prod") {',
        '  await import("./numbers.js");',
        "}",
      ],
    },
  ]) {
    it(`prints ${name}`, () =>
      takeover(FILE, [], { files }, ({ stdout }) => {
        const [, shown = ""] = /:\n\n( {2}import .*?)\n\nNext:/s.exec(stdout) ?? [];
        assert.deepEqual(
          shown.split("\n").flatMap((line) => line.slice(2) || []),
          lines,
        );
      }));
  }

  const guards = {
    ...BASE,
    "agent-platform:approvedAgents": '["agent_front@12"]',
    "agent-platform:maxUnapproved": "0",
    "agent-platform:requireVersions": "true",
    "agent-platform:weightTotal": "100",
  };
  for (const { name, row, codes, pattern } of [
    {
      name: "an unapproved agent",
      row: "4001,agent_night@1:100,-",
      codes: ["AGP-023"],
      pattern: /agent_night@1\./,
    },
    {
      name: "an unapproved outbound agent",
      row: "4001,-,agent_out@9",
      codes: ["AGP-023"],
      pattern: /agent_out@9\./,
    },
    {
      name: "an agent without a version",
      row: "4001,agent_front:100,-",
      codes: ["AGP-022", "AGP-023"],
      pattern: /agent_front/,
    },
    {
      name: "weights that sum to 1 instead of 100",
      row: "4001,agent_front@12:1,-",
      codes: ["AGP-020"],
      pattern: /agent_front@12\s[^.]*\b1\b[^.]*\b100\b/,
    },
    { name: "a table that satisfies all guards", row: "4001,agent_front@12:100,-", codes: [], pattern: /Next/ },
  ]) {
    it(`${codes.length === 0 ? "does not warn about" : "warns about"} ${name}`, () =>
      takeover(`number,agents,outbound\n${row}\n`, [], { config: guards }, ({ code, stdout, stderr }) => {
        assert.equal(code, 0, stderr);
        assert.deepEqual([...new Set(stdout.match(/AGP-\d+/g))].sort(), codes);
        assert.match(stdout, pattern);
      }));
  }

  it("lists all unapproved agents in one warning", () =>
    takeover(
      "number,agents\n4001,agent_a@1:100\n4002,agent_b@1:100\n4003,agent_front@12:100\n",
      [],
      { config: guards },
      ({ stdout }) => assert.match(stdout, /approvedAgents:\s+agent_a@1,\s+agent_b@1\.\n/),
    ));

  it("reads the base URL, workspace and reassert value from the stack's config", () => {
    const config = {
      ...BASE,
      "agent-platform:workspaceId": "42",
      "another-package:reassert": "1",
      "phones:reassert": "2",
    };
    return takeover(FILE, ["--import"], { config }, (_, folder) => {
      const { endpoint, workspaceId, triggers } = importedInputs(folder);
      assert.deepEqual([endpoint, workspaceId, triggers], ["https://p.example", 42, { reassert: "2" }]);
    });
  });

  it("reads the base URL from the environment", () => {
    const env = { AGENT_PLATFORM_BASE_URL: "https://other.example" };
    return takeover(FILE, ["--import"], { config: {}, env }, (_, folder) =>
      assert.equal(importedInputs(folder).endpoint, "https://other.example"),
    );
  });

  for (const { name, project, argv, pattern } of [
    { name: "a stack without a base URL", project: { config: {} }, argv: [], pattern: /agent-platform:baseUrl/ },
    {
      name: "a folder without a project",
      project: { files: { "new/numbers.csv": FILE } },
      argv: ["new"],
      pattern: /^npx pulumi-agent-platform init new$/m,
    },
    {
      name: "a folder that already contains numbers.ts",
      project: { files: { "numbers.ts": "// mine" } },
      argv: [],
      pattern: /numbers\.ts/,
    },
    {
      name: "a binary spreadsheet instead of a CSV file",
      project: { files: { "numbers.csv": Buffer.from("PK\u0003\u0004\u00ff", "latin1") } },
      argv: [],
      pattern: /UTF-8/,
    },
    { name: "an extra argument", project: {}, argv: [".", "b"], pattern: /^pulumi-agent-platform takeover: / },
  ]) {
    it(`rejects ${name}`, () =>
      takeover(FILE, [...argv, "--import"], project, ({ code, stderr }, folder) => {
        assert.equal(code, 2);
        assert.match(stderr.replaceAll(/: (npx .*)/g, ":\n$1"), pattern);
        const before = "files" in project && project.files["numbers.ts"] ? ["numbers.ts"] : [];
        assert.deepEqual(folder.written(), before);
      }));
  }

  for (const { name, table } of [
    { name: "a table with every column", table: FILE },
    { name: "a table with labels that need escaping", table: AWKWARD },
  ]) {
    it(`shows no diff after importing ${name}`, () =>
      takeover(table, ["--import"], {}, async (_, folder) => {
        const entries = JSON.parse(folder.read("import.json")).resources as ImportEntry[];
        const declared = declaredBy(folder.read("numbers.ts"));
        assert.deepEqual(
          declared.map(({ name }) => name),
          entries.map(({ name }) => name),
        );
        const run = newRun("https://p.example", "a-secret-token");
        for (const [index, { lifecycle, args }] of declared.entries()) {
          const { name, id, inputs, outputs } = entries[index] ?? assert.fail(`no entry ${index}`);
          const handler = dynamicProvider(lifecycle, () => run);
          const { __provider, ...saved } = inputs;
          const urn = urnOf(kindOf(lifecycle.kind), name);
          const checked = await handler.check(saved, { ...args, __urn: urn });
          assert.deepEqual(checked, { inputs: { ...saved, __urn: urn } }, name);
          assert.equal((await handler.diff(id, outputs, saved)).changes, false, name);
        }
      }));
  }

  it("does not reuse the name of a resource in the state", () => {
    const state = { entries: [group("front", "+15550000001\n")] };
    const table = "number,agents\n+15550000002,agent_front@12:1\n+15550000003,agent_front@12:1\n";
    return takeover(table, ["--import"], { state }, (_, folder) =>
      assert.deepEqual(
        declaredBy(folder.read("numbers.ts")).map(({ name }) => name),
        ["front-2"],
      ),
    );
  });

  it("writes no files if a row of the table is invalid", () =>
    takeover(`${FILE}4002,,-,-,-,-\n`, ["--import"], {}, ({ code, stdout, stderr }, folder) => {
      assert.deepEqual([code, stdout, folder.written()], [1, "", []]);
      assert.deepEqual(stderr.match(/^ {2}line 6, \w+/gm), ["  line 6, number", "  line 6, label"]);
    }));

  it("accepts a table that starts with a byte order mark", () =>
    takeover(`\uFEFF"number",agents\n4001,-\n`, [], {}, ({ code, stderr }) => assert.equal(code, 0, stderr)));
});
