import type { dynamic } from "@pulumi/pulumi";
import { secretsRefused } from "../base/arguments";
import { containsUnknown, type HiddenInputs, PREVIEW, URN } from "../base/engine";
import { memoizeByObject } from "../base/json";
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
import type { Declares, KnownResource, Run } from "../run/run";
import { labelOfUrn, type Message, ResourceError, render, resourceLabel, SavedError } from "../words/message";
import { endWithEngine, openRun } from "./world";

/**
 * Adapts a lifecycle to the methods that the SDK's provider process calls. Properties are passed as the engine sends
 * them, including the resource's URN.
 * @param open returns the run that the calls belong to; tests pass their own
 */
export function dynamicProvider<Inputs extends HiddenInputs, State extends HiddenInputs>(
  lifecycle: Lifecycle<Inputs, State>,
  open: typeof openRun = openRun,
) {
  const { kind } = lifecycle;
  const stateOf = (saved: Props, id: string) => lifecycle.readState(withoutNulls(saved), id);
  let setting = (_key: string): unknown => undefined;

  return {
    // Must be synchronous and never throw, because the SDK's process uses the provider before it awaits the promise.
    configure({ config }: dynamic.ConfigureRequest) {
      endWithEngine();
      setting = (key) => config.get(`${NAMESPACE}:${key}`);
      return Promise.resolve();
    },

    /** Failure messages never show the value of an argument that may be secret. */
    async check(olds: Props, news: Props): Promise<{ inputs: Props; failures?: dynamic.CheckFailure[] }> {
      // Don't name the property, because the engine would print its value, which may be secret.
      const refused = (reasons: readonly string[]) => ({
        inputs: news,
        failures: reasons.map((reason) => ({ property: "", reason })),
      });
      try {
        const run = open(setting);
        if (news[PREVIEW] === true) {
          run.notePreview();
        }
        const urn = urnOf(kind, news);
        const decision = decideCheck(lifecycle, run, urn, olds, news);
        noteCheck(run, urn, news, decision);
        warnAll(run, decision.warnings);
        const { inputs, failures } = decision;
        if (failures.length > 0) {
          const label = resourceLabel(kind, news);
          return refused(failures.map((failure) => render({ ...failure, label: failure.label ?? label })));
        }
        // The placeholders of secret outputs arrive as null. Keep them among the inputs, because the engine marks an
        // output as secret if an input of the same name is secret.
        const placeholders = Object.entries(news).filter(([, value]) => value === null);
        return { inputs: { ...Object.fromEntries(placeholders), ...inputs } as Props };
      } catch (error) {
        // Thrown if the settings are invalid. Return it as a failure, because the SDK's process and the engine would
        // each print a thrown error.
        if (error instanceof ResourceError) {
          return refused([error.message]);
        }
        throw error;
      }
    },

    /**
     * Plans a change. A replacement is created before its original is deleted, so that the delete knows which numbers
     * the run has assigned.
     */
    async diff(id: string, olds: Props, news: Props) {
      const run = open(setting);
      const state = stateOf(olds, id);
      // Keep unknown values in a preview, so that the preview shows a replacement. In an `up` they only occur with
      // `deleteBeforeReplace`.
      const wanted = (run.hasUnknownInputs ? withoutNulls(news) : unknownsAsSaved(withoutNulls(news), state)) as Inputs;
      const plan = lifecycle.diff(id, state, wanted, run.settings);
      const label = resourceLabel(kind, wanted);
      const urn = urnOf(kind, wanted);
      // A refresh asks for a diff without a check and sends nothing, so don't apply the guards to the saved state.
      if (run.isDeclared(urn)) {
        refuseViolations(label, plan.violations, run);
      }
      warnAll(run, reasonWarnings(plan.reasons, label, run));
      run.noteDiff(urn, { id, olds: state, news: wanted }, plan);
      return { changes: plan.changes, replaces: [...plan.replaces], deleteBeforeReplace: false };
    },

    async create(inputs: Props) {
      const run = open(setting);
      const wanted = withoutNulls(inputs) as Inputs;
      const urn = urnOf(kind, wanted);
      run.noteCreating(urn);
      // Undefined if the resource is new, or if the operator forced a replacement with `--replace`, in which case a
      // group gets a new ID.
      const original = run.originalOf(urn) as KnownResource<State> | undefined;
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

    /** There is no read endpoint, so return the state unchanged, and never the inputs. */
    async read(id: string, props: Props) {
      open(setting).warn(refreshReadsNothing(kind));
      return { id, props };
    },

    async delete(id: string, saved: Props): Promise<void> {
      const run = open(setting);
      await waitForProgramMark(run);
      const state = stateOf(saved, id);
      const label = resourceLabel(kind, state);
      if (run.settings.aborts !== undefined) {
        throw new ResourceError(notInAbort(label, "delete"));
      }
      if (run.world.marks.isCheckedElsewhere()) {
        throw new ResourceError(checkedElsewhere(label));
      }
      if (isOfNumbers(kind) && run.isMidRun()) {
        throw new ResourceError(deletedFirst(label));
      }
      await lifecycle.delete(id, state, run);
    },
  };
}

function warnAll(run: Run, warnings: readonly Message[]): void {
  for (const warning of warnings) {
    run.warn(warning);
  }
}

/** Drops the announcement of a POST unless this is a preview, because `pulumi up` prints the result instead. */
const reasonWarnings = (reasons: readonly Reason[], label: string, { isPreview }: Run): Message[] =>
  reasons.filter(({ why }) => why !== "posts" || isPreview).map((reason) => reasonMessage(label, reason));

/** Returns the resource's URN. `pulumi import` doesn't send one, so its kind and numbers are returned instead. */
const urnOf = (kind: string, { [URN]: urn, ...args }: Props | HiddenInputs): string =>
  typeof urn === "string" ? urn : `${kind} ${String(Reflect.get(args, "number") ?? Reflect.get(args, "numbers"))}`;

/** The result of a check, with the warnings to print and the facts that the run remembers. */
interface CheckDecision {
  readonly inputs: object;
  readonly failures: readonly Message[];
  readonly warnings: readonly Message[];
  /**
   * The numbers and the chat that the resource declares, even if its arguments are invalid or a guard refuses it.
   * Undefined if this check declares nothing new.
   */
  readonly declares?: Declares;
  /** Whether the engine creates the resource, or its replacement, after this check. */
  readonly isAwaited: boolean;
}

/** Decides the result of a check. Reads the run but doesn't change it. */
function decideCheck<Inputs extends HiddenInputs, State extends HiddenInputs>(
  { kind, schema, check }: Lifecycle<Inputs, State>,
  run: Run,
  urn: string,
  olds: Props,
  news: Props,
): CheckDecision {
  const { settings } = run;
  const refused = (failures: readonly Message[]) => ({ inputs: news, failures, warnings: [], isAwaited: false });
  if (!isOfNumbers(kind) && news[URN] === undefined) {
    // Without URNs, the run couldn't tell two chats apart, and a POST with an unknown outcome could hide another POST.
    return refused([{ ...invalid({ path: URN, rule: "is missing. A transform must keep it" }), label: kind }]);
  }
  // Without a saved state, the resource is new or a replacement.
  const isFirst = Object.keys(olds).length === 0;
  const original = run.originalOf(urn);
  if (isFirst && original !== undefined) {
    // The engine checks a replacement again, this time with the program's own arguments, even those that
    // `ignoreChanges` hid from diff. No guard has checked those, so create the replacement with the inputs that diff
    // accepted.
    return { inputs: original.news, failures: [], warnings: [], isAwaited: true };
  }
  // With `ignoreChanges: ["*"]`, check receives all saved properties, so drop `endpoint`, which isn't an argument.
  const { endpoint: _, ...args } = withoutNulls(news);
  const checked = check(isFirst ? undefined : withoutNulls(olds), args, settings);
  const secret = secretsRefused(schema, news.secretArguments);
  if (secret.length > 0) {
    // Return only this failure, because any other message could show a secret value.
    return { ...refused([secretRefused(labelOfUrn(urn), secret)]), declares: checked };
  }
  const label = resourceLabel(kind, checked.inputs);
  const guarded = refusedOrWarned(label, checked.violations, settings);
  const taken = run.declaredElsewhere(urn, checked);
  const failures = [...checked.failures, ...refuseTwice(run, urn, taken), ...guarded.failures];
  if (failures.length > 0) {
    return { inputs: checked.inputs, failures, warnings: guarded.warnings, declares: checked, isAwaited: false };
  }
  const isAwaited = isFirst && isOfNumbers(kind);
  const overwrites = isAwaited && !isLoopbackHost(new URL(settings.baseUrl).hostname);
  const warnings = [
    ...guarded.warnings,
    ...(overwrites ? [firstAssignment()] : []),
    ...reasonWarnings(checked.reasons ?? [], label, run),
  ];
  return { inputs: checked.inputs, failures, warnings, declares: checked, isAwaited };
}

function noteCheck(run: Run, urn: string, news: Props, { declares, failures, isAwaited }: CheckDecision): void {
  if (declares !== undefined) {
    if (!run.isDeclaring()) {
      run.world.marks.markChecking();
    }
    run.noteDeclared(urn, declares);
    if (containsUnknown(news)) {
      run.noteUnknownInputs();
    }
  }
  if (failures.length > 0) {
    run.noteFailed();
  }
  if (isAwaited) {
    run.noteCreatePending(urn);
  }
}

/** In an abort, two resources may declare the same number, because both assign the stable split. */
const refuseTwice = ({ settings }: Run, urn: string, taken: Declared | undefined): Message[] =>
  taken === undefined || settings.aborts !== undefined
    ? []
    : [declaredTwice(taken.number, [labelOfUrn(taken.owner), labelOfUrn(urn)])];

/**
 * Waits briefly before the first delete of a run. The program's process marks a failure when Node reports it, which on
 * a busy machine may be after the engine's first delete.
 */
const waitForProgramMark = memoizeByObject(async ({ world }: Run) => {
  if (world.marks.isProgramWatched) {
    await world.clock.delay(250);
  }
});

/**
 * Runs a call that sends requests. If the call fails, later deletes in this run send nothing. The engine saves the
 * resource if the error carries an ID, properties and reasons. The properties must include `__provider`, because the
 * resource's delete needs it.
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
 * Replaces unknown values with the saved ones. When the engine replaces a resource with `deleteBeforeReplace`, it also
 * diffs the resources that depend on it, while their values are still unknown. If such a diff asked for a replacement,
 * a chat would be ended and its SMS sent again, even if the value turned out to be unchanged.
 */
const unknownsAsSaved = (news: Props, olds: object): Props =>
  Object.fromEntries(
    Object.entries(news).map(([key, value]) => [key, containsUnknown(value) ? Reflect.get(olds, key) : value]),
  );

/**
 * Removes nulls, which stand for absent properties, and the properties that the resource classes add for the provider
 * process.
 */
const withoutNulls = (props: object): Props =>
  Object.fromEntries(
    Object.entries(props).filter(([key, value]) => key !== PROVIDER && key !== PREVIEW && value !== null),
  );
