import type { Client } from "../core/platform/operations";
import { CALLS, type Call } from "./calls";
import { type Context, exchange } from "./exchange";
import { createLimiter } from "./limiter";
import { clientOf } from "./operationTable";
import type { ClientSettings, HeaderNames, Surroundings } from "./options";
import { hostAndPort } from "./proxy";

/** The operations of the interface, for one run. */
export function createClient(settings: ClientSettings, { clock, proxy, transport }: Surroundings): Client {
  const { concurrency } = settings;
  const attemptMs = settings.requestTimeout * 1000;
  const deadlineMs = settings.deadline * 1000;
  const context: Context = {
    ...settings,
    attemptMs,
    deadlineMs,
    host: hostAndPort(new URL(settings.baseUrl)),
    proxy,
    clock,
    limiter: createLimiter(concurrency, deadlineMs, clock),
    transport: transport({ concurrency, proxy, attemptMs }),
  };
  return clientOf((name) => {
    const callOf: (request: never, names: HeaderNames) => Call<unknown> = CALLS[name];
    const send = async (request: never) => exchange(context, callOf(request, settings));
    return send as unknown as Client[typeof name];
  });
}
