import { isUnknown, type Previewed } from "../base/engine";
import { defined, pick } from "../base/json";
import { isInternational } from "../routing/group";
import { type Routing, SCOPE, type Scope } from "../routing/routing";

/**
 * Which resources declare which numbers, and which had them before. A run fills its ledger call by call, a report
 * builds one from a preview, and doctor builds one from saved states. Anything that concerns several resources is
 * answered here: duplicate declarations, moves and lost agents. Only a report records numbers that leave a resource
 * (`leave`) and asks which one had them (`hadBy`).
 */

/** Where a number lives. An account or workspace that is undeclared or still unknown matches any. */
export type NumberPlace = { readonly endpoint?: string | undefined } & Previewed<Pick<Routing, Scope>>;

export interface PlacedNumber {
  readonly number: string;
  readonly place: NumberPlace;
}

/** A number of one resource. */
export interface Entry<Owner> extends PlacedNumber {
  readonly owner: Owner;
}

/** An entry that leaves one resource, and an entry that declares the same number. */
export type Pair<Item> = readonly [from: Item, to: Item];

export const numberPlace = ({ endpoint, ...routing }: NumberPlace): NumberPlace =>
  defined({ endpoint, ...pick(routing, SCOPE) });

/** Equal numbers have equal keys. Two extensions with the same key are the same number only if their places match. */
const numberKey = ({ number, place }: PlacedNumber): string => JSON.stringify([place.endpoint, number]);

/** Whether both entries are the same number, given the same endpoint. */
const isSameNumber = ({ number, place }: PlacedNumber, second: PlacedNumber): boolean =>
  isInternational(number) ||
  SCOPE.every((field) => {
    const values = [place[field], second.place[field]];
    return values[0] === values[1] || values.some((value) => value === undefined || isUnknown(value));
  });

export class Ledger<Item extends Entry<unknown>> {
  readonly #declared = new Map<string, Item[]>();
  readonly #left = new Map<string, Item[]>();

  /** Records that a resource declares the number. */
  declare(entry: Item): void {
    note(this.#declared, entry);
  }

  /** The entry of the resource that declared the number first, unless that is the owner of this entry. */
  earlierDeclaration(entry: Item): Item | undefined {
    const first = this.declaredBy(entry.number, entry.place);
    return first?.owner === entry.owner ? undefined : first;
  }

  /** Records that a resource had the number and no longer declares it. */
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

  /** The last resource that had the number and no longer declares it. */
  formerlyDeclaredBy(number: string, place: NumberPlace): Item | undefined {
    return find(this.#left, number, place).at(-1);
  }

  /** The leaving numbers that no resource declares, so they lose their agents. */
  losses(leaving: readonly string[], placeOf: (number: string) => NumberPlace): string[] {
    return leaving.filter((number) => this.declaredBy(number, placeOf(number)) === undefined);
  }

  /**
   * Numbers declared more than once.
   * @param isOther whether two entries count as different declarations
   */
  declaredTwice(isOther: (first: Item, second: Item) => boolean): Item[][] {
    return [...this.#declared.values()]
      .map((entries) =>
        entries.filter((first) => entries.some((second) => isOther(first, second) && isSameNumber(first, second))),
      )
      .filter((entries) => entries.length > 1);
  }

  /** Pairs each leaving entry with every other resource's entry for the same number. */
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
    // A run may check a resource twice.
    const index = noted.findIndex(({ owner }) => owner === entry.owner);
    noted.splice(index < 0 ? noted.length : index, 1, entry);
  }
}

const find = <Item extends Entry<unknown>>(
  ledger: ReadonlyMap<string, Item[]>,
  number: string,
  place: NumberPlace,
): Item[] => (ledger.get(numberKey({ number, place })) ?? []).filter((entry) => isSameNumber(entry, { number, place }));

/** A number that a resource of the running program declares. The owner is its URN. */
export interface Declared extends Entry<string> {
  readonly routing: Previewed<Routing> | undefined;
  /**
   * Does the platform have what is declared?
   * - `unconfirmed`: we can't be sure, because a request is still to come, is under way or has failed.
   * - `unchanged`: an earlier run applied it, and this run sends nothing.
   * - `sent`: this run applied it.
   */
  assigned: "unconfirmed" | "unchanged" | "sent";
}
