import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { ASSUMPTIONS } from "../../provider/core/config/assumptions";
import { root } from "../../tools/reference/declarations";
import { interfaceSections } from "../../tools/reference/markdown";

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

  it("numbers its sections in order", () => {
    const sections = [...interfaceSections.keys()];
    assert.deepEqual(sections, [...sections].sort());
    assert.deepEqual([sections[0], sections.at(-1)], ["1", "9"]);
  });
});
