import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { counted } from "../provider/core/messages/message";
import { stateFindings } from "./doctorFindings";
import { type Finding, programFolder, providerText, readConfig, settingsUsed, type Used } from "./doctorSettings";
import { type Command, columns, type Io, printable, processIo, withUsage } from "./io";
import { findPulumi, isSupportedPulumi, type PulumiCli, requirePulumi, runPulumi } from "./pulumiCli";
import { readStates } from "./stackSources";
import { SECRET, type StackState } from "./stateFile";

const usage = `Usage: agent-platform doctor [options] [export files…]

Says what a run would use, and what is unresolved, unapplied or pending in a stack, with what to do.
It reads state and sends nothing. Exit code: 0 clean, 1 something is to be settled, 2 wrong arguments.

  --stack <name>        export this stack with the Pulumi CLI, and read its config; may be repeated
  --config-file <file>  the config file of that stack, where it is not Pulumi.<stack>.yaml
  --help                this text

An export file is the output of \`pulumi stack export\`; \`-\` is standard input. Several are compared: a number that
two stacks hold is named. Run it before \`pulumi up\`: the engine's own pending operations vanish with the next one.
`;

const options = {
  stack: { type: "string", multiple: true },
  "config-file": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

export async function runDoctor(argv: readonly string[], io: Io): Promise<number> {
  return withUsage("doctor", io, async () => {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
    if (values.help) {
      io.stdout.write(usage);
      return 0;
    }
    return examine(positionals, values.stack ?? [], values["config-file"], io);
  });
}

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Say what a run would use, and what is unresolved or pending in a stack",
  run: (argv) => runDoctor(argv, processIo()),
};

async function examine(
  files: readonly string[],
  stacks: readonly string[],
  configFile: string | undefined,
  io: Io,
): Promise<number> {
  const states = await readStates(files, stacks, io);
  const machine = await machineUsed(io);
  const used: [string, Used][] =
    stacks.length === 0 ? [["Settings", settingsUsed(undefined, io)]] : await settingsOf(stacks, configFile, io);
  const sections = [
    `What would be used\n\n${columns(machine.rows)}`,
    ...used.map(([title, { rows }]) => `${title}\n\n${columns(rows)}`),
    ...states.map((state) => stateText(state, io)),
  ];
  const findings = [
    ...machine.findings,
    ...new Map(used.flatMap(([, one]) => one.findings).map((finding) => [finding.what, finding])).values(),
    ...stateFindings(states, endpointsOf(states, used)),
  ];
  io.stdout.write(`${[...sections, verdict(findings, states.length)].join("\n\n")}\n`);
  return findings.length === 0 ? 0 : 1;
}

async function settingsOf(stacks: readonly string[], file: string | undefined, io: Io): Promise<[string, Used][]> {
  const cli = requirePulumi(io.env);
  const all: [string, Used][] = [];
  for (const stack of stacks) {
    all.push([`Settings of ${printable(stack)}`, settingsUsed(await readConfig(cli, stack, file, io), io)]);
  }
  return all;
}

/** A stack's own settings judge its state; those of the environment alone judge what came from files. */
function endpointsOf(
  states: readonly StackState[],
  used: readonly (readonly [string, Used])[],
): Map<StackState, string> {
  const byTitle = new Map(used);
  return new Map(
    states.flatMap((state) => {
      const own = byTitle.get(`Settings of ${printable(state.source)}`) ?? byTitle.get("Settings");
      return own?.endpoint === undefined ? [] : [[state, own.endpoint] as const];
    }),
  );
}

function stateText(state: StackState, io: Io): string {
  const title = state.stack === undefined ? "empty" : `stack ${state.stack} of project ${state.project}`;
  const counts = new Map<string, number>();
  for (const { kind } of state.resources) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const hidden = state.resources
    .filter(({ outputs }) => outputs.numbers === SECRET)
    .map(({ name }) => `"${printable(name)}"`);
  const rows: (readonly [string, string])[] = [
    ["resources", [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ") || "none of this platform"],
    ...state.providers
      .filter(({ inputs }) => typeof inputs["agent-platform:instance"] === "string")
      .map(({ name, inputs }): [string, string] => [`provider "${printable(name)}"`, providerText(inputs, io)]),
    ["pending", state.pending.length === 0 ? "none" : counted(state.pending.length, "operation")],
    ...(hidden.length === 0 ? [] : [["not compared", `the numbers of ${hidden.join(", ")}: encrypted`] as const]),
  ];
  return `State in ${printable(state.source)} (${printable(title)})\n\n${columns(rows)}`;
}

function verdict(findings: readonly Finding[], states: number): string {
  if (findings.length === 0) {
    return states === 0 ? "Nothing to settle. No state was read: give --stack or an export." : "Nothing to settle.";
  }
  const list = findings.map(({ what, todo }, index) => `${index + 1}. ${what}\n   Do: ${todo}`);
  return `To settle: ${findings.length}\n\n${list.join("\n\n")}`;
}

// --- this machine

async function machineUsed(io: Io): Promise<Pick<Used, "rows" | "findings">> {
  const cli = findPulumi(io.env);
  const version = cli === undefined ? undefined : await cliVersion(cli, io);
  const sdk = sdkVersion(io.cwd);
  const own = (require("pulumi-agent-platform/package.json") as { version: string }).version;
  return {
    rows: [
      ["agent-platform", own],
      ["Node", process.versions.node],
      [
        "Pulumi CLI",
        cli === undefined ? "not found" : `${version ?? "does not say its version"}, ${cli.how}: ${cli.path}`,
      ],
      ["Pulumi SDK", sdk ?? "not found from here"],
    ],
    findings: [...versionFinding("Pulumi CLI", version), ...versionFinding("Pulumi SDK", sdk), ...notInstalled(io.cwd)],
  };
}

async function cliVersion(cli: PulumiCli, io: Io): Promise<string | undefined> {
  const printed = await runPulumi(cli, ["version"], io).catch(() => "");
  return printed.trim().replace(/^v/, "") || undefined;
}

/** The SDK that a program here would load. */
function sdkVersion(cwd: string): string | undefined {
  try {
    const file = createRequire(join(programFolder(cwd), "index.js")).resolve("@pulumi/pulumi/package.json");
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  } catch {
    return undefined;
  }
}

function versionFinding(name: string, version: string | undefined): Finding[] {
  if (version === undefined || isSupportedPulumi(version)) return [];
  return [{ what: `${name} ${printable(version)} is not supported.`, todo: "install 3.200.0 or newer, below 4." }];
}

/** Refresh and destroy load the package by its name from the program's folder: without it they fail with "Cannot find module". */
function notInstalled(cwd: string): Finding[] {
  if (!existsSync(join(cwd, "Pulumi.yaml"))) return [];
  try {
    createRequire(join(programFolder(cwd), "index.js")).resolve("pulumi-agent-platform/handlers");
    return [];
  } catch {
    return [{ what: "pulumi-agent-platform is not installed beside this program.", todo: "run `npm ci` here." }];
  }
}
