import { setTimeout as delay } from "node:timers/promises";
import { type Configs, type Connection, type Kind, type Providers, providerText, urnOf } from "./miniEngineProviders";
import { type Properties, ProviderError } from "./providerProcess";

/**
 * What the real engine does with a program and a state, in its order and with its traps, on top of the real
 * provider process. test/random/miniEngine.long.spec.ts holds it against the real one.
 */

export interface Declaration {
  readonly name: string;
  readonly kind: Kind;
  /** Which provider of the run. @default "default" */
  readonly provider?: string;
  /** The arguments as the program gives them. */
  readonly args: Properties;
  /** Names of resources that are declared before it. */
  readonly dependsOn?: readonly string[];
  /** The program waits so long before it declares it. */
  readonly delayMs?: number;
  readonly ignoreChanges?: readonly string[];
  readonly retainOnDelete?: boolean;
  /** An output of the program among its arguments fails, so the SDK does not register it. */
  readonly isRejected?: boolean;
}

export interface Saved {
  readonly name: string;
  readonly kind: Kind;
  readonly provider: string;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  readonly initErrors: readonly string[];
  /** Replaced, and its delete is still to come. */
  readonly delete?: true;
  /** Deleted, and its replacement is still to come. */
  readonly pendingReplacement?: true;
  /** Its delete calls nobody. */
  readonly retainOnDelete?: boolean;
}

export type Op = "create" | "update" | "same" | "createReplacement" | "deleteReplaced" | "delete" | "read" | "remove";

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
  /** What providers wrote to standard error: warnings. */
  readonly said: string;
  readonly isOk: boolean;
}

export interface RunOptions {
  readonly configs: Configs;
  readonly continueOnError?: boolean;
  /** Names; with them no other resource is looked at. */
  readonly targets?: readonly string[];
  /** Called when a provider has answered a call that sends, and before the state has it: throw CliKilled to be killed there. */
  readonly beforeSave?: (step: Step) => void;
  /** Several resources are under way at once, in creates as in deletes. @default false */
  readonly isParallel?: boolean;
  /**
   * Under `--continue-on-error`, what becomes of a program that waits for a resource that failed: it ends with an error, before any
   * delete, or what waits is skipped and the program goes on, as with SDKs up to some 3.2xx and with `pulumi.recover`. @default false
   */
  readonly goesOn?: boolean;
  /** A program of the Automation API counts as done although an output of it failed: the engine goes on to the deletes. @default false */
  readonly isInline?: boolean;
}

/** Thrown by `beforeSave`: the CLI dies, and nothing of the step reaches the state. What it had told until then stands on the terminal. */
export class CliKilled extends Error {
  override readonly name = "CliKilled";
  readonly failures: readonly Failure[];
  constructor(failures: readonly Failure[] = []) {
    super("the CLI was killed");
    this.failures = failures;
  }
}

/** What a stack's life needs of an engine: the small one has it, and test/support/realEngine.ts. */
export interface Engine {
  /** As the backend holds it. */
  readonly state: readonly Saved[];
  /** As `pulumi stack import` does. */
  load(next: readonly Saved[]): void;
  up(program: readonly Declaration[], options: RunOptions): Promise<Run>;
  preview(program: readonly Declaration[], options: RunOptions): Promise<Run>;
  refresh(options: RunOptions): Promise<Run>;
  destroy(options: RunOptions): Promise<Run>;
}

export type MiniEngine = ReturnType<typeof createMiniEngine>;

interface Context {
  readonly options: RunOptions;
  readonly isPreview: boolean;
  readonly steps: Step[];
  readonly failures: Failure[];
  readonly done: Set<Saved>;
  isKilled: boolean;
}

/** What became of a resource: "refused" by check or diff ends the run, also under `--continue-on-error` [run]. */
type Fate = "ok" | "failed" | "refused" | "skipped" | "undeclared";

