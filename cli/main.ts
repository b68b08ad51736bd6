#!/usr/bin/env node
import { type Command, printable } from "./io";

/** Each command is loaded when it is asked for: nobody waits for the emulator to read a report. */
const commands: Readonly<Record<string, () => Command>> = {
  try: () => (require("./try") as typeof import("./try")).tryCommand,
  init: () => (require("./init") as typeof import("./init")).initCommand,
  takeover: () => (require("./takeover") as typeof import("./takeover")).takeoverCommand,
  emulator: () => (require("./emulator") as typeof import("./emulator")).emulatorCommand,
  report: () => (require("./report") as typeof import("./report")).reportCommand,
  doctor: () => (require("./doctor") as typeof import("./doctor")).doctorCommand,
  show: () => (require("./show") as typeof import("./show")).showCommand,
  probe: () => (require("./probe") as typeof import("./probe")).probeCommand,
};

interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs the command that the arguments name; resolves with its exit code. */
export async function main(argv: readonly string[], io: Output = process): Promise<number> {
  const [name, ...rest] = argv;
  if (name === "--version" || name === "-v") {
    io.stdout.write(`${version()}\n`);
    return 0;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    io.stdout.write(help());
    return 0;
  }
  const load = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load !== undefined) return load().run(rest);
  io.stderr.write(`agent-platform: ${refusal(name)} \`agent-platform --help\` lists the commands.\n`);
  return 2;
}

function refusal(name: string | undefined): string {
  if (name === undefined) return "Name a command.";
  return name.startsWith("-")
    ? `The option ${printable(name)} does not exist before a command.`
    : `The command "${printable(name)}" does not exist.`;
}

/** By the package's own name, so that it is found from the sources as well as from dist/. */
function version(): string {
  return (require("pulumi-agent-platform/package.json") as { version: string }).version;
}

function help(): string {
  const all = Object.values(commands).map((load) => load());
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: agent-platform <command> [options]

${lines.join("\n")}

\`agent-platform <command> --help\` says what a command takes; \`agent-platform --version\` prints the version.
`;
}

/** A reader that closes the pipe early, such as \`head\`, is no error. */
function endQuietlyOnClosedPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

if (require.main === module) {
  endQuietlyOnClosedPipe();
  main(process.argv.slice(2)).then(
    (exitCode) => {
      process.exitCode = exitCode;
    },
    (error: unknown) => {
      process.stderr.write(`agent-platform: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
