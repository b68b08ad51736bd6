import { holdsUnknown } from "../core/common/engine";
import { onceForEach } from "../core/common/once";
import { type HiddenInputs, secretsRefused } from "../core/common/schemas";
import { URN } from "../core/common/urn";
import * as messages from "../core/messages";
import type { Declared } from "../core/numbers/release";
import { isLoopbackHost } from "../core/platform/endpoint";
import { isOfNumbers, PROVIDER } from "../core/platform/kinds";
import { ResourceError } from "../resources/errors";
import {
  type Created,
  type Lifecycle,
  type Props,
  refusals,
  refuseViolations,
  type Session,
} from "../resources/lifecycle";
import type { Known } from "../resources/run/memory";
import type { EdgeSession } from "./session";

export type { Props };

export type Handler = ReturnType<typeof handlerFor>;

/** A lifecycle as the edge calls it. Properties are as the engine has them, with the URN of their resource among them. */
export function handlerFor<Inputs extends HiddenInputs, State extends HiddenInputs>(
  lifecycle: Lifecycle<Inputs, State>,
  open: () => EdgeSession,
) {
  const { kind } = lifecycle;
  const stateOf = (saved: Props, id: string) => lifecycle.readState(withoutNulls(saved), id);

  return {
    /** Inputs for the engine, or why there are none. Reasons hold no values of arguments that may be secret. */
    check(olds: Props, news: Props): { readonly inputs: Props } | { readonly reasons: string[] } {
      const session = open();
      const urn = urnOf(kind, news);
      // The engine checks a replacement again, with the program's arguments. They include what `ignoreChanges` kept away from diff, so no
      // guard has judged them. The replacement gets the inputs that diff judged.
      const replaced = isFirst(olds) ? session.run.of(urn).original : undefined;
      const checked = replaced === undefined ? checkIn(lifecycle, session, olds, news) : { inputs: replaced.news };
      if ("failures" in checked) {
        session.run.hasFailed = true;
        const who = messages.resourceLabel(kind, news);
        return { reasons: checked.failures.map((failure) => messages.render({ ...failure, who: failure.who ?? who })) };
      }
      if (isFirst(olds) && isOfNumbers(kind)) {
        session.run.of(urn).isAwaited = true;
        if (replaced === undefined && !isLoopbackHost(new URL(session.settings.baseUrl).hostname)) {
          session.warn(messages.firstAssignment());
        }
      }
      return { inputs: { ...checked.inputs } as Props };
    },

    /** A replacement is created before its original is deleted, because a delete clears, and it must know what the run has sent. */
    diff(id: string, olds: Props, news: Props) {
      const session = open();
      const { settings, run } = session;
      const state = stateOf(olds, id);
      // In a preview an unknown value stays unknown, so that the preview shows a replacement. In an `up` only `deleteBeforeReplace` brings one.
      const wanted = (run.hasMetUnknown ? withoutNulls(news) : unknownsAsSaved(withoutNulls(news), state)) as Inputs;
      const plan = lifecycle.diff(id, state, wanted, settings);
      const who = messages.resourceLabel(kind, wanted);
      refuseViolations(who, plan.violations, session);
      for (const reason of plan.reasons) {
        session.warn(messages.reasonMessage(who, reason));
      }
      run.noteDiff(urnOf(kind, wanted), { id, olds: state, news: wanted }, plan);
      return { changes: plan.changes, replaces: [...plan.replaces], deleteBeforeReplace: false };
    },

    /** create and update throw a SavedError if something may exist although the call has failed. */
    async create(inputs: Props): Promise<Created<State>> {
      const session = open();
      const wanted = withoutNulls(inputs) as Inputs;
      const urn = urnOf(kind, wanted);
      const original = session.run.begin(urn) as Known<State> | undefined;
      const created = await sending(session, () => lifecycle.create(wanted, session, original));
      session.run.created(urn, { id: created.id, olds: original?.olds, news: wanted });
      return created;
    },

    async update(id: string, olds: Props, news: Props): Promise<State> {
      const session = open();
      const wanted = withoutNulls(news) as Inputs;
      return sending(session, () => lifecycle.update(id, stateOf(olds, id), wanted, session));
    },

    /** There is no read endpoint: says that a refresh reads nothing. */
    read(): void {
      open().warn(messages.refreshReadsNothing(kind));
    },

    async delete(id: string, saved: Props): Promise<void> {
      const session = open();
      await waitForProgramMark(session);
      const state = stateOf(saved, id);
      const who = messages.resourceLabel(kind, state);
      const urn = urnOf(kind, state);
      if (session.marks.isCheckedElsewhere()) {
        throw new ResourceError(messages.checkedElsewhere(who, urn));
      }
      if (isOfNumbers(kind) && session.run.isMidway()) {
        throw new ResourceError(messages.deletedFirst(who));
      }
      await lifecycle.delete(id, state, session);
    },
  };
}

