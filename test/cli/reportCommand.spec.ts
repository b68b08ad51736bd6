import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { reportCommand } from "../../cli/commands/report";
import { temporaryFolder } from "../support/engineFakes";
import { A, folder, line, previewOf, run, type SyntheticStep, single, stored } from "./reportSteps";
import { done, refusal } from "./terminal";

const text = readFileSync(stored("split-change"), "utf8");
const drawn = (name: string) => readFileSync(join(folder, `${name}.md`), "utf8");

describe("agent-platform report", () => {
  const root = temporaryFolder();

  const lines = JSON.stringify(JSON.parse(text), null, 4);
  const policy = "Installing policy pack acme 0.0.7...\n[acme] Finished: {ok}\n\n";
  const given: Readonly<Record<string, string | Uint8Array>> = {
    "a file of the engine": text,
    "UTF-8 with a byte order mark": `\uFEFF${text}\r\n`,
    "what PowerShell's > writes: UTF-16 with a byte order mark": Buffer.from(`\uFEFF${text}\r\n`, "utf16le"),
    "a document before the line of a plan": `${lines}\nUpdate plan written to plan.txt\n`,
    "a document between lines of a policy pack and a plan": `${policy}${lines.replaceAll("\n", "\r\n")}\r\nWritten`,
    "a document in one line between them": `${policy}${JSON.stringify(JSON.parse(text))}\nWritten`,
  };
  for (const [what, bytes] of Object.entries(given)) {
    it(`reads ${what}`, async () => {
      writeFileSync(join(root.path, "preview.json"), bytes);
      for (const [args, stdin] of [[["preview.json"], ""] as const, [[], bytes] as const, [["-"], bytes] as const]) {
        assert.deepEqual(await run(args, stdin, root.path), done(drawn("split-change")));
      }
    });
  }

  it("prints nothing that controls a terminal, whatever names and errors hold", async () => {
    const names = readdirSync(folder).flatMap((name) => /^(.*)\.preview\.json$/.exec(name)?.[1] ?? []);
    for (const name of names) {
      const { stdout } = await run([stored(name)]);
      assert.doesNotMatch(stdout, /[^\P{Cc}\n]/u, name);
    }
  });

  it("--json has facts, blocking gates and request counts", async () => {
    const json = JSON.parse((await run([stored("number-changed"), "--json", "--fail-on", "delete"])).stdout);
    assert.deepEqual(
      { ...json, digest: "" },
      {
        project: "test",
        stack: "dev",
        headline:
          "⚠ +15551230002 (sales) loses its agents · First assignment overwrites +15551239999 (sales) with agent_front@12 100 %",
        hasFailed: false,
        areBypassed: false,
        isUnchanged: false,
        facts: [
          { condition: "delete", text: "+15551230002 (sales): loses its agents" },
          { condition: "create", text: "+15551239999 (sales): assigned for the first time" },
          { condition: "replace", text: "sales: +15551230002 → +15551239999" },
        ],
        blocking: [{ gate: "delete", facts: ["+15551230002 (sales): loses its agents"] }],
        requests: { puts: 2, voices: 0, messages: 0, ends: 0, isAtLeast: true },
        digest: "",
      },
    );
  });

  it("writes to a file", async () => {
    assert.deepEqual(await run([stored("empty"), "--output", "comment.md"], "", root.path), done(""));
    assert.equal(readFileSync(join(root.path, "comment.md"), "utf8"), drawn("empty"));
  });

  const conditions = "create, delete, replace, shift=25, sms, voice, end, unresolved";
  const broken = "This is not the whole JSON of one preview.";
  const counts = '{"steps":[{"op":"update","urn":"u"}],"changeSummary":{"update":3}}';
  /** What standard input has, or the arguments. */
  const refused: readonly (readonly [name: string, given: string | readonly string[], sentence: string])[] = [
    ["nothing", "", "The preview is empty."],
    ["what a terminal shows", "Previewing update (dev)", broken],
    ["JSON that is no preview", '{"version":3}', broken],
    ["a step without what it does", '{"steps":[{"urn":"u"}]}', broken],
    ["diagnostics that are null", '{"steps":[],"diagnostics":null}', broken],
    ["a preview that breaks off", 'Installing…\n{\n  "steps": [', broken],
    ["two previews", '{\n"steps": []\n}\n{\n"steps": []\n}', broken],
    [
      "fewer steps than it counts",
      counts,
      "This preview counts 3 resources to update, and has the steps of 1, so the change cannot be reviewed.",
    ],
    ["a file that is missing", ["missing.json"], "missing.json is not there."],
    ...["shfit=25", "shift", "shift>25"].map((slip) => {
      const sentence = `--fail-on: "${slip}" is not a condition. The conditions are: ${conditions}.`;
      return [`the condition ${slip}`, ["--fail-on", `delete,${slip}`], sentence] as const;
    }),
    // Of a variable that is not set.
    [
      "an empty --fail-on",
      ["--fail-on", ""],
      `--fail-on is empty. Name conditions (${conditions}), or leave the option out.`,
    ],
    [
      "half a digest",
      ["--expect", "7f3a91"],
      "--expect takes the 12 characters behind `reviewed-digest` in the report.",
    ],
    [
      "a report into a folder that is missing",
      [stored("empty"), "--output", "no/such/folder.md"],
      "no/such/folder.md cannot be written (ENOENT).",
    ],
  ];
  for (const [name, wrong, sentence] of refused) {
    it(`refuses ${name}`, async () => {
      const how = " Write it with `pulumi preview --json > preview.json`.";
      const [printed, message] =
        typeof wrong === "string" ? [await run([], wrong), `${sentence}${how}`] : [await run(wrong), sentence];
      assert.deepEqual(printed, refusal("report", message));
    });
  }

  it("refuses a terminal in place of a preview", async () => {
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    const printed: string[] = [];
    const into = { write: (said: string) => printed.push(said) };
    assert.equal(await reportCommand.run([], { stdin, env: {}, cwd: folder, stdout: into, stderr: into }), 2);
    assert.deepEqual(printed, [
      "pulumi-agent-platform report: Name a preview, or pipe one in: `pulumi preview --json | npx pulumi-agent-platform report`.\n",
    ]);
  });
});

