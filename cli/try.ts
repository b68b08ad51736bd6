import { parseArgs } from "node:util";
import { type Emulator, startEmulator } from "../emulator";
import { type Command, type Io, processIo, UsageError, withUsage } from "./io";
import { findPulumi, isSupportedPulumi, runPulumi } from "./pulumiCli";
import { untilSignalled } from "./signals";
import { barLines, thousands } from "./try/bars";
import { Interrupted, runChild } from "./try/child";
import { createScratch, type Scratch } from "./try/scratch";

const usage = `Usage: agent-platform try

Shows a traffic split from the first preview to destroy, with the real Pulumi CLI on an emulator of the platform. It takes
less than a minute, in a folder of its own that is removed at the end: no account, no token, no state and no variable is left.

  --help  this text
`;

const options = { help: { type: "boolean", short: "h" } } as const;
const STACK = "try";
const NUMBER = "+15551230001";
const CALLS = 10_000;

const program = (percent: number): string => `const { canary, NumberGroup } = require("pulumi-agent-platform");

new NumberGroup("support", {
  numbers: { "${NUMBER}": "London", "+15551230002": "Berlin", "+15551230003": "Paris" },
  inboundAgents: canary("agent_front@12", "agent_front@13", ${percent}),
});
`;

export async function runTry(argv: readonly string[], io: Io): Promise<number> {
  return withUsage("try", io, async () => {
    if (parseArgs({ args: [...argv], options, strict: true }).values.help) {
      io.stdout.write(usage);
      return 0;
    }
    const cli = await requireCli(io);
    return untilSignalled(io.signal, (signal) => show(cli, signal, io));
  });
}

export const tryCommand: Command = {
  name: "try",
  summary: "Show a traffic split from preview to destroy on an emulator, and leave nothing behind",
  run: (argv) => runTry(argv, processIo()),
};

async function requireCli(io: Io): Promise<string> {
  const cli = findPulumi(io.env);
  const how = "install 3.200.0 or newer as https://www.pulumi.com/docs/install/ says, and run this again";
  if (cli === undefined) throw new UsageError(`The Pulumi CLI is neither on PATH nor in Pulumi's own folder: ${how}.`);
  const version = (await runPulumi(cli, ["version"], io)).trim();
  if (!isSupportedPulumi(version)) throw new UsageError(`The Pulumi CLI ${cli.how} is ${version}: ${how}.`);
  return cli.path;
}

async function show(cli: string, signal: AbortSignal, io: Io): Promise<number> {
  const emulator = await startEmulator();
  let scratch: Scratch | undefined;
  try {
    scratch = createScratch(STACK, emulator.url);
    await tell({ cli, signal, io, emulator, scratch });
    return 0;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    io.stderr.write("\nStopped. Nothing is left of the stack.\n");
    return 130;
  } finally {
    await emulator.close();
    scratch?.remove();
  }
}

interface Stage {
  readonly cli: string;
  readonly signal: AbortSignal;
  readonly io: Io;
  readonly emulator: Emulator;
  readonly scratch: Scratch;
}

async function tell(stage: Stage): Promise<void> {
  const { io, scratch } = stage;
  const say = (text: string) => io.stdout.write(`${text}\n`);
  await pulumi(stage, ["stack", "init", STACK], { isShown: false });

  say(`Three numbers and a canary of 10 %:\n\n${indented(program(10))}`);
  scratch.write(program(10));
  await pulumi(stage, ["preview"]);
  await pulumi(stage, ["up", "--yes", "--skip-preview"]);
  sayCalls(stage);

  say("The one change, 10 to 30 %, as a reviewer sees it:\n");
  scratch.write(program(30));
  await pulumi(stage, ["preview", "--diff"]);
  await pulumi(stage, ["up", "--yes", "--skip-preview"]);
  sayCalls(stage);

  await pulumi(stage, ["destroy", "--yes", "--skip-preview", "--remove"]);
  sayCalls(stage);
  say(
    "The stack, its state and the emulator are gone. Next: `npx pulumi-agent-platform init phones` writes a project.",
  );
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, "    ");

/** Runs a command and says how many requests the platform got by it: the one number that previews are trusted for. */
async function pulumi(stage: Stage, args: readonly string[], { isShown = true } = {}): Promise<void> {
  const { cli, signal, io, emulator, scratch } = stage;
  if (isShown) io.stdout.write(`$ pulumi ${args.filter((arg) => !arg.startsWith("--skip")).join(" ")}\n\n`);
  const color = (io.stdout as { isTTY?: boolean }).isTTY === true ? "always" : "never";
  const quiet = isShown ? ["--suppress-progress", "--stack", STACK] : [];
  const before = emulator.requests.length;
  let printed = "";
  const exitCode = await runChild(cli, [...args, ...quiet, "--non-interactive", "--color", color], {
    cwd: scratch.directory,
    env: scratch.env(io.env, cli, emulator.token),
    signal,
    onOutput: (text) => {
      if (isShown) io.stdout.write(text);
      printed += text;
    },
  });
  if (exitCode !== 0) {
    throw new Error(
      `\`pulumi ${args.join(" ")}\` ended with exit code ${exitCode}.${isShown ? "" : `\n${printed.trim()}`}`,
    );
  }
  const sent = emulator.requests.length - before;
  const gap = printed.endsWith("\n\n") ? "" : "\n";
  if (isShown) io.stdout.write(`${gap}→ ${sent === 0 ? "no request" : `${sent} requests`} reached the platform.\n\n`);
}

function sayCalls({ io, emulator }: Stage): void {
  const lines = barLines(emulator.calls(NUMBER, CALLS)).map((line) => `    ${line}\n`);
  io.stdout.write(`${thousands(CALLS)} simulated calls to ${NUMBER}:\n\n${lines.join("")}\n`);
}
