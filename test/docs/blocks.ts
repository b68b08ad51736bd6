import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "../../tools/reference/declarations";

/** What a page of the docs holds besides prose: fenced blocks, and steps that a comment names. */
export interface Block {
  /** `docs/rollouts.md`. */
  readonly page: string;
  readonly line: number;
  /** `ts`, `sh`, `text`, …; `step` for a comment. */
  readonly language: string;
  /** The rest of the fence's first line: `program`, `run`, `fails`, `output`, `file=agents.yaml`. */
  readonly flags: readonly string[];
  readonly text: string;
}

const folder = join(root, "docs");

export const pages: readonly string[] = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => relative(root, join(folder, file)))
  .sort();

export const pageText = (page: string): string => readFileSync(join(root, page), "utf8");

const FENCE = /^( *)```(\S*) ?(.*)$/;
const STEP = /^<!-- step: (.+) -->$/;

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; language: string; flags: string[]; indent: string; lines: string[] } | undefined;
  for (const [index, text] of pageText(page).split("\n").entries()) {
    const [, indent = "", language = "", flags = ""] = FENCE.exec(text) ?? [];
    if (open !== undefined && text.trim() === "```") {
      blocks.push({ page, line: open.line, language: open.language, flags: open.flags, text: open.lines.join("\n") });
      open = undefined;
    } else if (open !== undefined) {
      open.lines.push(text.slice(open.indent.length));
    } else if (FENCE.test(text)) {
      open = { line: index + 1, language, flags: flags.split(" ").filter(Boolean), indent, lines: [] };
    } else if (STEP.test(text)) {
      blocks.push({ page, line: index + 1, language: "step", flags: [], text: STEP.exec(text)?.[1] ?? "" });
    }
  }
  if (open !== undefined) {
    throw new Error(`${page}:${open.line} a block is never closed`);
  }
  return blocks;
}

export const where = ({ page, line }: Block): string => `${page}:${line}`;

export const fileOf = ({ flags }: Block): string | undefined =>
  flags.find((flag) => flag.startsWith("file="))?.slice("file=".length);

/**
 * The program that a block leaves behind: `program` is a whole one; each line of an `edit` takes the place of the line of the
 * program before it that begins in the same way, up to its `=`.
 */
export function programOf(block: Block): string | undefined {
  if (block.flags.includes("program")) {
    return block.text;
  }
  if (!block.flags.includes("edit")) {
    return undefined;
  }
  const before = blocksOf(block.page).filter(({ line, flags }) => line < block.line && isProgram(flags));
  const start = before.findLastIndex(({ flags }) => flags.includes("program"));
  const edits = [...before.slice(start + 1), block].flatMap(({ text }) => text.split("\n"));
  return edits.reduce(edited, before[start]?.text ?? "");
}

const isProgram = (flags: readonly string[]): boolean => flags.includes("program") || flags.includes("edit");

function edited(program: string, line: string): string {
  const beginning = line.slice(0, line.indexOf("=") + 1);
  const lines = program.split("\n");
  const at = lines.findIndex((other) => beginning !== "" && other.startsWith(beginning));
  if (at < 0) {
    throw new Error(`no line of the program begins with "${beginning}"`);
  }
  return lines.with(at, line).join("\n");
}

/** A section of docs/interface.md, from its heading to the next one. */
export function interfaceSection(number: string): string {
  const [, behind = ""] = pageText("docs/interface.md").split(new RegExp(`^#{2,3} ${number}\\.? .*$`, "m"));
  return behind.split(/^#{2,3} /m)[0] ?? "";
}

/** The number of the section with an operation: `PUT /api/numbers/{number}/agent`. */
export const sectionOf = (operation: string): string | undefined =>
  [...pageText("docs/interface.md").matchAll(/^### (\d+\.\d+) /gm)]
    .map(([, number = ""]) => number)
    .find((number) => interfaceSection(number).includes(`\`${operation}\``));

/** The fields that the lists of a section have, with the names of the wire. */
export const fieldsIn = (number: string): string[] =>
  [...interfaceSection(number).matchAll(/^- (`[^:\n]+)/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field),
  );

/** The fields of a record of a response. */
export const RECORD_FIELDS = fieldsIn("2.2");

/** Those of them that the assignment object has, too. */
export const ASSIGNMENT_FIELDS = fieldsIn("2.3");

export const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
