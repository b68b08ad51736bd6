import { counted } from "../../provider/core/messages";
import { type Entry, Ledger, type Pair } from "../../provider/core/numbers/ledger";
import { NEW, placeInState } from "../../provider/core/numbers/state";
import { membersOf } from "../../provider/core/routing/group";
import { UsageError } from "../errors";
import { groupBy, present } from "../lists";
import type { Preview } from "../pulumi/preview";
import { onlyProject } from "../pulumi/stacks";
import { inStages } from "../stack/rollout";
import type { NumberChange } from "./effects";
import { blockingGates, type Gate } from "./gates";
import { buildReport, type Report } from "./report";
import { few, fewIds, id, ids, type Text, words } from "./text";
import { loseAgents } from "./wholeRun";

/** One report over several stacks of a project, and the numbers that two of them are about: no preview of one stack shows these. */

export type Review = ReturnType<typeof buildReview>;
export type StackReview = Review["stacks"][number];

/** A preview, and the file that it is read from. */
export interface NamedPreview {
  readonly file: string;
  readonly preview: Preview;
}

export function buildReview(previews: readonly NamedPreview[], gates: readonly Gate[]) {
  const all = previews.map(({ file, preview }) => {
    const report = buildReport(preview);
    const stack = report.stack || nameOfFile(file);
    return { file, config: preview.config, report, stack, blocking: blockingGates(gates, report) };
  });
  const projects = all.map(({ report }) => report.project);
  const project = onlyProject(projects, "Report each project by itself.") ?? "";
  refuseTwice(all);
  const stacks = inStages(all);
  const seen = stacks
    .filter(({ report }) => !report.hasFailed)
    .map(({ stack, report }) => numbersOfStack(stack, report));
  const crossings = crossingsOf(seen);
  const failed = stacks.filter(({ report }) => report.hasFailed).map(({ stack }) => stack);
  return {
    project,
    headline: reviewHeadline(stacks, crossings),
    /** What blocks comes first. */
    crossings,
    notes: unseenNotes(seen, failed),
    /** In the order in which they are deployed. */
    stacks,
  };
}

/** A preview that failed early names no stack. The pipelines write `preview.<stack>.json`. */
const nameOfFile = (file: string): string =>
  file
    .replace(/^.*[/\\]/, "")
    .replace(/(\.preview)?\.[^.]*$/, "")
    .replace(/^preview\./, "");

function refuseTwice(all: readonly { readonly stack: string; readonly file: string }[]): void {
  for (const [first, second] of groupBy(all, ({ stack }) => stack)) {
    if (second !== undefined) {
      const both = `${first.file} and ${second.file}`;
      throw new UsageError(`${both} are previews of the same stack, ${first.stack}. Name each stack once.`);
    }
  }
}

export const moreCrossings = (count: number): string => `${count.toLocaleString("en")} more between the stacks`;

const MOST_NAMED = 3;

/** What a reader knows after five seconds: what is wrong between the stacks, or what changes in each. */
function reviewHeadline(
  stacks: readonly { readonly stack: string; readonly report: Report }[],
  [worst, ...others]: readonly Crossing[],
): Text {
  if (worst !== undefined) {
    const more = others.length > 0 ? ` · and ${moreCrossings(others.length)}` : "";
    return words`${worst.isBlocking ? "❌ " : "⚠ "}${worst.title}${more}`;
  }
  const parts = stacks
    .filter(({ report }) => !report.isUnchanged)
    .map(({ stack, report }) => words`${report.hasFailed ? "❌ " : ""}${id(stack)}: ${report.headline}`);
  return parts.length === 0
    ? [`No change to agents, voices or chats in ${counted(stacks.length, "stack")}`]
    : few(parts, MOST_NAMED, " · ");
}

// --- what a stack does with its numbers

type StackNumbers = ReturnType<typeof numbersOfStack>;

/** A number that a stack clears or declares. */
interface StackEntry extends Entry<NumberChange> {
  readonly stack: string;
  /** Does no resource of the stack declare it before the run? */
  readonly isNew: boolean;
  readonly areBypassed: boolean;
}

function numbersOfStack(stack: string, { numbers, areBypassed }: Report) {
  const { all, declared, ledger, effects, leftOut } = numbers;
  const entry = ({ number, place, owner }: Entry<NumberChange>): StackEntry => {
    const isNew = !membersOf(owner.olds ?? {}).has(number) && ledger.hadBy(number, place) === undefined;
    return { number, place, owner, stack, isNew, areBypassed };
  };
  const cleared = effects.filter(({ what }) => what === "clear");
  return {
    stack,
    clears: cleared.flatMap(({ change: owner, numbers: own, before = NEW }) =>
      own.map((number) => entry({ number, place: placeInState(number, before), owner })),
    ),
    declares: declared.filter(({ place }) => place.endpoint !== undefined).map(entry),
    /** Are there resources whose numbers cannot be compared? */
    isPartlyHidden: all.some(({ areKnown, news }) => !areKnown || (news && news.endpoint === undefined)),
    leftOut,
  };
}

