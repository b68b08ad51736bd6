import { same } from "../core/equality";
import * as messages from "../core/messages";
import { type NumbersText, numbersOf } from "../core/numberList";
import type { Plan } from "../core/plan";
import type { SettingsRead } from "../core/readSettings";
import { holdsUnknown } from "../core/schemas";
import { partsOf } from "../core/urn";
import { keepSecret } from "../resources/assign";
import {
  type Checked,
  type Created,
  type Declarer,
  type Lifecycle,
  type Props,
  type Replacement,
  ResourceError,
  type Session,
} from "../resources/lifecycle";
import { refusals, refuse } from "../resources/refusals";

export type { Props };

/** The engine creates a replacement before it deletes the original: a delete alone clears or ends anything, at the end of the run. */
export interface DiffOutcome {
  readonly changes: boolean;
  readonly replaces: string[];
  readonly deleteBeforeReplace: false;
}

export type Handler = ReturnType<typeof handlerFor>;

type Problems = [messages.Message, ...messages.Message[]];
export type Opened = { readonly session: Session } | { readonly problems: Problems };

/** Settings are read once: a process lives for one run, and is configured before its first call. */
export function openingOnce(
  read: () => SettingsRead,
  sessionFor: (settings: Session["settings"]) => Session,
): () => Opened {
  let opened: Opened | undefined;
  const open = (found: SettingsRead): Opened =>
    "settings" in found
      ? { session: sessionFor(found.settings) }
      : { problems: found.problems.map(({ code, text }) => messages.say(code, undefined, text)) as Problems };
  return () => {
    opened ??= open(read());
    return opened;
  };
}

/** Arguments whose values no message may show. */
export interface Hiding {
  readonly secretArguments?: readonly string[] | undefined;
}

/** Bad settings fail each call; a provider that was configured once is never left without them. */
function sessionOf(read: Opened): Session {
  if ("session" in read) {
    return read.session;
  }
  throw new ResourceError(...read.problems);
}

