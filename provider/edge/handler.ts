import { PROVIDER } from "../core/dynamicState";
import { labelOfUrn, resourceLabel } from "../core/label";
import * as messages from "../core/messages";
import type { SettingsRead } from "../core/readSettings";
import { holdsUnknown } from "../core/schemas";
import { URN } from "../core/urn";
import {
  type Checked,
  type Created,
  type Lifecycle,
  type Props,
  ResourceError,
  refusals,
  refuse,
  type Session,
} from "../resources/lifecycle";
import type { Replacement, Taken } from "../resources/run";

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

/** What every resource has beside its arguments. */
export interface Called {
  /** The resource that the call is about. */
  readonly [URN]?: string | undefined;
  /** Arguments whose values no message may show. */
  readonly secretArguments?: readonly string[] | undefined;
}

/** Bad settings fail each call; a provider that was configured once is never left without them. */
function sessionOf(read: Opened): Session {
  if ("session" in read) {
    return read.session;
  }
  throw new ResourceError(...read.problems);
}

/** A lifecycle as every edge calls it. Properties are as the engine has them, with the URN of their resource among them. */
export function handlerFor<Inputs extends Called, State extends Called>(
  lifecycle: Lifecycle<Inputs, State>,
  open: () => Opened,
) {
  const { kind, numbersArgument } = lifecycle;
  const stateOf = (saved: Props, id: string) => lifecycle.readState(withoutNulls(saved), id);

  return {
    /** Inputs for the engine, or why there are none. Reasons hold no values of arguments that may be secret. */
    check(olds: Props, news: Props): { readonly inputs: Props } | { readonly reasons: string[] } {
      const read = open();
      if ("problems" in read) {
        return { reasons: read.problems.map(messages.render) };
      }
      const { session } = read;
      const { checked, failures } = checkIn(session, olds, news);
      const urn = urnOf(kind, news);
      if (failures.length > 0) {
        session.run.dropReplacement(urn);
        const who = resourceLabel(kind, news);
        return { reasons: failures.map((failure) => messages.render({ ...failure, who: failure.who ?? who })) };
      }
      if (isFirst(olds) && numbersArgument !== undefined) {
        session.run.awaitCreate(urn);
      }
      checked.warnings.forEach(session.warn);
      return { inputs: { ...checked.inputs } as Props };
    },

    diff(id: string, olds: Props, news: Props): DiffOutcome {
      const session = sessionOf(open());
      const { settings, run } = session;
      const state = stateOf(olds, id);
      const wanted = (run.isPreview ? withoutNulls(news) : unknownsAsSaved(withoutNulls(news), state)) as Inputs;
      const plan = lifecycle.diff(id, state, wanted, settings);
      // An argument that is no longer secret was secret when it was saved.
      const hidden = [state, wanted].flatMap(({ secretArguments = [] }) => secretArguments);
      refuse(resourceLabel(kind, wanted), plan.violations, session, hidden);
      lifecycle.explain(id, state, wanted, plan).forEach(session.warn);
      run.judged(urnOf(kind, wanted), { id, olds: state, news: wanted, isJudged: plan.isJudged }, plan);
      return { changes: plan.changes, replaces: [...plan.replaces], deleteBeforeReplace: false };
    },

    /** Create and update throw a SavedError if something may exist all the same. */
    async create(inputs: Props): Promise<Created<State>> {
      const session = sessionOf(open());
      const wanted = withoutNulls(inputs) as Inputs;
      const urn = urnOf(kind, wanted);
      const replaced = session.run.begin(urn) as Replacement<State> | undefined;
      const created = await sending(session, () => lifecycle.create(wanted, session, replaced));
      session.run.created(urn, created.id, wanted, replaced);
      return created;
    },

    async update(id: string, olds: Props, news: Props): Promise<State> {
      const session = sessionOf(open());
      return sending(session, () => lifecycle.update(id, stateOf(olds, id), withoutNulls(news) as Inputs, session));
    },

    /** There is no read endpoint: says that a refresh reads nothing. */
    read(): void {
      const opened = open();
      if ("session" in opened) {
        opened.session.warn(messages.refreshReadsNothing(kind));
      }
    },

    async delete(id: string, saved: Props): Promise<void> {
      const session = sessionOf(open());
      const state = stateOf(saved, id);
      if (numbersArgument !== undefined && session.run.isMidway()) {
        throw new ResourceError(messages.deletedFirst(resourceLabel(kind, state)));
      }
      await lifecycle.delete(id, state, session);
    },
  };

  function checkIn(session: Session, olds: Props, news: Props) {
    const urn = urnOf(kind, news);
    const replaced = isFirst(olds) ? session.run.replacementOf(urn) : undefined;
    // The engine checks a replacement again, with what the program says: what `ignoreChanges` kept away from diff comes back, and no guard
    // has seen it. What diff judged goes on.
    const args = argumentsIn(withoutNulls(replaced?.news ?? news));
    const saved = isFirst(olds) ? undefined : withoutNulls(olds);
    const checked = lifecycle.check(saved, args, session.settings, replaced !== undefined);
    const taken = declare(urn, checked, session);
    if (holdsUnknown(news)) {
      session.run.meetUnknown();
    }
    const isNew = saved === undefined && replaced?.isJudged !== true;
    return {
      checked,
      failures: [...failuresOf(news, checked, taken, urn), ...(isNew ? refusedNew(checked, session) : [])],
    };
  }

  /** The program declares the numbers of a resource even if the resource is not valid or a guard refuses it. */
  function declare(urn: string, checked: Checked<Inputs>, { run }: Session): Taken | undefined {
    const { inputs, declares, routingFor } = checked;
    const { secretArguments = [] } = inputs;
    run.keepSecret(declares, secretArguments);
    return run.declare({
      urn,
      isSecret: numbersArgument !== undefined && secretArguments.includes(numbersArgument),
      keys: declares,
      routingFor,
    });
  }

  /** A new resource is judged here. What replaces another was judged in diff, which knew what it replaces. */
  function refusedNew({ violations, inputs }: Checked<Inputs>, session: Session): messages.Message[] {
    return refusals(resourceLabel(kind, inputs), violations, session, inputs.secretArguments);
  }
}

