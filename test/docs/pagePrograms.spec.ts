import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { describe, it } from "mocha";
import { type Profile, startEmulator } from "../../emulator";
import { inJavaScript } from "../support/transpiled";
import { blocksOf } from "./blocks";

const [requests = ""] = blocksOf("docs/existing-numbers.md").flatMap(({ text }) =>
  text.includes("put()") ? [text] : [],
);

/** What the lines of the page print against an emulator: of each the inbound agents of the number's record, or the error. */
async function printed(profile: Partial<Profile>): Promise<string[]> {
  const emulator = await startEmulator({ profile });
  const env = { ...process.env, AGENT_PLATFORM_BASE_URL: emulator.url, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token };
  try {
    const { stdout } = await promisify(execFile)("bash", ["-c", requests], { env });
    return stdout.trim().split("\n").map(shown);
  } finally {
    await emulator.close();
  }
}

function shown(body: string): string {
  const { error, numbers } = JSON.parse(body);
  return error ?? numbers[0].inbound_agents.map((agent: { agent_id: string }) => agent.agent_id).join(" ");
}

describe("docs/existing-numbers.md", () => {
  it("shows how a lenient platform reads the requests", async () => {
    const both = "agent_front agent_night";
    assert.deepEqual(await printed({}), [both, "agent_front", "agent_front", "agent_front", ""]);
  });

  it("shows how a strict one does", async () => {
    const strict = {
      weights: "sum100",
      agentVersion: "required",
      omittedFields: "replace",
    } as const;
    assert.deepEqual(await printed(strict), [
      "inboundAgents: weights must sum to 100",
      "inboundAgents[0].agent_version is required",
      "",
      "",
      "",
    ]);
  });
});

/** The program of the page that reads a file, run on files as spreadsheets and people leave them. */
describe("docs/many-numbers.md: its program that reads a file", () => {
  const [program = ""] = blocksOf("docs/many-numbers.md")
    .filter(({ flags, text }) => flags.includes("program") && text.includes("readFileSync"))
    .map(({ text }) => inJavaScript(text));
  const find = createRequire(__filename);

  /** What the program declares for a file: each number with its label, or the error that it ends with. */
  function declared(file: string): unknown {
    let numbers: unknown;
    function NumberGroup(_: string, args: { numbers: unknown }) {
      numbers = args.numbers;
    }
    const modules: Readonly<Record<string, unknown>> = {
      "node:fs": { readFileSync: () => file },
      "pulumi-agent-platform": { NumberGroup, split: (weights: unknown) => weights },
    };
    try {
      new Function("require", "exports", program)((name: string) => modules[name] ?? find(name), {});
      return numbers;
    } catch (error) {
      return error instanceof Error ? error.message.split("\n")[0] : error;
    }
  }

  const [one, two] = ["+442079460101,Desk 1", "+442079460102,Desk 2"];
  const file = (...rows: string[]) => ["number,label", ...rows, ""].join("\n");

  it("reads what Windows adds, and blank lines at the end", () => {
    const both = { "+442079460101": "Desk 1", "+442079460102": "Desk 2" };
    for (const text of [`\uFEFF${file(one, two).replaceAll("\n", "\r\n")}`, file(one, two, "", "")]) {
      assert.deepEqual(declared(text), both);
    }
  });

  it("refuses every other file, and names the line", () => {
    const header = 'numbers.csv, line 1: not "number,label": ';
    const number = "numbers.csv, line 3: no +, or a number that is there already: ";
    const cases: Readonly<Record<string, string>> = {
      [`${one}\n${two}\n`]: header + one,
      [file(one, two).replaceAll(",", ";")]: `${header}number;label`,
      ...Object.fromEntries(
        ["+442079460101,Desk 2", "442079460102,Desk 2", ""].map((row) => [file(one, row, two), number + row]),
      ),
    };
    assert.deepEqual(Object.fromEntries(Object.keys(cases).map((text) => [text, declared(text)])), cases);
  });
});
