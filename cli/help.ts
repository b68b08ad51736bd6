import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CODES, type Code, remedyOf } from "../provider/words/codes";
import { helpHint } from "../provider/words/message";
import { columns, wrap } from "./layout";
import { packageRoot } from "./package";

/** `help <topic>`: a page of docs/ as it is in the package, so that it can be read without a network, or an error code. */

interface Page {
  /** The name of its file. */
  readonly name: string;
  /** From the folder of the package. */
  readonly path: string;
}

const pages = (): Page[] =>
  readdirSync(join(packageRoot(), "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => ({ name: basename(file, ".md"), path: join("docs", file) }));

const textOf = ({ path }: Page): string => readFileSync(join(packageRoot(), path), "utf8");

/** Undefined if there is no such topic. A page that has the name of a command is named with its ending: `report.md`. */
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

/** The topics, as the list of commands ends with them. */
export function topicList(): string {
  const titleOf = (page: Page) => /^# (.+)$/m.exec(textOf(page))?.[1] ?? page.name;
  const runbooks = pages().filter(({ path }) => path.includes("runbooks"));
  return `${columns(runbooks.map((page) => [page.name, titleOf(page)]))}

${wrap("Also: each other page of docs/, such as guards, and each error code, such as AGP-031.")}`;
}

/** All topics, as `help` takes them. */
export const topics = (): string[] => [...pages().map(({ name }) => name), ...Object.keys(CODES)];
