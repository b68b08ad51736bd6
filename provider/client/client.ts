import type { Failure, Outcome } from "../core/api/operations";
import type { Client } from "../core/api/responses";
import type { VoiceHeaders } from "../core/config/settings";
import { CALLS, type Call, OPERATIONS, operationText } from "./calls";
import { type Context, exchange } from "./exchange";
import { createLimiter } from "./limiter";
import type { ClientSettings, Surroundings } from "./options";
import { hostAndPort } from "./options";
import { InvalidRequestError } from "./wire";

const ATTEMPTS = 4;

/**
 * The operations of the interface, for one run, which has one token. A 401 is the one response that concerns every request: after it the run
 * sends nothing more, because 25 numbers would be refused one by one, each with the same message. Requests that are under way at that moment
 * go on. Any other response, a 403 as well, may concern one number alone.
 */
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
  let isRejected = false;

  function sender(name: keyof Client) {
    const operation = operationText(OPERATIONS[name]);
    const callOf: (request: never, names: VoiceHeaders | undefined) => Call<unknown> = CALLS[name];
    const send = async (request: never) => exchange(context, callOf(request, settings.voiceHeaders));
    return async (request: never): Promise<Outcome<unknown>> => {
      if (isRejected) {
        return { outcome: "rejected", failure: rejectedBefore(operation) };
      }
      const outcome = await send(request).catch((error: unknown) => unknownAfter(error, operation));
      isRejected ||= outcome.outcome !== "applied" && outcome.failure.cause === "unauthenticated";
      return outcome;
    };
  }

  const names = Object.keys(OPERATIONS) as (keyof Client)[];
  return Object.fromEntries(names.map((name) => [name, sender(name)])) as unknown as Client;
}

const rejectedBefore = (operation: string): Failure => ({
  cause: "unauthenticated",
  detail: "the platform rejected the token earlier in this run (401)",
  exchange: { operation, attempts: 0, elapsedMs: 0 },
  isPlatformError: false,
});

/** What is not valid was not sent. After any other error the request may have been sent, and what was sent must not be forgotten. */
function unknownAfter(error: unknown, operation: string): Outcome<unknown> {
  if (error instanceof InvalidRequestError) {
    throw error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  const exchange = { operation, attempts: 1, elapsedMs: 0 };
  return { outcome: "unknown", failure: { cause: "unusable", exchange, detail, isPlatformError: false } };
}
