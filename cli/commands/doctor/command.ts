import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { printable } from "../../../provider/core/common/redact";
import { counted } from "../../../provider/core/messages";
import { onePosted } from "../../../provider/core/platform/posted";
import { CALLED, defineCommand, JSON_OPTION } from "../../command";
import { UsageError } from "../../errors";
import { columns, type Io, jsonText } from "../../io";
import { codeAddress, manifest } from "../../links";
import { groupBy, present } from "../../lists";
import { findPulumi, isSupportedPulumi, type PulumiCli, runPulumi, SUPPORTED_PULUMI } from "../../pulumi/cli";
import { readConfig } from "../../pulumi/config";
import { hasHiddenNumbers } from "../../pulumi/numbersHeld";
import { programFolder, projectFileIn } from "../../pulumi/projectFile";
import {
  readStates,
  requireForStack,
  STATE_OPTIONS,
  type StackState,
  type StateSources,
} from "../../pulumi/stackExport";
import { ALL_STACKS, stacksNamed } from "../../pulumi/stackNames";
import type { Finding } from "./finding";
import { findingsOf } from "./findings";
import { settingsUsed, type Used } from "./settings";
import { unrecorded } from "./unrecorded";

export const doctorCommand = defineCommand({
  name: "doctor",
  group: "Look into a stack",
  summary: "Show what a run would use, and what is unresolved, unapplied or pending in a stack",
  usage: ["[options]"],
  examples: [
    `${CALLED} doctor --stack prod`,
    `${CALLED} doctor --all-stacks`,
    `${CALLED} doctor --export emea.json --export apac.json`,
    `pulumi stack export | ${CALLED} doctor --export -`,
  ],
  about: `It reads saved state and sends nothing. Given several stacks, it names each number that two of them hold.
Run it before \`pulumi up\`: the next run sends pending creates again, and forgets pending updates and deletes.`,
  options: {
    ...STATE_OPTIONS,
    ...ALL_STACKS,
    "config-file": {
      type: "string",
      value: "<file>",
      help: "the config file of the one stack, if it is not Pulumi.<stack>.yaml",
    },
    json: JSON_OPTION,
  },
  takes: { least: 0, most: 0, rule: "Name a stack with --stack <name>, or an export with --export <file>." },
  exitCodes: `0 no problem found, 1 problems found, 2 wrong arguments,\n3 the next \`pulumi up\` sends ${onePosted()} that may have been sent before`,
  async run({ values }, io) {
    const stack = stacksNamed(values, io);
    const examination = await examine({ ...values, stack }, values["config-file"], io);
    io.stdout.write(values.json ? jsonOf(examination) : textOf(examination));
    return exitCodeOf(examination.findings);
  },
});

function exitCodeOf(findings: readonly Finding[]): number {
  if (findings.some(({ sendsAgain }) => sendsAgain !== undefined)) {
    return 3;
  }
  return findings.length === 0 ? 0 : 1;
}

type Row = readonly [string, string];

/** All that doctor prints, as data. */
type Examination = Awaited<ReturnType<typeof examine>>;

async function examine(sources: StateSources, configFile: string | undefined, io: Io) {
  const stacks = sources.stack ?? [];
  if (configFile !== undefined && stacks.length !== 1) {
    throw new UsageError("--config-file is of one stack: name that one with --stack.");
  }
  const states = await readStates(sources, io);
  const machine = await machineUsed(io);
  const used = stacks.length === 0 ? [settingsUsed(undefined, io)] : await settingsOf(stacks, configFile, io);
  // A state is compared with the settings of its stack. One of a file is compared with the environment, unless a stack is named.
  const usedBy = ({ asked }: StackState) => used.find(({ stack }) => stack === asked);
  return {
    machine: machine.rows,
    settings: used.map(({ stack, rows }) => ({ title: settingsTitle(stack), rows })),
    states: states.map((state) => ({ title: stateTitle(state), rows: stateRows(state, usedBy(state)?.config) })),
    findings: [...machine.findings, ...findingsOf(used, states, (state) => usedBy(state)?.endpoint)],
  };
}

