import { printable } from "../../provider/core/common/redact";
import { shortList } from "../../provider/core/messages";
import { CALLED, defineCommand, JSON_OPTION } from "../command";
import { UsageError } from "../errors";
import { type ToldChange, toldChanges, whyText } from "../history/words";
import { jsonText, wrapped, wrappedColumns } from "../io";
import { present } from "../lists";
import { readHistory } from "../pulumi/history";
import { readState } from "../pulumi/stackExport";
import { stackOf } from "../pulumi/stacks";
import { timeText } from "../stack/time";

export const historyCommand = defineCommand({
  name: "history",
  group: "Roll out a version",
  summary: "Show when a rollout changed, from which to which percentage, who changed it, and what became of it",
  usage: ["[rollout] [options]"],
  examples: [`${CALLED} history front --stack prod`, `${CALLED} history --stack prod --json`],
  about: `It reads Pulumi's own record of the stack's runs (\`pulumi stack history\`) and the saved state, and sends nothing.
Pulumi records the config of each run and not the program. So a rollout in the config of the stack has a history
here, and a split in the program has its history in Git. Times are in UTC.

Numbers of a deleted or replaced resource lost their agents, unless another resource has them. Pulumi's record counts
such resources, of all packages, and does not name their numbers. A rename without an alias is a delete and a create there.`,
  options: {
    stack: { type: "string", value: "<name>", help: "the stack whose runs are read; default the selected one" },
    json: JSON_OPTION,
  },
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes: "0 found, 1 no run has changed a rollout or deleted a resource, 2 wrong arguments",
  page: "guides/board",
  async run({ values, positionals: [name] }, io) {
    const stack = await stackOf(values.stack, io);
    const state = await readState(stack, io);
    const all = toldChanges(stack, state, await readHistory(stack, io));
    const changes = all.filter(({ rollout }) => name === undefined || rollout === name);
    if (name !== undefined && changes.length === 0 && all.length > 0) {
      const names = [...new Set(all.flatMap(({ rollout }) => rollout ?? []))].sort();
      throw new UsageError(`No recorded run of stack ${stack} has a rollout "${name}". Recorded: ${shortList(names)}.`);
    }
    io.stdout.write(values.json ? jsonText(historyJson(stack, changes)) : historyText(stack, changes));
    return changes.length === 0 ? 1 : 0;
  },
});

function historyText(stack: string, changes: readonly ToldChange[]): string {
  if (changes.length === 0) {
    return `${wrapped(`No recorded run of stack ${printable(stack)} has changed a rollout or deleted a resource.`)}\n`;
  }
  const rows = changes.flatMap((change): [string, string][] => {
    const { at, rollout, move, agents, origin, outcomeWords } = change;
    const moved = present([rollout === undefined ? move : `${rollout}: ${move}`, agents]).join(", ");
    const why = present([outcomeWords, origin.who, whyText(change)])
      .filter(Boolean)
      .join("; ");
    return [
      [timeText(at).replace(" UTC", ""), printable(moved)],
      ["", printable(why)],
    ];
  });
  const head = ["when (UTC)", "rollout: change, agents; result, author, commit"] as const;
  return `${wrappedColumns([head, ...rows])}\n`;
}

const historyJson = (stack: string, changes: readonly ToldChange[]) => ({
  stack,
  changes: changes.map(({ rollout, at, from, to, removed, origin, outcome, outcomeWords }) => ({
    rollout: rollout ?? null,
    at,
    before: from ?? null,
    after: to ?? null,
    ...removed,
    ...origin,
    outcome: outcome.what,
    appliedAt: outcome.appliedAt ?? (outcome.what === "applied" ? at : null),
    result: outcomeWords,
  })),
});
