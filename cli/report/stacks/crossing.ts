import { isObject } from "../../../provider/review";
import { groupBy, present } from "../../lists";
import { mayShareAccount } from "../../pulumi/numbersHeld";
import { switches } from "../cards/deleted";
import { counted, id, say, some, someIds, type Text } from "../text";
import type { StackNumbers } from "./numbers";

/** Numbers that two stacks are about. No preview shows it, because each preview is of one stack. */

export interface Crossing {
  readonly title: Text;
  readonly notes: readonly Text[];
  readonly numbers: readonly string[];
  /** Does it block the merge, as a guard does? */
  readonly isBlocking: boolean;
}

export interface NumbersOfStack extends StackNumbers {
  readonly stack: string;
  /** Are the guards bypassed for the run of this stack? */
  readonly areBypassed: boolean;
}

type Pair = ReturnType<typeof pairsOf>[number];

export function crossingsOf(stacks: readonly NumbersOfStack[]): Crossing[] {
  const moves = pairsOf(stacks, "clears");
  const twice = pairsOf(stacks, "declares").filter(({ from, to }) => stacks.indexOf(from) < stacks.indexOf(to));
  return [...byStacks(moves).map(moved), ...byStacks(twice).map(declaredTwice)];
}

/** The numbers that one stack clears or declares, and that another stack declares. */
function pairsOf(stacks: readonly NumbersOfStack[], what: "clears" | "declares") {
  const declared = stacks.flatMap((to) => to.declares.map((theirs) => ({ to, theirs })));
  const byKey = new Map(groupBy(declared, ({ theirs }) => theirs.key).map((same) => [same[0].theirs.key, same]));
  return stacks.flatMap((from) =>
    from[what].flatMap((mine) =>
      (byKey.get(mine.key) ?? [])
        .filter(({ to, theirs }) => to !== from && mayShareAccount(mine.values, theirs.values))
        .map(({ to, theirs }) => ({ from, to, mine, theirs })),
    ),
  );
}

/** One crossing for each pair of stacks. */
const byStacks = (all: readonly Pair[]) => groupBy(all, ({ from, to }) => JSON.stringify([from.stack, to.stack]));

const numbersIn = (all: readonly Pair[]): string[] => [...new Set(all.map(({ mine }) => mine.number))];

/** `+15551230001`, or how many numbers there are. */
const which = (numbers: readonly string[]): Text =>
  numbers.length === 1 ? [id(numbers[0])] : [counted(numbers.length, "number")];

function moved(all: [Pair, ...Pair[]]): Crossing {
  const [{ from, to }] = all;
  const numbers = numbersIn(all);
  const isOne = numbers.length === 1;
  const [source, target] = [id(from.stack), id(to.stack)];
  const isFallback = all.every(({ mine }) => isObject(mine.change.before.values.onDelete));
  const fate = isFallback ? switches(numbers.length).replace(/^switch(es)?/, "would switch") : lose(isOne);
  const groups = all.filter(({ mine }) => mine.change.kind === "NumberGroup").length;
  const names = someIds(all.map(({ mine }) => mine.change.name));
  const it = isOne ? "it" : "them";
  return {
    title: say`${which(numbers)} ${isOne ? "moves" : "move"} from ${source} to ${target}: ${isOne ? "it" : "they"} ${fate}`,
    notes: [
      say`Two deployments know nothing of each other. If ${source} is deployed after ${target}, it clears what ${target} has just assigned; if it is deployed before, ${isOne ? "the number has" : "the numbers have"} no agents until ${target} is deployed.`,
      say`Without a gap: first set the resource option ${id("retainOnDelete: true")} on ${names} in ${source}, merge and deploy that, then this change. ${source} then forgets ${it} and sends nothing.${groups > 0 ? " Take the option away afterwards: while it is set, numbers that leave the group keep their agents." : ""}`,
    ],
    numbers,
    isBlocking: !from.areBypassed,
  };
}

const lose = (isOne: boolean): string => `would lose ${isOne ? "its" : "their"} agents`;

function declaredTwice(all: [Pair, ...Pair[]]): Crossing {
  const [{ from, to }] = all;
  const fresh = all.filter(({ mine, theirs }) => mine.isNew || theirs.isNew);
  const isBlocking = fresh.length > 0;
  const numbers = numbersIn(isBlocking ? fresh : all);
  const isOne = numbers.length === 1;
  const joining = present(fresh.flatMap(({ mine, theirs }) => [mine.isNew && from.stack, theirs.isNew && to.stack]));
  const taken = isBlocking
    ? say`Remove ${isOne ? "it" : "them"} from ${some(
        [...new Set(joining)].map((stack) => [id(stack)]),
        2,
        " or ",
      )} before you merge.`
    : say`This was so before. To end it, set the resource option ${id("retainOnDelete: true")} in one of the two stacks, deploy that, and then remove ${isOne ? "the number" : "the numbers"} there.`;
  return {
    title: say`${which(numbers)} ${isOne ? "is" : "are"} declared by two stacks, ${id(from.stack)} and ${id(to.stack)}`,
    notes: [
      say`Each deployment overwrites the routing of the other one, and the stack that removes ${isOne ? "it" : "them"} first takes the agents away from the other. ${taken}`,
    ],
    numbers,
    isBlocking: isBlocking && !(from.areBypassed && to.areBypassed),
  };
}

/** What the previews do not show, so that this report cannot judge it. */
export function unseenNotes(stacks: readonly NumbersOfStack[], failed: readonly string[]): Text[] {
  const isConcerned = stacks.some(({ clears, declares }) => clears.length > 0 || declares.some(({ isNew }) => isNew));
  const partly = stacks.filter(({ leftOut }) => leftOut > 0).map(({ stack }) => stack);
  return [
    ...stacks.flatMap(({ stack, hidden }) =>
      groupBy(hidden, ({ isMasked }) => String(isMasked)).map(
        (same) =>
          say`Not compared between the stacks: numbers of ${someIds(same.map(({ name }) => name))} in ${id(stack)}, which are ${same[0].isMasked ? "masked" : "known after apply"}.`,
      ),
    ),
    ...(failed.length === 0
      ? []
      : [say`Not compared with the other stacks: ${someIds(failed)}, because the preview failed.`]),
    ...(isConcerned && partly.length > 0
      ? [
          say`Numbers that stay as they are in ${someIds(partly)} are not compared: the preview leaves them out without ${id("pulumi preview --json --show-sames")}.`,
        ]
      : []),
  ];
}