function textOf({ machine, settings, states, findings }: Examination): string {
  const sections = [{ title: "What would be used", rows: machine }, ...settings, ...states];
  const texts = sections.map(({ title, rows }) => `${title}\n\n${columns(rows)}`);
  return `${[...texts, verdict(findings, states.length)].join("\n\n")}\n`;
}

function jsonOf({ machine, settings, states, findings }: Examination): string {
  const plain = ({ title, rows }: Examination["states"][number]) => ({ title, ...Object.fromEntries(rows) });
  const json = {
    machine: Object.fromEntries(machine),
    settings: settings.map(plain),
    states: states.map(plain),
    findings: findings.map((finding) => ({ ...finding, ...(finding.code && { see: codeAddress(finding.code) }) })),
  };
  return jsonText(json);
}

async function settingsOf(stacks: readonly string[], file: string | undefined, io: Io): Promise<Used[]> {
  const cli = requireForStack(io);
  const all: Used[] = [];
  for (const stack of stacks) {
    all.push(settingsUsed({ stack, config: await readConfig(cli, stack, io, file) }, io));
  }
  return all;
}

const settingsTitle = (stack: string | undefined): string =>
  stack === undefined ? "Settings" : `Settings of ${printable(stack)}`;

function stateTitle({ source, stack, project }: StackState): string {
  const what = stack === undefined ? "empty" : `stack ${stack} of project ${project}`;
  return `State in ${printable(source)} (${printable(what)})`;
}

function stateRows(state: StackState, config: Used["config"]): Row[] {
  const changed = unrecorded(state, config);
  const counts = groupBy(state.resources, ({ kind }) => kind).map((same) => `${same.length} ${same[0].kind}`);
  const hidden = state.resources.filter(hasHiddenNumbers).map(({ name }) => `"${printable(name)}"`);
  return [
    ["resources", counts.join(", ") || "none of this platform"],
    ["pending", state.pending.length === 0 ? "none" : counted(state.pending.length, "operation")],
    ...(changed === undefined ? [] : [["not recorded", changed] as const]),
    ...(hidden.length === 0 ? [] : [["not compared", `the numbers of ${hidden.join(", ")}: encrypted`] as const]),
  ];
}

function verdict(findings: readonly Finding[], states: number): string {
  if (findings.length === 0) {
    return states === 0 ? "No problems found. No state was read: give --stack or --export." : "No problems found.";
  }
  return `${counted(findings.length, "problem")} found\n\n${findings.map(findingText).join("\n\n")}`;
}

function findingText({ code, what, todo }: Finding, index: number): string {
  const see = code === undefined ? "" : `\n   See: ${codeAddress(code)}`;
  return `${index + 1}. ${code === undefined ? "" : `${code} `}${what}\n   Do: ${todo}${see}`;
}

// --- this machine

async function machineUsed(io: Io): Promise<Pick<Used, "rows" | "findings">> {
  const cli = findPulumi(io.env);
  const version = cli === undefined ? undefined : await cliVersion(cli, io);
  const sdk = sdkVersion(io.cwd);
  return {
    rows: [
      ["agent-platform", manifest().version],
      ["Node", process.versions.node],
      [
        "Pulumi CLI",
        cli === undefined ? "not found" : `${version ?? "does not say its version"}, ${cli.how}: ${cli.path}`,
      ],
      ["Pulumi SDK", sdk ?? "not found from here"],
    ],
    findings: present([versionFinding("Pulumi CLI", version), versionFinding("Pulumi SDK", sdk), notInstalled(io.cwd)]),
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

const versionFinding = (name: string, version: string | undefined): Finding | false =>
  version !== undefined &&
  !isSupportedPulumi(version) && {
    what: `${name} ${printable(version)} is not supported.`,
    todo: `install ${SUPPORTED_PULUMI}.`,
  };

/** Refresh and destroy load the package from the program's folder, and fail if it is not installed there. */
function notInstalled(cwd: string): Finding | false {
  try {
    createRequire(join(programFolder(cwd), "index.js")).resolve("pulumi-agent-platform/handlers");
    return false;
  } catch {
    const what = "pulumi-agent-platform is not installed beside this program.";
    return projectFileIn(cwd) !== undefined && { what, todo: "run `npm ci` here." };
  }
}
