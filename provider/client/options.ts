import { setTimeout as sleep } from "node:timers/promises";
import { getProxyForUrl } from "proxy-from-env";
import type { Settings } from "../core/config/settings";
import { isLoopbackHost } from "../core/platform/endpoint";
import type { ProxyServer, Transport, TransportOptions } from "./transport";

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

// --- the proxy

/** A server as messages name it. */
export const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;

/** Undefined if hpagent cannot use it: it knows http and https alone, decodes the user name and the password, and cannot connect to `[::1]`. */
function usable(text: string): URL | undefined {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password);
    return /^https?:$/.test(url.protocol) && !url.hostname.startsWith("[") ? url : undefined;
  } catch {
    return undefined;
  }
}

/** The proxy that the environment names for the base URL. The problem does not show the address, which may hold a password. */
export function chooseProxy(baseUrl: string): { readonly proxy?: ProxyServer; readonly problem?: string } {
  const text = isLoopbackHost(new URL(baseUrl).hostname) ? "" : getProxyForUrl(baseUrl);
  if (text === "") {
    return {};
  }
  const url = usable(text);
  return url === undefined
    ? {
        problem:
          "The address of the proxy in HTTPS_PROXY or ALL_PROXY cannot be used: write it as http://host:port or http://user:password@host:port, with % as %25.",
      }
    : { proxy: { url, host: hostAndPort(url) } };
}
