import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../core/config/settings";
import type { ProxyServer } from "./proxy";
import type { Transport, TransportOptions } from "./transport";

/** Time and chance as the client sees them; tests bring their own, so that nothing sleeps. */
export interface ClientRuntime {
  /** Milliseconds that never run backwards: every duration is measured by it. */
  now(): number;
  /** Milliseconds since 1970, for HTTP dates alone (a clock may jump). */
  wallClock(): number;
  /** From 0 up to, but without, 1. */
  random(): number;
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemRuntime: ClientRuntime = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: () => Math.random(),
  delay: (milliseconds, signal) => sleep(milliseconds, undefined, signal ? { signal } : {}),
};

/** What the client needs of the settings of a run. */
export type ClientSettings = Pick<Settings, "baseUrl" | "requestTimeout" | "voiceHeaders"> & {
  readonly accessToken: string;
};

/** What the client needs of the machine. */
export interface Surroundings {
  readonly clock: ClientRuntime;
  readonly proxy?: ProxyServer | undefined;
  /** How requests get to the platform. */
  readonly transport: (options: TransportOptions) => Transport;
  /** Requests in progress at once. */
  readonly concurrency: number;
  /** How often one operation is sent at most, without those that got a 429. Tests bring their own. */
  readonly attempts?: number | undefined;
}