/** What is wrong with a resource. The program has said its own mistakes at the resource already. */
function failuresOf(
  { [MISTAKES]: mistakes }: Props,
  { failures, inputs }: Checked<Called>,
  taken: Taken | undefined,
  urn: string,
): messages.Message[] {
  if (typeof mistakes === "number") {
    return [messages.refusedForMistakes(mistakes)];
  }
  if (taken === undefined) {
    return failures;
  }
  const isSecret = taken.by.isSecret || (inputs.secretArguments ?? []).some((name) => name.startsWith("number"));
  const holders = [labelOfUrn(taken.by.urn), labelOfUrn(urn)] as const;
  return [...failures, messages.declaredTwice({ number: taken.number, isSecret, holders })];
}

/** The hidden input of a resource whose mistakes the program has named already: how many there are. */
export const MISTAKES = "__mistakes";

/** Without olds the engine creates next. */
const isFirst = (olds: Props): boolean => Object.keys(olds).length === 0;

/** The URN. A program from which a transform took it away has the numbers as its name. */
const urnOf = (kind: string, { [URN]: urn, ...args }: Props | Called): string =>
  typeof urn === "string" ? urn : `${kind} ${String(Reflect.get(args, "number") ?? Reflect.get(args, "numbers"))}`;

/** The other processes of the run learn what was bound, and whether something failed. */
async function sending<T>({ run }: Session, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    run.failed();
    throw error;
  } finally {
    run.tellBound();
  }
}

/** With `ignoreChanges: ["*"]` inputs come back to check. Which platform it is, the program never says. */
function argumentsIn(inputs: object): Props {
  const { endpoint: _, providerName: __, [MISTAKES]: ___, ...program } = inputs as Props;
  return program;
}

/**
 * If the engine is to delete a resource first, it asks of each resource that depends on it whether an unknown output would replace that one
 * too, and would then delete it first as well. No chat is ended and sent again by a guess: what is unknown counts as it is, until check has it.
 */
const unknownsAsSaved = (news: Props, olds: object): Props =>
  Object.fromEntries(
    Object.entries(news).map(([key, value]) => [key, holdsUnknown(value) ? Reflect.get(olds, key) : value]),
  );

/**
 * Without nulls: an argument that is null is as good as left out. And without the dynamic provider's text, which a state
 * that the other edge saved still has.
 */
const withoutNulls = (props: object): Props =>
  Object.fromEntries(Object.entries(props).filter(([key, value]) => key !== PROVIDER && value !== null));
