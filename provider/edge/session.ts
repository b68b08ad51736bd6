import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "../client/client";
import { InvalidOptionsError } from "../client/errors";
import * as messages from "../core/messages";
import type { Client } from "../core/operations";
import type { Settings } from "../core/settings";
import { ResourceError, type Session } from "../resources/lifecycle";
import { answerRelease } from "../resources/release";
import { declaredBy } from "./declared/declared";
import { isAddress } from "./engineWatch";
import { collectGarbageFor } from "./heap";

const sessions = new Map<string, Session>();

/** Where an edge says what is no answer to a call. */
export interface Diagnostics {
  warn(text: string): void;
  /** A line that does not stay: progress of long work. */
  progress(text: string): void;
}

/** One session a process and settings: four resource types share it, and with it the limits on what is under way. */
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
  const session: Session = {
    settings,
    client() {
      client ??= clientFor(settings);
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
    collectGarbage(numbers) {
      if (isAddress(engineAddress)) {
        collectGarbageFor(numbers);
      }
    },
    declared: declaredBy(settings, engineAddress, (number, held, who) => answerRelease(number, held, who, session)),
    inTurn: turns(),
    newId: (prefix) => `${prefix}-${randomUUID()}`,
    wait: (ms) => delay(ms),
    now: () => performance.now(),
    memory: {
      applied: new Map(),
      wanted: new Map(),
      secretArguments: new Map(),
      unconfirmed: new Set(),
      replacing: new Map(),
      meetsUnknown: false,
      successors: new Map(),
      resolvedIds: new Set(),
      isDeclaring: false,
      keptPosts: new Map(),
      unverifiedTold: false,
    },
  };
  return session;
}

/**
 * An engine that was killed reads no more. Node throws what nobody hears, and the SDK's handler of that writes again: the process
 * would turn in a circle, with calls under way that nobody concludes.
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
    // A proxy, above all: what the settings alone do not show.
    if (error instanceof InvalidOptionsError) {
      throw new ResourceError(messages.clientRefused(error.message));
    }
    throw error;
  }
}

/** Work on one key runs in the order in which it was asked for. */
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
