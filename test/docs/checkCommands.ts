import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { COMMANDS } from "../../cli/main";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { root } from "../../tools/reference/declarations";
import { type Block, blocksOf, fileOf, ownPages, where } from "./blocks";

/** Every command that a page shows: does it exist, and do its options? */

const execute = promisify(execFile);

export interface Shown {
  readonly where: string;
  readonly words: readonly string[];
}

/** The commands of all blocks of the shell, without redirections and variables before them. */
export const shownCommands = (): Shown[] =>
  [...ownPages, "README.md"]
    .flatMap(blocksOf)
    // A file that a page shows is a script, which the page's test runs.
    .filter((block) => block.language === "sh" && fileOf(block) === undefined)
    .flatMap(commandsOf);

function commandsOf(block: Block): Shown[] {
  const text = block.text.replace(/\\\n/g, " ");
  return text
    .split(/\n|&&|\|\||\|/)
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "")
    .map((line) => ({ where: `${where(block)} ${line}`, words: wordsOf(line) }));
}

function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const redirected = words.findIndex((word) => /^\d?[<>]/.test(word));
  return words.slice(start, redirected < 0 ? undefined : redirected);
}

/** Commands that every shell has, or that a reader of these pages has, with what may follow them. */
const KNOWN: Readonly<Record<string, RegExp>> = {
  cd: /^\S+$/,
  // The function of the page that shows it, and its five requests.
  "put()": /curl -sS -X PUT/,
  put: /^'\{.*\}'$/,
  mkdir: /^\S+$/,
  head: /^-\d+ \w+\.csv$/,
  mv: /^[\w.]+ [\w.]+$/,
  node: /^\w+\.mjs( \d+)?$/,
  sed: /^-i\.bak '[^']+' \w+\.csv$/,
  true: /^$/,
  export: /^[A-Z_]+=\S*$/,
  npm: /^(ci|test|run demo|init --yes|install( --save-dev)? [\w@/ .-]+|pkg set main=index\.ts)$/,
  git: /^(switch --create \S+|commit --all --message "[^"]+"|push --set-upstream origin \S+|revert --no-edit HEAD)$/,
};

/** What is wrong with a command that is shown; undefined if nothing is. */
export async function problemOf({ words }: Shown): Promise<string | undefined> {
  const [name = "", ...rest] = words;
  if (name === "pulumi") {
    return optionsProblem(rest, await pulumiHelp(rest));
  }
  // By the package's name: if it is not installed, `npx agent-platform` would run what somebody else has published.
  if (name === "npx" && rest[0] === "pulumi-agent-platform") {
    return optionsProblem(rest.slice(1), ourHelp(rest[1] ?? ""));
  }
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (known === undefined) {
    return `"${name}" is no command that these pages know`;
  }
  return known.test(rest.join(" ")) ? undefined : `${name} is not known with these arguments`;
}

function optionsProblem(words: readonly string[], help: string | undefined): string | undefined {
  if (help === undefined) {
    return "no such command";
  }
  const options = words.filter((word) => word.startsWith("-")).map((word) => word.replace(/=.*$/, ""));
  const missing = options.filter((option) => !new RegExp(`(^|[\\s,])${option}([\\s,=]|$)`, "m").test(help));
  return missing.length === 0 ? undefined : `no option ${missing.join(", ")}`;
}

const helps = new Map<string, Promise<string | undefined>>();

/** Commands of the CLI have one word, or two below these. */
const PARENTS = new Set(["config", "stack", "state", "plugin"]);

function pulumiHelp([first = "", second = ""]: readonly string[]): Promise<string | undefined> {
  const command = PARENTS.has(first) && /^[a-z]/.test(second) ? [first, second] : [first];
  return remembered(`pulumi ${command.join(" ")}`, async () => {
    const { directory } = await findOrInstallEngine();
    const { stdout } = await execute(join(directory, "pulumi"), [...command, "--help"]);
    // An unknown command prints the help of the one above it; some have a second name.
    const [, usage = ""] = /^Usage:\n +pulumi (.+)$/m.exec(stdout) ?? [];
    const aliases = /^Aliases:\n +(.+)$/m.exec(stdout)?.[1]?.split(", ") ?? [];
    const isNamed = usage.split(" ")[command.length - 1] === command.at(-1) || aliases.includes(command.at(-1) ?? "");
    return isNamed ? stdout : undefined;
  });
}

const ourHelp = (command: string): string | undefined =>
  Object.hasOwn(COMMANDS, command) ? COMMANDS[command]?.().help() : undefined;

function remembered(key: string, ask: () => Promise<string | undefined>): Promise<string | undefined> {
  const found = helps.get(key) ?? ask().catch(() => undefined);
  helps.set(key, found);
  return found;
}

/** Names of settings and variables that a page's text has. */
export function namesIn(page: string): { readonly settings: string[]; readonly variables: string[] } {
  const text = readFileSync(join(root, page), "utf8");
  return {
    // `agent-platform:index:NumberAssignment` is a type of the plugin.
    settings: [...text.matchAll(/\bagent-platform:(?!index:)([a-z]\w*)/g)].map(([, key = ""]) => key),
    variables: [...text.matchAll(/\bAGENT_PLATFORM_[A-Z_]+\b/g)].map(([name]) => name),
  };
}