/** A lifecycle as every edge calls it, on properties as the engine has them. */
export function handlerFor<Inputs extends Hiding, State extends Hiding>(
  lifecycle: Lifecycle<Inputs, State>,
  open: () => Opened,
) {
  const stateOf = (saved: Props, id: string) => lifecycle.readState(given(saved), id);

  return {
    /**
     * Inputs for the engine, or why there are none: reasons hold no values, for those may be secret. `by` is who asks, where the edge
     * knows: then a number that two resources declare is refused to the second one.
     */
    check(olds: Props, news: Props, by?: Declarer): { readonly inputs: Props } | { readonly reasons: string[] } {
      const read = open();
      if ("problems" in read) {
        return { reasons: read.problems.map(messages.render) };
      }
      const { session } = read;
      const saved = Object.keys(olds).length === 0 ? undefined : given(olds);
      const checked = asJudged(lifecycle.check(saved, argumentsIn(given(news)), session.settings), saved, session);
      declare(checked, session, by);
      session.memory.meetsUnknown ||= holdsUnknown(news);
      session.memory.isDeclaring = true;
      const text = lifecycle.numbersText?.(checked.inputs);
      const twice = by === undefined || text === undefined ? [] : refusedTwice(checked.declares, by, session);
      const failures = [...checked.failures, ...twice, ...refusedNew(saved, checked, session)];
      if (failures.length > 0) {
        // A replacement that is refused never comes: nothing waits for it.
        session.memory.replacing.delete(text ?? "");
        return { reasons: failures.map(messages.render) };
      }
      if (saved === undefined && text !== undefined) {
        session.declared.awaitCreate(text);
      }
      checked.warnings.forEach(session.warn);
      return { inputs: { ...checked.inputs } as Props };
    },

    diff(id: string, olds: Props, news: Props): DiffOutcome {
      const session = sessionOf(open());
      const { settings, memory } = session;
      const state = stateOf(olds, id);
      const wanted = (memory.meetsUnknown ? given(news) : withoutGuesses(given(news), state)) as Inputs;
      const plan = lifecycle.diff(id, state, wanted, settings);
      // What is no secret any more was one when it was saved.
      const hidden = [state, wanted].flatMap(({ secretArguments = [] }) => secretArguments);
      refuse(lifecycle.who(wanted), plan.violations, session, hidden);
      lifecycle.explain(id, state, wanted, plan).forEach(session.warn);
      const text = lifecycle.numbersText?.(wanted);
      if (text === undefined) {
        notePosted(id, wanted, plan, session);
      } else {
        noteNumbers(text, plan, { id, olds: state, news: wanted, isJudged: plan.isJudged }, session);
      }
      return { changes: plan.changes, replaces: [...plan.replaces], deleteBeforeReplace: false };
    },

    /** Create and update throw a SavedError where something may exist all the same. */
    async create(inputs: Props): Promise<Created<State>> {
      const session = sessionOf(open());
      const wanted = given(inputs) as Inputs;
      const text = lifecycle.numbersText?.(wanted);
      const replaced = replacedBy(wanted, session);
      if (text !== undefined) {
        session.memory.replacing.delete(text);
        session.declared.beginCreate(text);
      }
      if (replaced === undefined) {
        forgetForced(text, wanted, session);
      }
      const created = await noting(session, () =>
        lifecycle.create(wanted, session, replaced as Replacement<State> | undefined),
      );
      if (text !== undefined) {
        session.memory.successors.set(created.id, { numbers: text });
        confirm(text, [], session);
      }
      return created;
    },

    async update(id: string, olds: Props, news: Props): Promise<State> {
      const session = sessionOf(open());
      return noting(session, () => lifecycle.update(id, stateOf(olds, id), given(news) as Inputs, session));
    },

    /** There is no read endpoint: says that a refresh reads nothing. */
    read(): void {
      const opened = open();
      if ("session" in opened) {
        opened.session.warn(messages.refreshReadsNothing(lifecycle.kind));
      }
    },

    async delete(id: string, saved: Props): Promise<void> {
      const session = sessionOf(open());
      const state = stateOf(saved, id);
      // With `deleteBeforeReplace`. Where the run has failed, what nobody is known to declare is withheld as it is.
      const { declared } = session;
      if (lifecycle.numbersText !== undefined && declared.awaitsCreate() && !declared.hasFailed()) {
        throw new ResourceError(messages.deletedFirst(lifecycle.who(state as unknown as Inputs)));
      }
      await lifecycle.delete(id, state, session);
    },
  };

  /**
   * The engine has a replacement checked anew, with what the program says: what `ignoreChanges` kept away from diff comes back, unseen
   * by the guards. What diff judged goes on.
   */
  function asJudged(checked: Checked<Inputs>, saved: Props | undefined, session: Session): Checked<Inputs> {
    const replaced = saved === undefined ? replacedBy(checked.inputs, session) : undefined;
    return replaced === undefined ? checked : lifecycle.check(undefined, argumentsIn(replaced.news), session.settings);
  }

  /** What diff has asked to replace with these inputs. */
  function replacedBy(inputs: Inputs, { memory }: Session): Replacement | undefined {
    const text = lifecycle.numbersText?.(inputs);
    return text === undefined ? undefined : memory.replacing.get(text);
  }

  /** A new resource is judged here; what replaces another was judged in diff, which knew what it replaces. */
  function refusedNew(saved: Props | undefined, checked: Checked<Inputs>, session: Session): messages.Message[] {
    const { violations, inputs } = checked;
    if (violations.length === 0 || saved !== undefined) {
      return [];
    }
    const isJudged = replacedBy(inputs, session)?.isJudged === true;
    return isJudged ? [] : refusals(undefined, lifecycle.who(inputs), violations, session, inputs.secretArguments);
  }
}

/** With `--continue-on-error` a run goes on to its deletes, though what depends on a resource that failed was never declared. */
async function noting<T>(session: Session, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    session.declared.noteFailure();
    throw error;
  }
}

