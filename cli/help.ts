import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CODES, type Code, remedyOf } from "../provider/words/codes";
import { helpHint } from "../provider/words/message";
import { columns, wrap } from "./layout";
import { packageRoot } from "./package";

/**
 * Implements `help <topic>`, which prints an error code or a page of docs/ from the package. It works without a
 * network.
 */

interface Page {
  /** The name of its file. */
  readonly name: string;
  /** The path relative to the package's folder. */
  readonly path: string;
}

const pages = (): Page[] =>
  readdirSync(join(packageRoot(), "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => ({ name: basename(file, ".md"), path: join("docs", file) }));

const textOf = ({ path }: Page): string => readFileSync(join(packageRoot(), path), "utf8");

/**
 * Returns the text of a topic, or undefined if the topic doesn't exist. A page with the name of a command needs its
 * extension: `report.md`.
 */
export function topicText(topic: string): string | undefined {
  const code = topic.toUpperCase();
  if (Object.hasOwn(CODES, code)) {
    const { title, again } = CODES[code as Code];
    const runbooks = pages().filter((page) => page.path.includes("runbooks") && textOf(page).includes(code));
    const lines = [`Safe to run again: ${again}.`, ...runbooks.map(({ name }) => helpHint(name))];
    return `${code} ${title}\n\n${wrap(remedyOf(code as Code))}\n\n${lines.join("\n")}\n`;
  }
  const page = pages().find(({ name }) => name === basename(topic, ".md"));
  return page && textOf(page);
}

/** Returns the list of topics that follows the list of commands. */
export function topicList(): string {
  const titleOf = (page: Page) => /^# (.+)$/m.exec(textOf(page))?.[1] ?? page.name;
  const runbooks = pages().filter(({ path }) => path.includes("runbooks"));
  return `${columns(runbooks.map((page) => [page.name, titleOf(page)]))}

${wrap("Also: each other page of docs/, such as guards, and each error code, such as AGP-031.")}`;
}

/** Returns all topics that `help` accepts. */
export const topics = (): string[] => [...pages().map(({ name }) => name), ...Object.keys(CODES)];
