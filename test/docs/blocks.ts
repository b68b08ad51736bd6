import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "../../tools/reference/declarations";

/** A fenced code block on a documentation page, or a step named in an HTML comment. */
export interface Block {
  /** The page's path, such as `docs/rollouts.md`. */
  readonly page: string;
  readonly line: number;
  /** The language of a code block, such as `ts`, `sh` or `text`. For a step, this is `step`. */
  readonly language: string;
  /** The remaining words of the opening fence, such as `program`, `run`, `fails`, `output` or `file=agents.yaml`. */
  readonly flags: readonly string[];
  /** The contents of a code block, or the name of a step. */
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
    throw new Error(`${page}:${open.line} a code block is never closed`);
  }
  return blocks;
}

export const locationOf = ({ page, line }: Block): string => `${page}:${line}`;

export const fileOf = ({ flags }: Block): string | undefined =>
  flags.find((flag) => flag.startsWith("file="))?.slice("file=".length);

/** Returns the program as it is after this block, or undefined if the block doesn't change it. */
export function programOf(block: Block): string | undefined {
  if (block.flags.includes("program")) {
    return block.text;
  }
  if (!block.flags.includes("edit")) {
    return undefined;
  }
  const before = blocksOf(block.page).filter(({ line, flags }) => line < block.line && isProgram(flags));
  const programIndex = before.findLastIndex(({ flags }) => flags.includes("program"));
  const edits = [...before.slice(programIndex + 1), block].flatMap(({ text }) => text.split("\n"));
  return edits.reduce(applyEdit, before[programIndex]?.text ?? "");
}

const isProgram = (flags: readonly string[]): boolean => flags.includes("program") || flags.includes("edit");

/** Replaces the program's line that has the same text up to the `=`. */
function applyEdit(program: string, line: string): string {
  const start = line.slice(0, line.indexOf("=") + 1);
  const lines = program.split("\n");
  const index = lines.findIndex((other) => start !== "" && other.startsWith(start));
  if (index < 0) {
    throw new Error(`no line of the program starts with "${start}"`);
  }
  return lines.with(index, line).join("\n");
}

/** Returns the text of a section of docs/interface.md, up to the next heading. */
export function interfaceSection(number: string): string {
  const [, rest = ""] = pageText("docs/interface.md").split(new RegExp(`^#{2,3} ${number}\\.? .*$`, "m"));
  return rest.split(/^#{2,3} /m)[0] ?? "";
}

/** Returns the number of the section that describes an operation, such as `PUT /api/numbers/{number}/agent`. */
export const sectionOf = (operation: string): string | undefined =>
  [...pageText("docs/interface.md").matchAll(/^### (\d+\.\d+) /gm)]
    .map(([, number = ""]) => number)
    .find((number) => interfaceSection(number).includes(`\`${operation}\``));

/** Returns the names of the fields that a section lists. */
export const fieldsIn = (number: string): string[] =>
  [...interfaceSection(number).matchAll(/^- (`[^:\n]+)/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field),
  );

/** The fields of a number record in a response. */
export const RECORD_FIELDS = fieldsIn("2.2");

/** The fields of the `assignment` object in a response. A number record has all of these fields, too. */
export const ASSIGNMENT_FIELDS = fieldsIn("2.3");

export const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
