import type { Change } from "./model";
import { afterOf, beforeOf, labelsOf, neverTouched, type Side } from "./sides";

/** Who holds each number before the run, and who declares it after: what is renamed or moved keeps its agents. */

export interface Holder {
  readonly change: Change;
  readonly side: Side;
}

export interface Holders {
  /** Who held the number, if that one gives it away in this run. */
  before(number: string, side: Side, account: string | undefined): Holder | undefined;
  /** Who declares the number after the run, among what changes. */
  after(number: string, side: Side, account: string | undefined): Holder | undefined;
}

export function holdersOf(changes: readonly Change[]): Holders {
  const [old, next] = [new Map<string, Holder>(), new Map<string, Holder>()];
  for (const change of changes) {
    const [before, after] = [beforeOf(change), afterOf(change)];
    const [kept, untouched] = [labelsOf(after), neverTouched(before)];
    for (const number of labelsOf(before).keys()) {
      if (!kept.has(number) && !untouched.has(number))
        old.set(keyOf(number, before, change.account), { change, side: before });
    }
    for (const number of kept.keys()) next.set(keyOf(number, after, change.account), { change, side: after });
  }
  return {
    before: (number, side, account) => old.get(keyOf(number, side, account)),
    after: (number, side, account) => next.get(keyOf(number, side, account)),
  };
}

/** A number in international format exists once in the world; an extension exists once an account. */
function keyOf(number: string, { values: { endpoint } }: Side, account: string | undefined): string {
  const scope = number.startsWith("+") ? "" : account;
  return JSON.stringify([endpoint, scope ?? "", number]);
}
