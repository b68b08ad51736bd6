import * as pulumi from "@pulumi/pulumi";
import { isUnknown } from "../core/common/engine";
import { NAMESPACE } from "../core/config/settings";
import * as messages from "../core/messages";
import { type Entry, Ledger, type NumberPlace } from "../core/numbers/ledger";
import type { ResourceKind } from "../core/platform/kinds";
import { existsOnce, membersOf } from "../core/routing/group";
import { asSent, isChangedLater, isWithoutEngine } from "./mistakes";
import { oncePerRun } from "./programRun";

/** A resource of the program, and what is wrong with it. */
interface Owner {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly mistakes: string[];
}

/** Several runs under mocks share one process, so this ledger is only of a run with an engine. */
const ledgerOfRun = oncePerRun(() => new Ledger<Entry<Owner>>());

/**
 * A number that the program declares twice is a mistake of both resources. The provider alone could refuse only the one that the engine checks
 * second, after the first one may have been applied. Numbers and places that are outputs are left to the provider.
 */
export function noteNumbers(owner: Owner, inputs: object, options: pulumi.CustomResourceOptions = {}): void {
  if (isChangedLater(options, NUMBER_PATHS) || isWithoutEngine()) {
    return;
  }
  const {
    number,
    numbers,
    accountSid,
    workspaceId = ownWorkspace(),
  } = asSent(inputs) as Readonly<Record<string, never>>;
  const place: NumberPlace = { accountSid, workspaceId };
  const isPlaceKnown = ![accountSid, workspaceId].some(isUnknown);
  const ledger = ledgerOfRun();
  const twice = new Map<Owner, string>();
  for (const one of knownNumbers({ number, numbers })) {
    const first = existsOnce(one) || isPlaceKnown ? ledger.declare({ number: one, place, owner }) : undefined;
    if (first !== undefined && !twice.has(first.owner)) {
      twice.set(first.owner, one);
    }
  }
  for (const [other, one] of twice) {
    const both = [other, owner].map(({ kind, name }) => messages.labelOf(kind, name)) as [string, string];
    for (const { kind, name, mistakes } of [other, owner]) {
      mistakes.push(messages.render({ ...messages.declaredTwice(one, both), who: messages.labelOf(kind, name) }));
    }
  }
}

/** What `ignoreChanges` calls the arguments that say which number it is. */
const NUMBER_PATHS = /^(\*|numbers?|accountSid|workspaceId)$/;

/** None if they are not known yet, or not valid: then the resource has another mistake. */
const knownNumbers = (named: { readonly number: unknown; readonly numbers: unknown }): string[] =>
  Object.entries(named).flatMap(([argument, value]) =>
    typeof value === "string" && !isUnknown(value) ? [...membersOf({ [argument]: value }).keys()] : [],
  );

/** The workspace of resources that name none. The provider says what is wrong with a setting. */
function ownWorkspace(): number | undefined {
  const text = new pulumi.Config(NAMESPACE).get("workspaceId");
  return text === undefined ? undefined : Number(text);
}
