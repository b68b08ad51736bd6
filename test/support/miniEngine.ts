import { providerText } from "../../provider/config/kinds";
import { type Kind, type Properties, ProviderError, resourceKindOf, urnOf } from "./providerCalls";
import type { Providers } from "./providers";

/**
 * What the real engine does with a program and a state, in its order and with its traps, on top of the product's handlers.
 * test/lives/realEngine.long.spec.ts holds it against the real one.
 */

export interface Declaration {
  readonly name: string;
  readonly kind: Kind;
  /** The arguments as the program gives them. */
  readonly args: Properties;
  /** Former names. */
  readonly aliases?: readonly string[];
  readonly ignoreChanges?: readonly string[];
  /** An output of the program among its arguments fails, so the SDK does not register it. */
  readonly isRejected?: boolean;
}

export interface Saved {
  readonly name: string;
  readonly kind: Kind;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  readonly initErrors: readonly string[];
  /** Set if it was replaced and still has to be deleted. */
  readonly delete?: true;
}

export type Op = "create" | "update" | "same" | "createReplacement" | "deleteReplaced" | "delete" | "read";

export interface Step {
  readonly op: Op;
  readonly name: string;
}

/** What the engine prints for a resource that failed; it adds the name, for the provider knows none. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  /** 14: the process was gone. */
  readonly code: number | undefined;
}

export interface Run {
  readonly steps: readonly Step[];
  readonly failures: readonly Failure[];
  /** Warnings that providers wrote to standard error. */
  readonly said: string;
  readonly isOk: boolean;
}

export interface RunOptions {
  readonly config: Properties;
  readonly continueOnError?: boolean;
  /** Called before and after the state has what a provider has answered: throw CliKilled to be killed there. */
  readonly atSave?: (step: Step, moment: "before" | "after") => void;
  /** The program declares its resources without waiting for one another, and the deletes come at once. @default false */
  readonly isParallel?: boolean;
  /** Called when the program has ended, and before it is known what became of the resources that are under way. */
  readonly programEnded?: () => void | Promise<void>;
  /** A program of the Automation API counts as done although an output of it failed: the engine goes on to the deletes. @default false */
  readonly isInline?: boolean;
}

/** Thrown by `atSave`: the CLI dies, and nothing of what is under way reaches the state. What it had told until then is on the terminal. */
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

/** The engine's data that survives between runs. */
export interface Kept {
  readonly state: readonly Saved[];
  /** What the provider was given when a program used it last: it is all that refresh, destroy and leftovers have. */
  readonly given: Properties | undefined;
}

/** What the engine has decided to do with a resource. "refused" by check or diff ends the run, also under `--continue-on-error` [run]. */
type Decided = "refused" | (() => Promise<boolean>);

