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
 * The provider process of a stack, in the process of the test: what the SDK makes of the product's handlers, and the mark of a program that
 * failed. As with the engine, each run has a session of its own. The wire between the two is shown by the tests of the real engine.
 */

export type Providers = ReturnType<typeof createProviders>;

export type DynamicProvider = ReturnType<typeof dynamicProvider>;

/** @param given what the runs have of the world: by default the real transport, one attempt, and a clock that waits for nothing */
export function createProviders(given: Partial<World> = {}) {
  let handlers: ReadonlyMap<Kind, DynamicProvider> | undefined;
  let config: Properties = {};
  let said = "";
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
      said += `warning: ${text}
`;
    },
    ...given,
  };

  function start(): ReadonlyMap<Kind, DynamicProvider> {
    const run = new Run(settingsIn(JSON.stringify(config)), world);
    const handler = (lifecycle: unknown) => dynamicProvider(lifecycle as Lifecycle<object, object>, () => run);
    return new Map(KINDS.map((kind) => [kindOf(kind), handler(LIFECYCLES[kind])]));
  }

  return {
    /** @param next the settings, as the stack's config has them */
    begin(next: Properties): void {
      config = next;
      handlers = undefined;
      said = "";
      isDead = false;
      isMarked = false;
    },
    connect(kind: Kind) {
      handlers ??= start();
      return connection(handlers.get(kind) as DynamicProvider, kind, () => isDead);
    },
    /** The program marks that it has failed. */
    programFailed(): void {
      isMarked = true;
    },
    /** What the provider of this run has printed. */
    said: () => said,
    /** SIGKILL, until the next run. */
    die(): void {
      isDead = true;
    },
  };
}

/** The settings of a stack's config. The same ones are read once. */
const settingsIn = memoizeByValue((config: string) =>
  settingsOf(
    Object.fromEntries(
      Object.entries(JSON.parse(config)).map(([key, value]) => [key.replace("agent-platform:", ""), value]),
    ),
  ),
);

const gone = (): ProviderError =>
  new ProviderError({ message: "the provider's process is gone", code: 14, initFailed: undefined });

/** What the SDK's provider process makes of a handler: its text among the properties, errors as the engine gets them. */
function connection(handler: DynamicProvider, kind: Kind, isDead: () => boolean) {
  const text = providerText(resourceKindOf(kind));
  const own = (props: object): Properties => ({ ...props, __provider: text });

  async function call<T>(work: () => T | Promise<T>): Promise<T> {
    if (isDead()) {
      throw gone();
    }
    const answer = await Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        throw isDead() ? gone() : refusalOf(error);
      });
    // Of a process that has been killed no answer comes, whatever it had done.
    if (isDead()) {
      throw gone();
    }
    return answer;
  }

  function refusalOf(error: unknown): unknown {
    if (!(error instanceof Error && "code" in error)) {
      return error;
    }
    const { id, properties, reasons } = error as Partial<{ id: string; properties: object; reasons: string[] }>;
    const initFailed =
      id === undefined || properties === undefined || reasons === undefined
        ? undefined
        : { id, properties: own(properties), reasons };
    return new ProviderError({ message: error.message, code: 2, initFailed });
  }

  return {
    check: (olds: Properties | undefined, news: Properties) =>
      call(async () => {
        const { inputs, failures = [] } = await handler.check((olds ?? {}) as Props, news);
        return { inputs: failures.length > 0 ? inputs : own(inputs), reasons: failures.map(({ reason }) => reason) };
      }),
    /** `olds` are the outputs of before, `news` the checked inputs. */
    diff: (id: string, olds: Properties, news: Properties) => call(() => handler.diff(id, olds, news)),
    create: (inputs: Properties) =>
      call(async () => {
        const { id, outs } = await handler.create(inputs);
        return { id, outs: own(outs) };
      }),
    update: (id: string, olds: Properties, news: Properties) =>
      call(async () => ({ outs: own((await handler.update(id, olds, news)).outs) })),
    read: () => call(() => handler.read("", {})),
    delete: (id: string, props: Properties) => call(() => handler.delete(id, props)),
  };
}
