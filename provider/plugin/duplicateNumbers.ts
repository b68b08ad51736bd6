import { render } from "../core/messages/message";
import { declaredTwice } from "../core/messages/program";

/** Who declares each number in this run, by URN: known here for outputs as well, and for programs in every language. */
export interface DuplicateNumbers {
  /** Why the resource must not declare them, or nothing. */
  refuse(urn: string, numbers: readonly string[], isSecret: boolean): string | undefined;
}

interface Holder {
  readonly urn: string;
  readonly isSecret: boolean;
}

export function duplicateNumbers(): DuplicateNumbers {
  const holders = new Map<string, Holder>();
  return {
    refuse(urn, numbers, isSecret) {
      for (const number of numbers) {
        const holder = holders.get(number);
        if (holder !== undefined && holder.urn !== urn) {
          const both = [labelOf(holder.urn), labelOf(urn)] as const;
          return render(declaredTwice({ number, isSecret: isSecret || holder.isSecret, holders: both }));
        }
      }
      for (const number of numbers) {
        holders.set(number, { urn, isSecret });
      }
      return undefined;
    },
  };
}

/** `NumberAssignment "support"` */
function labelOf(urn: string): string {
  const [, , type = "", name = ""] = urn.split("::");
  return `${type.slice(type.lastIndexOf(":") + 1)} "${name}"`;
}
