import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, it } from "mocha";
import "./support/built";

/** That its commands still run, at sizes at which a figure means nothing. */

const root = resolve(__dirname, "..");

interface Table {
  readonly units: Readonly<Record<string, string>>;
  readonly columns: readonly {
    readonly name: string;
    readonly readings: readonly Readonly<Record<string, unknown>>[];
  }[];
}

async function bench(...args: readonly string[]): Promise<Record<string, Table>> {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-bench-"));
  const file = join(folder, "figures.json");
  try {
    const command = ["-r", "tsx/cjs", "bench/main.ts", ...args, "--rounds", "1", "--json", file];
    await promisify(execFile)(process.execPath, command, { cwd: root });
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, Table>;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const usage = async (): Promise<string> => {
  const run = promisify(execFile)(process.execPath, ["-r", "tsx/cjs", "bench/main.ts"], { cwd: root });
  const { code, stderr } = await run.then(
    () => assert.fail("without a part it passes"),
    (error: { readonly code: number; readonly stderr: string }) => error,
  );
  assert.equal(code, 2);
  return stderr;
};

describe("npm run bench", function () {
  this.timeout(30 * 60_000);
  it("has a part for each table of docs/scale.md and of its own page", async () => {
    const parts = [...(await usage()).matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, part]) => part ?? "");
    const page = ["docs/scale.md", "bench/README.md"].map((file) => readFileSync(join(root, file), "utf8")).join("");
    const places = [...page.matchAll(/<!-- figures-([a-z]+)\S*:begin -->/g)].map(([, part]) => part ?? "");
    assert.ok(places.length >= 6, `${places.length} places`);
    assert.deepEqual(
      places.filter((part) => !parts.includes(part) || !page.includes(`npm run bench -- ${part}`)),
      [],
    );
  });

  for (const args of [
    ["start"],
    ["large", "--sizes", "20,40", "--edges", "dynamic,plugin"],
    ["rates", "--sizes", "20"],
    ["review", "--sizes", "20"],
    ["assignments", "--sizes", "3", "--ways", "dynamic,skip"],
  ]) {
    it(`runs ${args.join(" ")}`, async () => {
      const tables = Object.values(await bench(...args));
      assert.equal(tables.length, 1);
      for (const { units, columns } of tables) {
        assert.ok(columns.length > 0);
        for (const { name, readings } of columns) {
          const [reading = {}] = readings;
          assert.ok(Object.keys(reading).length > 0, name);
          for (const [row, value] of Object.entries(reading)) {
            assert.ok(Object.hasOwn(units, row) && typeof value === "number", `${name}, ${row}: ${value}`);
          }
        }
      }
    });
  }

  it("runs groups, where a number that joins or leaves costs one request, in both languages", async () => {
    const { "groups-20": table } = await bench("groups", "--sizes", "20", "--edges", "dynamic,plugin");
    const requests = table?.columns.filter(({ name }) => name.endsWith("requests")).map(({ readings }) => readings);
    const each = {
      "first run": 20,
      "no change": 0,
      "another split for all": 20,
      "one number leaves": 1,
      "one number joins": 1,
    };
    assert.deepEqual(requests, [[each], [each]]);
  });
});
