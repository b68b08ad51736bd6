import { defined } from "../../core/common/equality";
import * as messages from "../../core/messages";
import { planNumbers } from "../../core/numbers/plan";
import {
  isUrgentReturn,
  lastKnownOf,
  NEW,
  type NumbersState,
  possibleRouting,
  previousSplit,
  SAVED_NUMBERS,
  type Unapplied,
  type UnappliedNumbers,
  unappliedAfter,
  unappliedOf,
  withSince,
} from "../../core/numbers/state";
import type { NumbersKind } from "../../core/platform/kinds";
import { isSingle, membersOf, type NumbersInputs, toText } from "../../core/routing/group";
import { routingOf, type Task } from "../../core/routing/routing";
import { ResourceError, SavedError } from "../errors";
import { type Lifecycle, readSaved, refuseFrozen, refuseOtherEndpoint, type Session } from "../lifecycle";
import { checkNumbers, type NumbersArgument, schemasOf } from "./check";
import { clear } from "./clear";
import { type Pass, sendAll } from "./sendMany";

/** What differs between the two kinds: a single number is a group of one. */
interface NumbersVariant extends NumbersArgument {
  readonly kind: NumbersKind;
  newId(inputs: NumbersInputs, session: Session): string;
  /** Does a replacement keep the id of its original, and go on from its state? */
  readonly keepsId: boolean;
  /** What the outputs have of the responses. */
  outputs?(inputs: NumbersInputs, olds: NumbersState, pass: Pass): Pick<NumbersState, "platformIds">;
}

/** The lifecycle of numbers, the same for both kinds. */
export function numbersLifecycle(variant: NumbersVariant): Lifecycle<NumbersInputs, NumbersState> {
  const { kind, keepsId, argument } = variant;
  const schemas = schemasOf(variant);
  return {
    kind,
    schema: schemas.written,
    readState: (saved, id) => readSaved<NumbersState>(kind, saved, id, argument, SAVED_NUMBERS),
    check: (olds, news, settings) => checkNumbers(schemas, olds, news, settings),
    diff(_id, olds, news, settings) {
      const plan = planNumbers(olds, news, settings);
      if (plan.replaces.length > 0) {
        // Only its own platform can clear the original.
        refuseOtherEndpoint(messages.resourceLabel(kind, news), olds, news);
      }
      return plan;
    },
    async create(inputs, session, original) {
      const { id = variant.newId(inputs, session), olds = NEW } = (keepsId ? original : undefined) ?? {};
      return { id, state: await apply(variant, id, olds, inputs, session) };
    },
    update: (id, olds, news, session) => apply(variant, id, olds, news, session),
    delete: (id, state, session) => clear(variant, id, state, session),
  };
}

/** Create and update send the same PUTs. */
async function apply(
  { kind, outputs }: NumbersVariant,
  id: string,
  olds: NumbersState,
  news: NumbersInputs,
  session: Session,
): Promise<NumbersState> {
  const { assigns = [], returnsTo } = planNumbers(olds, news, session.settings);
  const tasks = tasksOf(assigns, news, olds);
  const isSent = tasks.length > 0;
  const who = messages.resourceLabel(kind, news);
  if (isSent) {
    refuseFrozen(who, session);
  }
  const pass = await sendAll(tasks, { who, session, isBack: isUrgentReturn(olds, news, returnsTo) });
  const { failed } = pass;
  const state: NumbersState = defined({
    ...news,
    previousInboundAgents: previousSplit(olds, news),
    ...outputs?.(news, olds, pass),
    unapplied: unappliedParts(news, olds, failed),
  });
  if (failed.length === 0) {
    const isOfAll = tasks.length === membersOf(news).size;
    return withSince(olds, state, isSent ? { at: session.time(), isOfAll } : undefined);
  }
  const isSaved = mustBeSaved(pass);
  const unsaved = olds === NEW ? "nothing" : "untouched";
  const of = { all: tasks.length, savedAs: isSaved ? "saved" : unsaved, isSingle: isSingle(news) } as const;
  const message = messages.numbersFailed(who, failed, of, session.settings);
  throw isSaved ? new SavedError(message, id, withSince(olds, state)) : new ResourceError(message);
}

/** The requests of a create or an update. If the endpoint changes, nothing is cleared: the other platform has nothing of this resource. */
function tasksOf(numbers: readonly string[], news: NumbersInputs, olds: NumbersState): Task[] {
  const missed = unappliedOf(olds);
  const hasFailed = (number: string) => (missed.get(number)?.reason ?? "not sent") !== "not sent";
  // Numbers that failed come after the others. Otherwise each run would begin with them, and might never reach the others.
  const ordered = [...numbers.filter((number) => !hasFailed(number)), ...numbers.filter(hasFailed)];
  const routing = routingOf(news);
  return ordered.map((number) => ({ number, routing, mayClear: possibleRouting(number, olds, news) }));
}

/**
 * If it is certain that no number has changed, nothing is saved: the engine keeps the state that it has. But if some numbers refused a change,
 * and others were not sent, the state has to tell the next run which ones: it begins with the others.
 */
const mustBeSaved = ({ done, failed }: Pass): boolean =>
  done > 0 ||
  failed.some(({ reason }) => reason === "unknown" || reason === "different") ||
  (failed.some((one) => !messages.isTried(one)) &&
    failed.some(({ failure }) => failure?.exchange.status !== undefined));

/** Numbers with the same reason and the same routings are one part: what they have is saved once. Undefined if none failed. */
function unappliedParts(news: NumbersInputs, olds: NumbersState, failed: readonly messages.FailedNumber[]) {
  const routing = routingOf(news);
  const parts = new Map<string, { saved: Unapplied; numbers: Map<string, string> }>();
  for (const { number, ...result } of failed) {
    const saved = unappliedAfter(result, routing, lastKnownOf(number, olds, news));
    const key = JSON.stringify(saved);
    const part = parts.get(key) ?? { saved, numbers: new Map() };
    parts.set(key, part);
    part.numbers.set(number, "");
  }
  return parts.size === 0
    ? undefined
    : [...parts.values()].map(({ saved, numbers }): UnappliedNumbers => ({ ...saved, numbers: toText(numbers) }));
}
