import type { dynamic } from "@pulumi/pulumi";
import { secretsRefused } from "../base/arguments";
import { type HiddenInputs, holdsUnknown, PREVIEW, URN } from "../base/engine";
import { onceForEach } from "../base/json";
import { NAMESPACE } from "../config/keys";
import { isOfNumbers, PROVIDER } from "../config/kinds";
import { isLoopbackHost } from "../config/settings";
import type { Declared } from "../run/ledger";
import {
  checkedElsewhere,
  declaredTwice,
  deletedFirst,
  firstAssignment,
  invalid,
  notInAbort,
  reasonMessage,
  refreshReadsNothing,
  secretRefused,
} from "../run/messages";
import type { Reason } from "../run/plan";
import { type Lifecycle, type Props, refusedOrWarned, refuseViolations } from "../run/resource";
import type { Known, Run } from "../run/run";
import { labelOfUrn, type Message, ResourceError, render, resourceLabel, SavedError } from "../words/message";
import { endWithEngine, openRun } from "./world";

/**
 * A lifecycle as the SDK's provider process calls it. Properties are as the engine has them, with the URN of their resource among them.
 * @param open the run that the calls belong to, by its settings; a test has its own
 */
export function dynamicProvider<Inputs extends HiddenInputs, State extends HiddenInputs>(
  lifecycle: Lifecycle<Inputs, State>,
  open: typeof openRun = openRun,
) {
  const { kind } = lifecycle;
  const stateOf = (saved: Props, id: string) => lifecycle.readState(withoutNulls(saved), id);
  let setting = (_key: string): unknown => undefined;

  return {
    // It does its work at once and never throws, because the SDK's process uses the provider before it awaits the promise.
    configure({ config }: dynamic.ConfigureRequest) {
      endWithEngine();
      setting = (key) => config.get(`${NAMESPACE}:${key}`);
      return Promise.resolve();
    },

    /** Reasons hold no values of arguments that may be secret. */
    async check(olds: Props, news: Props): Promise<{ inputs: Props; failures?: dynamic.CheckFailure[] }> {
      // Without a property: with one the engine prints the property's value, which may be secret.
      const refused = (reasons: readonly string[]) => ({
        inputs: news,
        failures: reasons.map((reason) => ({ property: "", reason })),
      });
      try {
        const run = open(setting);
        if (news[PREVIEW] === true) {
          run.notePreview();
        }
        const { inputs, failures } = checkAndNote(lifecycle, run, olds, news);
        if (failures.length > 0) {
          run.noteFailed();
          const who = resourceLabel(kind, news);
          return refused(failures.map((failure) => render({ ...failure, label: failure.label ?? who })));
        }
        // The secret placeholders of outputs arrive as null. They have to stay among the inputs, because the engine marks outputs as secret by
        // the names of inputs.
        const placeholders = Object.entries(news).filter(([, value]) => value === null);
        return { inputs: { ...Object.fromEntries(placeholders), ...inputs } as Props };
      } catch (error) {
        // The settings may be refused. The SDK's process would print an error of check, and the engine would print it once more.
        if (error instanceof ResourceError) {
          return refused([error.message]);
        }
        throw error;
      }
    },

    /** A replacement is created before its original is deleted, because a delete clears, and it must know what the run has sent. */
    async diff(id: string, olds: Props, news: Props) {
      const run = open(setting);
      const state = stateOf(olds, id);
      // In a preview an unknown value stays unknown, so that the preview shows a replacement. In an `up` only `deleteBeforeReplace` brings one.
      const wanted = (run.hasMetUnknown ? withoutNulls(news) : unknownsAsSaved(withoutNulls(news), state)) as Inputs;
      const plan = lifecycle.diff(id, state, wanted, run.settings);
      const who = resourceLabel(kind, wanted);
      const urn = urnOf(kind, wanted);
      // A refresh asks without a check, and sends nothing: no guard judges what is saved.
      if (run.isDeclared(urn)) {
        refuseViolations(who, plan.violations, run);
      }
      warnOf(plan.reasons, who, run);
      run.noteDiff(urn, { id, olds: state, news: wanted }, plan);
      return { changes: plan.changes, replaces: [...plan.replaces], deleteBeforeReplace: false };
    },

    async create(inputs: Props) {
      const run = open(setting);
      const wanted = withoutNulls(inputs) as Inputs;
      const urn = urnOf(kind, wanted);
      run.noteCreating(urn);
      // If diff asked for no replacement, there is no original: the resource is new, or the operator has forced its replacement with `--replace`.
      // Such a replacement gets an id of its own.
      const original = run.originalOf(urn) as Known<State> | undefined;
      const { id, state } = await sending(run, inputs, () => lifecycle.create(wanted, run, original));
      run.noteCreated(urn, { id, olds: original?.olds, news: wanted });
      return { id, outs: { ...state } as Props };
    },

    async update(id: string, olds: Props, news: Props) {
      const run = open(setting);
      const wanted = withoutNulls(news) as Inputs;
      const state = await sending(run, news, () => lifecycle.update(id, stateOf(olds, id), wanted, run));
      return { outs: { ...state } as Props };
    },

    /** There is no read endpoint. The state is handed back as it is, and never the inputs. */
    async read(id: string, props: Props) {
      open(setting).warn(refreshReadsNothing(kind));
      return { id, props };
    },

    async delete(id: string, saved: Props): Promise<void> {
      const run = open(setting);
      await waitForProgramMark(run);
      const state = stateOf(saved, id);
      const who = resourceLabel(kind, state);
      if (run.settings.aborts !== undefined) {
        throw new ResourceError(notInAbort(who, "delete"));
      }
      if (run.world.marks.isCheckedElsewhere()) {
        throw new ResourceError(checkedElsewhere(who));
      }
      if (isOfNumbers(kind) && run.isMidway()) {
        throw new ResourceError(deletedFirst(who));
      }
      await lifecycle.delete(id, state, run);
    },
  };
}

