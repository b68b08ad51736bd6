import { providerText } from "../../provider/config/kinds";
import { type Kind, type Properties, ProviderError, resourceKindOf, urnOf } from "./providerCalls";
import type { Providers } from "./providers";

/**
 * Simulates the Pulumi engine in the test's process, with the same order of calls and the same pitfalls.
 * test/lives/realEngine.long.spec.ts compares it with the real one.
 */

export interface Declaration {
  readonly name: string;
  readonly kind: Kind;
  /** The arguments that the program sets. */
  readonly args: Properties;
  /** The resource's former names. */
  readonly aliases?: readonly string[];
  readonly ignoreChanges?: readonly string[];
  /** Whether one of the arguments is an output that fails, so that the SDK never registers the resource. */
  readonly isRejected?: boolean;
}

export interface Saved {
  readonly name: string;
  readonly kind: Kind;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  readonly initErrors: readonly string[];
  /** Set if this resource was replaced and still has to be deleted. */
  readonly delete?: true;
}

export type Op = "create" | "update" | "same" | "createReplacement" | "deleteReplaced" | "delete" | "read";

export interface Step {
  readonly op: Op;
  readonly name: string;
}

/** An error that the engine prints for a resource. The engine adds the resource's name. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  /** The gRPC status of the failed call. 14 means that the provider's process was gone. */
  readonly code: number | undefined;
}

export interface Run {
  readonly steps: readonly Step[];
  readonly failures: readonly Failure[];
  /** The warnings that the provider printed. */
  readonly said: string;
  readonly isOk: boolean;
}

export interface RunOptions {
  readonly config: Properties;
  readonly continueOnError?: boolean;
  /** Called before and after the result of a step is saved. Throw `CliKilled` to simulate a kill at that moment. */
  readonly atSave?: (step: Step, moment: "before" | "after") => void;
  /**
   * Whether the program declares each resource without waiting for earlier ones, and all deletes run at the same time.
   * @default false
   */
  readonly isParallel?: boolean;
  /** Called when the program has ended, while creates and updates may still be in progress. */
  readonly programEnded?: () => void | Promise<void>;
  /**
   * Whether the program runs inline, through the Automation API. Even if one of its outputs fails, the engine continues
   * with the deletes.
   * @default false
   */
  readonly isInline?: boolean;
}

/**
 * Thrown by `atSave` to kill the CLI. The results of calls that are still in progress are lost. `failures` lists the
 * errors that the CLI had already printed.
 */
export class CliKilled extends Error {
  override readonly name = "CliKilled";
  readonly failures: readonly Failure[];
  constructor(failures: readonly Failure[] = []) {
    super("the CLI was killed");
    this.failures = failures;
  }
}

export type MiniEngine = ReturnType<typeof createMiniEngine>;

interface Context {
  readonly options: RunOptions;
  readonly isPreview: boolean;
  readonly steps: Step[];
  readonly failures: Failure[];
  isKilled: boolean;
}

/** The data that the engine keeps between runs. */
export interface Kept {
  readonly state: readonly Saved[];
  /**
   * The config of the last `up` whose program used the provider. If a run doesn't declare resources, as in a destroy,
   * the provider gets this config instead of the current one.
   */
  readonly given: Properties | undefined;
}

/**
 * A function that carries out a resource's step and returns whether it succeeded. Or "refused" if check or diff failed,
 * which ends the run even with `--continue-on-error`.
 */
type Decided = "refused" | (() => Promise<boolean>);

