import { randomUUID } from "node:crypto";
import { connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseProxy, openTransport } from "../api/http";
import type { World } from "../base/world";
import { wrongSettings } from "../config/messages";
import { readSettings } from "../config/settings";
import { settingRefused } from "../run/messages";
import { Run } from "../run/run";
import { type Message, ResourceError } from "../words/message";
import { isAddress, marksOf } from "./marks";

const [, script = "", argument] = process.argv;

/**
 * The engine's address, which the engine passes to each provider process as a command-line argument. Undefined in any
 * other process that loads this file, such as a test.
 */
const ENGINE_ADDRESS = /[\\/]cmd[\\/]dynamic-provider\b/.test(script) && isAddress(argument) ? argument : undefined;

export const systemWorld: World = {
  clock: {
    now: () => performance.now(),
    wallClock: () => Date.now(),
    random: () => Math.random(),
    delay: (milliseconds) => sleep(milliseconds),
  },
  chooseProxy,
  openTransport,
  newId: (prefix) => `${prefix}-${randomUUID()}`,
  // Print to standard error, because the engine shows its lines as diagnostics.
  print: (line) => void process.stderr.write(`warning: ${line}\n`),
  marks: marksOf(ENGINE_ADDRESS),
  concurrency: 16,
  attempts: 4,
};

/**
 * Starts a run with the stack's settings, and throws if these are invalid. Not part of `configure`, which must not
 * throw.
 * @param get returns a setting by its key, without the namespace
 */
export function startRun(get: (key: string) => unknown): Run {
  const found = readSettings({ get, env: process.env });
  if ("problems" in found) {
    const wrong = found.problems.filter(({ code }) => code === "AGP-015").map(({ text }) => text);
    const otherProblems = found.problems.filter(({ code }) => code !== "AGP-015").map(settingRefused);
    const [first, ...remaining] = [...(wrong.length > 0 ? [wrongSettings(wrong)] : []), ...otherProblems];
    throw new ResourceError(first as Message, ...remaining);
  }
  return new Run(found.settings, systemWorld);
}

let run: Run | undefined;

/**
 * Returns the run of this process. A provider process has one config and serves one run, so all kinds of resources
 * share the run and its limit on concurrent requests.
 */
export const openRun: typeof startRun = (get) => {
  if (run === undefined) {
    run = startRun(get);
    // Ignore write errors, which occur if the engine was killed. Without a listener, the SDK's error handler would
    // write each error to the broken stream, which would raise the next error, forever.
    for (const stream of [process.stdout, process.stderr]) {
      stream.on("error", () => {});
    }
  }
  return run;
};

let isWatching = false;

/**
 * Ends this process as soon as its engine ends. After that, nobody saves its results, and a PUT that it repeats could
 * overwrite a PUT of the next run.
 */
export function endWithEngine(): void {
  if (ENGINE_ADDRESS !== undefined && !isWatching) {
    isWatching = true;
    // Exit if three attempts to connect to the engine fail, because the engine may have been killed while this process
    // started.
    watch(ENGINE_ADDRESS, 3);
  }
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
    // Without a pause, this loop would use a whole CPU if every connection were closed immediately.
    setTimeout(() => watch(address, left), 100).unref();
  });
  session.unref();
}
