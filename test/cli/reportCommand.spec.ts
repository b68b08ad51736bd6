import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { reportCommand } from "../../cli/commands/report";
import { toMarkdown } from "../../cli/report/markdown";
import { temporaryFolder } from "../support/engineFakes";
import { checkRows } from "../support/rows";
import { A, buildReport, folder, line, previewOf, run, type SyntheticStep, single, stored } from "./reportSteps";
import { nestedPreview } from "./reportTexts";
import { done } from "./terminal";

const splitChange = readFileSync(stored("split-change"), "utf8");
/** Returns the report on a stored preview. `reportGoldens.spec.ts` checks its wording. */
const pageOf = (name: string) => toMarkdown(buildReport(readFileSync(stored(name), "utf8")));

describe("agent-platform report", () => {
  const root = temporaryFolder();

  const indented = JSON.stringify(JSON.parse(splitChange), null, 4);
  const policyOutput = "Installing policy pack acme 0.0.7...\n[acme] Finished: {ok}\n\n";
  const inputs: Readonly<Record<string, string | Uint8Array>> = {
    "a preview in Pulumi's JSON format": splitChange,
    "UTF-8 with a byte order mark": `\uFEFF${splitChange}\r\n`,
    // Windows PowerShell's > operator writes this encoding.
    "UTF-16 with a byte order mark": Buffer.from(`\uFEFF${splitChange}\r\n`, "utf16le"),
    "a preview with a message after it": `${indented}\nUpdate plan written to plan.txt\n`,
    "a preview between policy pack and update plan messages": `${policyOutput}${indented.replaceAll("\n", "\r\n")}\r\nWritten`,
    "a one-line preview surrounded by other output": `${policyOutput}${JSON.stringify(JSON.parse(splitChange))}\nWritten`,
  };
  for (const [name, bytes] of Object.entries(inputs)) {
    it(`reads ${name}`, async () => {
      writeFileSync(join(root.path, "preview.json"), bytes);
      for (const [args, stdin] of [[["preview.json"], ""] as const, [[], bytes] as const, [["-"], bytes] as const]) {
        assert.deepEqual(await run(args, stdin, root.path), done(pageOf("split-change")));
      }
    });
  }

  it("prints no control characters", async () => {
    const names = readdirSync(folder).flatMap((name) => /^(.*)\.preview\.json$/.exec(name)?.[1] ?? []);
    for (const name of names) {
      // Insert an escape sequence into every resource name.
      const preview = readFileSync(stored(name), "utf8").replaceAll(/(?<=:dev::test::[^"]+::)\w/g, "\\u001b[31m$&");
      const { stdout, stderr } = await run([], preview);
      assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]/u, name);
    }
  });

  it("prints facts, blocking gates and request counts as JSON", async () => {
    const json = JSON.parse((await run([stored("number-changed"), "--json", "--fail-on", "delete"])).stdout);
    assert.deepEqual(Object.keys(json), [
      ...["project", "stack", "headline", "hasFailed", "areBypassed", "isUnchanged"],
      ...["facts", "blocking", "requests", "sentNumbers", "digest"],
    ]);
    assert.deepEqual([json.project, json.stack], ["test", "dev"]);
    assert.deepEqual(
      { hasFailed: json.hasFailed, areBypassed: json.areBypassed, isUnchanged: json.isUnchanged },
      { hasFailed: false, areBypassed: false, isUnchanged: false },
    );
    assert.deepEqual(
      json.facts.map(({ condition }: { condition: string }) => condition),
      ["delete", "create", "replace"],
    );
    assert.deepEqual(json.blocking, [{ gate: "delete", facts: [json.facts[0].text] }]);
    assert.deepEqual(json.requests, { puts: 2, voices: 0, messages: 0, ends: 0, isAtLeast: true });
  });

  it("writes the report to the file given with --output", async () => {
    assert.deepEqual(await run([stored("empty"), "--output", "comment.md"], "", root.path), done(""));
    assert.equal(readFileSync(join(root.path, "comment.md"), "utf8"), pageOf("empty"));
  });

  const counts = '{"steps":[{"op":"update","urn":"u"}],"changeSummary":{"update":3}}';
  /**
   * Invalid input for the command. A string is passed on standard input. A list contains arguments, which are used with
   * a valid preview on standard input.
   */
  const invalid: Readonly<Record<string, string | readonly string[]>> = {
    "empty input": "",
    "the text output of `pulumi preview`": "Previewing update (dev)",
    "JSON that is not a preview": '{"version":3}',
    "a step without an operation": '{"steps":[{"urn":"u"}]}',
    "null diagnostics": '{"steps":[],"diagnostics":null}',
    "a truncated preview": 'Installing…\n{\n  "steps": [',
    "two previews in one input": '{\n"steps": []\n}\n{\n"steps": []\n}',
    "a preview with fewer steps than its summary counts": counts,
    "a value nested 5,000 levels deep": nestedPreview(5000),
    "a missing file": ["missing.json"],
    "a misspelled --fail-on condition": ["--fail-on", "delete,shfit=25"],
    "a shift condition without a limit": ["--fail-on", "delete,shift"],
    "a shift condition written with > instead of =": ["--fail-on", "delete,shift>25"],
    // The gate `guard` always applies, so users can't select it with --fail-on.
    "the internal guard condition in --fail-on": ["--fail-on", "guard"],
    // A pipeline passes an empty value if the variable isn't set.
    "an empty --fail-on": ["--fail-on", ""],
    "a truncated --expect digest": ["--expect", "7f3a91"],
    "an --output file in a missing folder": [stored("empty"), "--output", "no/such/folder.md"],
  };
  for (const [name, input] of Object.entries(invalid)) {
    it(`rejects ${name}`, async () => {
      const { code, stdout, stderr } = typeof input === "string" ? await run([], input) : await run(input, splitChange);
      assert.equal(code, 2, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, /^pulumi-agent-platform report: [^\n]+\n$/);
    });
  }

  it("accepts a value nested 400 levels deep", async () => assert.equal((await run([], nestedPreview(400))).code, 0));

  it("refuses to read a preview from a terminal", async () => {
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    const printed: string[] = [];
    const output = { write: (chunk: string) => printed.push(chunk) };
    assert.equal(await reportCommand.run([], { stdin, env: {}, cwd: folder, stdout: output, stderr: output }), 2);
    assert.match(printed.join(""), /`pulumi preview --json \| npx pulumi-agent-platform report`/);
  });
});

describe("agent-platform report in CI", () => {
  const rows: readonly (readonly [name: string, gates: string, ...blocking: string[]])[] = [
    ["split-change", "shift=20,replace,delete,create,unresolved"],
    ["split-change", "shift=19.5", "shift=19.5"],
    ["number-changed", "replace", "replace"],
    ["group-joins-and-leaves", "create,delete,replace", "create", "delete"],
    ["unresolved", "unresolved", "unresolved"],
    ["create", "create,sms", "create", "sms"],
  ];
  it("exits with 1 and names each blocking gate", () =>
    checkRows(
      rows,
      ([name, gates]) => `${name} with ${gates}`,
      async ([name, gates, ...blocking]) => {
        const { code, stderr, stdout } = await run([stored(name), "--fail-on", gates]);
        assert.equal(code, blocking.length === 0 ? 0 : 1);
        const gatesIn = (output: string, pattern: RegExp) => [...output.matchAll(pattern)].map(([, gate]) => gate);
        assert.deepEqual(gatesIn(stderr, /^pulumi-agent-platform report: (\S+): /gm), blocking);
        assert.deepEqual(gatesIn(stdout, /^⛔ CI gate `(\S+)` /gm), blocking);
      },
    ));

  it("exits with 1 and prints the reason if the preview failed", async () => {
    const { code, stdout, stderr } = await run([stored("guard-step")]);
    assert.equal(code, 1);
    assert.equal(stdout, pageOf("guard-step"));
    assert.ok(stderr.includes('NumberAssignment "support" (+15551230001)'), stderr);
  });

  const unprotectHint =
    "To unprotect the resource, either remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`, or use the command:\n`pulumi state unprotect 'urn:a'`\n";
  const refusals: readonly (readonly [form: string, reason: string])[] = [
    ["is marked for protection", 'unable to delete resource "urn:a" as it is currently marked for protection.'],
    ["is protected", 'Preview failed: resource "urn:a" cannot be deleted\nbecause it is protected.'],
  ];
  it("does not suggest unprotecting a protected resource", () =>
    checkRows(
      refusals,
      ([form]) => form,
      async ([, reason]) => {
        const diagnostics = [{ severity: "error", message: `error: ${reason} ${unprotectHint}` }];
        const { stdout, stderr } = await run([], previewOf([single("delete", "a", line("+1", A))], { diagnostics }));
        const quoted = reason.replace("Preview failed: ", "").replaceAll("\n", " ");
        assert.deepEqual(
          [stdout, stderr].map((output) => output.includes(quoted)),
          [true, true],
          stdout,
        );
        assert.deepEqual(
          [stdout, stderr].map((output) => /unprotect/.test(output)),
          [false, false],
          stdout,
        );
      },
    ));

  it("does not report a gate as passed if the preview failed", async () => {
    const diagnostics = [{ severity: "error", message: "error: it is protected\n" }];
    const preview = previewOf([single("delete", "a", line("+1", A))], { diagnostics });
    const { code, stdout } = await run(["--fail-on", "replace"], preview);
    assert.equal(code, 1);
    assert.doesNotMatch(stdout, /CI gate/);
  });

  /**
   * Returns the digest of a stored preview.
   * @param document a preview to use instead of the stored one
   */
  const digestOf = async (name: string, document?: object) => {
    const args = document === undefined ? [stored(name), "--json"] : ["--json"];
    return JSON.parse((await run(args, JSON.stringify(document))).stdout).digest;
  };

  it("exits with 3 if the digest differs from --expect", async () => {
    const digest = await digestOf("split-change");
    assert.match(digest, /^[\da-f]{12}$/);
    assert.equal((await run([stored("split-change"), "--expect", digest])).code, 0);
    const other = await run([stored("number-changed"), "--expect", digest, "--fail-on", "delete"]);
    const otherDigest = await digestOf("number-changed");
    assert.equal(other.code, 3);
    for (const line of [
      other.stderr.split("\n")[0] ?? "",
      other.stdout.split("\n").find((row) => row.startsWith("> ")) ?? "",
    ]) {
      assert.ok(line.includes(digest) && line.includes(otherDigest), line);
    }
  });

  it("ignores outputs and ordering when computing the digest", async () => {
    const preview = JSON.parse(readFileSync(stored("split-change"), "utf8"));
    const digest = await digestOf("", preview);
    const reordered = JSON.parse(
      JSON.stringify({ ...preview, newField: 1, steps: [...preview.steps].reverse() }, (key, value) => {
        if (key === "outputs" || key === "created" || key === "id" || key === "duration") {
          return undefined;
        }
        const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
        return isMap ? Object.fromEntries(Object.entries(value).reverse()) : value;
      }),
    );
    assert.equal(await digestOf("", reordered), digest);
    reordered.steps[0].newState.inputs.number = "+15550000001";
    assert.notEqual(await digestOf("", reordered), digest);
  });

  it("computes a different digest if retainOnDelete changes", async () => {
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

  it("prints no digest if the preview failed", async () => {
    assert.equal(await digestOf("guard-step"), undefined);
    const { code, stderr } = await run([stored("guard-step"), "--expect", "0123456789ab"]);
    assert.equal(code, 3);
    assert.ok(stderr.includes("0123456789ab"), stderr);
  });
});
