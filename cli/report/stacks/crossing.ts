import { isObject } from "../../../provider/review";
import { groupBy } from "../../lists";
import { mayShareAccount } from "../../pulumi/numbersHeld";
import { switches } from "../cards/deleted";
import { counted, id, say, some, someIds, type Text } from "../text";
import type { Claim, StackNumbers } from "./numbers";

/** Numbers that two stacks are about. No preview shows it, because each preview is of one stack. */

export interface Crossing {
  readonly title: Text;
  readonly notes: readonly Text[];
  readonly numbers: readonly string[];
  /** Does it block the merge, as a guard does? */
  readonly isBlocking: boolean;
}

export interface NumbersOfStack {
  readonly stack: string;
  readonly numbers: StackNumbers;
  /** Are the guards bypassed for the run of this stack? */
  readonly areBypassed: boolean;
}

type Found = ReturnType<typeof pairsOf>[number];

export function crossingsOf(stacks: readonly NumbersOfStack[]): Crossing[] {
  const isClear = ({ numbers }: NumbersOfStack) => numbers.clears;
  const isDeclared = ({ numbers }: NumbersOfStack) => numbers.declares;
  const moves = pairsOf(stacks, isClear, isDeclared);
  const twice = pairsOf(stacks, isDeclared, isDeclared).filter(
    ({ from, to }) => stacks.indexOf(from) < stacks.indexOf(to),
  );
  return [...grouped(moves).map(moved), ...grouped(twice).map(declaredTwice)];
}

/** The numbers of one stack that another stack is about as well. */
function pairsOf<A extends Claim, B extends Claim>(
  stacks: readonly NumbersOfStack[],
  mine: (stack: NumbersOfStack) => readonly A[],
  theirs: (stack: NumbersOfStack) => readonly B[],
) {
  const others = stacks.flatMap((to) => theirs(to).map((claim) => ({ to, claim })));
  const byKey = new Map(groupBy(others, ({ claim }) => claim.key).map((same) => [same[0].claim.key, same]));
  return stacks.flatMap((from) =>
    mine(from).flatMap((claim) =>
      (byKey.get(claim.key) ?? [])
        .filter(({ to, claim: other }) => to !== from && mayShareAccount(claim.values, other.values))
        .map(({ to, claim: other }) => ({ from, to, claim, other })),
    ),
  );
}

/** One crossing for each pair of stacks. */
const grouped = <T extends { readonly from: NumbersOfStack; readonly to: NumbersOfStack }>(all: readonly T[]) =>
  groupBy(all, ({ from, to }) => JSON.stringify([from.stack, to.stack]));

const numbersIn = (all: readonly { readonly claim: Claim }[]): string[] => [
  ...new Set(all.map(({ claim }) => claim.number)),
];

/** `+15551230001`, or how many numbers there are. */
const which = (numbers: readonly string[]): Text =>
  numbers.length === 1 ? [id(numbers[0])] : [counted(numbers.length, "number")];

function moved(all: [Found, ...Found[]]): Crossing {
  const [{ from, to }] = all;
  const numbers = numbersIn(all);
  const isOne = numbers.length === 1;
  const [source, target] = [id(from.stack), id(to.stack)];
  const isFallback = all.every(({ claim }) => isObject(claim.change.before.values.onDelete));
  const fate = isFallback ? switches(numbers.length).replace(/^switch(es)?/, "would switch") : lose(isOne);
  const groups = all.filter(({ claim }) => claim.change.kind === "NumberGroup").length;
  const names = someIds(all.map(({ claim }) => claim.change.name));
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

type Twice = Found & { readonly claim: { readonly isNew?: boolean }; readonly other: { readonly isNew?: boolean } };

function declaredTwice(all: [Twice, ...Twice[]]): Crossing {
  const [{ from, to }] = all;
  const fresh = all.filter(({ claim, other }) => claim.isNew === true || other.isNew === true);
  const isBlocking = fresh.length > 0;
  const numbers = numbersIn(isBlocking ? fresh : all);
  const isOne = numbers.length === 1;
  const joining = fresh.flatMap(({ claim, other }) => [
    ...(claim.isNew === true ? [from.stack] : []),
    ...(other.isNew === true ? [to.stack] : []),
  ]);
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
  const isConcerned = stacks.some(({ numbers: { clears, declares } }) => clears.length > 0 || declares.some(isFresh));
  const leftOut = stacks.filter(({ numbers }) => numbers.leftOut > 0).map(({ stack }) => stack);
  return [
    ...stacks.flatMap(({ stack, numbers: { hidden } }) =>
      groupBy(hidden, ({ isMasked }) => String(isMasked)).map(
        (same) =>
          say`Not compared between the stacks: numbers of ${someIds(same.map(({ name }) => name))} in ${id(stack)}, which are ${same[0].isMasked ? "masked" : "known after apply"}.`,
      ),
    ),
    ...(failed.length === 0
      ? []
      : [say`Not compared with the other stacks: ${someIds(failed)}, because the preview failed.`]),
    ...(isConcerned && leftOut.length > 0
      ? [
          say`Numbers that stay as they are in ${someIds(leftOut)} are not compared: the preview leaves them out without ${id("pulumi preview --json --show-sames")}.`,
        ]
      : []),
  ];
}

const isFresh = ({ isNew }: { readonly isNew: boolean }): boolean => isNew;
