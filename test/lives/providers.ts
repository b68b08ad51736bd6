import { readSettings } from "../../provider/core/config/readSettings";
import type { Settings } from "../../provider/core/config/settings";
import { type Handler, handlerFor, type Props } from "../../provider/edge/handler";
import { type Machine, newSession, thisMachine } from "../../provider/edge/session";
import { SavedError } from "../../provider/resources/lifecycle";
import { LIFECYCLES } from "../../provider/resources/lifecycles";
import {
  type Connection,
  type EngineProviders,
  type Kind,
  type Properties,
  ProviderError,
  providerText,
} from "../support/providerCalls";
import type { openPlatform } from "./platform";

/** The provider process of one run of the engine, in this one, and the mark of a program that failed. */

const ADDRESS = "127.0.0.1:1";

export interface RunWorld {
  readonly platform: ReturnType<typeof openPlatform>;
  readonly newId: () => string;
  readonly concurrency?: number;
  /** The freeze of the stack's config. */
  readonly freezeNow: () => string | undefined;
}

export type RunProviders = ReturnType<typeof startProviders>;

export function startProviders({ platform, newId, concurrency, freezeNow }: RunWorld) {
  let handlers: ReadonlyMap<Kind, Handler> | undefined;
  let config: Properties = {};
  let said = "";
  let ms = 0;
  let isDead = false;
  let isMarked = false;

  function start(): ReadonlyMap<Kind, Handler> {
    const machine: Machine = {
      transport: () => platform.transport,
      clock: {
        now: () => ms,
        wallClock: () => ms,
        random: () => 0.5,
        async delay(milliseconds) {
          ms += milliseconds;
        },
      },
      concurrency: concurrency ?? thisMachine.concurrency,
      attempts: 1,
      uuid: newId,
      markReader: () => () => isMarked,
    };
    const warn = (text: string) => {
      said += `warning: ${text}\n`;
    };
    const session = newSession(settingsOf(config), ADDRESS, warn, machine);
    const open = () => ({ session });
    return new Map<Kind, Handler>([
      ["numberAssignment", handlerFor(LIFECYCLES.NumberAssignment, open, freezeNow)],
      ["numberGroup", handlerFor(LIFECYCLES.NumberGroup, open, freezeNow)],
      ["communityVoice", handlerFor(LIFECYCLES.CommunityVoice, open, freezeNow)],
      ["smsChat", handlerFor(LIFECYCLES.SmsChat, open, freezeNow)],
    ]);
  }

  const engineSide: EngineProviders = {
    begin(next) {
      config = next;
    },
    async connect(kind) {
      handlers ??= start();
      return connection(handlers.get(kind) as Handler, kind, () => isDead);
    },
    async programFailed() {
      isMarked = true;
    },
    said: async () => said,
  };

  return {
    ...engineSide,
    /** SIGKILL of all providers. */
    die() {
      isDead = true;
    },
  };
}

const settingsRead = new Map<string, Settings>();

/** The settings are read once for all lives. */
function settingsOf(config: Properties): Settings {
  const key = JSON.stringify(config);
  const known = settingsRead.get(key);
  if (known !== undefined) {
    return known;
  }
  const read = readSettings({ get: (name) => config[`agent-platform:${name}`], env: {}, readApproved: () => "" });
  if ("problems" in read) {
    throw new Error(read.problems.map(({ text }) => text).join("\n"));
  }
  settingsRead.set(key, read.settings);
  return read.settings;
}

const gone = (): ProviderError =>
  new ProviderError({ message: "the provider's process is gone", code: 14, initFailed: undefined });

/** What the SDK's provider process makes of a handler: its text among the properties, errors as the engine gets them. */
function connection(handler: Handler, kind: Kind, isDead: () => boolean): Connection {
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
    check: (olds, news) =>
      call(() => {
        const checked = handler.check((olds ?? {}) as Props, news);
        return "reasons" in checked
          ? { inputs: news, failures: checked.reasons.map((reason) => ({ property: "", reason })) }
          : { inputs: own(checked.inputs), failures: [] };
      }),
    diff: (id, olds, news) => call(() => ({ ...handler.diff(id, olds, news) })) as ReturnType<Connection["diff"]>,
    create: (inputs) =>
      call(async () => {
        const { id, state } = await handler.create(inputs);
        return { id, outs: own(state) };
      }),
    update: (id, olds, news) => call(async () => ({ outs: own(await handler.update(id, olds, news)) })),
    read: (id, props) =>
      call(() => {
        handler.read();
        return { id, props };
      }),
    delete: (id, props) => call(() => handler.delete(id, props)),
  } as Connection;
}
