import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { takeoverCommand } from "../../cli/commands/takeover";
import { split } from "../../provider";
import { dynamicProvider } from "../../provider/engine/provider";
import { numberAssignment, numberGroup } from "../../provider/numbers/lifecycle";
import type { Lifecycle, Props } from "../../provider/run/resource";
import { kindOf, urnOf } from "../support/providerCalls";
import { newRun } from "../support/session";
import { inJavaScript } from "../support/transpiled";
import { projectFolder } from "./projectFolder";
import { withRecorded } from "./recorded";
import { AWKWARD, FILE } from "./tables";
import { refusal, runWith } from "./terminal";

interface Entry {
  readonly name: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** The resources of a program, without the engine. */
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

describe("agent-platform takeover", () => {
  const folder = projectFolder();
  const takeover = (...argv: string[]) => runWith(takeoverCommand.run, argv, { cwd: folder.path });
  const put = (name: string, text: string | Buffer) => {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  };

  it("adds to a project that exists, and writes nothing else", async () => {
    mkdirSync(join(folder.path, ".git"));
    put("numbers.csv", FILE);
    const mine = { "team/phones/Pulumi.yaml": "name: mine\nruntime: nodejs\n", "team/phones/index.ts": "// mine" };
    for (const [name, text] of Object.entries(mine)) {
      put(name, text);
    }
    const { code, stdout } = await takeover("numbers.csv", "team/phones");
    assert.equal(code, 0);
    const before = Object.keys(mine);
    assert.deepEqual(folder.files(), ["numbers.csv", ...before, "team/phones/numbers.ts"].sort());
    assert.deepEqual(before.map(folder.read), Object.values(mine));
    assert.equal(
      stdout,
      `4 numbers in 3 resources, of which 1 group with the same routing.
Written to team/phones:

  numbers.ts

Before the first \`pulumi up\`, compare numbers.ts with the platform's web
application.
Add this line to the program: import "./numbers";
If the stack has agent-platform:approvedAgents, it must name agent_desk@3,
agent_front@12, agent_front@13, agent_out@9.

Next:

  cd team/phones
  pulumi preview

A preview sends nothing. The first \`pulumi up\` overwrites what the numbers have,
and nothing can read it back.
`,
    );
  });

  it("writes a new project for the stack that is named", async () => {
    put("numbers.csv", FILE);
    const argv = ["numbers.csv", "new phones", "--import", "--base-url", "https://p.example", "--stack", "prod"];
    const { code, stdout } = await takeover(...argv);
    assert.equal(code, 0);
    assert.ok(folder.files().includes("new phones/Pulumi.prod.yaml"), folder.files().join());
    const next = `
Next:

  cd 'new phones'
  npm install
  pulumi stack init prod
  pulumi import --file import.json --generate-code=false --protect=false --stack prod
  pulumi preview --stack prod
`;
    assert.ok(stdout.includes(next), stdout);
  });

  it("records what the stack's config says of platform and workspace", () => {
    const config = {
      "agent-platform:baseUrl": "https://p.example",
      "agent-platform:workspaceId": "42",
      "phones:reassert": "2",
    };
    return withRecorded({ prod: { config } }, async (world) => {
      writeFileSync(join(world.cwd, "numbers.csv"), FILE);
      const argv = ["numbers.csv", "--import", "--stack", "prod"];
      const { code, stdout } = await runWith(takeoverCommand.run, argv, world);
      assert.equal(code, 0);
      const next =
        "  pulumi import --file import.json --generate-code=false --protect=false --stack prod\n  pulumi preview --stack prod\n";
      assert.ok(stdout.includes(`Next:\n\n${next}`), stdout);
      const [{ inputs }] = JSON.parse(readFileSync(join(world.cwd, "import.json"), "utf8")).resources;
      assert.deepEqual([inputs.endpoint, inputs.workspaceId], ["https://p.example", 42]);
      assert.deepEqual(inputs.triggers, { reassert: "2" });
    });
  });

  it("records the config beside --base-url in a project that exists", () => {
    const config = { "agent-platform:workspaceId": "42", "phones:reassert": "2" };
    return withRecorded({ prod: { config } }, async (world) => {
      writeFileSync(join(world.cwd, "numbers.csv"), FILE);
      const argv = ["numbers.csv", "--import", "--stack", "prod", "--base-url", "https://other.example"];
      assert.equal((await runWith(takeoverCommand.run, argv, world)).code, 0);
      const [{ inputs }] = JSON.parse(readFileSync(join(world.cwd, "import.json"), "utf8")).resources;
      const recorded = [inputs.endpoint, inputs.workspaceId, inputs.triggers];
      assert.deepEqual(recorded, ["https://other.example", 42, { reassert: "2" }]);
    });
  });

  it("overwrites nothing: if one of its files is there, it writes nothing", async () => {
    put("numbers.csv", FILE);
    put("numbers.ts", "// mine");
    const why =
      "numbers.ts exists already. Nothing was written; rename or remove what an earlier takeover has written.";
    assert.deepEqual(await takeover("numbers.csv"), refusal("takeover", why));
    assert.deepEqual(folder.files(), ["numbers.csv", "numbers.ts"]);
  });

  it("names no earlier takeover if another file is in the way", async () => {
    put("numbers.csv", FILE);
    put("package.json", "{}");
    const why = "package.json exists already. Nothing was written; choose another folder.";
    assert.deepEqual(await takeover("numbers.csv"), refusal("takeover", why));
  });

  it("records numbers only for a platform that is named", async () => {
    put("numbers.csv", FILE);
    assert.deepEqual(
      await takeover("numbers.csv", "new", "--import"),
      refusal("takeover", "Name the platform that has the numbers: --base-url <url>. The import records it with them."),
    );
    assert.deepEqual(folder.files(), ["numbers.csv"]);
  });

  for (const { name, table } of [
    { name: "what the guide has", table: FILE },
    { name: "whatever a table has", table: AWKWARD },
  ]) {
    it(`writes a program that keeps its import: ${name}`, async () => {
      put("numbers.csv", table);
      const { code } = await takeover("numbers.csv", ".", "--import", "--base-url", "https://p.example");
      assert.equal(code, 0);
      const entries = JSON.parse(folder.read("import.json")).resources as Entry[];
      const declared = declaredBy(folder.read("numbers.ts"));
      assert.deepEqual(
        declared.map((one) => one.name),
        entries.map((one) => one.name),
      );
      const run = newRun("https://p.example", "a-secret-token");
      for (const [index, { lifecycle, args }] of declared.entries()) {
        const { name, id, inputs, outputs } = entries[index] ?? assert.fail();
        const handler = dynamicProvider(lifecycle, () => run);
        const { __provider, ...saved } = inputs;
        const Urn = urnOf(kindOf(lifecycle.kind), name);
        const checked = await handler.check(saved, { ...args, __urn: Urn });
        assert.deepEqual(checked, { inputs: { ...saved, __urn: Urn } }, name);
        assert.equal((await handler.diff(id, outputs, saved)).changes, false, name);
      }
    });
  }

  it("writes nothing where rows are to be fixed", async () => {
    put("numbers.csv", `${FILE}4002,,-,-,-,-\n`);
    assert.deepEqual(await takeover("numbers.csv"), {
      code: 1,
      stdout: "",
      stderr: `pulumi-agent-platform takeover: 2 things to fix in numbers.csv. Nothing was written.

  line 6, number: the same number as line 5.
  line 6, label: blank; write - for none.
`,
    });
    assert.deepEqual(folder.files(), ["numbers.csv"]);
  });

  it("reads a table with a byte order mark", async () => {
    put("numbers.csv", `\uFEFF"number",agents\n4001,-\n`);
    assert.equal((await takeover("numbers.csv")).code, 0);
  });

  it("refuses what is no table, with exit code 2", async () => {
    put("book.csv", Buffer.from("PK\u0003\u0004\u00ff", "latin1"));
    const zip = "book.csv is no text in UTF-8. Save it as one: a spreadsheet as CSV in UTF-8.";
    assert.deepEqual(await takeover("book.csv"), refusal("takeover", zip));
    assert.deepEqual(await takeover(), refusal("takeover", "Name one file, and at most one folder."));
    assert.deepEqual(folder.files(), ["book.csv"]);
  });
});
