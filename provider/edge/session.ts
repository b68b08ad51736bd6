import { randomUUID } from "node:crypto";
import { createClient, type Surroundings } from "../client/client";
import { systemClock } from "../client/limiter";
import { chooseProxy, createTransport } from "../client/transport";
import type { Client } from "../core/api/responses";
import { readSettings, type SettingsRead } from "../core/config/readSettings";
import type { Settings } from "../core/config/settings";
import * as messages from "../core/messages";
import { cannotThrow, ResourceError } from "../resources/errors";
import type { Session } from "../resources/lifecycle";
import { Memory } from "../resources/run/memory";
import { marksOf, type RunMarks } from "./runMarks";

/** One session for each process and settings, so that all kinds of resources share one limit on requests in progress. */
const sessions = new Map<string, EdgeSession>();

/**
 * The settings of this process. It returns problems and does not throw: after an error the engine goes on with a provider without settings.
 * @param get a setting by its key without the namespace
 */
export function settingsOf(get: (key: string) => unknown): SettingsRead {
  return readSettings({
    get,
    env: process.env,
  });
}

/** How an edge prints a line that is not the result of a call. */
export type Warn = (text: string) => void;

/**
 * Opens the session at the first call: a process lives for one run, and is configured before its first call. It throws if the settings are not
 * valid, at each call.
 */
export function openingOnce(read: () => SettingsRead, engine: RunEngine, print: Warn): () => EdgeSession {
  let session: EdgeSession | undefined;
  return () => {
    session ??= openSession(read(), engine, print);
    return session;
  };
}

function openSession(found: SettingsRead, engine: RunEngine, print: Warn): EdgeSession {
  if ("problems" in found) {
    const wrong = found.problems.filter(({ code }) => code === "AGP-015").map(({ text }) => text);
    const others = found.problems.filter(({ code }) => code !== "AGP-015").map(messages.settingRefused);
    const [first, ...rest] = [...(wrong.length > 0 ? [messages.wrongSettings(wrong)] : []), ...others];
    throw new ResourceError(first as messages.Message, ...rest);
  }
  const key = JSON.stringify(found.settings);
  const session = sessions.get(key) ?? newSession(found.settings, engine, print);
  sessions.set(key, session);
  return session;
}

/** The engine of the run that a process serves. */
export interface RunEngine {
  /** Undefined without an engine, as in a test. */
  readonly address: string | undefined;
  /** Is there a program whose process marks its failure? */
  readonly hasMarkingProgram: boolean;
}

export interface EdgeSession extends Session {
  readonly marks: RunMarks;
}

/** What a session uses of the world beside its settings. */
export interface Machine extends Omit<Surroundings, "proxy"> {
  uuid(): string;
  marksOf(engineAddress: string | undefined): RunMarks;
}

export const thisMachine: Machine = {
  transport: createTransport,
  clock: systemClock,
  concurrency: 16,
  uuid: randomUUID,
  marksOf,
};

/** @param machine what the session uses of the world: a model of a run has one of its own */
export function newSession(
  settings: Settings,
  { address, hasMarkingProgram }: RunEngine,
  print: Warn,
  machine: Machine = thisMachine,
): EdgeSession {
  const said = new Set<string>();
  const marks = machine.marksOf(address);
  let client: Client | undefined;
  outliveReaders();
  const warn = cannotThrow((message: messages.Message) => {
    const text = messages.render(message);
    if (!said.has(text)) {
      said.add(text);
      print(text);
    }
  });
  return {
    settings,
    marks,
    concurrency: machine.concurrency,
    client() {
      client ??= clientFor(settings, machine);
      return client;
    },
    warn,
    run: new Memory(marks.hasFailed),
    expectsProgramMark: hasMarkingProgram,
    newId: (prefix) => `${prefix}-${machine.uuid()}`,
    wait: (ms) => machine.clock.delay(ms),
    time: () => new Date(machine.clock.wallClock()).toISOString(),
  };
}

/**
 * If the engine was killed, a write to standard output fails. Without a listener Node throws that error, and the SDK's handler of the error
 * writes again: the process would loop for ever, and its calls would never end.
 */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners("error").includes(ignore)) {
      stream.on("error", ignore);
    }
  }
}
const ignore = () => {};

function clientFor(settings: Settings, machine: Machine): Client {
  const { accessToken } = settings;
  if (accessToken === undefined) {
    throw new ResourceError(messages.tokenMissing(settings));
  }
  const { proxy, problem } = chooseProxy(settings.baseUrl);
  if (problem !== undefined) {
    throw new ResourceError(messages.clientRefused(problem));
  }
  return createClient({ ...settings, accessToken }, { ...machine, proxy });
}
