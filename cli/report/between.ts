import { type Entry, Ledger, type Pair } from "../../provider/run/ledger";
import { counted } from "../../provider/words/message";
import { UsageError } from "../errors";
import { groupBy } from "../lists";
import type { Preview } from "../pulumi/preview";
import { onlyProject } from "../pulumi/stacks";
import type { OtherStacks, OwnNumber } from "./effects";
import { blockingGates, type Gate } from "./gates";
import { type Report, readStack, reportOf } from "./report";
import { few, fewQuoted, quoted, quotedEach, type Text, words } from "./text";
import { toLoseAgents } from "./wholeRun";

/** Reports on several stacks of one project at once, to find numbers that move between them or are declared twice. */

export type Review = ReturnType<typeof buildReview>;

/** A preview and the file it was read from. */
export interface NamedPreview {
  readonly file: string;
  readonly preview: Preview;
}

export function buildReview(previews: readonly NamedPreview[], gates: readonly Gate[]) {
  const reads = previews.map(({ file, preview }) => ({ file, ...readStack(preview) }));
  const stacks = reads.map(({ file, ...read }) => {
    const others = reads.filter((other) => other.file !== file && !other.outcome.hasFailed);
    const report = reportOf(read, others.length === 0 ? undefined : othersOf(others));
    return { file, report, stack: report.stack || nameOfFile(file), blocking: blockingGates(gates, report) };
  });
  const project = onlyProject(
    stacks.map(({ report }) => report.project),
    "Report each project by itself.",
  );
  for (const [first, second] of groupBy(stacks, ({ stack }) => stack)) {
    if (second !== undefined) {
      const files = `${first.file} and ${second.file}`;
      throw new UsageError(`${files} are previews of the same stack, ${first.stack}. Name each stack once.`);
    }
  }
  return { project: project ?? "", crossings: crossingsOf(stacks), notCompared: notComparedOf(stacks), stacks };
}

/** Collects the numbers that the other stacks declare, and those that they drop without unassigning their agents. */
function othersOf(reads: readonly ReturnType<typeof readStack>[]): OtherStacks {
  const ledger = new Ledger<Entry<string>>();
  for (const { changes, numbers } of reads) {
    for (const { number, place } of numbers.declares) {
      ledger.declare({ number, place, owner: changes.stack });
    }
  }
  return {
    forgotten: reads.flatMap(({ numbers }) => numbers.forgets),
    declaring: ({ number, place }) => ledger.declaredBy(number, place)?.owner,
  };
}

/**
 * Returns the stack's name for a preview that failed before it named its stack. The pipelines write each preview to
 * `preview.<stack>.json`.
 */
const nameOfFile = (file: string): string =>
  file
    .replace(/^.*[/\\]/, "")
    .replace(/(\.preview)?\.[^.]*$/, "")
    .replace(/^preview\./, "");

interface StackReport {
  readonly stack: string;
  readonly report: Report;
}

/**
 * Returns the stacks whose preview failed or hides some of their numbers. The report may miss conflicts between these
 * stacks and others.
 */
function notComparedOf(stacks: readonly StackReport[]): string[] {
  // A conflict needs a number that a stack adds or unassigns. If no preview shows or may hide such a number, nothing
  // was missed.
  const isConcerned = stacks.some(
    ({ report: { hasFailed, numbers } }) =>
      hasFailed || numbers.hasHiddenChanges || numbers.clears.length > 0 || numbers.declares.some(({ isNew }) => isNew),
  );
  const isPart = ({ report: { hasFailed, numbers } }: StackReport) => hasFailed || !numbers.areAll;
  return isConcerned ? stacks.filter(isPart).map(({ stack }) => stack) : [];
}

/** A number that a stack declares, or whose agents it unassigns. */
interface StackEntry extends OwnNumber {
  readonly stack: string;
  readonly areBypassed: boolean;
}

/** A problem with numbers that more than one stack declares or used to declare. */
export interface Crossing {
  readonly title: Text;
  readonly notes: readonly Text[];
  readonly numbers: readonly string[];
  /** Whether this blocks the merge, as a guard would. */
  readonly isBlocking: boolean;
}

function crossingsOf(stacks: readonly StackReport[]): Crossing[] {
  const entriesOf = (side: "declares" | "clears") =>
    stacks
      .filter(({ report }) => !report.hasFailed)
      .flatMap(({ stack, report: { numbers, areBypassed } }) =>
        numbers[side].map((number): StackEntry => ({ ...number, stack, areBypassed })),
      );
  const ledger = new Ledger<StackEntry>();
  entriesOf("declares").forEach((entry) => void ledger.declare(entry));
  const isOtherStack = (a: StackEntry, b: StackEntry) => a.stack !== b.stack;
  const moved = ledger.crossings(entriesOf("clears"), isOtherStack);
  // Skip a number if every stack that declares it already did so before this change, because `doctor` reports that.
  const shared = ledger.declaredTwice(isOtherStack).filter((holders) => holders.some(({ isNew }) => isNew));
  return [
    ...groupBy(moved, ([from, to]) => JSON.stringify([from.stack, to.stack])).map(movedCrossing),
    ...groupBy(shared, (holders) => JSON.stringify(holders.map(({ stack }) => stack))).map(sharedCrossing),
  ];
}

/** Returns a phrase such as `+15551230001` or `3 numbers`. */
const whichNumbers = (numbers: readonly string[]): Text =>
  numbers.length === 1 ? [quoted(numbers[0])] : [counted(numbers.length, "number")];

/** Reports numbers that one stack unassigns while another stack declares them. */
function movedCrossing(moved: readonly [Pair<StackEntry>, ...Pair<StackEntry>[]]): Crossing {
  const [[from, to]] = moved;
  const numbers = [...new Set(moved.map(([{ number }]) => number))];
  const [source, target] = [quoted(from.stack), quoted(to.stack)];
  const names = fewQuoted(moved.map(([{ name }]) => name));
  return {
    title: words`${whichNumbers(numbers)} ${numbers.length === 1 ? "moves" : "move"} from ${source} to ${target} and would ${toLoseAgents(numbers.length)}`,
    notes: [
      words`The two stacks are deployed independently. The deployment of ${source} unassigns the agents, and if ${target} is deployed before that, or has nothing to change, nothing assigns them again.`,
      words`To move without a gap, set ${quoted("retainOnDelete: true")} on ${names} in ${source} and deploy that before you merge this change. Remove the option afterwards, because numbers that leave a resource with this option keep their agents.`,
    ],
    numbers,
    isBlocking: !from.areBypassed,
  };
}

/** Reports numbers that several stacks declare. */
function sharedCrossing(shared: readonly [readonly StackEntry[], ...(readonly StackEntry[])[]]): Crossing {
  const numbers = shared.flatMap(([first]) => first?.number ?? []);
  const joining = shared.flat().filter(({ isNew }) => isNew);
  const stacks = quotedEach(shared[0].map(({ stack }) => stack));
  return {
    title: words`${whichNumbers(numbers)} ${numbers.length === 1 ? "is" : "are"} declared by the stacks ${few(stacks, 5)}`,
    notes: [
      [
        "Each deployment overwrites the routing of the other stacks, and the first stack to remove a number also unassigns its agents.",
      ],
      words`Declare each number in only one stack. This change adds a declaration in ${few(quotedEach(joining.map(({ stack }) => stack)), 5)}.`,
    ],
    numbers,
    isBlocking: !shared[0].every(({ areBypassed }) => areBypassed),
  };
}
