import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CODES, type Code, remedyOf } from "../provider/words/codes";
import { helpHint } from "../provider/words/message";
import { columns, wrap } from "./layout";
import { packageRoot } from "./package";

/**
 * Implements `help <topic>`. A topic is an error code or a page of docs/. The package contains both, so help works
 * without a network.
 */

interface Page {
  /** The file's name without its extension, such as `guards`. */
  readonly name: string;
  /** The file's path relative to the package's folder, such as `docs/guards.md`. */
  readonly path: string;
}

const pages = (): Page[] =>
  readdirSync(join(packageRoot(), "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => ({ name: basename(file, ".md"), path: join("docs", file) }));

const textOf = ({ path }: Page): string => readFileSync(join(packageRoot(), path), "utf8");

/** Returns the text of a page or the description of an error code. Undefined if there is no such topic. */
export function topicText(topic: string): string | undefined {
  const code = topic.toUpperCase();
  if (Object.hasOwn(CODES, code)) {
    const { title, again } = CODES[code as Code];
    const runbooks = pages().filter((page) => page.path.includes("runbooks") && textOf(page).includes(code));
    const lines = [`Run it again: ${again}.`, ...runbooks.map(({ name }) => helpHint(name))];
    return `${code} ${title}\n\n${wrap(remedyOf(code as Code))}\n\n${lines.join("\n")}\n`;
  }
  // The page `report` needs its extension, as in `help report.md`, because `help report` describes the command.
  const page = pages().find(({ name }) => name === basename(topic, ".md"));
  return page && textOf(page);
}

/** Returns the part of the help below the commands: a list of the runbooks, and a note on the other topics. */
export function topicList(): string {
  const titleOf = (page: Page) => /^# (.+)$/m.exec(textOf(page))?.[1] ?? page.name;
  const runbooks = pages().filter(({ path }) => path.includes("runbooks"));
  return `${columns(runbooks.map((page) => [page.name, titleOf(page)]))}

${wrap("Also: each other page of docs/, such as guards, and each error code, such as AGP-031.")}`;
}

/**
 * Returns all topics: the names of the pages, and the error codes. They are suggested if the user misspells a topic.
 */
export const topics = (): string[] => [...pages().map(({ name }) => name), ...Object.keys(CODES)];