export function createMiniEngine(providers: Providers, kept: Kept = { state: [], given: undefined }) {
  /** Resources from earlier runs that this run has not saved again yet. */
  let earlier = kept.state;
  /** Resources that this run has saved. They come first in the state, so the next run deletes in a different order. */
  let current: readonly Saved[] = [];
  /**
   * The new name of each original that this run has replaced. It differs from the old name if an alias renamed the
   * resource.
   */
  const replacementNames = new Map<string, string>();
  let { given: lastConfig } = kept;

  const state = (): readonly Saved[] => [...current, ...earlier];

  /**
   * Returns the state as the engine saves it. An original that waits for its delete is listed under its replacement's
   * name, but this run still uses its old name.
   */
  const written = (): readonly Saved[] =>
    state().map((saved) =>
      saved.delete ? { ...saved, name: replacementNames.get(keyOf(saved)) ?? saved.name } : saved,
    );

  /**
   * Saves a resource in place of its old entry. If `old` is undefined, the resource is new. If `next` is undefined, it
   * is removed.
   */
  function save(old: Saved | undefined, next: Saved | undefined): void {
    current = current.filter((saved) => saved !== old);
    earlier = earlier.filter((saved) => saved !== old);
    current = next === undefined ? current : [...current, next];
  }

  /** Changes a resource's entry without moving it in the state. */
  function saveInPlace(old: Saved, next: Saved): void {
    const changed = (entries: readonly Saved[]) => entries.map((saved) => (saved === old ? next : saved));
    current = changed(current);
    earlier = changed(earlier);
  }

  /**
   * Runs one step and returns whether it succeeded. If it fails, records the failure. If the provider returned a
   * partial state with the error, passes that state to `keep`.
   * @param call calls the provider and returns a function that saves the result
   */
  async function attempt(
    context: Context,
    step: Step,
    call: () => Promise<() => void>,
    keep: (failed: { id: string; properties: Properties; reasons: readonly string[] }) => void = () => {},
  ): Promise<boolean> {
    context.steps.push(step);
    if (context.isPreview) {
      return true;
    }
    try {
      const save = await call();
      atSave(context, step, "before");
      save();
      atSave(context, step, "after");
      return true;
    } catch (error) {
      if (!(error instanceof ProviderError)) {
        throw error;
      }
      const { initFailed, code } = error;
      if (initFailed !== undefined) {
        atSave(context, step, "before");
        keep(initFailed);
      }
      const message = initFailed === undefined ? error.message : initFailed.reasons.join("\n");
      context.failures.push({ name: step.name, message, code });
      return false;
    }
  }

  /**
   * Calls check and diff for a resource, and decides what to do with it. The engine does this for one resource at a
   * time, in declaration order.
   */
  async function decide(declaration: Declaration, context: Context): Promise<Decided> {
    const { name, kind } = declaration;
    const old = savedOf(declaration);
    const connection = providers.connect(kind);
    const news = { ...declaration.args, __provider: providerText(resourceKindOf(kind)), __urn: urnOf(kind, name) };
    const inputs = await checked(connection, old?.inputs, { ...news, ...ignored(declaration, old) }, name, context);
    if (inputs === undefined) {
      return "refused";
    }
    const base = { name, kind, initErrors: [] };
    if (old === undefined) {
      return () => create({ ...base, inputs }, { op: "create", name }, undefined, connection, context);
    }
    const diff = await diffed(connection, old, inputs, context);
    return diff === undefined
      ? "refused"
      : change(declaration, old, { ...base, news }, inputs, diff, connection, context);
  }

  const savedOf = ({ name, kind, aliases = [] }: Declaration): Saved | undefined =>
    [name, ...aliases]
      .map((known) =>
        state().find((saved) => saved.name === known && saved.kind === kind && saved.delete === undefined),
      )
      .find((saved) => saved !== undefined);

  async function change(
    { name }: Declaration,
    old: Saved,
    { news, ...base }: Replacing,
    inputs: Properties,
    diff: Diff,
    connection: Connection,
    context: Context,
  ): Promise<Decided> {
    if (diff.changes && diff.replaces.length > 0) {
      return replace(old, { ...base, news }, connection, context);
    }
    if (!diff.changes && old.initErrors.length === 0) {
      return async () => {
        context.steps.push({ op: "same", name });
        if (!context.isPreview) {
          save(old, { ...old, ...base, inputs });
        }
        return true;
      };
    }
    return () =>
      attempt(
        context,
        { op: "update", name },
        async () => {
          const { outs } = await connection.update(old.id, old.outputs, inputs);
          return () => save(old, { ...base, id: old.id, inputs, outputs: outs });
        },
        // If an update fails but returns a state, the engine saves the old inputs with the new outputs.
        ({ properties, reasons }) =>
          save(old, { ...base, id: old.id, inputs: old.inputs, outputs: properties, initErrors: reasons }),
      );
  }

  async function create(
    wanted: Omit<Saved, "id" | "outputs">,
    step: Step,
    replaced: Saved | undefined,
    connection: Connection,
    context: Context,
  ): Promise<boolean> {
    const saveNew = (next: Saved) => {
      if (replaced !== undefined) {
        replacementNames.set(keyOf(replaced), next.name);
        saveInPlace(replaced, { ...replaced, delete: true });
      }
      save(undefined, next);
    };
    return attempt(
      context,
      step,
      async () => {
        const { id, outs } = await connection.create(wanted.inputs);
        return () => saveNew({ ...wanted, id, outputs: outs });
      },
      ({ id, properties, reasons }) => saveNew({ ...wanted, id, outputs: properties, initErrors: reasons }),
    );
  }

  async function replace(
    old: Saved,
    { news, ...base }: Replacing,
    connection: Connection,
    context: Context,
  ): Promise<Decided> {
    // The engine checks a replacement again, like a new resource, and passes even the arguments that `ignoreChanges`
    // hid the first time.
    const inputs = await checked(connection, undefined, news, base.name, context);
    if (inputs === undefined) {
      return "refused";
    }
    return async () => {
      const step = { op: "createReplacement", name: base.name } as const;
      const isCreated = await create({ ...base, inputs }, step, old, connection, context);
      if (context.isPreview) {
        // A preview saves nothing, so the deletes at the end won't find the original.
        context.steps.push({ op: "deleteReplaced", name: old.name });
      }
      return isCreated;
    };
  }

  async function checked(
    connection: Connection,
    olds: Properties | undefined,
    news: Properties,
    name: string,
    context: Context,
  ): Promise<Properties | undefined> {
    try {
      const { inputs, reasons } = await connection.check(olds, news);
      if (reasons.length === 0) {
        return inputs;
      }
      context.failures.push({ name, message: reasons.join("\n"), code: undefined });
    } catch (error) {
      recordThrown(error, name, context);
    }
    return undefined;
  }

  async function diffed(connection: Connection, old: Saved, inputs: Properties, context: Context) {
    try {
      return await connection.diff(old.id, old.outputs, inputs);
    } catch (error) {
      recordThrown(error, old.name, context);
      return undefined;
    }
  }

  async function deleteAll(context: Context, isDoomed: (saved: Saved) => boolean): Promise<void> {
    // Delete in reverse order, because a resource is created after the ones that it depends on.
    const doomed = [...state()].reverse().filter(isDoomed);
    if (context.options.isParallel) {
      return allOf(doomed.map((saved) => deleteOne(saved, context)));
    }
    for (const saved of doomed) {
      if (!(await deleteOne(saved, context)) && !context.options.continueOnError) {
        return;
      }
    }
  }

  const deleteOne = (saved: Saved, context: Context): Promise<boolean> =>
    attempt(context, { op: saved.delete ? "deleteReplaced" : "delete", name: saved.name }, async () => {
      await providers.connect(saved.kind).delete(saved.id, saved.outputs);
      return () => save(saved, undefined);
    });

  async function inRun(
    options: RunOptions,
    isPreview: boolean,
    work: (context: Context) => Promise<void>,
    config?: Properties,
  ): Promise<Run> {
    providers.begin(config ?? lastConfig ?? options.config);
    earlier = written();
    current = [];
    replacementNames.clear();
    const context: Context = { options, isPreview, steps: [], failures: [], isKilled: false };
    const { steps, failures } = context;
    await work(context).catch((error: unknown) => {
      throw error instanceof CliKilled ? new CliKilled(failures) : error;
    });
    return { steps, failures, said: providers.said(), isOk: failures.length === 0 };
  }

  /** Registers the program's resources. Returns false if the run is over, in which case nothing is deleted. */
  async function register(declared: readonly Declaration[], context: Context): Promise<boolean> {
    const { continueOnError, isParallel, programEnded } = context.options;
    const steps: Promise<boolean>[] = [];
    let isOver = false;
    for (const declaration of declared) {
      isOver ||= context.isKilled;
      if (isOver || noteRejected(declaration, context)) {
        continue;
      }
      const decided = await decide(declaration, context);
      isOver ||= decided === "refused";
      const step = (decided === "refused" ? Promise.resolve(false) : decided()).then((isApplied) => {
        isOver ||= !isApplied && !continueOnError;
        return isApplied;
      });
      // `allOf` rethrows the error below. Until then, Node must not report it as an unhandled rejection.
      step.catch(() => {});
      steps.push(step);
      await (isParallel ? undefined : step);
    }
    await programEnded?.();
    await allOf(steps);
    return !isOver;
  }

  /**
   * Returns whether one of the resource's arguments fails. If so, records that the program has failed. A failed program
   * still declares its other resources.
   */
  function noteRejected({ name, isRejected = false }: Declaration, context: Context): boolean {
    if (isRejected) {
      providers.programFailed();
      context.failures.push({ name, message: "an output of the program failed", code: undefined });
    }
    return isRejected;
  }

  async function apply(program: readonly Declaration[], context: Context): Promise<void> {
    const { options } = context;
    const registered = program.filter(({ isRejected }) => !isRejected);
    // Include former names: if a renamed resource fails, it is still saved under its former name and must not be
    // deleted.
    const keys = new Set(
      registered.flatMap((declaration) => [keyOf(declaration), keyOf(savedOf(declaration) ?? declaration)]),
    );
    const isFailed = options.isInline !== true && registered.length < program.length;
    if (!(await register(program, context)) || isFailed) {
      return;
    }
    await deleteAll(context, (saved) => saved.delete === true || !keys.has(keyOf(saved)));
  }

  /** Returns the run's config, or undefined if the program doesn't use the provider. */
  const configFor = (program: readonly Declaration[], options: RunOptions): Properties | undefined =>
    program.length > 0 ? options.config : undefined;

  return {
    /** The state as the backend stores it. */
    get state(): readonly Saved[] {
      return written();
    },
    /** The data that the next run starts with. */
    get kept(): Kept {
      return { state: written(), given: lastConfig };
    },
    /** Replaces the state, as `pulumi stack import` does. */
    load(next: readonly Saved[]): void {
      earlier = structuredClone([...next]);
      current = [];
    },
    up(program: readonly Declaration[], options: RunOptions) {
      const config = configFor(program, options);
      lastConfig = config ?? lastConfig;
      return inRun(options, false, (context) => apply(program, context), config);
    },
    preview: (program: readonly Declaration[], options: RunOptions) =>
      inRun(options, true, (context) => apply(program, context), configFor(program, options)),
    refresh: (options: RunOptions) =>
      inRun(options, false, async (context) => {
        for (const saved of state()) {
          await attempt(context, { op: "read", name: saved.name }, async () => {
            const connection = providers.connect(saved.kind);
            await connection.read();
            // The engine calls diff with the saved inputs, without calling check first. If diff fails, so does the
            // refresh.
            await connection.diff(saved.id, saved.outputs, saved.inputs);
            // A successful read clears the saved errors.
            return () => saveInPlace(saved, { ...saved, initErrors: [] });
          });
        }
      }),
    destroy: (options: RunOptions) => inRun(options, false, (context) => deleteAll(context, () => true)),
  };
}

