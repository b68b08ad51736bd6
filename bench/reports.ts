import { readPreview } from "../cli/pulumi/preview";
import { toMarkdown } from "../cli/report/markdown";
import { buildModel } from "../cli/report/model";
import { singles } from "../test/cli/reportSynthetic";
import { type Reading, shown, sideBySide, type Table, timed } from "./measure";

/** The report of a preview that changes the split of N single numbers. A number should cost the same in a report of any size. */
export async function benchReports(sizes: readonly number[], rounds: number): Promise<Table> {
  return {
    title: "The report of single numbers with the same change",
    units: { report: "ms", "a number": "ms" },
    columns: await sideBySide(
      rounds,
      sizes.map((size) => ({ name: `${shown(size)} numbers`, run: () => reportOf(size) })),
    ),
  };
}

async function reportOf(size: number): Promise<Reading> {
  const preview = singles(
    size,
    () => ({ "agent_front@12": 90, "agent_front@13": 10 }),
    () => ({ "agent_front@12": 70, "agent_front@13": 30 }),
  );
  const ms = await timed(async () => toMarkdown(buildModel(readPreview(preview), undefined)));
  return { report: ms, "a number": ms / size };
}
