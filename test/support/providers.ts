import { onceForValue } from "../../provider/base/json";
import { type Handler, handlerFor } from "../../provider/engine/provider";
import { type Machine, newSession, thisMachine } from "../../provider/engine/world";
import { LIFECYCLES } from "../../provider/lifecycles";
import { SavedError } from "../../provider/run/errors";
import type { Lifecycle, Props } from "../../provider/run/resource";
import { KINDS } from "../../provider/stack/platform";

import { hastyRuntime } from "../api/support";
import { type Kind, kindOf, type Properties, ProviderError, providerText } from "./providerCalls";
import { settingsOf } from "./session";

/**
 * The provider process of a stack, in the process of the test: what the SDK makes of the product's handlers, and the mark of a program that
 * failed. As with the engine, each run has a session of its own. The wire between the two is shown by the tests of the real engine.
 */

const ADDRESS = "127.0.0.1:1";

export type Providers = ReturnType<typeof createProviders>;

/** @param given what the runs have of the world: by default the real transport, one attempt, and a clock that waits for nothing */
export function createProviders(given: Partial<Machine> = {}) {
  let handlers: ReadonlyMap<Kind, Handler> | undefined;
  let config: Properties = {};
  let said = "";
  let isDead = false;
  let isMarked = false;
  const machine: Machine = {
    ...thisMachine,
    clock: hastyRuntime(),
    attempts: 1,
    marksOf: () => ({ hasFailed: () => isMarked, markChecking() {}, isCheckedElsewhere: () => false }),
    ...given,
  };

  function start(): ReadonlyMap<Kind, Handler> {
    const print = (text: string) => {
      said += `warning: ${text}
`;
    };
    const session = newSession(
      settingsIn(JSON.stringify(config)),
      { address: ADDRESS, hasMarkingProgram: true },
      print,
      machine,
    );
    const handler = (lifecycle: unknown) => handlerFor(lifecycle as Lifecycle<object, object>, () => session);
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
      return connection(handlers.get(kind) as Handler, kind, () => isDead);
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
const settingsIn = onceForValue((config: string) =>
  settingsOf(
    Object.fromEntries(
      Object.entries(JSON.parse(config)).map(([key, value]) => [key.replace("agent-platform:", ""), value]),
    ),
  ),
);

const gone = (): ProviderError =>
  new ProviderError({ message: "the provider's process is gone", code: 14, initFailed: undefined });

/** What the SDK's provider process makes of a handler: its text among the properties, errors as the engine gets them. */
function connection(handler: Handler, kind: Kind, isDead: () => boolean) {
  const text = providerText(kind);
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
    const saved = error instanceof SavedError ? error : undefined;
    const initFailed = saved && { id: saved.id, properties: own(saved.state), reasons: [saved.message] };
    return new ProviderError({ message: error.message, code: 2, initFailed });
  }

  return {
    check: (olds: Properties | undefined, news: Properties) =>
      call(() => {
        const checked = handler.check((olds ?? {}) as Props, news);
        return "reasons" in checked
          ? { inputs: news, reasons: checked.reasons }
          : { inputs: own(checked.inputs), reasons: [] };
      }),
    /** `olds` are the outputs of before, `news` the checked inputs. */
    diff: (id: string, olds: Properties, news: Properties) => call(() => handler.diff(id, olds, news)),
    create: (inputs: Properties) =>
      call(async () => {
        const { id, state } = await handler.create(inputs);
        return { id, outs: own(state) };
      }),
    update: (id: string, olds: Properties, news: Properties) =>
      call(async () => ({ outs: own(await handler.update(id, olds, news)) })),
    read: () => call(() => handler.read()),
    delete: (id: string, props: Properties) => call(() => handler.delete(id, props)),
  };
}
