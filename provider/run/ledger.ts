import { isUnknown, type Previewed } from "../base/engine";
import { defined, pick } from "../base/json";
import { isInternational } from "../routing/group";
import { type Routing, SCOPE, type Scope } from "../routing/routing";

/**
 * Who declares which number, and who had it. A run writes its ledger call by call; a report makes one of a preview, and doctor one of saved
 * states. Whatever concerns more than one resource is asked here: what is declared twice, what moves, what loses its agents. Only a report
 * notes which numbers leave a resource (`leave`), and asks for the resource that had them (`hadBy`).
 */

/** Where a number is found. An account or a workspace that is not declared, or not known yet, may be any. */
export type NumberPlace = { readonly endpoint?: string | undefined } & Previewed<Pick<Routing, Scope>>;

export interface PlacedNumber {
  readonly number: string;
  readonly place: NumberPlace;
}

/** Item number of one resource. */
export interface Entry<Owner> extends PlacedNumber {
  readonly owner: Owner;
}

/** An entry of what leaves, and one that declares the same number. */
export type Pair<Item> = readonly [from: Item, to: Item];

export const numberPlace = ({ endpoint, ...routing }: NumberPlace): NumberPlace =>
  defined({ endpoint, ...pick(routing, SCOPE) });

/** The same number has the same key. Two extensions with one key are the same number if their places are. */
const numberKey = ({ number, place }: PlacedNumber): string => JSON.stringify([place.endpoint, number]);

/** Are they the same number? Both are at one endpoint. */
const isSameNumber = ({ number, place }: PlacedNumber, second: PlacedNumber): boolean =>
  isInternational(number) ||
  SCOPE.every((field) => {
    const values = [place[field], second.place[field]];
    return values[0] === values[1] || values.some((value) => value === undefined || isUnknown(value));
  });

export class Ledger<Item extends Entry<unknown>> {
  readonly #declared = new Map<string, Item[]>();
  readonly #had = new Map<string, Item[]>();

  /** Notes that a resource declares the number. */
  declare(entry: Item): void {
    note(this.#declared, entry);
  }

  /** The entry of the resource that declared the number first, unless that is the owner of this entry. */
  declaredFirst(entry: Item): Item | undefined {
    const first = this.declaredBy(entry.number, entry.place);
    return first?.owner === entry.owner ? undefined : first;
  }

  /** Notes that a resource had the number and no longer declares it. */
  leave(entry: Item): void {
    note(this.#had, entry);
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
  hadBy(number: string, place: NumberPlace): Item | undefined {
    return find(this.#had, number, place).at(-1);
  }

  /** Of numbers that leave a resource, those that no other one declares: they lose their agents. */
  losses(leaving: readonly string[], placeOf: (number: string) => NumberPlace): string[] {
    return leaving.filter((number) => this.declaredBy(number, placeOf(number)) === undefined);
  }

  /** Numbers that more than one declares. @param isOther do the two count as different? */
  declaredTwice(isOther: (first: Item, second: Item) => boolean): Item[][] {
    return [...this.#declared.values()]
      .map((entries) =>
        entries.filter((first) => entries.some((second) => isOther(first, second) && isSameNumber(first, second))),
      )
      .filter((entries) => entries.length > 1);
  }

  /** The entries that leave one resource and are declared by another, each with the entry of the other. */
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
   * Does the platform have what is declared? `unconfirmed`: that is not certain, because a request is still to come, is under way or has failed.
   * `unchanged`: an earlier run applied it, and this run sends nothing. `sent`: this run applied it.
   */
  assigned: "unconfirmed" | "unchanged" | "sent";
}
