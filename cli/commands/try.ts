import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Emulator, startEmulator } from "../../emulator";
import type { Environment } from "../../provider/core/config/settings";
import { runChild } from "../child";
import { CALLED, defineCommand } from "../command";
import { CommandFailure, Interrupted, UsageError } from "../errors";
import { columns, type Io, wrapped } from "../io";
import { INSTALL_PULUMI, isSupportedPulumi, runPulumi, withoutSettings } from "../pulumi/cli";
import { untilSignalled } from "../signals";
import { abortCommand } from "./abort";
import { requestText } from "./emulator";
import { promoteCommand } from "./promote";

const PROJECT = "agent-platform-try";
const STACK = "try";
const NUMBER = "+15551230001";
const SIMULATED_CALLS = 10_000;

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

/** The stack's config file, in which `promote` and `abort` edit one value. */
const stackConfig = (baseUrl: string): string => `config:
  agent-platform:baseUrl: ${baseUrl}
  agent-platform:workspaceId: 42
  agent-platform:steps: "[1, 10, 50, 100]"
  agent-platform:rollouts:
    front:
      stable: agent_front@12
      candidate: agent_front@13
      percent: 10
`;

export const tryCommand = defineCommand({
  name: "try",
  group: "Start",
  summary: "Show a rollout from preview to abort and destroy on an emulator, and leave nothing behind",
  usage: ["[options]"],
  examples: [`${CALLED} try`, `${CALLED} try --verbose`],
  about: `It needs the Pulumi CLI on PATH, but no account and no token. It works in a temporary folder and leaves no state.`,
  options: { verbose: { type: "boolean", help: "print each request with its body" } },
  takes: { least: 0, most: 0, rule: "try takes no files and no folders." },
  exitCodes: "0 shown, 1 the Pulumi CLI failed, 2 no Pulumi CLI of a supported version, 130 interrupted",
  async run({ values: { verbose = false } }, io) {
    const version = (await runPulumi(["version"], io)).trim();
    if (!isSupportedPulumi(version)) {
      throw new UsageError(`The Pulumi CLI on PATH is ${version}: ${INSTALL_PULUMI}.`);
    }
    return untilSignalled(io.signal, (signal) => demonstrate(signal, verbose, io));
  },
});