export function createMiniEngine(providers: Providers) {
  let state: Saved[] = [];
  /** What each provider was given when a program used it last: it is all that refresh, destroy and leftovers have. */
  let given: Configs = {};

  const replaceIn = (old: Saved | undefined, next: Saved | undefined): void => {
    const index = old === undefined ? -1 : state.indexOf(old);
    const rest = index < 0 ? state : state.filter((_, at) => at !== index);
    state = next === undefined ? rest : [...rest.slice(0, Math.max(index, 0)), next, ...rest.slice(Math.max(index, 0))];
    if (index < 0 && next !== undefined) {
      state = [...rest, next];
    }
  };

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
      beforeSave(context, step);
      save();
      return true;
    } catch (error) {
      if (!(error instanceof ProviderError)) {
        throw error;
      }
      const { initFailed, code } = error;
      if (initFailed !== undefined) {
        beforeSave(context, step);
        keep(initFailed);
      }
      const message = initFailed === undefined ? error.message : initFailed.reasons.join("\n");
      context.failures.push({ name: step.name, message, code });
      return false;
    }
  }

  async function register(declaration: Declaration, context: Context, isSkipped: boolean): Promise<Fate> {
    const { name, kind, provider = "default" } = declaration;
    const old = state.find((saved) => saved.name === name && saved.kind === kind && saved.delete === undefined);
    const connection = await providers.connect(provider, kind);
    const news = { ...declaration.args, __provider: providerText(kind), __urn: urnOf(kind, name) };
    const inputs = await checked(connection, old?.inputs, { ...news, ...ignored(declaration, old) }, name, context);
    if (inputs === undefined) {
      return "refused";
    }
    const base = { name, kind, provider, initErrors: [], ...retained(declaration) };
    if (old === undefined) {
      return isSkipped
        ? "skipped"
        : fateOf(await create({ ...base, inputs }, { op: "create", name }, undefined, connection, context));
    }
    context.done.add(old);
    const diff = await diffed(connection, old, inputs, context);
    if (diff === undefined) {
      return "refused";
    }
    if (isSkipped) {
      return "skipped";
    }
    return fateOf(await change(declaration, old, { ...base, news }, inputs, diff, connection, context));
  }

  async function change(
    { name }: Declaration,
    old: Saved,
    { news, ...base }: Replacing,
    inputs: Properties,
    diff: Diff,
    connection: Connection,
    context: Context,
  ): Promise<boolean> {
    if (old.pendingReplacement || (diff.changes === true && diff.replaces.length > 0)) {
      return replace(old, { ...base, news }, diff.deleteBeforeReplace, connection, context);
    }
    if (diff.changes !== true && old.initErrors.length === 0) {
      context.steps.push({ op: "same", name });
      if (!context.isPreview) {
        replaceIn(old, { ...old, ...base, inputs });
      }
      return true;
    }
    return attempt(
      context,
      { op: "update", name },
      async () => {
        const { outs } = await connection.update(old.id, old.outputs, inputs);
        return () => replaceIn(old, { ...base, id: old.id, inputs, outputs: outs });
      },
      // T4: old inputs and new outputs.
      ({ properties, reasons }) =>
        replaceIn(old, { ...base, id: old.id, inputs: old.inputs, outputs: properties, initErrors: reasons }),
    );
  }

  async function create(
    wanted: Omit<Saved, "id" | "outputs">,
    step: Step,
    /** What it replaces, and whether that was deleted first. */
    replaced: { readonly old: Saved; readonly isGone: boolean } | undefined,
    connection: Connection,
    context: Context,
  ): Promise<boolean> {
    const save = (next: Saved) => {
      if (replaced === undefined || replaced.isGone) {
        return replaceIn(replaced?.old, next);
      }
      // The engine forgets here that it may have deleted it in an earlier run, and deletes it once more.
      const { pendingReplacement: _, ...whole } = replaced.old;
      replaceIn(replaced.old, { ...whole, delete: true });
      replaceIn(undefined, next);
    };
    return attempt(
      context,
      step,
      async () => {
        const { id, outs } = await connection.create(wanted.inputs);
        if (id === "") {
          throw new Error("provider did not return an ID from Create");
        }
        return () => save({ ...wanted, id, outputs: outs });
      },
      ({ id, properties, reasons }) => save({ ...wanted, id, outputs: properties, initErrors: reasons }),
    );
  }

  async function replace(
    old: Saved,
    { news, ...base }: Replacing,
    deleteBeforeReplace: boolean,
    connection: Connection,
    context: Context,
  ): Promise<boolean> {
    // Checked anew, as if it were the first time: what `ignoreChanges` kept away comes with it.
    const inputs = await checked(connection, undefined, news, old.name, context);
    if (inputs === undefined) {
      return false;
    }
    let before = old;
    if (deleteBeforeReplace && !old.pendingReplacement) {
      const isGone = await attempt(context, { op: "deleteReplaced", name: old.name }, async () => {
        await (await providers.connect(old.provider, old.kind)).delete(old.id, old.outputs);
        return () => {
          before = { ...old, pendingReplacement: true };
          replaceIn(old, before);
        };
      });
      if (!isGone) {
        return false;
      }
    }
    const isCreated = await create(
      { ...base, inputs },
      { op: "createReplacement", name: old.name },
      { old: before, isGone: deleteBeforeReplace },
      connection,
      context,
    );
    if (context.isPreview && !deleteBeforeReplace) {
      // Nothing is saved that the deletes at the end could find.
      context.steps.push({ op: "deleteReplaced", name: old.name });
    }
    return isCreated;
  }

  async function checked(
    connection: Connection,
    olds: Properties | undefined,
    news: Properties,
    name: string,
    context: Context,
  ): Promise<Properties | undefined> {
    try {
      const { inputs, failures } = await connection.check(olds, news);
      if (failures.length === 0) {
        return inputs;
      }
      const message = failures.map(({ reason }) => reason).join("\n");
      context.failures.push({ name, message, code: undefined });
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
    const doomed = [...state].reverse().filter(isDoomed);
    if (context.options.isParallel) {
      return allOf(doomed.map((saved) => deleteOne(saved, context)));
    }
    for (const saved of doomed) {
      if (!(await deleteOne(saved, context)) && !context.options.continueOnError) {
        return;
      }
    }
  }

  async function deleteOne(saved: Saved, context: Context): Promise<boolean> {
    const { name } = saved;
    if (saved.pendingReplacement) {
      context.steps.push({ op: "remove", name });
      if (!context.isPreview) {
        replaceIn(saved, undefined);
      }
      return true;
    }
    return attempt(context, { op: saved.delete ? "deleteReplaced" : "delete", name }, async () => {
      if (!saved.retainOnDelete) {
        await (await providers.connect(saved.provider, saved.kind)).delete(saved.id, saved.outputs);
      }
      return () => replaceIn(saved, undefined);
    });
  }

  async function inRun(
    options: RunOptions,
    isPreview: boolean,
    work: (context: Context) => Promise<void>,
    news: Configs = {},
  ): Promise<Run> {
    providers.begin({ ...options.configs, ...given, ...news });
    const context: Context = { options, isPreview, steps: [], failures: [], done: new Set(), isKilled: false };
    const { steps, failures } = context;
    await work(context).catch((error: unknown) => {
      throw error instanceof CliKilled ? new CliKilled(failures) : error;
    });
    return { steps, failures, said: await providers.said(), isOk: failures.length === 0 };
  }

  const isTargeted = ({ targets }: RunOptions, { name }: { name: string }): boolean =>
    targets === undefined || targets.includes(name);

  /** Is the answer no, the run is over, deletes and all. */
  async function registerInOrder(declared: readonly Declaration[], context: Context): Promise<boolean> {
    for (const declaration of declared) {
      const fate = await register(declaration, context, false);
      if (fate === "refused" || (fate === "failed" && !context.options.continueOnError)) {
        return false;
      }
    }
    return true;
  }

  /** Each as soon as what it depends on is done. What is under way when the run ends is done as well. */
  async function registerTogether(declared: readonly Declaration[], context: Context): Promise<boolean> {
    const { continueOnError, goesOn, isInline } = context.options;
    const fates = new Map<string, Promise<Fate>>();
    let isOver = false;
    async function declare(declaration: Declaration): Promise<Fate> {
      const { dependsOn = [], delayMs = 0 } = declaration;
      const before = await Promise.all(dependsOn.map((name) => fates.get(name)));
      await delay(delayMs);
      if (before.includes("undeclared")) {
        // What it waits for never comes.
        return "undeclared";
      }
      const isBroken = before.some((fate) => fate !== "ok");
      isOver ||= isBroken && !goesOn;
      if (declaration.isRejected) {
        await providers.programFailed();
        context.failures.push({ name: declaration.name, message: "an output of the program failed", code: undefined });
        isOver ||= !isInline;
      }
      if (isOver || declaration.isRejected) {
        return "undeclared";
      }
      const fate = await register(declaration, context, isBroken);
      isOver ||= fate === "refused" || (fate === "failed" && !continueOnError);
      return fate;
    }
    for (const declaration of declared) {
      fates.set(declaration.name, declare(declaration));
    }
    await allOf([...fates.values()]);
    return !isOver;
  }

  async function apply(program: readonly Declaration[], context: Context): Promise<void> {
    const { options } = context;
    const names = new Set(program.map(({ name, kind }) => `${kind} ${name}`));
    const declared = program.filter((one) => isTargeted(options, one));
    const isDone = options.isParallel
      ? await registerTogether(declared, context)
      : await registerInOrder(declared, context);
    if (!isDone) {
      return;
    }
    await deleteAll(
      context,
      (saved) => isTargeted(options, saved) && (saved.delete === true || !names.has(`${saved.kind} ${saved.name}`)),
    );
  }

  /** The settings of the providers that the program uses in this run. */
  function usedBy(program: readonly Declaration[], options: RunOptions): Configs {
    const used = new Set(program.filter((one) => isTargeted(options, one)).map(({ provider = "default" }) => provider));
    return Object.fromEntries(Object.entries(options.configs).filter(([name]) => used.has(name)));
  }

  return {
    /** As the backend holds it. */
    get state(): readonly Saved[] {
      return state;
    },
    /** As `pulumi stack import` does. */
    load(next: readonly Saved[]): void {
      state = structuredClone([...next]);
    },
    up(program: readonly Declaration[], options: RunOptions) {
      const news = usedBy(program, options);
      given = { ...given, ...news };
      return inRun(options, false, (context) => apply(program, context), news);
    },
    preview: (program: readonly Declaration[], options: RunOptions) =>
      inRun(options, true, (context) => apply(program, context), usedBy(program, options)),
    refresh: (options: RunOptions) =>
      inRun(options, false, async (context) => {
        for (const saved of state.filter((one) => isTargeted(options, one) && !one.pendingReplacement)) {
          await attempt(context, { op: "read", name: saved.name }, async () => {
            const connection = await providers.connect(saved.provider, saved.kind);
            const { id, props } = await connection.read(saved.id, saved.outputs);
            // A good read clears the errors; a blank id forgets the resource.
            return () => replaceIn(saved, id === "" ? undefined : { ...saved, id, outputs: props, initErrors: [] });
          });
        }
      }),
    destroy: (options: RunOptions) =>
      inRun(options, false, (context) => deleteAll(context, (one) => isTargeted(options, one))),
  };
}

type Diff = Awaited<ReturnType<Connection["diff"]>>;
type Replacing = Pick<Saved, "name" | "kind" | "provider" | "initErrors" | "retainOnDelete"> & { news: Properties };

const fateOf = (isApplied: boolean): Fate => (isApplied ? "ok" : "failed");

const retained = ({ retainOnDelete }: Declaration): Pick<Saved, "retainOnDelete"> =>
  retainOnDelete === undefined ? {} : { retainOnDelete };

/** The engine puts what is saved into the new inputs. */
const ignored = ({ ignoreChanges = [] }: Declaration, old: Saved | undefined): Properties =>
  Object.fromEntries(old === undefined ? [] : ignoreChanges.map((field) => [field, old.inputs[field]]));

/** Somebody's death ends the run, and nothing that is under way then reaches the state. */
function beforeSave(context: Context, step: Step): void {
  try {
    if (context.isKilled) {
      throw new CliKilled();
    }
    context.options.beforeSave?.(step);
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
