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

/** The engine gives its address to each provider process as an argument. A test that loads this file has none. */
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
  // The engine keeps lines of standard error among the diagnostics.
  print: (line) => void process.stderr.write(`warning: ${line}\n`),
  marks: marksOf(ENGINE_ADDRESS),
  concurrency: 16,
  attempts: 4,
};

/**
 * Starts a run. Throws if the settings are not valid, and so does each call of the engine: after an error of `configure` it would go on with a
 * provider without settings.
 * @param get a setting by its key without the namespace
 */
export function startRun(get: (key: string) => unknown): Run {
  const found = readSettings({ get, env: process.env });
  if ("problems" in found) {
    const wrong = found.problems.filter(({ code }) => code === "AGP-015").map(({ text }) => text);
    const others = found.problems.filter(({ code }) => code !== "AGP-015").map(settingRefused);
    const [first, ...rest] = [...(wrong.length > 0 ? [wrongSettings(wrong)] : []), ...others];
    throw new ResourceError(first as Message, ...rest);
  }
  return new Run(found.settings, systemWorld);
}

let run: Run | undefined;

/** The run of this process, which has one config and lives for one run. All kinds of resources share it, and with it one limit on requests in progress. */
export const openRun: typeof startRun = (get) => {
  if (run === undefined) {
    run = startRun(get);
    // If the engine was killed, a write to standard output fails. Without a listener Node throws that error, and the SDK's handler of the error
    // writes again: the process would loop for ever, and its calls would never end.
    for (const stream of [process.stdout, process.stderr]) {
      stream.on("error", () => {});
    }
  }
  return run;
};

let isWatching = false;

/**
 * Ends this process when its engine ends. Without an engine, what this process still sends is saved nowhere, and a PUT that it repeats
 * could reach the platform after that of the next run. An open connection closes at once when the engine has ended.
 */
export function endWithEngine(): void {
  if (ENGINE_ADDRESS !== undefined && !isWatching) {
    isWatching = true;
    // The engine may have been killed while this process started, so three tries may fail before a connection has opened.
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
    // A loop without a wait would use up the processor if each connection is closed at once.
    setTimeout(() => watch(address, left), 100).unref();
  });
  session.unref();
}
