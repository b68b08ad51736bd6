import { printable } from "../../provider/base/text";
import { counted, moreIn } from "../../provider/words/message";
import { CALLED, defineCommand, JSON_OPTION } from "../command";
import type { Io } from "../io";
import { wordLines } from "../layout";
import { groupBy, present } from "../lists";
import { coloured, jsonText } from "../print";
import { type KnownStack, readStacks, STACKS_OPTION } from "../pulumi/stacks";
import { stackTitle } from "../pulumi/state";
import { type Finding, findingsOf } from "../state/findings";

export const doctorCommand = defineCommand({
  name: "doctor",
  group: "Look into a stack",
  summary: "Show what is unresolved, unapplied or pending in a stack",
  usage: ["[--stack <name>]… [options]"],
  examples: [`${CALLED} doctor --stack prod`, `${CALLED} doctor --stack dev --stack prod`],
  about: `It reads saved state, the config and Pulumi's record of the last run, and sends nothing. Given several stacks, it names
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
    io.stdout.write(values.json ? jsonText(json()) : `${titles}\n\n${verdict(findings, io)}\n`);
    if (findings.some(({ sendsAgain }) => sendsAgain !== undefined)) {
      return 3;
    }
    return findings.length === 0 ? 0 : 1;
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
  return inLines("", "  ", printable(`${stackTitle(state)}: ${there}; ${waiting} pending`));
}

function verdict(findings: readonly Finding[], io: Io): string {
  const list = findings.map(({ code, what, todo, help = code, sendsAgain }, index) => {
    const found = inLines(`${index + 1}. `, "   ", present([code, what]).join(" "));
    return present([
      coloured(sendsAgain === undefined ? "yellow" : "red", found, io.stdout, io),
      inLines("   Do: ", "       ", todo),
      help !== undefined && `   ${moreIn(help)}`,
    ]).join("\n");
  });
  return list.length === 0 ? "No problems found." : `${counted(list.length, "problem")} found\n\n${list.join("\n\n")}`;
}

/** Paragraphs in lines that fit a terminal. */
function inLines(first: string, others: string, text: string): string {
  const paragraphs = text.split("\n").map((line) => wordLines(line, 78 - others.length).join(`\n${others}  `));
  return `${first}${paragraphs.join(`\n${others}`)}`;
}
