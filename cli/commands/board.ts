import { printable } from "../../provider/base/text";
import { boardPage } from "../board/page";
import { CALLED, defineCommand } from "../command";
import { writeText } from "../files";
import { onlyProject, readStacks, STACKS_OPTION } from "../pulumi/stacks";
import { findingsOf } from "../state/findings";

export const boardCommand = defineCommand({
  name: "board",
  group: "Look into a stack",
  summary: "Write a page about stacks: what needs attention, their rollouts, and who answers every number",
  usage: ["[--stack <name>]… [options]"],
  examples: [
    `${CALLED} board --stack prod > board.html`,
    `${CALLED} board --stack dev --stack prod --output board.html`,
  ],
  about: `The page is one HTML file. It makes no request, has no script, and can be printed. It is made from the saved state,
the config and the last run of each stack, and nothing is sent.
Numbers of one resource with the same split are one row, which opens. The page names every number with its label and its
agents: publish it only to people who may see them.`,
  options: {
    ...STACKS_OPTION,
    output: { type: "string", value: "<file>", help: "write there; default standard output" },
  },
  takes: { least: 0, most: 0, rule: "Name each stack with --stack <name>." },
  exitCodes: "0 written, 2 wrong arguments",
  page: "operations",
  async run({ values }, io) {
    const stacks = await readStacks(values.stack, io);
    const states = stacks.map(({ state }) => state);
    // The rollouts of two projects have nothing to do with each other, whatever they are called.
    const project = onlyProject(
      states.map(({ project }) => project),
      "Make a page for each.",
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
