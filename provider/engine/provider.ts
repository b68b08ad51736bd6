import type { dynamic } from "@pulumi/pulumi";
import { onceForEach } from "../base/json";
import { type HiddenInputs, secretsRefused } from "../base/schemas";
import { holdsUnknown, URN } from "../base/unknown";
import { changingSaved, ResourceError } from "../run/errors";
import type { Declared } from "../run/ledger";
import { firstAssignment, reasonMessage } from "../run/reason";
import {
  type Created,
  checkedElsewhere,
  declaredTwice as declaredTwiceMessage,
  deletedFirst,
  type Lifecycle,
  type Props,
  refreshReadsNothing,
  refusals,
  refuseViolations,
  secretRefused,
} from "../run/resource";
import type { Known, Session } from "../run/run";
import { NAMESPACE } from "../stack/keys";
import { isLoopbackHost, isOfNumbers, PROVIDER } from "../stack/platform";
import { labelOfUrn, type Message, render, resourceLabel } from "../words/message";
import { type EdgeSession, endWithEngine, openingOnce, settingsOf, type Warn } from "./world";

/** The engine gives its address to each provider process as an argument. A test that loads this file has none. */
const [, script = "", argument] = process.argv;

const ENGINE_ADDRESS = /[\\/]cmd[\\/]dynamic-provider\b/.test(script) ? argument : undefined;

const ENGINE = { address: ENGINE_ADDRESS, hasMarkingProgram: ENGINE_ADDRESS !== undefined };

/** The engine keeps lines of standard error among the diagnostics. */
const warn: Warn = (text) => void process.stderr.write(`warning: ${text}\n`);

/** A lifecycle as the SDK's provider process calls it. */
export function dynamicHandler<Inputs extends HiddenInputs, State extends HiddenInputs>(
  lifecycle: Lifecycle<Inputs, State>,
): dynamic.ResourceProvider {
  const configured = (config?: dynamic.ConfigureRequest["config"]) =>
    handlerFor(
      lifecycle,
      openingOnce(() => settingsOf((key) => config?.get(`${NAMESPACE}:${key}`)), ENGINE, warn),
    );
  let handler = configured();

  return {
    // It does its work at once and never throws, because the SDK's process uses the provider before it awaits the promise.
    configure: ({ config }: dynamic.ConfigureRequest) => {
      endWithEngine(ENGINE_ADDRESS);
      handler = configured(config);
      return Promise.resolve();
    },

    async check(olds: Props, news: Props) {
      const checked = refusing(() => handler.check(olds, news));
      return "reasons" in checked
        ? checkFailures(news, checked.reasons)
        : { inputs: { ...placeholders(news), ...checked.inputs } };
    },

    async diff(id: string, olds: Props, news: Props) {
      return handler.diff(id, olds, news);
    },

    async create(inputs: Props) {
      const { id, state } = await withProperties(inputs, () => handler.create(inputs));
      return { id, outs: { ...state } };
    },

    async update(id: string, olds: Props, news: Props) {
      return { outs: { ...(await withProperties(news, () => handler.update(id, olds, news))) } };
    },

    // The state is handed back as it is, and never the inputs.
    async read(id: string, props: Props) {
      handler.read();
      return { id, props };
    },

    delete: (id: string, props: Props) => handler.delete(id, props),
  };
}

/** The secret placeholders of outputs arrive as null. They have to stay among the inputs, because the engine marks outputs as secret by the names of inputs. */
const placeholders = (props: Props): Props =>
  Object.fromEntries(Object.entries(props).filter(([, value]) => value === null));

/** The settings may be refused. The SDK's process would print an error of check, and the engine would print it once more. */
function refusing<T>(check: () => T): T | { readonly reasons: string[] } {
  try {
    return check();
  } catch (error) {
    if (error instanceof ResourceError) {
      return { reasons: [error.message] };
    }
    throw error;
  }
}

/** Without a property: with one the engine prints the property's value, which may be secret. */
const checkFailures = (news: Props, reasons: readonly string[]) => ({
  inputs: news,
  failures: reasons.map((reason) => ({ property: "", reason })),
});

/** The engine saves the resource of an error that has id, properties and reasons. A delete of that resource needs its `__provider`. */
const withProperties = <T>(inputs: Props, call: () => Promise<T>): Promise<T> =>
  changingSaved(call, (error) => {
    const properties = { ...error.state, [PROVIDER]: inputs[PROVIDER] };
    return Object.assign(error, { properties, reasons: [error.message] });
  });

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
        const who = resourceLabel(kind, news);
        return { reasons: checked.failures.map((failure) => render({ ...failure, who: failure.who ?? who })) };
      }
      if (isFirst(olds) && isOfNumbers(kind)) {
        session.run.of(urn).isAwaited = true;
        if (replaced === undefined && !isLoopbackHost(new URL(session.settings.baseUrl).hostname)) {
          session.warn(firstAssignment());
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
      const who = resourceLabel(kind, wanted);
      refuseViolations(who, plan.violations, session);
      for (const reason of plan.reasons) {
        session.warn(reasonMessage(who, reason));
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
      open().warn(refreshReadsNothing(kind));
    },

    async delete(id: string, saved: Props): Promise<void> {
      const session = open();
      await waitForProgramMark(session);
      const state = stateOf(saved, id);
      const who = resourceLabel(kind, state);
      const urn = urnOf(kind, state);
      if (session.marks.isCheckedElsewhere()) {
        throw new ResourceError(checkedElsewhere(who, urn));
      }
      if (isOfNumbers(kind) && session.run.isMidway()) {
        throw new ResourceError(deletedFirst(who));
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
): { readonly inputs: object } | { readonly failures: Message[] } {
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
    const failure = secretRefused(resourceLabel(lifecycle.kind, { [URN]: known }), secret);
    return { failures: [failure] };
  }
  const refused = refusals(resourceLabel(lifecycle.kind, inputs), violations, session);
  const twice = taken === undefined ? [] : [declaredTwice(taken, urn)];
  const failures = [...checked.failures, ...twice, ...refused];
  return failures.length > 0 ? { failures } : { inputs };
}

/** @param taken the entry of the resource that has declared one of its numbers before */
function declaredTwice(taken: Declared, urn: string): Message {
  const resources = [labelOfUrn(taken.owner), labelOfUrn(urn)] as const;
  return declaredTwiceMessage(taken.number, resources);
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