/** What the command says of the preview guard-step, which a guard refuses. */
const FAILED =
  'pulumi-agent-platform report: Refused, nothing is sent: NumberAssignment "support" (+15551230001): inboundAgents: moves 50 percentage points of traffic; limit 25 (agent_front@12 90 % → 40 %, agent_front@13 10 % → 60 %)\n';

describe("agent-platform report as a gate", () => {
  const rows: readonly (readonly [name: string, gates: string, ...said: string[]])[] = [
    ["split-change", "shift=20,replace,delete,create,unresolved"],
    ["split-change", "shift=19.5", "shift=19.5: 4 numbers: 20 percentage points"],
    ["number-changed", "replace", "replace: sales: +15551230002 → +15551239999"],
    [
      "group-joins-and-leaves",
      "create,delete",
      "create: 2 numbers (emea): assigned for the first time",
      "delete: 1 number (emea): loses its agents",
    ],
    [
      "unresolved",
      "unresolved",
      "unresolved: ⚠ Unresolved since an earlier run: the voice Nova (nova) may or may not be in workspace 42",
    ],
  ];
  for (const [name, gates, ...said] of rows) {
    it(`--fail-on ${gates}: ${name} ${said.length === 0 ? "passes" : "is blocked"}`, async () => {
      const { code, stderr, stdout } = await run([stored(name), "--fail-on", gates]);
      assert.equal(stderr, said.map((line) => `pulumi-agent-platform report: ${line}\n`).join(""));
      assert.deepEqual([code, stdout.includes("⛔ CI gate")], said.length === 0 ? [0, false] : [1, true]);
    });
  }

  it("lets no preview pass that failed, with the reason", async () =>
    assert.deepEqual(await run([stored("guard-step")]), { code: 1, stdout: drawn("guard-step"), stderr: FAILED }));

  /** @param document in place of the stored preview */
  const digestOf = async (name: string, document?: object) => {
    const args = document === undefined ? [stored(name), "--json"] : ["--json"];
    return JSON.parse((await run(args, JSON.stringify(document))).stdout).digest;
  };

  it("has the digest that --expect takes, and refuses another change", async () => {
    const digest = await digestOf("split-change");
    assert.match(digest, /^[\da-f]{12}$/);
    assert.equal((await run([stored("split-change"), "--expect", digest])).code, 0);
    const other = await run([stored("number-changed"), "--expect", digest, "--fail-on", "delete"]);
    const found = await digestOf("number-changed");
    assert.equal(other.code, 3);
    const said = (mark: string) =>
      `This is not what was reviewed: expected ${mark}${digest}${mark}, found ${mark}${found}${mark}. Review it again`;
    assert.equal(other.stderr.split("\n")[0], `pulumi-agent-platform report: ${said("")}`);
    assert.ok(other.stdout.includes(`> **${said("`")}**`), other.stdout);
  });

  it("has a digest of our resources' inputs alone, in any order", async () => {
    const preview = JSON.parse(readFileSync(stored("group-joins-and-leaves"), "utf8"));
    const digest = await digestOf("", preview);
    const turned = JSON.parse(
      JSON.stringify({ ...preview, newField: 1, steps: [...preview.steps].reverse() }, (key, value) => {
        if (key === "outputs" || key === "created" || key === "id" || key === "duration") {
          return undefined;
        }
        const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
        return isMap ? Object.fromEntries(Object.entries(value).reverse()) : value;
      }),
    );
    assert.equal(await digestOf("", turned), digest);
    turned.steps[0].newState.inputs.numbers += "+15550000001\n";
    assert.notEqual(await digestOf("", turned), digest);
  });

  it("has another digest if retainOnDelete changes", async () => {
    const digests = async (...changes: SyntheticStep[]) =>
      Promise.all(changes.map((step) => digestOf("", JSON.parse(previewOf([step])))));
    const [deleted, retained] = await digests(
      single("delete", "one", line("+1", A)),
      single("delete", "one", line("+1", A), undefined, { retainOnDelete: true }),
    );
    assert.notEqual(deleted, retained);
    const [kept, set] = await digests(
      single("same", "one", line("+1", A), line("+1", A)),
      single("same", "one", line("+1", A), line("+1", A), { retainsNow: true }),
    );
    assert.notEqual(kept, set);
  });

  it("has no digest of a preview that failed", async () => {
    assert.equal(await digestOf("guard-step"), undefined);
    const { code, stderr } = await run([stored("guard-step"), "--expect", "0123456789ab"]);
    assert.equal(code, 3);
    assert.match(
      stderr,
      /^pulumi-agent-platform report: This is not what was reviewed: expected 0123456789ab, but this preview failed\n/,
    );
  });
});