/** An `up` prints its own results. */
function warnOf(reasons: readonly Reason[], who: string, run: Run): void {
  for (const reason of reasons) {
    if (reason.why !== "posts" || run.isPreview) {
      run.warn(reasonMessage(who, reason));
    }
  }
}

/** The URN. `pulumi import` asks about numbers without one: the kind and the numbers take its place. */
const urnOf = (kind: string, { [URN]: urn, ...args }: Props | HiddenInputs): string =>
  typeof urn === "string" ? urn : `${kind} ${String(Reflect.get(args, "number") ?? Reflect.get(args, "numbers"))}`;

/** The check of a resource. It notes what the resource declares, and that its create is to come. */
function checkAndNote<Inputs extends HiddenInputs, State extends HiddenInputs>(
  lifecycle: Lifecycle<Inputs, State>,
  run: Run,
  olds: Props,
  news: Props,
): { readonly inputs: object; readonly failures: Message[] } {
  const { kind } = lifecycle;
  const urn = urnOf(kind, news);
  if (!isOfNumbers(kind) && news[URN] === undefined) {
    // Two chats without it would be one to this run, and a POST of unknown outcome would hide another one.
    return {
      inputs: news,
      failures: [{ ...invalid({ path: URN, rule: "is missing. A transform must keep it" }), label: kind }],
    };
  }
  // Without olds the resource is new, or it replaces another one.
  const isFirst = Object.keys(olds).length === 0;
  const original = run.originalOf(urn);
  if (isFirst && original !== undefined) {
    // The engine checks a replacement again, with the program's arguments. They include what `ignoreChanges` kept away from diff, so no guard
    // has judged them. The replacement gets the inputs that diff judged.
    run.noteAwaited(urn);
    return { inputs: original.news, failures: [] };
  }
  // With `ignoreChanges: ["*"]` check gets the saved inputs, and the endpoint among them is no argument.
  const { endpoint: _, ...args } = withoutNulls(news);
  const checked = lifecycle.check(isFirst ? undefined : withoutNulls(olds), args, run.settings);
  if (!run.isDeclaring()) {
    run.world.marks.markChecking();
  }
  // The numbers of a resource count as declared even if the resource is not valid, or if a guard refuses it.
  const taken = run.noteDeclared(urn, checked);
  if (holdsUnknown(news)) {
    run.noteUnknown();
  }
  const secret = secretsRefused(lifecycle.schema, news.secretArguments);
  if (secret.length > 0) {
    // Every other message might show what is secret.
    return { inputs: news, failures: [secretRefused(labelOfUrn(urn), secret)] };
  }
  const failures = [
    ...checked.failures,
    ...refuseTwice(run, urn, taken),
    ...refusedOrWarned(resourceLabel(kind, checked.inputs), checked.violations, run),
  ];
  if (failures.length === 0 && isFirst && isOfNumbers(kind)) {
    run.noteAwaited(urn);
    if (!isLoopbackHost(new URL(run.settings.baseUrl).hostname)) {
      run.warn(firstAssignment());
    }
  }
  if (failures.length === 0) {
    warnOf(checked.reasons ?? [], resourceLabel(kind, checked.inputs), run);
  }
  return { inputs: checked.inputs, failures };
}

/** An abort gives a number the same split twice if the saved state has it twice. */
const refuseTwice = ({ settings }: Run, urn: string, taken: Declared | undefined): Message[] =>
  taken === undefined || settings.aborts !== undefined
    ? []
    : [declaredTwice(taken.number, [labelOfUrn(taken.owner), labelOfUrn(urn)])];

/**
 * The process of a program marks a failure when Node tells it of one. On a busy machine that may be a moment after the program has signalled its
 * end, and so after the engine's first delete. So the first delete of a run waits that moment.
 */
const waitForProgramMark = onceForEach(async ({ world }: Run) => {
  if (world.marks.isProgramWatched) {
    await world.clock.delay(250);
  }
});

/**
 * Carries out a call that sends. If something failed, no delete of this run sends anything. The engine saves the resource of an error that has
 * id, properties and reasons, and a delete of that resource needs its `__provider`.
 */
async function sending<T>(run: Run, inputs: Props, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    run.noteFailed();
    if (error instanceof SavedError) {
      const properties = { ...error.state, [PROVIDER]: inputs[PROVIDER] };
      throw Object.assign(error, { properties, reasons: [error.message] });
    }
    throw error;
  }
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

/** Without nulls, because null means "left out", and without what the class adds for the provider's process alone. */
const withoutNulls = (props: object): Props =>
  Object.fromEntries(
    Object.entries(props).filter(([key, value]) => key !== PROVIDER && key !== PREVIEW && value !== null),
  );
