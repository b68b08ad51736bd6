import { printable } from "../../../provider/core/common/redact";
import { counted } from "../../../provider/core/messages";
import { onePosted } from "../../../provider/core/platform/posted";
import { CALLED, defineCommand, JSON_OPTION, type ValuesOf } from "../../command";
import { coloured, type Io, jsonText } from "../../io";
import { codeAddress } from "../../links";
import { groupBy, present } from "../../lists";
import { readConfig } from "../../pulumi/config";
import { readHistory } from "../../pulumi/history";
import { readStates, STATE_OPTIONS, type StackState } from "../../pulumi/stackExport";
import { ALL_STACKS, stackOf, stacksNamed } from "../../pulumi/stackNames";
import { type Finding, findingsOf, type Known } from "./findings";
import { settingsUsed } from "./settings";

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
    const findings = findingsOf(stacks);
    io.stdout.write(values.json ? jsonOf(stacks, findings) : textOf(stacks, findings, io));
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
  const config = await readConfig(state.asked, io);
  return { state, used: settingsUsed(config, io), runs: await readHistory(state.asked, io) };
}

// --- what is printed

const textOf = (stacks: readonly Known[], findings: readonly Finding[], io: Io): string =>
  `${stacks.map(stackText).join("\n")}\n\n${verdict(findings, io)}\n`;

function stackText({ state }: Known): string {
  const { source, stack, project, resources, pending } = state;
  const what = stack === undefined ? "empty" : `stack ${stack} of project ${project}`;
  const counts = groupBy(resources, ({ kind }) => kind).map((same) => `${same.length} ${same[0].kind}`);
  const waiting = pending.length === 0 ? "nothing pending" : `${counted(pending.length, "operation")} pending`;
  return printable(`${source} (${what}): ${counts.join(", ") || "no resource of this platform"}; ${waiting}`);
}

function jsonOf(stacks: readonly Known[], findings: readonly Finding[]): string {
  return jsonText({
    stacks: stacks.map(({ state }) => ({
      stack: state.stack,
      project: state.project,
      source: state.source,
      resources: Object.fromEntries(
        groupBy(state.resources, ({ kind }) => kind).map((same) => [same[0].kind, same.length]),
      ),
      pending: state.pending.length,
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