type Connection = ReturnType<Providers["connect"]>;
type Diff = Awaited<ReturnType<Connection["diff"]>>;
type Replacing = Pick<Saved, "name" | "kind" | "initErrors"> & { news: Properties };

const keyOf = ({ name, kind }: Pick<Saved, "name" | "kind">) => `${kind} ${name}`;

/** Returns the saved values of the fields in `ignoreChanges`. The engine uses them instead of the program's values. */
const ignored = ({ ignoreChanges = [] }: Declaration, old: Saved | undefined): Properties =>
  Object.fromEntries(old === undefined ? [] : ignoreChanges.map((field) => [field, old.inputs[field]]));

/**
 * Calls `options.atSave`, which may throw to kill the CLI. After that, every call throws, because a killed CLI can't
 * save results.
 */
function atSave(context: Context, step: Step, moment: "before" | "after"): void {
  try {
    if (context.isKilled) {
      throw new CliKilled();
    }
    context.options.atSave?.(step, moment);
  } catch (error) {
    context.isKilled = true;
    throw error;
  }
}

/** Waits until all promises have settled. If any of them was rejected, throws the first rejection in the list. */
async function allOf(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  const rejected = results.find((result) => result.status === "rejected");
  if (rejected !== undefined) {
    throw rejected.reason;
  }
}

function recordThrown(error: unknown, name: string, context: Context): void {
  if (!(error instanceof ProviderError)) {
    throw error;
  }
  context.failures.push({ name, message: error.message, code: error.code });
}
