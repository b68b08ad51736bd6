#!/usr/bin/env node
import { nearest } from "../provider/base/spelling";
import { printable } from "../provider/base/text";
import { CLI, type Command, GROUPS } from "./command";
import { BUG_CODE, bugReport } from "./errors";
import type { Io } from "./io";
import { wrapColumns } from "./layout";
import { ISSUE_TRACKER, manifest } from "./package";
import { printError } from "./print";

/** The commands by name. The module of a command is loaded only when the command or its help is needed. */
export const COMMANDS: Readonly<Record<string, () => Command>> = {
  init: () => (require("./commands/init") as typeof import("./commands/init")).initCommand,
  takeover: () => (require("./commands/takeover") as typeof import("./commands/takeover")).takeoverCommand,
  promote: () => (require("./commands/promote") as typeof import("./commands/promote")).promoteCommand,
  abort: () => (require("./commands/abort") as typeof import("./commands/abort")).abortCommand,
  report: () => (require("./commands/report") as typeof import("./commands/report")).reportCommand,
  doctor: () => (require("./commands/doctor") as typeof import("./commands/doctor")).doctorCommand,
  show: () => (require("./commands/show") as typeof import("./commands/show")).showCommand,
  board: () => (require("./commands/board") as typeof import("./commands/board")).boardCommand,
  probe: () => (require("./commands/probe") as typeof import("./commands/probe")).probeCommand,
  emulator: () => (require("./commands/emulator") as typeof import("./commands/emulator")).emulatorCommand,
};

/** Load the help pages lazily, because most commands don't print them. */
const helpPages = () => require("./help") as typeof import("./help");

type Output = Pick<Io, "stdout" | "stderr" | "env">;

/** Runs the command that the arguments name; resolves with its exit code. */
export async function main(argv: readonly string[], io: Output = process): Promise<number> {
  const [name, ...rest] = argv;
  switch (name) {
    case "--version":
    case "version":
      io.stdout.write(`${manifest().version}\n`);
      return 0;
    case undefined:
    case "--help":
    case "-h":
      return helpFor(undefined, io);
    case "help":
      return helpFor(rest[0], io);
    default:
      return commandNamed(name)?.run(rest) ?? refuseUnknown(name, io);
  }
}

const commandNamed = (name: string): Command | undefined =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name]?.() : undefined;

function helpFor(name: string | undefined, io: Output): number {
  const text = name === undefined ? help() : (commandNamed(name)?.help() ?? helpPages().topicText(name));
  if (text === undefined) {
    return refuseUnknown(name ?? "", io, "command or page");
  }
  io.stdout.write(text);
  return 0;
}

function refuseUnknown(name: string, io: Output, kind = "command"): number {
  const problem = name.startsWith("-")
    ? `The option ${printable(name)} does not exist before a command.`
    : `The ${kind} "${printable(name)}" does not exist.`;
  const similar = nearest(name, [...Object.keys(COMMANDS), ...helpPages().topics()]);
  const suggestion = similar === undefined || Object.hasOwn(COMMANDS, similar) ? similar : `help ${similar}`;
  const hint =
    suggestion === undefined ? `\`${CLI} help\` lists what there is.` : `Did you mean \`${CLI} ${suggestion}\`?`;
  printError(undefined, `${problem} ${hint}`, io);
  return 2;
}

function help(): string {
  const commands = Object.values(COMMANDS).map((load) => load());
  const width = Math.max(...commands.map(({ name }) => name.length));
  const sections = GROUPS.map((group) => {
    const rows = commands.filter((command) => command.group === group);
    return `${group}:\n${wrapColumns(rows.map(({ name, summary }) => [name.padEnd(width), summary]))}`;
  });
  return `Manage as code which AI agents answer your phone numbers.

Examples:
  ${CLI} init phones
  pulumi preview --json | ${CLI} report
  ${CLI} show +15551234567 --stack prod

Usage: ${CLI} <command> [options]

${sections.join("\n\n")}

If something is wrong:
${helpPages().topicList()}

\`${CLI} help <name>\` explains a command, or prints a page.
\`${CLI} version\` prints the version.
Documentation: the folder docs/ of the package
Bugs: ${ISSUE_TRACKER}
`;
}

/** Exits without an error if the program that reads the output closes the pipe early, as `head` does. */
function ignoreClosedOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") {
      throw error;
    }
    process.exit();
  });
}

if (require.main === module) {
  ignoreClosedOutput();
  main(process.argv.slice(2)).then(
    (exitCode) => {
      process.exitCode = exitCode;
    },
    (error: unknown) => {
      process.stderr.write(bugReport(error, process));
      process.exitCode = BUG_CODE;
    },
  );
}
