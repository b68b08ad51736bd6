import type { Outcome } from "../core/api/operations";
import type { Client } from "../core/api/responses";
import type { VoiceHeaders } from "../core/config/settings";
import { CALLS, type Call, OPERATIONS, operationText } from "./calls";
import { type Context, exchange } from "./exchange";
import { createLimiter } from "./limiter";
import type { ClientSettings, Surroundings } from "./options";
import { hostAndPort } from "./options";
import { InvalidRequestError } from "./wire";

const ATTEMPTS = 4;

/** The operations of the interface, for one run, which has one token and one limiter. */
export function createClient(
  settings: ClientSettings,
  { clock, proxy, transport, concurrency, attempts = ATTEMPTS }: Surroundings,
): Client {
  const attemptMs = settings.requestTimeout * 1000;
  // With all attempts and waits: a minute, and always long enough for two whole attempts.
  const deadlineMs = Math.max(60_000, 2 * attemptMs);
  const context: Context = {
    ...settings,
    attempts,
    attemptMs,
    deadlineMs,
    host: hostAndPort(new URL(settings.baseUrl)),
    proxy,
    clock,
    limiter: createLimiter(concurrency, deadlineMs, clock),
    transport: transport({ concurrency, proxy, attemptMs }),
  };
  function sender(name: keyof Client) {
    const operation = operationText(OPERATIONS[name]);
    const callOf: (request: never, names: VoiceHeaders | undefined) => Call<unknown> = CALLS[name];
    return (request: never): Promise<Outcome<unknown>> =>
      exchange(context, callOf(request, settings.voiceHeaders)).catch((error) => unknownAfter(error, operation));
  }

  const names = Object.keys(OPERATIONS) as (keyof Client)[];
  return Object.fromEntries(names.map((name) => [name, sender(name)])) as unknown as Client;
}

/** What is not valid was not sent. After any other error the request may have been sent, and what was sent must not be forgotten. */
function unknownAfter(error: unknown, operation: string): Outcome<unknown> {
  if (error instanceof InvalidRequestError) {
    throw error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  const exchange = { operation, attempts: 1, elapsedMs: 0 };
  return { outcome: "unknown", failure: { cause: "unusable", exchange, detail, isPlatformError: false } };
}
