import { printable } from "../../provider/base/text";
import { counted, helpHint } from "../../provider/words/message";
import { CALLED, defineCommand, JSON_OPTION } from "../command";
import type { Io } from "../io";
import { groupBy, present } from "../lists";
import { coloured, jsonText, withoutCommands } from "../print";
import { type KnownStack, readStacks, STACKS_OPTION } from "../pulumi/stacks";
import { stackTitle } from "../pulumi/state";
import { type Finding, findingsOf } from "../state/findings";

export const doctorCommand = defineCommand({
  name: "doctor",
  group: "Look into a stack",
  summary: "Show what is unresolved, unapplied or pending in a stack",
  usage: ["[--stack <name>]… [options]"],
  examples: [`${CALLED} doctor --stack prod`, `${CALLED} doctor --stack dev --stack prod`],
  about: `It reads saved state, the config and Pulumi's record of the last run, and sends nothing. Notes are no problems. Given several stacks, it names
each number that two of them declare. Run it before \`pulumi up\`: the next run sends pending creates again, and forgets
pending updates and deletes.`,
  options: { ...STACKS_OPTION, json: JSON_OPTION },
  takes: { least: 0, most: 0, rule: "Name each stack with --stack <name>." },
  exitCodes: `0 no problem found, 1 problems found, 2 wrong arguments,\n3 the next \`pulumi up\` sends a voice or a chat that may have been sent before`,
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
    io.stdout.write(values.json ? jsonText(json()) : withoutCommands(`${titles}\n\n${verdict(findings, io)}\n`));
    if (findings.some(({ sendsAgain }) => sendsAgain !== undefined)) {
      return 3;
    }
    return findings.every(({ isNote }) => isNote) ? 0 : 1;
  },
});

const countsOf = ({ state }: KnownStack): (readonly [string, number])[] =>
  groupBy(state.resources, ({ kind }) => kind).map((same) => [same[0].kind, same.length]);

/** `help` is the page to read, as the command `help` takes it. */
const findingJson = (finding: Finding) => ({ ...finding, help: finding.help ?? finding.code });

function stackText(known: KnownStack): string {
  const counts = countsOf(known).map(([kind, count]) => `${count} ${kind}`);
  const { state } = known;
  const waiting = state.pending.length === 0 ? "nothing" : counted(state.pending.length, "operation");
  const there = counts.join(", ") || "no resource of this platform";
  return printable(`${stackTitle(state)}: ${there}; ${waiting} pending`);
}

function verdict(findings: readonly Finding[], io: Io): string {
  const problems = findings.filter(({ isNote }) => !isNote);
  const notes = findings.filter(({ isNote }) => isNote);
  const found = problems.length === 0 ? "No problems found." : `${counted(problems.length, "problem")} found`;
  const parts = notes.length === 0 ? [] : [counted(notes.length, "note"), ...notes.map(findingText(io))];
  return [found, ...problems.map(findingText(io)), ...parts].join("\n\n");
}

const findingText =
  (io: Io) =>
  ({ code, what, todo, help = code, sendsAgain, isNote }: Finding, index: number): string => {
    const found = `${index + 1}. ${present([code, what]).join(" ")}`;
    const colour = sendsAgain === undefined ? "yellow" : "red";
    return present([
      isNote ? found : coloured(colour, found, io.stdout, io),
      `   Do: ${todo.replaceAll("\n", "\n       ")}`,
      help !== undefined && `   ${helpHint(help)}`,
    ]).join("\n");
  };
