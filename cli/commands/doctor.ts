import { printable } from "../../provider/base/text";
import { counted, helpHint } from "../../provider/words/message";
import { CLI, defineCommand, JSON_OPTION } from "../command";
import type { Io } from "../io";
import { groupBy, present } from "../lists";
import { coloured, escapeRunnerCommands, jsonText } from "../print";
import { type KnownStack, readStacks, STACKS_OPTION } from "../pulumi/stacks";
import { stackTitle } from "../pulumi/state";
import { type Finding, findingsOf } from "../state/findings";

export const doctorCommand = defineCommand({
  name: "doctor",
  group: "Look into a stack",
  summary: "Show what is unresolved, unapplied or pending in a stack",
  usage: ["[--stack <name>]… [options]"],
  examples: [`${CLI} doctor --stack prod`, `${CLI} doctor --stack dev --stack prod`],
  about: `The command reads the saved state, the config and Pulumi's record of the last run, and sends nothing. A note
is not a problem, because it describes something that may be intended. Given several stacks, the command also reports
each number that more than one of them declares. Run it before \`pulumi up\`, because the next run sends pending creates
again and forgets pending updates and deletes.`,
  options: { ...STACKS_OPTION, json: JSON_OPTION },
  positionals: { min: 0, max: 0, error: "Name each stack with --stack <name>." },
  exitCodes: `0 no problem found, 1 problems found, 2 wrong arguments,\n3 the next \`pulumi up\` adds a voice or starts a chat that may exist already`,
  async run({ values }, io) {
    const stacks = await readStacks(values.stack, io);
    const findings = findingsOf(stacks);
    const titles = stacks.map(stackText).join("\n");
    const json = () => ({
      stacks: stacks.map((known) => ({
        stack: known.state.stack,
        project: known.state.project,
        resources: Object.fromEntries(countsOf(known)),
        pending: known.state.pending.length,
      })),
      findings: findings.map(findingJson),
    });
    io.stdout.write(
      values.json ? jsonText(json()) : escapeRunnerCommands(`${titles}\n\n${findingsText(findings, io)}\n`),
    );
    if (findings.some(({ sendsAgain }) => sendsAgain !== undefined)) {
      return 3;
    }
    return findings.every(({ isNote }) => isNote) ? 0 : 1;
  },
});

const countsOf = ({ state }: KnownStack): (readonly [string, number])[] =>
  groupBy(state.resources, ({ kind }) => kind).map((resources) => [resources[0].kind, resources.length]);

/** Returns a finding as JSON. Its `help` field is an argument for the `help` command: a page or an error code. */
const findingJson = (finding: Finding) => ({ ...finding, help: finding.help ?? finding.code });

function stackText(known: KnownStack): string {
  const counts = countsOf(known).map(([kind, count]) => `${count} ${kind}`);
  const { state } = known;
  const pending = state.pending.length === 0 ? "nothing" : counted(state.pending.length, "operation");
  const resources = counts.join(", ") || "no resource of this platform";
  return printable(`${stackTitle(state)}: ${resources}; ${pending} pending`);
}

function findingsText(findings: readonly Finding[], io: Io): string {
  const problems = findings.filter(({ isNote }) => !isNote);
  const notes = findings.filter(({ isNote }) => isNote);
  const headline = problems.length === 0 ? "No problems found." : `${counted(problems.length, "problem")} found`;
  const parts = notes.length === 0 ? [] : [counted(notes.length, "note"), ...notes.map(findingText(io))];
  return [headline, ...problems.map(findingText(io)), ...parts].join("\n\n");
}

const findingText =
  (io: Io) =>
  ({ code, problem, details = [], remedy, help = code, sendsAgain, isNote }: Finding, index: number): string => {
    const title = `${index + 1}. ${present([code, problem]).join(" ")}`;
    const colour = sendsAgain === undefined ? "yellow" : "red";
    return present([
      isNote ? title : coloured(colour, title, io.stdout, io),
      ...details.map((line) => `   ${line}`),
      `   What to do: ${remedy.join("\n      ")}`,
      help !== undefined && `   ${helpHint(help)}`,
    ]).join("\n");
  };
