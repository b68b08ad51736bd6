import type { Message } from "../core/messages";
import { declaredTwice } from "../core/messages/program";
import type { Declarer, Session } from "../resources/lifecycle";

/**
 * What another resource of the program declares already, of any kind and under any provider: known here for outputs as well, and for
 * programs in every language. One number is named, as the first thing to fix.
 */
export function refusedTwice(numbers: readonly string[], by: Declarer, { declared }: Session): Message[] {
  const found = declared.declaredBefore(numbers, by);
  if (found === undefined) {
    return [];
  }
  const { number, first } = found;
  const isSecret = first.isSecret || by.isSecret;
  return [declaredTwice({ number, isSecret, holders: [labelOf(first.urn), labelOf(by.urn)] })];
}

/** `NumberAssignment "support"` */
function labelOf(urn: string): string {
  const [, , type = "", name = ""] = urn.split("::");
  return `${type.slice(type.lastIndexOf(":") + 1)} "${name}"`;
}
