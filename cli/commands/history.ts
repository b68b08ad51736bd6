import { printable } from "../../provider/core/common/redact";
import { counted, some } from "../../provider/core/messages";
import { CALLED, defineCommand, JSON_OPTION } from "../command";
import { UsageError } from "../errors";
import type { RolloutChange } from "../history/changes";
import { notesOf } from "../history/notes";
import { agentsText, moveText, type ToldChange, toldChanges, whyText } from "../history/words";
import { aligned, type Io, jsonText } from "../io";
import { readHistory } from "../pulumi/history";
import { readState } from "../pulumi/stackExport";
import { stackOf } from "../pulumi/stacks";
import { timeText } from "../rollout/time";

/** A terminal shows so many changes. The JSON has all of them. */
const MOST_SHOWN = 100;

export const historyCommand = defineCommand({
  name: "history",
  group: "Roll out a version",
  summary: "Show when a rollout changed, from which to which percentage, who changed it, and what became of it",
  usage: ["[rollout] --stack <name> [options]"],
  examples: [`${CALLED} history front --stack prod`, `${CALLED} history --stack prod --json`],
  about: `It reads Pulumi's own record of the stack's runs (\`pulumi stack history\`) and the saved state, and sends nothing.
Pulumi records the config of each run and not the program. So a rollout in the config of the stack has a history
here, and a split in the program has its history in Git. Times are in UTC.`,
  options: {
    stack: { type: "string", value: "<name>", help: "the stack whose runs are read" },
    json: JSON_OPTION,
  },
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes: "0 found, 1 no run has changed a rollout, 2 wrong arguments",
  page: "docs/guides/board.md",
  async run({ values, positionals: [name] }, io) {
    const stack = await stackOf(values.stack, io);
    const { all, notes } = await read(stack, io);
    const changes = all.filter(({ rollout }) => name === undefined || rollout === name);
    if (name !== undefined && changes.length === 0 && all.length > 0) {
      throw new UsageError(unknownText(name, stack, all));
    }
    const found = { stack, changes, notes };
    io.stdout.write(values.json ? jsonText(jsonOf(found)) : textOf(found, name));
    return changes.length === 0 ? 1 : 0;
  },
});

interface ShownHistory {
  readonly stack: string;
  readonly changes: readonly ToldChange[];
  readonly notes: readonly string[];
}

async function read(stack: string, io: Io) {
  const runs = await readHistory(stack, io);
  const state = await readState(stack, io);
  const all = toldChanges(stack, state, runs);
  const none = runs.length === 0 ? [`Stack ${stack} has no history: Pulumi has recorded no run of it.`] : [];
  return { all, notes: [...none, ...notesOf(state)].map(printable) };
}

function unknownText(name: string, stack: string, all: readonly RolloutChange[]): string {
  const names = [...new Set(all.map(({ rollout }) => rollout))].sort();
  return `No recorded run of stack ${stack} has a rollout "${name}". Recorded: ${some(names)}.`;
}

function textOf({ stack, changes, notes }: ShownHistory, name: string | undefined): string {
  const shown = changes.slice(0, MOST_SHOWN);
  const isOne = name !== undefined || new Set(changes.map(({ rollout }) => rollout)).size === 1;
  const rows = shown.map((change) =>
    [
      timeText(change.at).replace(" UTC", ""),
      ...(isOne ? [] : [change.rollout]),
      moveText(change),
      agentsText(change),
      change.origin.who ?? "–",
      whyText(change) || "–",
      change.outcomeWords,
    ].map(printable),
  );
  const nothing = changes.length === 0 && notes.length === 0 ? [`No run of stack ${stack} has changed a rollout.`] : [];
  const more = changes.length - shown.length;
  const earlier = more > 0 ? [`… and ${counted(more, "earlier change")}: \`--json\` has all of them.`] : [];
  const below = [...earlier, ...nothing, ...notes];
  return `${[aligned(rows).join("\n"), below.join("\n")].filter(Boolean).join("\n\n")}\n`;
}

const jsonOf = ({ stack, changes, notes }: ShownHistory) => ({
  stack,
  changes: changes.map(({ rollout, at, from, to, origin, outcome, outcomeWords }) => ({
    rollout,
    at,
    before: from ?? null,
    after: to ?? null,
    ...origin,
    outcome: outcome.what,
    appliedAt: outcome.appliedAt ?? (outcome.what === "applied" ? at : null),
    result: outcomeWords,
  })),
  notes,
});
