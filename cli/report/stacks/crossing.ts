import { existsOnce, isObject } from "../../../provider/review";
import { CALLED } from "../../command";
import { groupBy } from "../../lists";
import { isScopeKnown, mayShareAccount } from "../../pulumi/numbersHeld";
import { loseAgents, switches } from "../cards/deleted";
import { counted, id, joined, say, some, someIds, type Text } from "../text";
import type { NumberOfStack, StackNumbers } from "./numbers";

/** Numbers that two stacks are about. No preview shows it, because each preview is of one stack. */

export interface Crossing {
  readonly title: Text;
  readonly notes: readonly Text[];
  readonly numbers: readonly string[];
  /** Does it block the merge, as a guard does? */
  readonly isBlocking: boolean;
}

interface NumbersOfStack extends StackNumbers {
  readonly stack: string;
  /** Are the guards bypassed for the run of this stack? */
  readonly areBypassed: boolean;
}

/** What blocks comes first. */
export const crossingsOf = (stacks: readonly NumbersOfStack[]): Crossing[] => {
  const declaring = new Map(
    groupBy(
      stacks.flatMap((stack) => stack.declares.map((claim): Holding => ({ stack, claim }))),
      ({ claim }) => claim.key,
    ).map((same) => [same[0].claim.key, same]),
  );
  const all = [...movesIn(stacks, declaring), ...sharedIn(declaring)];
  return all.sort((a, b) => Number(b.isBlocking) - Number(a.isBlocking));
};

/** A number that a stack declares after its run. */
interface Holding {
  readonly stack: NumbersOfStack;
  readonly claim: NumberOfStack;
}

/** May both be about one number, in two stacks? */
const meets = (one: Holding, other: Holding): boolean =>
  one.stack !== other.stack && mayShareAccount(one.claim.number, one.claim.values, other.claim.values);

const numbersIn = (all: readonly { readonly claim: NumberOfStack }[]): string[] => [
  ...new Set(all.map(({ claim }) => claim.number)),
];

/** `+15551230001`, or how many numbers there are. */
const which = (numbers: readonly string[]): Text =>
  numbers.length === 1 ? [id(numbers[0])] : [counted(numbers.length, "number")];

/** An extension is another number in each account, and a program need not say which account its stack has. */
function extensionNotes(pairs: readonly (readonly [NumberOfStack, NumberOfStack])[]): Text[] {
  const unsure = pairs.filter(([a, b]) => !existsOnce(a.number) && !isScopeKnown(a.values, b.values));
  const numbers = [...new Set(unsure.map(([{ number }]) => number))];
  return numbers.length === 0
    ? []
    : [
        say`An extension exists once in each account. If the stacks have two accounts, set ${id("agent-platform:workspaceId")} in both: then this report tells ${numbers.length === 1 ? which(numbers) : "them"} apart.`,
      ];
}

// --- a number that leaves a stack, and that another one declares

interface StackMove {
  readonly from: NumbersOfStack;
  readonly to: NumbersOfStack;
  readonly claim: NumberOfStack;
  readonly other: NumberOfStack;
}

function movesIn(stacks: readonly NumbersOfStack[], declaring: ReadonlyMap<string, readonly Holding[]>): Crossing[] {
  const moves = stacks.flatMap((from) =>
    from.clears.flatMap((claim) =>
      (declaring.get(claim.key) ?? [])
        .filter((other) => meets({ stack: from, claim }, other))
        .map(({ stack: to, claim: other }): StackMove => ({ from, to, claim, other })),
    ),
  );
  const alike = ({ from, to, claim, other }: StackMove) =>
    JSON.stringify([from.stack, to.stack, other.isKept, claim.change.isLeftover]);
  return groupBy(moves, alike).map(moved);
}

function moved(all: [StackMove, ...StackMove[]]): Crossing {
  const [{ from, to, other }] = all;
  const numbers = numbersIn(all);
  const isOne = numbers.length === 1;
  const [source, target] = [id(from.stack), id(to.stack)];
  const isFallback = all.every(({ claim }) => isObject(claim.change.before.values.onDelete));
  const then = isFallback ? switches(numbers.length) : loseAgents(numbers.length);
  const [they, them] = isOne ? ["it", "it"] : ["they", "them"];
  const way = other.isKept
    ? say`${isOne ? "leaves" : "leave"} ${source}, and ${target} declares ${them}`
    : say`${isOne ? "moves" : "move"} from ${source} to ${target}`;
  const why = other.isKept
    ? say`${source} clears ${them}, whatever ${target} declares. ${target} does not change ${them}, so ${target} would not assign ${them} again.`
    : say`Two deployments know nothing of each other. If ${source} is deployed after ${target}, it clears what ${target} has just assigned; if it is deployed before, ${isOne ? "the number has" : "the numbers have"} no agents until ${target} is deployed.`;
  return {
    title: say`${which(numbers)} ${way}: ${they} would ${then.replace(/^(lose|switch)e?s/, "$1")}`,
    notes: [why, wayOut(all, isOne), ...extensionNotes(all.map((one) => [one.claim, one.other]))],
    numbers,
    isBlocking: !from.areBypassed,
  };
}

