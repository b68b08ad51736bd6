import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boardCommand } from "../cli/commands/board";
import { reportCommand } from "../cli/commands/report";
import { manyNumbers } from "../test/cli/boardStacks";
import { withRecorded } from "../test/cli/recorded";
import { singles } from "../test/cli/reportSynthetic";
import { runWith } from "../test/cli/terminal";
import { type Reading, shown, sideBySide, type Table, timed } from "./measure";

/** What people wait for who review several stacks: the comment, from the previews on, and the page, from what Pulumi prints. */

const STACKS = [1, 10];

/** Stacks of so many single numbers, whose splits change; and pages of as many numbers in all. A number should cost the same in each. */
export async function benchReview(numbers: number, rounds: number): Promise<Table> {
  return {
    title: `The comment and the page, for stacks of ${shown(numbers)} numbers`,
    units: { "previews to comment": "ms", "a number of it": "ms", board: "ms", "a number on it": "ms" },
    columns: await sideBySide(
      rounds,
      STACKS.map((count) => ({
        name: count === 1 ? "one stack" : `${count} stacks`,
        run: async () => ({ ...(await commentOn(count, numbers)), ...(await boardOf(count * numbers)) }),
      })),
    ),
  };
}

async function commentOn(stacks: number, numbers: number): Promise<Reading> {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-review-"));
  try {
    const preview = singles(
      numbers,
      () => ({ "agent_front@12": 90, "agent_front@13": 10 }),
      () => ({ "agent_front@12": 70, "agent_front@13": 30 }),
    );
    const files = Array.from({ length: stacks }, (_, index) => `s${index}.json`);
    for (const [index, file] of files.entries()) {
      // Each stack has numbers of its own.
      const text = preview.replaceAll("urn:pulumi:dev::", `urn:pulumi:s${index}::`).replaceAll("+1555", `+1${index}55`);
      writeFileSync(join(folder, file), text);
    }
    return await perNumber("previews to comment", "a number of it", stacks * numbers, () =>
      succeeds(runWith(reportCommand.run, [...files, "--output", "report.md"], { cwd: folder })),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const boardOf = (numbers: number): Promise<Reading> =>
  withRecorded({ prod: manyNumbers(numbers) }, (world) =>
    perNumber("board", "a number on it", numbers, () =>
      succeeds(runWith(boardCommand.run, ["--stack", "prod", "--output", "board.html"], world)),
    ),
  );

async function perNumber(row: string, each: string, numbers: number, work: () => Promise<void>): Promise<Reading> {
  const ms = await timed(work);
  return { [row]: ms, [each]: ms / numbers };
}

async function succeeds(run: ReturnType<typeof runWith>): Promise<void> {
  const { code, stderr } = await run;
  if (code !== 0) {
    throw new Error(stderr);
  }
}
