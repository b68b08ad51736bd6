import type { Outcome } from "../core/api/operations";
import type { Client } from "../core/api/responses";
import type { Settings, VoiceHeaders } from "../core/config/settings";
import { CALLS, type Call, InvalidRequestError, OPERATIONS, type Operation, operationText } from "./calls";
import { type Context, exchange } from "./exchange";
import { type Clock, Limiter } from "./limiter";
import { hostAndPort, type ProxyServer, type Transport, type TransportOptions } from "./transport";

/** What the client needs of the settings of a run. */
export type ClientSettings = Pick<Settings, "baseUrl" | "requestTimeout" | "voiceHeaders"> & {
  readonly accessToken: string;
};

/** What the client needs of the machine. */
export interface Surroundings {
  readonly clock: Clock;
  readonly proxy?: ProxyServer | undefined;
  readonly transport: (options: TransportOptions) => Transport;
  /** Requests in progress at once. */
  readonly concurrency: number;
  /** How often one operation is sent at most, without those that got a 429. Tests bring their own. */
  readonly attempts?: number | undefined;
}

const ATTEMPTS = 4;

/** The operations of the interface, for one run, which has one token and one limiter. */
export function createClient(
  { baseUrl, accessToken, requestTimeout, voiceHeaders }: ClientSettings,
  { clock, proxy, transport, concurrency, attempts = ATTEMPTS }: Surroundings,
): Client {
  const attemptMs = requestTimeout * 1000;
  // With all attempts and waits: a minute, and always long enough for two whole attempts.
  const deadlineMs = Math.max(60_000, 2 * attemptMs);
  const context: Context = {
    baseUrl,
    token: accessToken,
    route: { host: hostAndPort(new URL(baseUrl)), proxy: proxy?.host },
    attemptLimit: attempts,
    attemptMs,
    deadlineMs,
    clock,
    limiter: new Limiter(concurrency, clock),
    transport: transport({ concurrency, proxy, attemptMs }),
  };
  function sender(name: keyof Client) {
    const callOf: (request: never, names: VoiceHeaders | undefined) => Call<unknown> = CALLS[name];
    return (request: never): Promise<Outcome<unknown>> =>
      exchange(context, callOf(request, voiceHeaders)).catch((error) => unknownAfter(error, OPERATIONS[name]));
  }

  const names = Object.keys(OPERATIONS) as (keyof Client)[];
  return Object.fromEntries(names.map((name) => [name, sender(name)])) as unknown as Client;
}

/** What is not valid was not sent. After any other error the request may have been sent, and what was sent must not be forgotten. */
function unknownAfter(error: unknown, operation: Operation): Outcome<unknown> {
  if (error instanceof InvalidRequestError) {
    throw error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  const exchange = { operation: operationText(operation), attempts: 1, elapsedMs: 0 };
  return { outcome: "unknown", failure: { cause: "unusable", exchange, detail, isPlatformError: false } };
}