/** What the previews do not show, so that this report cannot judge it. */
function unseenNotes(stacks: readonly StackNumbers[], failed: readonly string[]): Text[] {
  const hidden = stacks.filter((one) => one.isPartlyHidden).map(({ stack }) => stack);
  const isConcerned = stacks.some(({ clears, declares }) => clears.length > 0 || declares.some(({ isNew }) => isNew));
  const partly = stacks.filter(({ leftOut }) => leftOut > 0).map(({ stack }) => stack);
  return present<Text>([
    hidden.length > 0 && words`Not compared, because they are known after apply: some numbers of ${fewIds(hidden)}.`,
    failed.length > 0 && words`Not compared with the other stacks: ${fewIds(failed)}, because the preview failed.`,
    isConcerned &&
      partly.length > 0 &&
      words`Numbers that stay as they are in ${fewIds(partly)} are not compared: the preview leaves them out without ${id("pulumi preview --json --show-sames")}.`,
  ]);
}

// --- crossings

/** Numbers that two stacks are about. */
export interface Crossing {
  readonly title: Text;
  readonly notes: readonly Text[];
  readonly numbers: readonly string[];
  /** Does it block the merge, as a guard does? */
  readonly isBlocking: boolean;
}

function crossingsOf(stacks: readonly StackNumbers[]): Crossing[] {
  const ledger = new Ledger<StackEntry>();
  stacks.flatMap(({ declares }) => declares).forEach((entry) => void ledger.declare(entry));
  const clears = stacks.flatMap((one) => one.clears);
  const isOther = (one: StackEntry, other: StackEntry) => one.stack !== other.stack;
  const shared = ledger.declaredTwice(isOther).filter((all) => all.some(({ isNew }) => isNew));
  return [
    ...groupBy(ledger.crossings(clears, isOther), ([from, to]) => JSON.stringify([from.stack, to.stack])).map(
      movedCrossing,
    ),
    ...groupBy(shared, (all) => JSON.stringify(all.map(({ stack, isNew }) => [stack, isNew]))).map(sharedCrossing),
  ].sort((a, b) => Number(b.isBlocking) - Number(a.isBlocking));
}

/** `+15551230001`, or how many numbers there are. */
const which = (numbers: readonly string[]): Text =>
  numbers.length === 1 ? [id(numbers[0])] : [counted(numbers.length, "number")];

/** Numbers that leave a stack, and that another one declares. */
function movedCrossing(all: readonly [Pair<StackEntry>, ...Pair<StackEntry>[]]): Crossing {
  const [[from, to]] = all;
  const numbers = [...new Set(all.map(([one]) => one.number))];
  const [source, target] = [id(from.stack), id(to.stack)];
  const lose = loseAgents(numbers.length).replace("loses", "lose");
  const why = words`Two deployments know nothing of each other: ${source} clears what ${target} declares. If ${target} is deployed before, or does not change, nobody assigns it again.`;
  const way = from.owner.isLeftover
    ? words`An earlier run of ${source} did not delete what it had replaced: deploy ${source} before you merge this change.`
    : words`Without a gap: set ${id("retainOnDelete: true")} on ${fewIds(all.map(([one]) => one.owner.name))} in ${source}, deploy that, then merge this change. Take the option away afterwards: with it, numbers that leave keep their agents.`;
  return {
    title: words`${which(numbers)} would ${lose}: leaving ${source}, declared by ${target}`,
    notes: [why, way],
    numbers,
    isBlocking: !from.areBypassed,
  };
}

/** What was so before is for `doctor`, which reads the states: this change neither makes it nor ends it. */
function sharedCrossing(all: [readonly StackEntry[], ...(readonly StackEntry[])[]]): Crossing {
  const [holders] = all;
  const joining = holders.filter(({ isNew }) => isNew).map(({ stack }) => stack);
  const numbers = all.flatMap(([first]) => first?.number ?? []);
  return {
    title: words`${which(numbers)}: declared by the stacks ${few(ids(holders.map(({ stack }) => stack)), 5)}`,
    notes: [
      ["Each deployment overwrites the routing of the others. The first stack that removes a number takes its agents."],
      words`Keep the numbers in one stack: new here is ${few(ids(joining), 5)}.`,
    ],
    numbers,
    isBlocking: !holders.every(({ areBypassed }) => areBypassed),
  };
}
