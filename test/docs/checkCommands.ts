import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { COMMANDS } from "../../cli/main";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { type Block, blocksOf, fileOf, pages, where } from "./blocks";

/** Every command that a page shows: does it exist, and do its options? */

const execute = promisify(execFile);

/** Each without redirections, and without variables before it. */
function commandsOf(block: Block) {
  const text = block.text.replace(/\\\n/g, " ");
  return text
    .split(/\n|&&|\|\||\||; /)
    .map((line) => line.replace(/(^|\s)#.*$|^ *for \w+ in .*|^do |^done$/g, "").trim())
    .filter((line) => line !== "")
    .map((line) => ({ where: `${where(block)} ${line}`, words: wordsOf(line) }));
}

function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const redirected = words.findIndex((word) => /^\d?[<>]/.test(word));
  return words.slice(start, redirected < 0 ? undefined : redirected);
}

/** Commands that every shell has, or that a reader of these pages has. */
const KNOWN = "read cd cp echo mkdir head mv node sed true export npm git".split(" ");

/** What is wrong with the commands that are shown. */
export async function commandProblems(): Promise<string[]> {
  const problems = await Promise.all(
    [...pages, "README.md"]
      .flatMap(blocksOf)
      // A file that a page shows is a script, which the page's test runs.
      .filter((block) => block.language === "sh" && fileOf(block) === undefined)
      .flatMap(commandsOf)
      .map(async ({ where, words }) => [where, await problemOf(words)] as const),
  );
  return problems.flatMap(([where, problem]) => (problem === undefined ? [] : [`${where}: ${problem}`]));
}

async function problemOf([name = "", ...rest]: readonly string[]): Promise<string | undefined> {
  if (name === "pulumi") {
    return optionsProblem(rest, await pulumiHelp(rest));
  }
  // By the package's name: if it is not installed, `npx agent-platform` would run what somebody else has published.
  if (name === "npx" && rest[0] === "pulumi-agent-platform") {
    return optionsProblem(rest.slice(1), ourHelp(rest[1] ?? ""));
  }
  if (name === "sh") {
    // A script of the page or of the pipelines, or one that runs what comes after it.
    return rest.length > 1 ? problemOf(rest.slice(1)) : undefined;
  }
  return KNOWN.includes(name) ? undefined : `"${name}" is no command that these pages know`;
}

function optionsProblem(words: readonly string[], help: string | undefined): string | undefined {
  if (help === undefined) {
    return "no such command";
  }
  const options = words.filter((word) => word.startsWith("-")).map((word) => word.replace(/=.*$/, ""));
  const missing = options.filter((option) => !new RegExp(`(^|[\\s,])${option}([\\s,=]|$)`, "m").test(help));
  return missing.length === 0 ? undefined : `no option ${missing.join(", ")}`;
}

/** Commands of the CLI have one word, or two below these. */
const PARENTS = new Set(["config", "stack", "state", "plugin"]);

/** By command: the CLI is asked once for each. */
const helps = new Map<string, Promise<string | undefined>>();

function pulumiHelp([first = "", second = ""]: readonly string[]): Promise<string | undefined> {
  const command = PARENTS.has(first) && /^[a-z]/.test(second) ? [first, second] : [first];
  const help = helps.get(command.join(" ")) ?? askedHelp(command).catch(() => undefined);
  helps.set(command.join(" "), help);
  return help;
}

async function askedHelp(command: readonly string[]): Promise<string | undefined> {
  const { directory } = await findOrInstallEngine();
  const { stdout } = await execute(join(directory, "pulumi"), [...command, "--help"]);
  // An unknown command prints the help of the one above it; some have a second name.
  const [, usage = ""] = /^Usage:\n +pulumi (.+)$/m.exec(stdout) ?? [];
  const aliases = /^Aliases:\n +(.+)$/m.exec(stdout)?.[1]?.split(", ") ?? [];
  return [usage.split(" ")[command.length - 1], ...aliases].includes(command.at(-1)) ? stdout : undefined;
}

const ourHelp = (command: string): string | undefined =>
  Object.hasOwn(COMMANDS, command) ? COMMANDS[command]?.().help() : undefined;
