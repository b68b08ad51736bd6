import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { OPERATIONS, operationText } from "../../provider/client/operationTable";
import { ASSUMPTIONS } from "../../provider/core/config/assumptions";
import { need, root } from "../../tools/reference/declarations";
import { interfaceSections } from "../../tools/reference/markdown";
import { interfaceSection } from "../support/interfaceSection";

/** "(interface 4.1)", "sections 2.2 and 2.3", "(4.3)": a section, and others behind it. */
const CITED = /\b(?:interface|sections?) (\d(?:\.\d)?\b(?!-)(?:(?:,| and) \d(?:\.\d)?\b)*)|(?<=\s)\((\d\.\d)\)/gi;

const sources = ["provider", "cli", "emulator", "tools", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file)),
);

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;

const commentsOf = (source: string): string => (source.match(COMMENT) ?? []).join("\n");

const citedIn = (text: string): string[] =>
  [...text.matchAll(CITED)].flatMap(([, listed, single]) => (single ?? listed ?? "").split(/, | and /));

/** The fields of the requests and objects of a section: what the first column of its tables names. */
const fieldsIn = (number: string): string[] =>
  [...interfaceSection(number).matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field),
  );

const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

describe("docs/interface.md", () => {
  it("has every section that a comment cites", () => {
    const cited = sources.flatMap((file) =>
      citedIn(commentsOf(readFileSync(join(root, file), "utf8"))).map((section) => ({ file, section })),
    );
    assert.ok(cited.length > 80, `${cited.length} sections are cited`);
    assert.deepEqual(
      cited.filter(({ section }) => !interfaceSections.has(section)),
      [],
    );
  });

  it("has every section that an assumption names", () => {
    const named = ASSUMPTIONS.flatMap(({ section }) => section.split(", ")).filter((section) => section !== "none");
    assert.deepEqual(
      named.filter((section) => !interfaceSections.has(section)),
      [],
    );
  });

  it("lists every operation at its beginning, and names what paths begin with", () => {
    const operations = Object.values(OPERATIONS);
    const listed = interfaceSection("1").matchAll(/^\d\. .*\[(4\.\d)\]/gm);
    assert.deepEqual([...listed].map(([, section]) => section).sort(), operations.map(({ section }) => section).sort());
    const [beginnings = ""] = interfaceSection("9").match(/^\d\. Paths begin with .*$/m) ?? [];
    assert.deepEqual(
      operations.filter(({ path }) => !beginnings.includes(`\`${/^\/\w+/.exec(path)?.[0]}\``)),
      [],
    );
  });

  it("has the method and path of every operation in its section", () => {
    for (const operation of Object.values(OPERATIONS)) {
      assert.ok(
        interfaceSection(operation.section).includes(`\`${operationText(operation)}\``),
        operationText(operation),
      );
    }
  });

  // What a request and a record of a number have, test/core/fields.spec.ts holds.
  for (const [kind, numbers] of Object.entries({ CommunityVoice: ["4.3", "2.5"], SmsChat: ["4.2", "2.4"] })) {
    it(`has no field in a section of ${kind} that is neither an argument nor an output`, () => {
      const known = [...need(`${kind}Args`).members, ...need(kind).members].map(({ name }) => name);
      const missing = numbers.flatMap(fieldsIn).filter((field) => !known.includes(camel(field)));
      assert.deepEqual(missing, []);
    });
  }

  it("numbers its sections in order", () => {
    const sections = [...interfaceSections.keys()];
    assert.deepEqual(sections, [...sections].sort());
    assert.deepEqual([sections[0], sections.at(-1)], ["1", "9"]);
  });
});
