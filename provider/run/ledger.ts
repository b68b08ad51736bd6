import { isUnknown, type Previewed } from "../base/engine";
import { defined, pick } from "../base/json";
import { isInternational } from "../routing/group";
import { type Routing, SCOPE, type Scope } from "../routing/routing";

/**
 * Tracks which resources declare each number, and which ones used to: in a run, in a preview (for `report`) or in saved
 * states (for `doctor`).
 */

/** Where a number is. An account or a workspace that isn't declared, or isn't known yet, matches any other. */
export type NumberPlace = { readonly endpoint?: string | undefined } & Previewed<Pick<Routing, Scope>>;

export interface PlacedNumber {
  readonly number: string;
  readonly place: NumberPlace;
}

/** A number and its owner, for example the resource that declares the number or used to declare it. */
export interface Entry<Owner> extends PlacedNumber {
  readonly owner: Owner;
}

/**
 * The two entries of a number that moves between owners. `from` belongs to the owner that drops the number, and `to` to
 * the owner that declares it.
 */
export type Pair<Item> = readonly [from: Item, to: Item];

export const numberPlace = ({ endpoint, ...routing }: NumberPlace): NumberPlace =>
  defined({ endpoint, ...pick(routing, SCOPE) });

/**
 * Returns the key under which the ledger stores a number. Two entries with the same key may still be different
 * extensions, in different accounts or workspaces.
 */
const numberKey = ({ number, place }: PlacedNumber): string => JSON.stringify([place.endpoint, number]);

/**
 * Whether two entries with the same key refer to the same number. For an extension, the account and workspace must
 * match too.
 */
const isSameNumber = ({ number, place }: PlacedNumber, second: PlacedNumber): boolean =>
  isInternational(number) ||
  SCOPE.every((field) => {
    const values = [place[field], second.place[field]];
    return values[0] === values[1] || values.some((value) => value === undefined || isUnknown(value));
  });

export class Ledger<Item extends Entry<unknown>> {
  readonly #declared = new Map<string, Item[]>();
  readonly #left = new Map<string, Item[]>();

  /** Records that a resource declares the number. Replaces that resource's earlier entry for the number, if any. */
  declare(entry: Item): void {
    note(this.#declared, entry);
  }

  /** Returns the entry of another owner that declared the number first. Returns undefined if there is none. */
  earlierDeclaration(entry: Item): Item | undefined {
    const first = this.declaredBy(entry.number, entry.place);
    return first?.owner === entry.owner ? undefined : first;
  }

  /** Records that a resource no longer declares the number. */
  leave(entry: Item): void {
    note(this.#left, entry);
  }

  /** How many numbers are declared. */
  get size(): number {
    return [...this.#declared.values()].reduce((count, entries) => count + entries.length, 0);
  }

  declaring(number: string, place: NumberPlace): Item[] {
    return find(this.#declared, number, place);
  }

  declaredBy(number: string, place: NumberPlace): Item | undefined {
    return this.declaring(number, place)[0];
  }

  /**
   * Returns the entry of the resource that used to declare the number, as recorded by `leave`. If there are several,
   * returns the one recorded last.
   */
  formerlyDeclaredBy(number: string, place: NumberPlace): Item | undefined {
    return find(this.#left, number, place).at(-1);
  }

  /** Returns those of the given numbers that would lose their agents, because no resource declares them. */
  losses(leaving: readonly string[], placeOf: (number: string) => NumberPlace): string[] {
    return leaving.filter((number) => this.declaredBy(number, placeOf(number)) === undefined);
  }

  /**
   * Returns, for each number that is declared more than once, the entries that declare it.
   * @param isOther whether two entries are separate declarations, for example because they belong to different stacks
   */
  declaredTwice(isOther: (first: Item, second: Item) => boolean): Item[][] {
    return [...this.#declared.values()]
      .map((entries) =>
        entries.filter((first) => entries.some((second) => isOther(first, second) && isSameNumber(first, second))),
      )
      .filter((entries) => entries.length > 1);
  }

  /** Pairs each entry in `leaving` with every entry of another owner that declares the same number. */
  crossings(leaving: readonly Item[], isOther: (first: Item, second: Item) => boolean): Pair<Item>[] {
    return leaving.flatMap((from) =>
      this.declaring(from.number, from.place)
        .filter((to) => isOther(from, to))
        .map((to) => [from, to] as const),
    );
  }
}

function note<Item extends Entry<unknown>>(ledger: Map<string, Item[]>, entry: Item): void {
  const key = numberKey(entry);
  const noted = ledger.get(key);
  if (noted === undefined) {
    ledger.set(key, [entry]);
  } else {
    // The engine may check a resource twice in a run, so replace its earlier entry.
    const index = noted.findIndex(({ owner }) => owner === entry.owner);
    noted.splice(index < 0 ? noted.length : index, 1, entry);
  }
}

const find = <Item extends Entry<unknown>>(
  ledger: ReadonlyMap<string, Item[]>,
  number: string,
  place: NumberPlace,
): Item[] => (ledger.get(numberKey({ number, place })) ?? []).filter((entry) => isSameNumber(entry, { number, place }));

/** A number that a resource of the running program declares. `owner` is the resource's URN. */
export interface Declared extends Entry<string> {
  readonly routing: Previewed<Routing> | undefined;
  /**
   * Whether the platform has the declared routing.
   * - `unconfirmed`: not known yet, because no request for the number has succeeded in this run.
   * - `unchanged`: an earlier run applied the routing.
   * - `sent`: this run applied the routing.
   */
  assigned: "unconfirmed" | "unchanged" | "sent";
}
