import { randomUUID } from "node:crypto";
import { connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type Surroundings } from "../api/exchange";
import { chooseProxy, createTransport } from "../api/http";
import type { Client } from "../api/operations";
import type { Clock, RunMarks } from "../base/world";
import { cannotThrow, ResourceError } from "../run/errors";
import { clientRefused, settingRefused, tokenMissing } from "../run/resource";
import { Memory, type Session } from "../run/run";
import { wrongSettings } from "../stack/messages";
import { readSettings, type Settings, type SettingsRead } from "../stack/settings";
import { type Message, render } from "../words/message";
import { isAddress, marksOf } from "./marks";

const systemClock: Clock = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: () => Math.random(),
  delay: (milliseconds) => sleep(milliseconds),
};

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
    const others = found.problems.filter(({ code }) => code !== "AGP-015").map(settingRefused);
    const [first, ...rest] = [...(wrong.length > 0 ? [wrongSettings(wrong)] : []), ...others];
    throw new ResourceError(first as Message, ...rest);
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
  const warn = cannotThrow((message: Message) => {
    const text = render(message);
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
    throw new ResourceError(tokenMissing(settings));
  }
  const { proxy, problem } = chooseProxy(settings.baseUrl);
  if (problem !== undefined) {
    throw new ResourceError(clientRefused(problem));
  }
  return createClient({ ...settings, accessToken }, { ...machine, proxy });
}

/** The wait between two tries: a loop without one would use up the processor if each connection is closed at once. */
const AGAIN_MS = 100;

/** How many tries may fail before a connection has opened: the engine may have been killed while this process started. */
const FIRST_TRIES = 3;

let isWatching = false;

/**
 * Ends this process when its engine ends. Without an engine, what this process still sends is saved nowhere, and a PUT that it repeats
 * could reach the platform after that of the next run. An open connection closes at once when the engine has ended.
 */
export function endWithEngine(address: string | undefined): void {
  if (!isAddress(address) || isWatching) {
    return;
  }
  isWatching = true;
  watch(address, FIRST_TRIES);
}

function watch(address: string, tries: number): void {
  let isThere = false;
  const session = connect(`http://${address}`);
  session.on("connect", () => {
    isThere = true;
    session.unref();
  });
  session.on("error", () => {});
  session.on("close", () => {
    const left = isThere ? 1 : tries - 1;
    if (left === 0) {
      process.exit(1);
    }
    setTimeout(() => watch(address, left), AGAIN_MS).unref();
  });
  session.unref();
}
