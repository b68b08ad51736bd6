import type { dynamic } from "@pulumi/pulumi";
import { secretsRefused } from "../base/arguments";
import { containsUnknown, type HiddenInputs, PREVIEW, URN } from "../base/engine";
import { memoizeByObject } from "../base/json";
import { NAMESPACE } from "../config/keys";
import { isOfNumbers, PROVIDER } from "../config/kinds";
import { isLoopbackHost } from "../config/settings";
import type { Declared } from "../run/ledger";
import { invalid, notInAbort, reasonMessage } from "../run/messages";
import type { Reason } from "../run/plan";
import { type Lifecycle, type Props, refusedOrWarned, refuseViolations } from "../run/resource";
import type { Declares, KnownResource, Run } from "../run/run";
import { labelOfUrn, type Message, ResourceError, render, resourceLabel, SavedError } from "../words/message";
import {
  checkedElsewhere,
  declaredTwice,
  deletedFirst,
  firstAssignment,
  refreshReadsNothing,
  secretRefused,
} from "./messages";
import { endWithEngine, openRun } from "./world";

/**
 * Turns a `Lifecycle`, which handles one kind of resource, into a provider with the methods that the SDK's provider
 * process calls.
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
    // `configure` must do all its work synchronously and must not throw, because the SDK's process uses the provider
    // even if `configure` is pending or has failed.
    configure({ config }: dynamic.ConfigureRequest) {
      endWithEngine();
      setting = (key) => config.get(`${NAMESPACE}:${key}`);
      return Promise.resolve();
    },

    /** Failure messages never show the value of an argument that may be secret. */
    async check(olds: Props, news: Props): Promise<{ inputs: Props; failures?: dynamic.CheckFailure[] }> {
      // Report a failure without the name of its property, because the engine would also print the property's value,
      // which may be secret.
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
        // Keep the inputs that are null, because there is one for each secret output. The engine marks an output as
        // secret if the input of that name is secret.
        const placeholders = Object.entries(news).filter(([, value]) => value === null);
        return { inputs: { ...Object.fromEntries(placeholders), ...inputs } as Props };
      } catch (error) {
        // Return our own errors, such as one about invalid settings, as check failures. A thrown error would be printed
        // twice: by the SDK's process and by the engine.
        if (error instanceof ResourceError) {
          return refused([error.message]);
        }
        throw error;
      }
    },

    /**
     * Plans a change. The engine is asked to create a replacement before it deletes the original, so that the delete
     * knows which numbers the run has assigned.
     */
    async diff(id: string, olds: Props, news: Props) {
      const run = open(setting);
      const state = stateOf(olds, id);
      // In a preview, unknown values count as changed, so that the preview shows a possible replacement. In an `up`,
      // use the saved values instead (see `unknownsAsSaved`).
      const wanted = (run.hasUnknownInputs ? withoutNulls(news) : unknownsAsSaved(withoutNulls(news), state)) as Inputs;
      const plan = lifecycle.diff(id, state, wanted, run.settings);
      const label = resourceLabel(kind, wanted);
      const urn = urnOf(kind, wanted);
      // In a refresh, the engine calls diff without check. Nothing is sent, so the guards must not refuse the state.
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
      // Undefined for a new resource, and for a replacement that only `--replace` asked for. A group that is replaced
      // that way gets a new ID.
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

    /**
     * Returns the saved state, because the API has no read endpoint. Returns no inputs, because they would replace the
     * saved ones in later diffs.
     */
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

/** Returns a warning for each reason. Only a preview announces a POST (`posts`): `pulumi up` prints its result. */
const reasonWarnings = (reasons: readonly Reason[], label: string, { isPreview }: Run): Message[] =>
  reasons.filter(({ why }) => why !== "posts" || isPreview).map((reason) => reasonMessage(label, reason));

/**
 * Returns the resource's URN. `pulumi import` runs no program and passes no URN, so the resource's kind and numbers
 * take its place.
 */
const urnOf = (kind: string, { [URN]: urn, ...args }: Props | HiddenInputs): string =>
  typeof urn === "string" ? urn : `${kind} ${String(Reflect.get(args, "number") ?? Reflect.get(args, "numbers"))}`;

/** The outcome of a check. `noteCheck` records `declares` and `isAwaited` in the run. */
interface CheckDecision {
  readonly inputs: object;
  readonly failures: readonly Message[];
  readonly warnings: readonly Message[];
  /** Set even if the check fails, because deletes must not clear declared numbers or end an adopted chat. */
  readonly declares?: Declares;
  /** Whether deletes of number resources are refused until this resource's create starts (see `isMidRun`). */
  readonly isAwaited: boolean;
}

/** Decides the result of a check. Only reads `run`; `noteCheck` then records the decision there. */
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
    // Refuse a voice or chat without a URN. Without URNs, the run can't tell two chats apart, and can't refuse to
    // repeat a POST whose outcome is unknown.
    return refused([{ ...invalid({ path: URN, rule: "is missing. A transform must keep it" }), label: kind }]);
  }
  // Without a saved state, the resource is new or a replacement.
  const isFirst = Object.keys(olds).length === 0;
  const original = run.originalOf(urn);
  if (isFirst && original !== undefined) {
    // Create the replacement with the inputs that diff accepted. The engine checks a replacement again after diff, now
    // with arguments that `ignoreChanges` hid from diff, and no guard has judged those. The first check recorded what
    // the resource declares.
    return { inputs: original.news, failures: [], warnings: [], isAwaited: true };
  }
  // With `ignoreChanges: ["*"]`, check receives all saved properties, so drop `endpoint`, which isn't an argument.
  const { endpoint: _, ...args } = withoutNulls(news);
  const checked = check(isFirst ? undefined : withoutNulls(olds), args, settings);
  const secret = secretsRefused(schema, news.secretArguments);
  if (secret.length > 0) {
    // Return only the failure about secret arguments, because any other message could show a secret value.
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

/**
 * Refuses a number that another resource has already declared in this run. `abort --up` allows it, because both
 * resources assign the stable split.
 */
const refuseTwice = ({ settings }: Run, urn: string, taken: Declared | undefined): Message[] =>
  taken === undefined || settings.aborts !== undefined
    ? []
    : [declaredTwice(taken.number, [labelOfUrn(taken.owner), labelOfUrn(urn)])];

/**
 * Waits briefly before the first delete of a run. On a busy machine, the engine may call that delete before the
 * program's process has marked the run as failed.
 */
const waitForProgramMark = memoizeByObject(async ({ world }: Run) => {
  if (world.marks.isProgramWatched) {
    await world.clock.delay(250);
  }
});

/**
 * Runs a create or an update. Records a failure, so that later deletes in this run send nothing. Adds to a SavedError
 * the fields that the engine needs to save the resource.
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
 * Replaces each unknown value with the saved one. In an `up`, a value is unknown if it comes from a resource that the
 * engine replaces with `deleteBeforeReplace`. If such a value counted as changed, a chat's SMS might needlessly be sent
 * again.
 */
const unknownsAsSaved = (news: Props, olds: object): Props =>
  Object.fromEntries(
    Object.entries(news).map(([key, value]) => [key, containsUnknown(value) ? Reflect.get(olds, key) : value]),
  );

/**
 * Removes nulls, which stand for absent properties. Also removes `__provider` and `__preview`, which the resource
 * classes add and which no lifecycle reads.
 */
const withoutNulls = (props: object): Props =>
  Object.fromEntries(
    Object.entries(props).filter(([key, value]) => key !== PROVIDER && key !== PREVIEW && value !== null),
  );
