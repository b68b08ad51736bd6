import { boardPage } from "../board/page";
import { type Attention, boardOf, type StackSource } from "../board/read";
import { CALLED, defineCommand } from "../command";
import { UsageError } from "../errors";
import { type Io, nowOf, writeText } from "../io";
import { readConfig } from "../pulumi/config";
import { readHistory } from "../pulumi/history";
import { readState } from "../pulumi/stackExport";
import { STACKS_OPTIONS, stacksNamed } from "../pulumi/stackNames";
import { stackAlone } from "../rollout/after";
import { findingsOf } from "./doctor/findings";
import { settingsUsed } from "./doctor/settings";

export const boardCommand = defineCommand({
  name: "board",
  group: "Look into a stack",
  summary: "Write a page about stacks: their rollouts, what needs attention, who changed what, and every number",
  usage: ["--all-stacks [options]", "--stack <name>… [options]"],
  examples: [
    `${CALLED} board --all-stacks --output board.html`,
    `${CALLED} board --stack canary --stack prod > board.html`,
  ],
  about: `The page is one HTML file for people who look rather than read. It makes no request, has no script, and can
be printed. It is made from the saved state, the config and the history of each stack, and nothing is sent.
The page names every number with its label and its agents: publish it only to people who may see them.`,
  options: {
    ...STACKS_OPTIONS,
    output: { type: "string", value: "<file>", help: "write there; default standard output" },
  },
  takes: { least: 0, most: 0, rule: "Name each stack with --stack <name>, or give --all-stacks." },
  exitCodes: "0 written, 2 wrong arguments",
  page: "docs/guides/board.md",
  async run({ values }, io) {
    const names = stacksNamed(values, io);
    if (names.length === 0) {
      throw new UsageError("Name each stack with --stack <name>, or give --all-stacks.");
    }
    const sources: StackSource[] = [];
    for (const name of names) {
      sources.push(await readSource(name, io));
    }
    const page = boardPage(boardOf(projectOf(sources), sources, attentionOf(sources, io), nowOf(io)));
    writeText(page, values.output, io);
    return 0;
  },
});

async function readSource(name: string, io: Io): Promise<StackSource> {
  // The state is read before the rest: if the stack does not exist, this command fails first, and its error is the same each time.
  const state = await readState(name, io);
  const [settings, runs] = await Promise.all([readConfig(name, io), readHistory(name, io)]);
  return { stack: stackAlone(name), state, settings, runs };
}

/** The rollouts of two projects have nothing to do with each other, whatever they are called. */
function projectOf(sources: readonly StackSource[]): string {
  const [project, ...others] = new Set(sources.flatMap(({ state }) => state.project ?? []));
  if (others.length > 0) {
    throw new UsageError(`The stacks belong to the projects ${[project, ...others].join(", ")}. Make a page for each.`);
  }
  return project ?? sources.map(({ stack }) => stack).join(", ");
}

/** What `doctor` finds in these stacks. What it finds on this machine concerns no reader of the page. */
const attentionOf = (sources: readonly StackSource[], io: Io): Attention[] =>
  findingsOf(sources.map(({ state, settings, runs }) => ({ state, runs, used: settingsUsed(settings, io) })));