/** Whatever is wrong with a declaration, and even while a guard refuses it: the program declares these numbers. */
function declare(checked: Checked<Hiding>, session: Session, by: Declarer | undefined): void {
  const { inputs, declares, routingFor } = checked;
  session.collectGarbage(declares.length);
  session.declared.declareAll(declares, by);
  keepSecret(declares, inputs.secretArguments, session);
  for (const number of declares) {
    session.memory.unconfirmed.add(number);
    if (routingFor) {
      session.memory.wanted.set(number, routingFor);
    }
  }
}

/**
 * What another resource of the program declares already, of any kind and under any provider: known here for outputs as well, and for
 * programs in every language. One number is named, as the first thing to fix.
 */
function refusedTwice(numbers: readonly string[], by: Declarer, { declared }: Session): messages.Message[] {
  const found = declared.declaredBefore(numbers, by);
  if (found === undefined) {
    return [];
  }
  const { number, first } = found;
  const isSecret = first.isSecret || by.isSecret;
  return [messages.declaredTwice({ number, isSecret, holders: [labelOf(first.urn), labelOf(by.urn)] })];
}

/** `NumberAssignment "support"` */
function labelOf(urn: string): string {
  const { kind, name } = partsOf(urn);
  return messages.subject(kind, name);
}

/** What an operator has the engine replace starts anew: the original that it leaves has no successor under its id. */
function forgetForced(text: NumbersText | undefined, inputs: object, { memory }: Session): void {
  for (const [id, successor] of memory.successors) {
    if (successor.numbers === text) {
      memory.successors.delete(id);
    }
  }
  for (const [id, kept] of memory.keptPosts) {
    if (same(kept, inputs)) {
      memory.keptPosts.delete(id);
    }
  }
}

/** What goes on with these numbers. A refresh asks diff as well, also of what is then deleted: that, nobody has declared. */
function noteNumbers(text: NumbersText, plan: Plan, diffed: Replacement, session: Session): void {
  const { memory } = session;
  if (!numbersOf(text).every((number) => memory.wanted.has(number))) {
    return;
  }
  if (plan.replaces.length > 0) {
    memory.replacing.set(text, diffed);
    return;
  }
  memory.successors.set(diffed.id, { numbers: text, knew: diffed.olds });
  confirm(text, plan.binds, session);
}

/** A voice or a chat that the program goes on with. A refresh asks diff as well, but before the program has declared anything. */
function notePosted(id: string, inputs: object, { replaces }: Plan, { memory }: Session): void {
  if (replaces.length > 0) {
    // Of one that is unresolved, the delete of the entry has nothing left to say.
    memory.resolvedIds.add(id);
    memory.keptPosts.delete(id);
  } else if (memory.isDeclaring) {
    memory.keptPosts.set(id, inputs);
  }
}

/** What passed its guards and is not sent in this run stands as it is; after a create, nothing is left to send. */
function confirm(text: NumbersText, binds: Plan["binds"], { memory }: Session): void {
  const sent = new Set(binds);
  for (const number of binds === undefined ? [] : numbersOf(text)) {
    if (!sent.has(number)) {
      memory.unconfirmed.delete(number);
    }
  }
}

/** Where inputs come back to check, as with `ignoreChanges: ["*"]`: which platform it is, is never the program's to say. */
function argumentsIn(inputs: object): Props {
  const { endpoint: _, providerName: __, ...program } = inputs as Props;
  return program;
}

/**
 * Where the engine is to delete a resource first, it asks of each that depends on it whether an unknown output would replace that one too,
 * and would then delete it first as well. No chat is ended and sent again by a guess: what is unknown counts as it is, until check has it.
 */
const withoutGuesses = (news: Props, olds: object): Props =>
  Object.fromEntries(
    Object.entries(news).map(([key, value]) => [key, holdsUnknown(value) ? Reflect.get(olds, key) : value]),
  );

/**
 * Without nulls: an argument that is null is as good as left out. And without the dynamic provider's text, which a state
 * that the other edge saved still has.
 */
const given = (props: Props): Props =>
  Object.fromEntries(Object.entries(props).filter(([key, value]) => key !== "__provider" && value !== null));
