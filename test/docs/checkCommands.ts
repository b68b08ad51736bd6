import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { COMMANDS } from "../../cli/main";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { type Block, blocksOf, fileOf, locationOf, pages } from "./blocks";

/** Checks that the commands in the documentation exist and accept the options shown with them. */

const execute = promisify(execFile);

/** Returns a block's commands, without redirections and leading variable assignments. */
function commandsOf(block: Block) {
  const text = block.text.replace(/\\\n/g, " ");
  return text
    .split(/\n|&&|\|\||\||; /)
    .map((line) => line.replace(/(^|\s)#.*$|^ *for \w+ in .*|^do |^done$/g, "").trim())
    .filter((line) => line !== "")
    .map((line) => ({ location: `${locationOf(block)} ${line}`, words: wordsOf(line) }));
}

function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const redirected = words.findIndex((word) => /^\d?[<>]/.test(word));
  return words.slice(start, redirected < 0 ? undefined : redirected);
}

/** Commands that we don't check, because they are available on every reader's machine. */
const KNOWN = "read cd cp echo mkdir head mv node sed true export npm git".split(" ");

/** Returns the problems with the commands on all pages, each with its location. */
export async function commandProblems(): Promise<string[]> {
  const problems = await Promise.all(
    [...pages, "README.md"]
      .flatMap(blocksOf)
      // Skip script files that a page shows, because the page's test runs them.
      .filter((block) => block.language === "sh" && fileOf(block) === undefined)
      .flatMap(commandsOf)
      .map(async ({ location, words }) => [location, await problemOf(words)] as const),
  );
  return problems.flatMap(([location, problem]) => (problem === undefined ? [] : [`${location}: ${problem}`]));
}

async function problemOf([name = "", ...rest]: readonly string[]): Promise<string | undefined> {
  if (name === "pulumi") {
    return optionsProblem(rest, await pulumiHelp(rest));
  }
  // Pages must use the package's full name. Where the package isn't installed, `npx agent-platform` would run a package
  // that somebody else has published under that name.
  if (name === "npx" && rest[0] === "pulumi-agent-platform") {
    return optionsProblem(rest.slice(1), ourHelp(rest[1] ?? ""));
  }
  if (name === "sh") {
    // Don't check the script. Any words after its name are a command that the script runs, so check those.
    return rest.length > 1 ? problemOf(rest.slice(1)) : undefined;
  }
  return KNOWN.includes(name) ? undefined : `"${name}" is not a known command`;
}

function optionsProblem(words: readonly string[], help: string | undefined): string | undefined {
  if (help === undefined) {
    return "no such command";
  }
  const options = words.filter((word) => word.startsWith("-")).map((word) => word.replace(/=.*$/, ""));
  const missing = options.filter((option) => !new RegExp(`(^|[\\s,])${option}([\\s,=]|$)`, "m").test(help));
  return missing.length === 0 ? undefined : `no option ${missing.join(", ")}`;
}

/** Pulumi commands that have subcommands, such as `pulumi config set`. */
const PARENTS = new Set(["config", "stack", "state", "plugin"]);

/** Caches each Pulumi command's help text, so that the CLI runs only once per command. */
const helps = new Map<string, Promise<string | undefined>>();

function pulumiHelp([first = "", second = ""]: readonly string[]): Promise<string | undefined> {
  const command = PARENTS.has(first) && /^[a-z]/.test(second) ? [first, second] : [first];
  const help = helps.get(command.join(" ")) ?? readHelp(command).catch(() => undefined);
  helps.set(command.join(" "), help);
  return help;
}

async function readHelp(command: readonly string[]): Promise<string | undefined> {
  const { directory } = await findOrInstallEngine();
  const { stdout } = await execute(join(directory, "pulumi"), [...command, "--help"]);
  // For an unknown subcommand, the CLI prints its parent's help, so compare the name in the usage line. Accept aliases,
  // too.
  const [, usage = ""] = /^Usage:\n +pulumi (.+)$/m.exec(stdout) ?? [];
  const aliases = /^Aliases:\n +(.+)$/m.exec(stdout)?.[1]?.split(", ") ?? [];
  return [usage.split(" ")[command.length - 1], ...aliases].includes(command.at(-1)) ? stdout : undefined;
}

const ourHelp = (command: string): string | undefined =>
  Object.hasOwn(COMMANDS, command) ? COMMANDS[command]?.().help() : undefined;