/** Checks a resource, and notes what it declares. */
function checkIn<Inputs extends HiddenInputs, State extends HiddenInputs>(
  lifecycle: Lifecycle<Inputs, State>,
  session: EdgeSession,
  olds: Props,
  news: Props,
): { readonly inputs: object } | { readonly failures: messages.Message[] } {
  const { run, settings } = session;
  const urn = urnOf(lifecycle.kind, news);
  const saved = isFirst(olds) ? undefined : withoutNulls(olds);
  const checked = lifecycle.check(saved, argumentsIn(withoutNulls(news)), settings);
  const { inputs, violations } = checked;
  if (!run.isDeclaring()) {
    session.marks.markChecking();
  }
  // The numbers of a resource count as declared even if the resource is not valid, or if a guard refuses it.
  const taken = run.declare(urn, checked, settings);
  run.hasMetUnknown ||= holdsUnknown(news);
  const secret = secretsRefused(lifecycle.schema, news.secretArguments);
  if (secret.length > 0) {
    // Every other message might show what is secret.
    const { [URN]: known } = news;
    const failure = messages.secretRefused(messages.resourceLabel(lifecycle.kind, { [URN]: known }), secret);
    return { failures: [failure] };
  }
  const refused = refusals(messages.resourceLabel(lifecycle.kind, inputs), violations, session);
  const twice = taken === undefined ? [] : [declaredTwice(taken, urn)];
  const failures = [...checked.failures, ...twice, ...refused];
  return failures.length > 0 ? { failures } : { inputs };
}

/** @param taken the entry of the resource that has declared one of its numbers before */
function declaredTwice(taken: Declared, urn: string): messages.Message {
  const resources = [messages.labelOfUrn(taken.owner), messages.labelOfUrn(urn)] as const;
  return messages.declaredTwice(taken.number, resources);
}

/** Without olds the resource is new, or it replaces another one. */
const isFirst = (olds: Props): boolean => Object.keys(olds).length === 0;

/** The URN. If a transform of the program removed it, the kind and the numbers take its place. */
const urnOf = (kind: string, { [URN]: urn, ...args }: Props | HiddenInputs): string =>
  typeof urn === "string" ? urn : `${kind} ${String(Reflect.get(args, "number") ?? Reflect.get(args, "numbers"))}`;

/**
 * The process of a program marks a failure when Node tells it of one. On a busy machine that may be a moment after the program has signalled its
 * end, and so after the engine's first delete. So the first delete of a run waits that moment.
 */
const waitForProgramMark = onceForEach(async (session: Session) => {
  if (session.expectsProgramMark) {
    await session.wait(250);
  }
});

/** Carries out a call that sends. If something failed, no delete of this run sends anything. */
async function sending<T>({ run }: EdgeSession, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    run.hasFailed = true;
    throw error;
  }
}

/** The program's arguments. With `ignoreChanges: ["*"]` check gets the saved inputs, and the endpoint among them is no argument. */
function argumentsIn(inputs: object): Props {
  const { endpoint: _, ...program } = inputs as Props;
  return program;
}

/**
 * With `deleteBeforeReplace` the engine also asks for a diff of each resource that depends on the replaced one, with unknown outputs. If
 * that diff says "replace", the engine deletes that resource as well, before the value is known. No chat may be ended and sent again for
 * that, so an unknown value counts as unchanged until check has it.
 */
const unknownsAsSaved = (news: Props, olds: object): Props =>
  Object.fromEntries(
    Object.entries(news).map(([key, value]) => [key, holdsUnknown(value) ? Reflect.get(olds, key) : value]),
  );

/** Without nulls, because null means "left out", and without the provider's own text. */
const withoutNulls = (props: object): Props =>
  Object.fromEntries(Object.entries(props).filter(([key, value]) => key !== PROVIDER && value !== null));
