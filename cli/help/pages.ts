import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CODES, type Code } from "../../provider/core/messages";
import { manifest, packageRoot } from "../links";

/** The pages that the package has: what messages and commands name, so that it can be read without a network. */
export interface Page {
  /** What `help` calls it. */
  readonly topic: string;
  /** From the root of the repository. */
  readonly path: string;
}

const inFolder = (folder: string): string[] =>
  readdirSync(join(packageRoot(), folder)).map((file) => `${folder}/${file}`);

export const pages = (): Page[] =>
  manifest()
    .files.filter((entry) => entry.startsWith("docs/"))
    .flatMap((entry) => (entry.endsWith(".md") ? [entry] : inFolder(entry)))
    .map((path) => ({ topic: basename(path, ".md"), path }));

/** The text of the page, in Markdown. */
export const textOf = ({ path }: Page): string => readFileSync(join(packageRoot(), path), "utf8");

export const titleOf = (page: Page): string => /^# (.+)$/m.exec(textOf(page))?.[1] ?? page.topic;

/** An error code as a page of its own: its title, what the errors of its section mean, and what to do. Undefined if there is none. */
export function codePage(name: string): string | undefined {
  const topic = name.toUpperCase();
  const errors = pages().find((page) => page.topic === "errors");
  if (errors === undefined || !Object.hasOwn(CODES, topic)) {
    return undefined;
  }
  const { title } = CODES[topic as Code];
  const anchor = topic.toLowerCase();
  const sections = textOf(errors).split(/^## /m);
  const section = sections.find((text) => text.includes(`<a id="${anchor}"></a>`)) ?? "";
  const [heading = "", when = ""] = section.split("\n").filter((line) => line !== "");
  const [, remedy = ""] = section.split(`**${topic}** ${title}. `);
  return `# ${topic} ${title}\n\n${heading}. ${when}\n\n${remedy.split("\n", 1)}\n`;
}
