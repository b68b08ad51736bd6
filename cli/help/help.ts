import { basename } from "node:path";
import { nearest } from "../../provider/core/common/nearest";
import { CODES } from "../../provider/core/messages";
import { CALLED } from "../command";
import { coloured, columns, type Io, wrapped } from "../io";
import { codePage, type Page, pages, textOf, titleOf } from "./pages";
import { inTerminal } from "./terminal";

/** `help <topic>`: a page of the package or an error code, in the width of the terminal. */

/** Undefined if there is no such topic. */
export function topicText(name: string, io: Pick<Io, "stdout" | "env">): string | undefined {
  const all = pages();
  const page = all.find(({ topic, path }) => name === topic || path === `docs/${name}.md`);
  const text = codePage(name) ?? (page && textOf(page));
  if (text === undefined) {
    return undefined;
  }
  const topics = new Set(all.map(({ topic }) => topic));
  return inTerminal(text, {
    width: io.stdout.columns ?? 80,
    heading: (title) => coloured("bold", title, io.stdout, io),
    linked: (target) => addition(target, topics),
  });
}

/** How to read on: another topic, or an address of somebody else. A page that the package does not have is named by the text alone. */
function addition(target: string, topics: ReadonlySet<string>): string {
  const [, file = "", anchor = ""] = /^([^#]*)#?(.*)$/.exec(target) ?? [];
  if (Object.hasOwn(CODES, anchor.toUpperCase())) {
    return ` (help ${anchor.toUpperCase()})`;
  }
  const topic = basename(file, ".md");
  if (topics.has(topic)) {
    return ` (help ${topic})`;
  }
  return target.startsWith("https:") ? ` (${target})` : "";
}

/** The topics, as the list of commands ends with them. Of a page with the name of a command, `help` needs the folder as well. */
export function topicList(commands: readonly string[]): string {
  const isRunbook = ({ path }: Page) => path.startsWith("docs/runbooks/");
  const all = pages();
  const called = ({ topic, path }: Page) =>
    commands.includes(topic) ? path.slice("docs/".length, -".md".length) : topic;
  const others = all.filter((page) => !isRunbook(page)).map(called);
  return `${columns(all.filter(isRunbook).map((page) => [page.topic, titleOf(page)]))}

${wrapped(`Also: ${others.join(", ")}, and each error code, such as AGP-031.`)}`;
}

/** What was probably meant, as it is called. */
export function meantTopic(name: string): string | undefined {
  const topics = [...pages().map(({ topic }) => topic), ...Object.keys(CODES)];
  const topic = topics.find((one) => one === name || one === name.toUpperCase()) ?? nearest(name, topics);
  return topic === undefined ? undefined : `${CALLED} help ${topic}`;
}