async function demonstrate(signal: AbortSignal, verbose: boolean, io: Io): Promise<number> {
  const emulator = await startEmulator();
  const root = realpathSync(mkdtempSync(join(tmpdir(), `${PROJECT}-`)));
  try {
    const world = { ...io, signal, ...createScratch(root, emulator, io.env) };
    await walkThrough({ io: world, verbose, emulator });
    return 0;
  } catch (error) {
    if (!(error instanceof Interrupted)) {
      throw error;
    }
    io.stderr.write("\nStopped. Nothing is left of the stack.\n");
    return 130;
  } finally {
    await emulator.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Tour {
  /** The world of its commands: the temporary folder. */
  readonly io: Io & { readonly signal: AbortSignal };
  readonly verbose: boolean;
  readonly emulator: Emulator;
}

async function walkThrough(tour: Tour): Promise<void> {
  const { io } = tour;
  const say = (text: string) => io.stdout.write(`${wrapped(text)}\n\n`);
  await pulumi(tour, "stack", "init", STACK);

  say("Three numbers, and a rollout in the stack's config: a new version has 10 % of the calls.");
  io.stdout.write(`${asCode(PROGRAM)}\n`);
  await pulumi(tour, "preview");
  await pulumi(tour, "up", "--yes", "--skip-preview");
  sayCalls(tour);

  say("The next step of the rollout, and what a reviewer sees of it:");
  await ours(tour, promoteCommand);
  await pulumi(tour, "preview", "--diff");
  await pulumi(tour, "up", "--yes", "--skip-preview");
  sayCalls(tour);

  say("The new version is bad. From any percentage, one command gives the stable agent all calls again:");
  await ours(tour, abortCommand, "--up", "--yes");
  sayCalls(tour);

  await pulumi(tour, "destroy", "--yes", "--skip-preview", "--remove");
  sayCalls(tour);
  io.stdout.write(`The stack, its state and the emulator are removed. To write a project:
${CALLED} init phones
`);
}

/** A command of this package. */
function ours(tour: Tour, { name, run }: typeof promoteCommand, ...more: readonly string[]): Promise<void> {
  const argv = ["--stack", STACK, ...more];
  return runShown(tour, `${CALLED} ${[name, ...argv].join(" ")}`, () => run(argv, tour.io));
}

/** A command of the Pulumi CLI. */
function pulumi(tour: Tour, ...args: readonly string[]): Promise<void> {
  const { io } = tour;
  const quiet = args[0] === "stack" ? [] : ["--suppress-progress"];
  const all = [...args, ...quiet, "--non-interactive", "--color", io.stdout.isTTY ? "always" : "never"];
  const onOutput = (text: string) => void io.stdout.write(text);
  const typed = args.filter((arg) => !arg.startsWith("--skip")).join(" ");
  return runShown(tour, `pulumi ${typed}`, () => runChild("pulumi", all, { ...io, onOutput }));
}

/** What is typed, what that prints, and how many requests have reached the platform then, or which. */
async function runShown({ io, emulator, verbose }: Tour, typed: string, run: () => Promise<number>): Promise<void> {
  io.stdout.write(`$ ${typed}\n\n`);
  const before = emulator.requests.length;
  const exitCode = await run();
  if (io.signal.aborted) {
    throw new Interrupted();
  }
  if (exitCode !== 0) {
    throw new CommandFailure(`\`${typed}\` ended with exit code ${exitCode}.`);
  }
  const sent = emulator.requests.slice(before);
  const requests = verbose ? sent.map((request) => requestText(request, emulator, true)).join("") : "";
  const count = sent.length === 0 ? "no request" : `${sent.length} requests`;
  io.stdout.write(`\n→ ${count} reached the platform.\n${requests}\n`);
}

const asCode = (text: string): string => text.replace(/^(?=.)/gm, "    ");

function sayCalls({ io, emulator }: Tour): void {
  const calls = Object.entries(emulator.calls(NUMBER, SIMULATED_CALLS)).sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = calls.map(([agent, count]): [string, string] => [agent, count.toLocaleString("en")]);
  io.stdout.write(`${SIMULATED_CALLS.toLocaleString("en")} simulated calls to ${NUMBER}:\n\n${columns(rows)}\n\n`);
}

// --- the temporary folder

/** A temporary folder with a project, its state and its own home for Pulumi. */
function createScratch(root: string, { url, token }: Emulator, outside: Environment) {
  const packages = ["pulumi-agent-platform", "@pulumi/pulumi"].map((name) => [name, folderOf(name)] as const);
  const directory = join(root, "project");
  for (const folder of [directory, join(root, "state"), join(root, "tmp")]) {
    mkdirSync(folder);
  }
  // Node also finds packages in the folder above the project. They are not in the project's folder, because the
  // engine reads every file below it.
  for (const [name, target] of packages) {
    const link = join(root, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    // On Windows a junction needs no rights of an administrator. Other systems ignore the word.
    symlinkSync(target, link, "junction");
  }
  writeFileSync(join(directory, "index.js"), PROGRAM);
  // JSON is YAML.
  writeFileSync(join(directory, "Pulumi.yaml"), JSON.stringify({ name: PROJECT, runtime: "nodejs" }));
  writeFileSync(join(directory, `Pulumi.${STACK}.yaml`), stackConfig(url));
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name: PROJECT, main: "index.js" }));
  return {
    cwd: directory,
    env: {
      ...withoutSettings(outside),
      // The provider's processes share files of one run there.
      ...Object.fromEntries(["TMPDIR", "TMP", "TEMP"].map((name) => [name, join(root, "tmp")])),
      PULUMI_HOME: join(root, "home"),
      PULUMI_BACKEND_URL: `file://${join(root, "state").replaceAll("\\", "/")}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      AGENT_PLATFORM_ACCESS_TOKEN: token,
    },
  };
}

/** A package of this installation, so that nothing has to be downloaded. */
function folderOf(name: string): string {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    throw new UsageError(`${name} is not installed here. Run \`npm install ${name}\`, then this again.`);
  }
}
