import { memoizeByValue } from "../../provider/base/json";
import type { World } from "../../provider/base/world";
import { KINDS, providerText } from "../../provider/config/kinds";
import { dynamicProvider } from "../../provider/engine/provider";
import { systemWorld } from "../../provider/engine/world";
import type { Lifecycle, Props } from "../../provider/run/resource";
import { Run } from "../../provider/run/run";
import { hastyRuntime } from "../api/support";
import { LIFECYCLES } from "./lifecycles";
import { type Kind, kindOf, type Properties, ProviderError, resourceKindOf } from "./providerCalls";
import { settingsOf } from "./session";

/**
 * Simulates a stack's provider process in the test's process. Each run starts a new one, as in reality. Only the tests
 * with the real engine cover the gRPC connection.
 */

export type Providers = ReturnType<typeof createProviders>;

export type DynamicProvider = ReturnType<typeof dynamicProvider>;

/**
 * @param overrides parts of the world to replace. By default, the transport is real, there is one attempt, and the
 * clock skips waits.
 */
export function createProviders(overrides: Partial<World> = {}) {
  let handlers: ReadonlyMap<Kind, DynamicProvider> | undefined;
  let config: Properties = {};
  let output = "";
  let isDead = false;
  let isMarked = false;
  const world: World = {
    ...systemWorld,
    clock: hastyRuntime(),
    attempts: 1,
    marks: {
      isProgramWatched: true,
      hasFailed: () => isMarked,
      markChecking() {},
      isCheckedElsewhere: () => false,
    },
    print(text) {
      output += `warning: ${text}
`;
    },
    ...overrides,
  };

  function start(): ReadonlyMap<Kind, DynamicProvider> {
    const run = new Run(settingsIn(JSON.stringify(config)), world);
    const handler = (lifecycle: unknown) => dynamicProvider(lifecycle as Lifecycle<object, object>, () => run);
    return new Map(KINDS.map((kind) => [kindOf(kind), handler(LIFECYCLES[kind])]));
  }

  return {
    /** Starts a run with this stack config. */
    begin(stackConfig: Properties): void {
      config = stackConfig;
      handlers = undefined;
      output = "";
      isDead = false;
      isMarked = false;
    },
    connect(kind: Kind) {
      handlers ??= start();
      return connection(handlers.get(kind) as DynamicProvider, kind, () => isDead);
    },
    /** Marks the run as failed, as a program that fails does. */
    programFailed(): void {
      isMarked = true;
    },
    /** Returns the output of this run's provider. */
    said: () => output,
    /** Simulates a SIGKILL of the provider's process. All calls fail until the next run. */
    die(): void {
      isDead = true;
    },
  };
}

/** Reads the settings from a stack's config, given as JSON. Caches the result for each config. */
const settingsIn = memoizeByValue((config: string) =>
  settingsOf(
    Object.fromEntries(
      Object.entries(JSON.parse(config)).map(([key, value]) => [key.replace("agent-platform:", ""), value]),
    ),
  ),
);

const gone = (): ProviderError =>
  new ProviderError({ message: "the provider's process is gone", code: 14, initFailed: undefined });

/**
 * Wraps a handler as the SDK's provider process does. Adds the `__provider` property to results, and converts errors to
 * the form in which the engine receives them.
 */
function connection(handler: DynamicProvider, kind: Kind, isDead: () => boolean) {
  const provider = providerText(resourceKindOf(kind));
  const withProvider = (props: object): Properties => ({ ...props, __provider: provider });

  async function call<T>(work: () => T | Promise<T>): Promise<T> {
    if (isDead()) {
      throw gone();
    }
    const result = await Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        throw isDead() ? gone() : toProviderError(error);
      });
    // If the process was killed during the call, the engine gets no result, even if the call succeeded.
    if (isDead()) {
      throw gone();
    }
    return result;
  }

  function toProviderError(error: unknown): unknown {
    if (!(error instanceof Error && "code" in error)) {
      return error;
    }
    const { id, properties, reasons } = error as Partial<{ id: string; properties: object; reasons: string[] }>;
    const initFailed =
      id === undefined || properties === undefined || reasons === undefined
        ? undefined
        : { id, properties: withProvider(properties), reasons };
    return new ProviderError({ message: error.message, code: 2, initFailed });
  }

  return {
    check: (olds: Properties | undefined, news: Properties) =>
      call(async () => {
        const { inputs, failures = [] } = await handler.check((olds ?? {}) as Props, news);
        return {
          inputs: failures.length > 0 ? inputs : withProvider(inputs),
          reasons: failures.map(({ reason }) => reason),
        };
      }),
    /** `olds` are the saved outputs, and `news` are the checked inputs. */
    diff: (id: string, olds: Properties, news: Properties) => call(() => handler.diff(id, olds, news)),
    create: (inputs: Properties) =>
      call(async () => {
        const { id, outs } = await handler.create(inputs);
        return { id, outs: withProvider(outs) };
      }),
    update: (id: string, olds: Properties, news: Properties) =>
      call(async () => ({ outs: withProvider((await handler.update(id, olds, news)).outs) })),
    read: () => call(() => handler.read("", {})),
    delete: (id: string, props: Properties) => call(() => handler.delete(id, props)),
  };
}
