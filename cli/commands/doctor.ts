import { printable } from "../../provider/core/common/redact";
import { counted } from "../../provider/core/messages";
import { CALLED, defineCommand, JSON_OPTION, moreIn } from "../command";
import { coloured, type Io, jsonText } from "../io";
import { codeAddress } from "../links";
import { groupBy, present } from "../lists";
import { leftOutIn } from "../pulumi/projectFile";
import { stackTitle } from "../pulumi/stackExport";
import { type KnownStack, readStacks, STACKS_OPTION } from "../pulumi/stacks";
import { type Finding, findingsOf } from "../stack/findings";

export const doctorCommand = defineCommand({
  name: "doctor",
  group: "Look into a stack",
  summary: "Show what is unresolved, unapplied or pending in a stack",
  usage: ["[options]"],
  examples: [`${CALLED} doctor --stack prod`, `${CALLED} doctor --stack dev --stack prod`],
  about: `It reads saved state, the config and Pulumi's record of the last run, and sends nothing. Given several stacks, it names
each number that two of them hold. Run it before \`pulumi up\`: the next run sends pending creates again, and forgets
pending updates and deletes.`,
  options: { ...STACKS_OPTION, json: JSON_OPTION },
  takes: { least: 0, most: 0, rule: "Name each stack with --stack <name>." },
  exitCodes: `0 no problem found, 1 problems found, 2 wrong arguments,\n3 the next \`pulumi up\` sends a voice or a chat that may have been sent before`,
  async run({ values }, io) {
    const stacks = await readStacks(values.stack, io);
    const findings = findingsOf(stacks, leftOutIn(io));
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

// --- what is printed

const textOf = (stacks: readonly KnownStack[], findings: readonly Finding[], io: Io): string =>
  `${stacks.map(stackText).join("\n")}\n\n${verdict(findings, io)}\n`;

function stackText({ state }: KnownStack): string {
  const { resources, pending } = state;
  const counts = groupBy(resources, ({ kind }) => kind).map((same) => `${same.length} ${same[0].kind}`);
  const waiting = pending.length === 0 ? "nothing pending" : `${counted(pending.length, "operation")} pending`;
  return printable(`${stackTitle(state)}: ${counts.join(", ") || "no resource of this platform"}; ${waiting}`);
}

function jsonOf(stacks: readonly KnownStack[], findings: readonly Finding[]): string {
  return jsonText({
    stacks: stacks.map(({ state }) => ({
      stack: state.stack,
      project: state.project,
      resources: Object.fromEntries(
        groupBy(state.resources, ({ kind }) => kind).map((same) => [same[0].kind, same.length]),
      ),
      pending: state.pending.length,
    })),
    findings: findings.map((finding) => ({ ...finding, ...(finding.code && { see: codeAddress(finding.code) }) })),
  });
}

function verdict(findings: readonly Finding[], io: Io): string {
  const list = findings.map(({ code, what, todo, help = code, sendsAgain }, index) => {
    const more = help === undefined ? "" : `\n   ${moreIn(help)}`;
    const found = coloured(sendsAgain === undefined ? "yellow" : "red", present([code, what]).join(" "), io.stdout, io);
    return `${index + 1}. ${found}\n   Do: ${todo}${more}`;
  });
  return list.length === 0 ? "No problems found." : `${counted(list.length, "problem")} found\n\n${list.join("\n\n")}`;
}