export function createMiniEngine(providers: Providers, kept: Kept = { state: [], given: undefined }) {
  /** What earlier runs have saved, and this one has not come to. */
  let earlier = kept.state;
  /** What this run has saved. It comes first in the state, so that the next run's deletes come in another order. */
  let current: readonly Saved[] = [];
  /** By aliases of this run. What is written has the new name, also of an original that waits for its delete; this run goes on with the old one. */
  const renamed = new Map<string, string>();
  let { given } = kept;

  const state = (): readonly Saved[] => [...current, ...earlier];

  const written = (): readonly Saved[] =>
    state().map((one) => (one.delete ? { ...one, name: renamed.get(keyOf(one)) ?? one.name } : one));

  /** Saves what this run has made, in place of what it was. */
  function save(old: Saved | undefined, next: Saved | undefined): void {
    current = current.filter((one) => one !== old);
    earlier = earlier.filter((one) => one !== old);
    current = next === undefined ? current : [...current, next];
  }

  /** Saves something more of a resource, which keeps its place. */
  function note(old: Saved, next: Saved): void {
    const noted = (all: readonly Saved[]) => all.map((one) => (one === old ? next : one));
    current = noted(current);
    earlier = noted(earlier);
  }

  /** Runs one step's call. A failure is recorded, and what it saved is handed to `keep`. */
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

  /** The part that the engine does for one resource after the other, in the order of their declarations. */
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
      .map((one) => state().find((saved) => saved.name === one && saved.kind === kind && saved.delete === undefined))
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
        // T4: old inputs and new outputs.
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
        renamed.set(keyOf(replaced), next.name);
        note(replaced, { ...replaced, delete: true });
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
    // Checked again, as if it were the first time: what `ignoreChanges` kept away comes with it.
    const inputs = await checked(connection, undefined, news, base.name, context);
    if (inputs === undefined) {
      return "refused";
    }
    return async () => {
      const step = { op: "createReplacement", name: base.name } as const;
      const isCreated = await create({ ...base, inputs }, step, old, connection, context);
      if (context.isPreview) {
        // Nothing is saved that the deletes at the end could find.
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
    // Last come first: what depends on another was made after it.
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
    news?: Properties,
  ): Promise<Run> {
    providers.begin(news ?? given ?? options.config);
    earlier = written();
    current = [];
    renamed.clear();
    const context: Context = { options, isPreview, steps: [], failures: [], isKilled: false };
    const { steps, failures } = context;
    await work(context).catch((error: unknown) => {
      throw error instanceof CliKilled ? new CliKilled(failures) : error;
    });
    return { steps, failures, said: providers.said(), isOk: failures.length === 0 };
  }

  /** Is the answer no, the run is over, deletes and all. */
  async function register(declared: readonly Declaration[], context: Context): Promise<boolean> {
    const { continueOnError, isParallel, programEnded } = context.options;
    const works: Promise<boolean>[] = [];
    let isOver = false;
    for (const declaration of declared) {
      isOver ||= context.isKilled;
      if (isOver || isRejected(declaration, context)) {
        continue;
      }
      const decided = await decide(declaration, context);
      isOver ||= decided === "refused";
      const work = (decided === "refused" ? Promise.resolve(false) : decided()).then((isApplied) => {
        isOver ||= !isApplied && !continueOnError;
        return isApplied;
      });
      // What it throws is thrown below.
      work.catch(() => {});
      works.push(work);
      await (isParallel ? undefined : work);
    }
    await programEnded?.();
    await allOf(works);
    return !isOver;
  }

  /** A program with an argument that fails declares all the others, and has failed; an inline one is done without this resource. */
  function isRejected({ name, isRejected: isSo = false }: Declaration, context: Context): boolean {
    if (isSo) {
      providers.programFailed();
      context.failures.push({ name, message: "an output of the program failed", code: undefined });
    }
    return isSo;
  }

  async function apply(program: readonly Declaration[], context: Context): Promise<void> {
    const { options } = context;
    // A resource that is left out keeps its state, by its former name as well.
    const registered = program.filter(({ isRejected }) => !isRejected);
    const names = new Set(registered.flatMap((one) => [keyOf(one), keyOf(savedOf(one) ?? one)]));
    const isFailed = options.isInline !== true && registered.length < program.length;
    if (!(await register(program, context)) || isFailed) {
      return;
    }
    await deleteAll(context, (saved) => saved.delete === true || !names.has(keyOf(saved)));
  }

  /** The settings, if the program uses the provider in this run. */
  const usedBy = (program: readonly Declaration[], options: RunOptions): Properties | undefined =>
    program.length > 0 ? options.config : undefined;

  return {
    /** The state as the backend stores it. */
    get state(): readonly Saved[] {
      return written();
    },
    /** The data that the next run starts with. */
    get kept(): Kept {
      return { state: written(), given };
    },
    /** As `pulumi stack import` does. */
    load(next: readonly Saved[]): void {
      earlier = structuredClone([...next]);
      current = [];
    },
    up(program: readonly Declaration[], options: RunOptions) {
      const news = usedBy(program, options);
      given = news ?? given;
      return inRun(options, false, (context) => apply(program, context), news);
    },
    preview: (program: readonly Declaration[], options: RunOptions) =>
      inRun(options, true, (context) => apply(program, context), usedBy(program, options)),
    refresh: (options: RunOptions) =>
      inRun(options, false, async (context) => {
        for (const saved of state()) {
          await attempt(context, { op: "read", name: saved.name }, async () => {
            const connection = providers.connect(saved.kind);
            await connection.read();
            // The engine compares what is saved, without a check. If that fails, so does the refresh.
            await connection.diff(saved.id, saved.outputs, saved.inputs);
            // A good read clears the errors.
            return () => note(saved, { ...saved, initErrors: [] });
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

/** The engine puts what is saved into the new inputs. */
const ignored = ({ ignoreChanges = [] }: Declaration, old: Saved | undefined): Properties =>
  Object.fromEntries(old === undefined ? [] : ignoreChanges.map((field) => [field, old.inputs[field]]));

/** The death of the CLI ends the run, and nothing that is under way then reaches the state. */
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

/** Waits for all of them, and only then throws what one of them threw. */
async function allOf(all: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(all);
  const thrown = ends.find((end) => end.status === "rejected");
  if (thrown !== undefined) {
    throw thrown.reason;
  }
}

function recordThrown(error: unknown, name: string, context: Context): void {
  if (!(error instanceof ProviderError)) {
    throw error;
  }
  context.failures.push({ name, message: error.message, code: error.code });
}
