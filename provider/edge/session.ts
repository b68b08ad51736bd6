import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "../client/client";
import { InvalidOptionsError } from "../client/errors";
import { stopAfterRefusal } from "../client/stopAfterRefusal";
import * as messages from "../core/messages";
import type { Client } from "../core/operations";
import type { Settings } from "../core/settings";
import { ResourceError, type Session } from "../resources/lifecycle";
import { newRun } from "../resources/run";
import { openRunFile, unsharedRun } from "./runFile";

const sessions = new Map<string, Session>();

/** How an edge prints what is not the result of a call. */
export interface Diagnostics {
  warn(text: string): void;
  /** A line that does not stay: progress of long work. */
  progress(text: string): void;
}

/** One session for each process and settings. All four resource types use it, and with it the same limit on requests in progress. */
export function sessionFor(settings: Settings, engineAddress: string | undefined, diagnostics: Diagnostics): Session {
  const key = JSON.stringify(settings);
  const found = sessions.get(key) ?? newSession(settings, engineAddress, diagnostics);
  sessions.set(key, found);
  return found;
}

export function newSession(settings: Settings, engineAddress: string | undefined, diagnostics: Diagnostics): Session {
  const said = new Set<string>();
  let client: Client | undefined;
  outliveReaders();
  return {
    settings,
    client() {
      client ??= stopAfterRefusal(clientFor(settings));
      return client;
    },
    warn(message) {
      const text = messages.render(message);
      if (said.has(text)) {
        return;
      }
      said.add(text);
      diagnostics.warn(text);
    },
    progress: diagnostics.progress,
    run: newRun(settings, engineAddress === undefined ? unsharedRun() : openRunFile(engineAddress)),
    inTurn: turns(),
    newId: (prefix) => `${prefix}-${randomUUID()}`,
    wait: (ms) => delay(ms),
    now: () => performance.now(),
    time: () => new Date().toISOString(),
  };
}

/**
 * A killed engine does not read this process's output any more. Node throws an error without a listener, and the SDK's handler of that
 * error writes again: without these listeners the process would loop for ever, with calls under way that never end.
 */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners("error").includes(ignore)) {
      stream.on("error", ignore);
    }
  }
}
const ignore = () => {};

function clientFor(settings: Settings): Client {
  const { accessToken } = settings;
  if (accessToken === undefined) {
    throw new ResourceError(messages.tokenMissing(settings));
  }
  try {
    const { requestTimeout: requestTimeoutSeconds, deadline: deadlineSeconds } = settings;
    return createClient({ ...settings, accessToken, requestTimeoutSeconds, deadlineSeconds, env: process.env });
  } catch (error) {
    // Usually a proxy: the environment names it, so the settings do not show it.
    if (error instanceof InvalidOptionsError) {
      throw new ResourceError(messages.clientRefused(error.message));
    }
    throw error;
  }
}

/** Work on one key runs in the order of the calls. */
export function turns(): Session["inTurn"] {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work);
    const settled = mine.catch(() => undefined);
    last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (last.get(key) === settled) {
        last.delete(key);
      }
    }
  };
}