function wayOut(all: readonly [StackMove, ...StackMove[]], isOne: boolean): Text {
  const [{ from, to, claim, other }] = all;
  const source = id(from.stack);
  const names = someIds(all.map((one) => one.claim.change.name));
  if (claim.change.isLeftover) {
    const start = say`An earlier run of ${source} replaced ${names} and did not delete the original.`;
    return other.isKept
      ? say`${start} Do not deploy ${source} before it has forgotten that: ${id(`${CALLED} doctor --all-stacks`)} says how.`
      : say`${start} Deploy ${source} before you merge this change: then it has nothing more to clear. Until ${id(to.stack)} is deployed, ${isOne ? "the number has" : "the numbers have"} no agents.`;
  }
  const stays = someIds(all.flatMap((one) => (one.claim.change.op === "delete" ? [] : one.claim.change.name)));
  const after =
    stays.length === 0
      ? ""
      : say` Take the option away afterwards: while it is set, a number that leaves ${stays} keeps its agents.`;
  return say`Without a gap: first set the resource option ${id("retainOnDelete: true")} on ${names} in ${source}, merge and deploy that, then this change. ${source} then forgets ${isOne ? "it" : "them"} and sends nothing.${after}`;
}

// --- a number that several stacks declare

function sharedIn(declaring: ReadonlyMap<string, readonly Holding[]>): Crossing[] {
  const shared = [...declaring.values()]
    .map((all) => all.filter((one) => all.some((other) => meets(one, other))))
    .filter((all): all is [Holding, ...Holding[]] => all.length > 1);
  const alike = (all: readonly Holding[]) => JSON.stringify(all.map(({ stack, claim }) => [stack.stack, claim.isNew]));
  return groupBy(shared, alike).map(declaredBySeveral);
}

function declaredBySeveral(all: [[Holding, ...Holding[]], ...(readonly Holding[])[]]): Crossing {
  const [holders] = all;
  const joining = holders.filter(({ claim }) => claim.isNew);
  const numbers = all.flatMap((same) => same[0]?.claim.number ?? []);
  const [isOne, isPair] = [numbers.length === 1, holders.length === 2];
  const them = isOne ? "it" : "them";
  const others = isPair ? "other" : "others";
  return {
    title: say`${which(numbers)} ${isOne ? "is" : "are"} declared by ${isPair ? "two" : holders.length} stacks, ${names(holders, " and ")}`,
    notes: [
      say`Each deployment overwrites the routing of the ${isPair ? "other one" : others}, and the stack that removes ${them} first takes the agents away from the ${others}. ${whatToRemove(holders, joining, isOne)}`,
      ...extensionNotes(all.flatMap(pairsIn)),
    ],
    numbers,
    isBlocking: joining.length > 0 && !holders.every(({ stack }) => stack.areBypassed),
  };
}

function whatToRemove(holders: readonly Holding[], joining: readonly Holding[], isOne: boolean): Text {
  const them = isOne ? "it" : "them";
  if (joining.length === 0) {
    return say`This was so before. To end it, set the resource option ${id("retainOnDelete: true")} in ${holders.length === 2 ? "one of the two stacks" : "all of the stacks but one"}, deploy that, and then remove ${isOne ? "the number" : "the numbers"} there.`;
  }
  if (joining.length < holders.length) {
    return say`Remove ${them} from ${names(joining, " and ")} before you merge.`;
  }
  return holders.length === 2
    ? say`Remove ${them} from ${names(joining, " or ")} before you merge.`
    : say`Keep ${them} in one of the stacks before you merge.`;
}

/** Each holder with one other that may have the same number. */
const pairsIn = (all: readonly Holding[]): [NumberOfStack, NumberOfStack][] =>
  all.flatMap((one) => {
    const other = all.find((two) => meets(one, two));
    return other === undefined ? [] : [[one.claim, other.claim] as [NumberOfStack, NumberOfStack]];
  });

const MOST_NAMED = 5;

/** The names of the stacks, each once: `dev, canary and prod`. */
function names(all: readonly Holding[], last: string): Text {
  const ids = [...new Set(all.map(({ stack }) => stack.stack))].map((stack): Text => [id(stack)]);
  return ids.length < 2 || ids.length > MOST_NAMED
    ? some(ids, MOST_NAMED)
    : say`${joined(ids.slice(0, -1), ", ")}${last}${ids.at(-1) ?? []}`;
}

// --- what is not compared

/** What the previews do not show, so that this report cannot judge it. */
export function unseenNotes(stacks: readonly NumbersOfStack[], failed: readonly string[]): Text[] {
  const isConcerned = stacks.some(({ clears, declares }) => clears.length > 0 || declares.some(({ isNew }) => isNew));
  const partly = stacks.filter(({ leftOut }) => leftOut > 0).map(({ stack }) => stack);
  return [
    ...stacks.flatMap(({ stack, hidden }) =>
      groupBy(
        hidden.filter(({ isKept }) => isConcerned || !isKept),
        ({ why }) => why,
      ).map(
        (same) =>
          say`Not compared between the stacks: numbers of ${someIds(same.map(({ name }) => name))} in ${id(stack)}, ${same[0].why}.`,
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
