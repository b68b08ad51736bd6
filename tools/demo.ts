import { CLI } from "../cli/command";
import { abortCommand } from "../cli/commands/abort";
import { promoteCommand } from "../cli/commands/promote";
import { type Io, processIo } from "../cli/io";
import { untilSignalled } from "../cli/signals";
import { type Emulator, startEmulator } from "../emulator";
import { ensureBuilt } from "./build";
import { Interrupted, runChild } from "./engine/child";
import { endWith, findOrInstallEngine, pathWith } from "./engine/engine";
import { createScratch } from "./scratch";

/**
 * `npm run demo` shows a rollout from preview to abort, with the real Pulumi CLI and an emulator, in a temporary
 * folder.
 */

const STACK = "demo";
const NUMBER = "+15551230001";

const PROGRAM = `const { NumberGroup } = require("pulumi-agent-platform");

new NumberGroup("support", {
  numbers: {
    "${NUMBER}": "London",
    "+15551230002": "Berlin",
    "+15551230003": "Paris",
  },
  rollout: "front",
});
`;

/** The stack's config. `promote` and `abort` edit the rollout in it. */
const stackConfig = (baseUrl: string): string => `config:
  agent-platform:baseUrl: ${baseUrl}
  agent-platform:workspaceId: 42
  agent-platform:steps: [1, 10, 50, 100]
  agent-platform:rollouts:
    front:
      stable: agent_front@12
      candidate: agent_front@13
      percent: 10
`;

interface Tour {
  /** The input, output and signal of the tour's commands, which run in the temporary folder. */
  readonly io: Io & { readonly signal: AbortSignal };
  readonly emulator: Emulator;
}

async function walkThrough(tour: Tour): Promise<void> {
  await pulumi(tour, "stack", "init", STACK);

  say("Three numbers, and a rollout in the stack's config that gives a new version 10% of the calls:");
  console.log(PROGRAM.replace(/^(?=.)/gm, "    "));
  await pulumi(tour, "preview");
  await pulumi(tour, "up", "--yes", "--skip-preview");
  sayCalls(tour);

  say("The next step of the rollout, as a reviewer sees it:");
  await packageCommand(tour, promoteCommand);
  await pulumi(tour, "preview", "--diff");
  await pulumi(tour, "up", "--yes", "--skip-preview");
  sayCalls(tour);

  say("The new version is bad. At any percentage, one command gives all calls back to the stable agent:");
  await packageCommand(tour, abortCommand, "--up", "--yes");
  sayCalls(tour);

  await pulumi(tour, "destroy", "--yes", "--skip-preview", "--remove");
  sayCalls(tour);
  say(`The stack, its state and the emulator are removed. To start your own project:\n${CLI} init phones`);
}

const say = (text: string) => console.log(`${text}\n`);

/** Runs one of this package's commands. */
function packageCommand(tour: Tour, { name, run }: typeof promoteCommand, ...more: readonly string[]): Promise<void> {
  const argv = ["--stack", STACK, ...more];
  return runShown(tour, `${CLI} ${[name, ...argv].join(" ")}`, () => run(argv, tour.io));
}

/** Runs a Pulumi CLI command. */
function pulumi(tour: Tour, ...args: readonly string[]): Promise<void> {
  const { cwd, env, signal } = tour.io;
  const quiet = args[0] === "stack" ? [] : ["--suppress-progress"];
  const argv = [...args, ...quiet, "--non-interactive", "--color", process.stdout.isTTY ? "always" : "never"];
  const onOutput = (text: string) => void process.stdout.write(text);
  const typed = args.filter((arg) => !arg.startsWith("--skip")).join(" ");
  return runShown(tour, `pulumi ${typed}`, () => runChild("pulumi", argv, { cwd, env, signal, onOutput }));
}

/** Prints the command, its output, and how many requests it sent to the platform. */
async function runShown({ io, emulator }: Tour, typed: string, run: () => Promise<number>): Promise<void> {
  say(`$ ${typed}`);
  const before = emulator.requests.length;
  const exitCode = await run();
  if (io.signal.aborted) {
    throw new Interrupted();
  }
  if (exitCode !== 0) {
    throw new Error(`\`${typed}\` exited with code ${exitCode}.`);
  }
  const count = emulator.requests.length - before;
  say(`\n→ ${count === 0 ? "no request" : `${count} requests`} reached the platform.`);
}

function sayCalls({ emulator }: Tour): void {
  const calls = Object.entries(emulator.calls(NUMBER, 10_000)).sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = calls.map(([agent, count]) => `  ${agent}  ${count.toLocaleString("en")}\n`);
  say(`10,000 simulated calls to ${NUMBER}:\n\n${rows.join("")}`);
}

async function demonstrate(path: string): Promise<number> {
  // On Ctrl-C, this process gets a signal from the terminal and another from npm. The second one must not interrupt the
  // cleanup.
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {});
  }
  const emulator = await startEmulator();
  const scratch = createScratch({
    name: "agent-platform-demo",
    program: PROGRAM,
    stackFile: { name: STACK, text: stackConfig(emulator.url) },
    env: { PATH: path, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  });
  try {
    await untilSignalled(undefined, (signal) =>
      walkThrough({ io: { ...processIo(), cwd: scratch.cwd, env: scratch.env, signal }, emulator }),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof Interrupted)) {
      throw error;
    }
    console.error("\nStopped. The stack has been removed.");
    return 130;
  } finally {
    await emulator.close();
    scratch.remove();
  }
}

async function demo(): Promise<number> {
  ensureBuilt();
  // Install a Pulumi CLI if there is none.
  const engine = await findOrInstallEngine();
  const exitCode = await demonstrate(pathWith(engine, process.env.PATH));
  if (exitCode === 0 && engine.how !== "on PATH") {
    say(`The Pulumi CLI is in ${engine.directory}. To use it yourself:\n\n  export PATH=${engine.directory}:$PATH`);
  }
  return exitCode;
}

endWith(demo());
