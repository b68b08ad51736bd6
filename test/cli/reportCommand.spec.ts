import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { reportCommand } from "../../cli/commands/report";
import { folder, run, stored } from "./reportSupport";
import { done, refusal } from "./terminal";

describe("agent-platform report", () => {
  it("reads a file, or standard input", async () => {
    const golden = readFileSync(join(folder, "split-change.md"), "utf8");
    const fromFile = await run([stored("split-change")]);
    assert.deepEqual(fromFile, done(golden));
    assert.deepEqual(await run(["split-change.preview.json"]), fromFile);
    const text = readFileSync(stored("split-change"), "utf8");
    assert.deepEqual(await run([], text), fromFile);
    assert.deepEqual(await run(["-"], `\uFEFF${text}\r\n`), fromFile);
  });

  it("reads what PowerShell's > writes: UTF-16 with a byte order mark", async () => {
    const root = mkdtempSync(join(tmpdir(), "agent-platform-report-"));
    try {
      const golden = readFileSync(join(folder, "split-change.md"), "utf8");
      const little = Buffer.from(`\uFEFF${readFileSync(stored("split-change"), "utf8")}\r\n`, "utf16le");
      for (const bytes of [little, Buffer.from(little).swap16()]) {
        writeFileSync(join(root, "preview.json"), bytes);
        assert.deepEqual(await run(["preview.json"], "", root), done(golden));
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it("writes for other programs what gates judge, and what is sent", async () => {
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
    const root = mkdtempSync(join(tmpdir(), "agent-platform-report-"));
    try {
      assert.deepEqual(await run([stored("empty"), "--output", "comment.md"], "", root), done(""));
      assert.equal(readFileSync(join(root, "comment.md"), "utf8"), readFileSync(join(folder, "empty.md"), "utf8"));
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it("reads a document among the lines of a policy pack and of a plan", async () => {
    const text = readFileSync(stored("split-change"), "utf8");
    const alone = await run([], text);
    const lines = JSON.stringify(JSON.parse(text), null, 4);
    const before = "Installing policy pack acme 0.0.7...\n[acme] Finished: {ok}\n\n";
    for (const given of [
      `${before}${lines}`,
      `${lines}\nUpdate plan written to plan.txt\n`,
      `${before}${lines.replaceAll("\n", "\r\n")}\r\nWritten`,
      `${before}${JSON.stringify(JSON.parse(text))}\nWritten`,
    ]) {
      assert.deepEqual(await run([], given), alone, given.slice(0, 60));
    }
  });

  describe("refuses with exit code 2, in one sentence, and writes nothing", () => {
    const WriteIt = "Write it with `pulumi preview --json > preview.json`.";
    const broken = [
      "Previewing update (dev)",
      '{"version":3}',
      '{"steps":[{"urn":"u"}]}',
      '{"diagnostics":[{"severity":"error","message":"m"},"no"]}',
      '{"steps":null,"changeSummary":{}}',
      '{"steps":[],"diagnostics":null}',
      'Installing…\n{\n  "steps": [',
      '{"sequence":0,"preludeEvent":{"config":{}}}\n{"sequence":1}',
      '{\n"steps": []\n}\n{\n"steps": []\n}',
    ];
    const previews: readonly (readonly [input: string, string])[] = [
      ["", "The preview is empty."],
      ...broken.map((input) => [input, "This is not the whole JSON of one preview."] as const),
      [
        '{"steps":[{"op":"update","urn":"u"}],"changeSummary":{"update":3}}',
        "This preview counts 3 resources to update, and has the steps of 1, so the change cannot be reviewed.",
      ],
    ];
    for (const [input, sentence] of previews) {
      it(`the preview ${JSON.stringify(input)}`, async () => {
        assert.deepEqual(await run([], input), refusal("report", `${sentence} ${WriteIt}`));
      });
    }

    const Conditions = "create, delete, replace, shift=25, unresolved";
    const refused: readonly (readonly [string, args: readonly string[], string])[] = [
      ["a missing file", ["missing.json"], "missing.json is not there."],
      ...["shfit>25", "shift", ""].map((gate): [string, string[], string] => [
        `the gate "${gate}"`,
        ["--fail-on", `delete,${gate}`],
        `--fail-on: "${gate}" is not a condition. The conditions are: ${Conditions}.`,
      ]),
      [
        "gates of a variable that is not set",
        ["--fail-on", ""],
        `--fail-on is empty. Name conditions (${Conditions}), or leave the option out.`,
      ],
      [
        "a digest that is none",
        ["--expect", "7f3a91"],
        "--expect takes the 12 characters behind `reviewed-digest` in the report.",
      ],
      ["an unknown option", ["--fail"], "The option --fail does not exist. Did you mean --fail-on?"],
      [
        "an output that cannot be written",
        [stored("empty"), "--output", "no/such/folder.md"],
        "no/such/folder.md cannot be written (ENOENT).",
      ],
    ];
    for (const [what, args, sentence] of refused) {
      it(what, async () => assert.deepEqual(await run(args), refusal("report", sentence)));
    }

    it("a terminal in place of a preview, which it would wait for without a word", async () => {
      const stdin = Object.assign(Readable.from([]), { isTTY: true });
      const [stdout, stderr]: [string[], string[]] = [[], []];
      const io = { stdin, env: {}, cwd: folder, stdout: intoList(stdout), stderr: intoList(stderr) };
      assert.equal(await reportCommand.run([], io), 2);
      assert.deepEqual(stdout, []);
      assert.deepEqual(stderr, [
        "pulumi-agent-platform report: Name a preview, or pipe one in: `pulumi preview --json | npx pulumi-agent-platform report`.\n",
      ]);
    });
  });
});

/** What the command says of the preview guard-step, which a guard refuses. */
const FAILED =
  "pulumi-agent-platform report: Refused, nothing is sent: support: inboundAgents: moves 50 percentage points of traffic; limit 25 (agent_front@12 90 % → 40 %, agent_front@13 10 % → 60 %)\n";

describe("agent-platform report as a gate", () => {
  describe("--fail-on", () => {
    const rows: readonly (readonly [string, string, string])[] = [
      ["split-change", "shift>20", ""],
      ["split-change", "shift=19.5", "shift>19.5: 4 numbers: 20 percentage points"],
      ["split-change", "replace,delete,create,unresolved", ""],
      ["number-retained", "delete", "delete: +15551230003 (night): forgotten by this stack"],
      ["number-changed", "replace", "replace: sales: +15551230002 → +15551239999"],
      [
        "group-joins-and-leaves",
        "create,delete",
        "create: 2 numbers (emea): assigned for the first time\npulumi-agent-platform report: delete: 1 number (emea): loses its agents",
      ],
      [
        "unresolved",
        "unresolved",
        "unresolved: ⚠ Unresolved since an earlier run: the voice Nova (nova) may or may not be in workspace 42",
      ],
    ];
    for (const [name, gates, said] of rows) {
      it(`${name} with ${gates}: ${said === "" ? "passes" : "is blocked"}`, async () => {
        const { code, stderr, stdout } = await run([stored(name), "--fail-on", gates]);
        assert.deepEqual([code, stderr], said === "" ? [0, ""] : [1, `pulumi-agent-platform report: ${said}\n`]);
        assert.equal(stdout.includes("⛔ CI gate"), said !== "");
      });
    }

    it("lets no preview pass that failed, with the reason", async () => {
      const stdout = readFileSync(join(folder, "guard-step.md"), "utf8");
      assert.deepEqual(await run([stored("guard-step")]), { code: 1, stdout, stderr: FAILED });
    });
  });

  describe("the digest", () => {
    it("is printed alone, and is what --expect takes", async () => {
      const digest = (await run([stored("split-change"), "--digest"])).stdout.trim();
      assert.match(digest, /^[\da-f]{12}$/);
      assert.equal((await run([stored("split-change"), "--expect", digest])).code, 0);
      const other = await run([stored("number-changed"), "--expect", digest, "--fail-on", "delete"]);
      const found = (await run([stored("number-changed"), "--digest"])).stdout.trim();
      assert.equal(other.code, 3);
      assert.equal(
        other.stderr.split("\n")[0],
        `pulumi-agent-platform report: This is not what was reviewed: expected ${digest}, found ${found}. Review it again`,
      );
      assert.ok(
        other.stdout.includes(
          `> **This is not what was reviewed: expected \`${digest}\`, found \`${found}\`. Review it again**`,
        ),
      );
    });

    it("does not depend on the order of steps and keys, nor on anything but our resources' inputs", async () => {
      const preview = JSON.parse(readFileSync(stored("group-joins-and-leaves"), "utf8"));
      const digest = (await run(["--digest"], JSON.stringify(preview))).stdout;
      const turned = JSON.parse(
        JSON.stringify({ ...preview, newField: 1, steps: [...preview.steps].reverse() }, (key, value) => {
          if (key === "outputs" || key === "created" || key === "id" || key === "duration") {
            return undefined;
          }
          const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
          return isMap ? Object.fromEntries(Object.entries(value).reverse()) : value;
        }),
      );
      assert.equal((await run(["--digest"], JSON.stringify(turned))).stdout, digest);
      turned.steps[0].newState.inputs.numbers += "+15550000001\n";
      assert.notEqual((await run(["--digest"], JSON.stringify(turned))).stdout, digest);
    });

    it("is none of a preview that failed: that is not what was reviewed", async () => {
      assert.deepEqual(await run([stored("guard-step"), "--digest"]), { code: 1, stdout: "", stderr: FAILED });
      const { code, stderr } = await run([stored("guard-step"), "--expect", "0123456789ab"]);
      assert.equal(code, 3);
      assert.match(
        stderr,
        /^pulumi-agent-platform report: This is not what was reviewed: expected 0123456789ab, but this preview failed\n/,
      );
    });
  });
});

const intoList = (list: string[]) => ({ write: (text: string) => list.push(text) });
