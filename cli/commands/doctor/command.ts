import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { printable } from "../../../provider/core/common/redact";
import { counted } from "../../../provider/core/messages";
import { onePosted } from "../../../provider/core/platform/posted";
import { CALLED, defineCommand, JSON_OPTION, type ValuesOf } from "../../command";
import { coloured, type Io, jsonText } from "../../io";
import { codeAddress, manifest } from "../../links";
import { groupBy, present } from "../../lists";
import { findPulumi, isSupportedPulumi, runPulumi, SUPPORTED_PULUMI } from "../../pulumi/cli";
import { readConfig } from "../../pulumi/config";
import { readHistory } from "../../pulumi/history";
import { programFolder, projectFileIn } from "../../pulumi/projectFile";
import { readStates, requireForStack, STATE_OPTIONS, type StackState } from "../../pulumi/stackExport";
import { ALL_STACKS, stackOf, stacksNamed } from "../../pulumi/stackNames";
import type { Finding } from "./finding";
import { findingsOf, type Known } from "./findings";
import { settingsUsed } from "./settings";
import { unrecorded } from "./unrecorded";

const options = { ...STATE_OPTIONS, ...ALL_STACKS, json: JSON_OPTION } as const;

export const doctorCommand = defineCommand({
  name: "doctor",
  group: "Look into a stack",
  summary: "Show what is unresolved, unapplied, pending or wrongly set in a stack",
  usage: ["[options]"],
  examples: [
    `${CALLED} doctor --stack prod`,
    `${CALLED} doctor --all-stacks`,
    `${CALLED} doctor --export emea.json --export apac.json`,
    `pulumi stack export | ${CALLED} doctor --export -`,
  ],
  about: `It reads saved state, the config and Pulumi's record of the last run, and sends nothing. Given several stacks, it names
each number that two of them hold. Run it before \`pulumi up\`: the next run sends pending creates again, and forgets
pending updates and deletes. Of an export, only the state is known.`,
  options,
  takes: { least: 0, most: 0, rule: "Name a stack with --stack <name>, or an export with --export <file>." },
  exitCodes: `0 no problem found, 1 problems found, 2 wrong arguments,\n3 the next \`pulumi up\` sends ${onePosted()} that may have been sent before`,
  async run({ values }, io) {
    const stacks = await known(values, io);
    const machine = await machineUsed(io);
    const findings = [...machine.findings, ...findingsOf(stacks)];
    io.stdout.write(values.json ? jsonOf(machine, stacks, findings) : textOf(machine, stacks, findings, io));
    return exitCodeOf(findings);
  },
});

function exitCodeOf(findings: readonly Finding[]): number {
  if (findings.some(({ sendsAgain }) => sendsAgain !== undefined)) {
    return 3;
  }
  return findings.length === 0 ? 0 : 1;
}

/** What is known of each stack: of a file its state, of a stack that the CLI knows also its config and its runs. */
async function known(values: ValuesOf<typeof options>, io: Io): Promise<Known[]> {
  const named = stacksNamed(values, io);
  const isNone = named.length === 0 && values.export === undefined;
  const stack = isNone ? [await stackOf({}, io)] : named;
  const states = await readStates({ ...values, stack }, io);
  return Promise.all(states.map((state) => withConfig(state, io)));
}

async function withConfig(state: StackState, io: Io): Promise<Known> {
  if (state.asked === undefined) {
    return { state };
  }
  const cli = requireForStack(io);
  const config = await readConfig(cli, state.asked, io);
  return { state, used: settingsUsed(state.asked, config, io), runs: await readHistory(cli, state.asked, io) };
}

// --- what is printed

type Machine = Awaited<ReturnType<typeof machineUsed>>;

function textOf({ versions }: Machine, stacks: readonly Known[], findings: readonly Finding[], io: Io): string {
  const shown = Object.entries(versions).map(([name, version]) => `${name} ${version ?? "not found"}`);
  return `${[shown.join(", "), stacks.map(stackText).join("\n"), verdict(findings, io)].join("\n\n")}\n`;
}

function stackText({ state, used }: Known): string {
  const { source, stack, project, resources, pending } = state;
  const what = stack === undefined ? "empty" : `stack ${stack} of project ${project}`;
  const counts = groupBy(resources, ({ kind }) => kind).map((same) => `${same.length} ${same[0].kind}`);
  const waiting = pending.length === 0 ? "nothing pending" : `${counted(pending.length, "operation")} pending`;
  const changed = unrecorded(state, used?.config);
  return present([
    printable(`${source} (${what}): ${counts.join(", ") || "no resource of this platform"}; ${waiting}`),
    changed.length > 0 &&
      `  ${changed.join(", ")}: \`pulumi destroy\` uses the values of the last run, unless a freeze is new. \`pulumi up\` records them.`,
  ]).join("\n");
}

function jsonOf({ versions }: Machine, stacks: readonly Known[], findings: readonly Finding[]): string {
  return jsonText({
    versions,
    stacks: stacks.map(({ state, used }) => ({
      stack: state.stack,
      project: state.project,
      source: state.source,
      resources: Object.fromEntries(
        groupBy(state.resources, ({ kind }) => kind).map((same) => [same[0].kind, same.length]),
      ),
      pending: state.pending.length,
      notRecorded: unrecorded(state, used?.config),
    })),
    findings: findings.map((finding) => ({ ...finding, ...(finding.code && { see: codeAddress(finding.code) }) })),
  });
}

function verdict(findings: readonly Finding[], io: Io): string {
  const list = findings.map(({ code, what, todo, sendsAgain }, index) => {
    const see = code === undefined ? "" : `\n   See: ${codeAddress(code)}`;
    const found = coloured(sendsAgain === undefined ? "yellow" : "red", present([code, what]).join(" "), io.stdout, io);
    return `${index + 1}. ${found}\n   Do: ${todo}${see}`;
  });
  return list.length === 0 ? "No problems found." : `${counted(list.length, "problem")} found\n\n${list.join("\n\n")}`;
}

// --- this machine

async function machineUsed(io: Io) {
  const cli = findPulumi(io.env);
  const printed = cli === undefined ? "" : await runPulumi(cli, ["version"], io).catch(() => "");
  const versions = {
    "agent-platform": manifest().version,
    Node: process.versions.node,
    "Pulumi CLI": printed.trim().replace(/^v/, "") || undefined,
    "Pulumi SDK": sdkVersion(io.cwd),
  };
  const findings = present([
    versionFinding("Pulumi CLI", versions["Pulumi CLI"]),
    versionFinding("Pulumi SDK", versions["Pulumi SDK"]),
    notInstalled(io.cwd),
  ]);
  return { versions, findings };
}

const fromProgram = (cwd: string) => createRequire(join(programFolder(cwd), "index.js"));

/** The SDK that a program here would load. */
function sdkVersion(cwd: string): string | undefined {
  try {
    const file = fromProgram(cwd).resolve("@pulumi/pulumi/package.json");
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
    fromProgram(cwd).resolve("pulumi-agent-platform/handlers");
    return false;
  } catch {
    const what = "pulumi-agent-platform is not installed beside this program.";
    return projectFileIn(cwd) !== undefined && { what, todo: "run `npm ci` here." };
  }
}
