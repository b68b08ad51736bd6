import { printable } from "../../provider/base/text";
import { boardPage } from "../board/page";
import { CLI, defineCommand } from "../command";
import { writeText } from "../files";
import { onlyProject, readStacks, STACKS_OPTION } from "../pulumi/stacks";
import { findingsOf } from "../state/findings";

export const boardCommand = defineCommand({
  name: "board",
  group: "Look into a stack",
  summary: "Write an HTML page on stacks: what needs attention, their rollouts, and which agents answer each number",
  usage: ["[--stack <name>]… [options]"],
  examples: [`${CLI} board --stack prod > board.html`, `${CLI} board --stack dev --stack prod --output board.html`],
  about: `The page is a single HTML file. It makes no requests, has no scripts and can be printed. It is built from the saved state,
the config and the last run of each stack, and the command sends nothing.
Numbers of one resource with the same split share one expandable row. The page shows every number with its label and its
agents, so share it only with people who may see them.`,
  options: {
    ...STACKS_OPTION,
    output: { type: "string", value: "<file>", help: "write to this file instead of standard output" },
  },
  positionals: { min: 0, max: 0, error: "Name each stack with --stack <name>." },
  exitCodes: "0 written, 2 wrong arguments",
  page: "operations",
  async run({ values }, io) {
    const stacks = await readStacks(values.stack, io);
    const states = stacks.map(({ state }) => state);
    // Refuse stacks from different projects. The page lists all rollouts together, but rollouts in different projects
    // are unrelated even if they share a name.
    const project = onlyProject(
      states.map(({ project }) => project),
      "Write one page for each project.",
    );
    const title = project ?? states.map(({ stack }) => stack).join(", ");
    const page = boardPage(title, stacks, findingsOf(stacks), io.now());
    writeText(page, values.output, io);
    if (values.output !== undefined) {
      io.stdout.write(`Written to ${printable(values.output)}.\n`);
    }
    return 0;
  },
});
