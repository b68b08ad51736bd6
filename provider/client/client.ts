import type { Client } from "../core/platform/operations";
import { CALLS, type Call } from "./calls";
import { type Context, exchange } from "./exchange";
import { createLimiter } from "./limiter";
import { clientOf } from "./operationTable";
import { type ClientOptions, type ContextHeaders, parseOptions } from "./options";
import { createTransport, type Transport, type TransportOptions } from "./transport";

// A program's compiler reads this file, so it has no types of zod: calls.ts needs them.

/** The operations of the interface, without Pulumi. Throws an InvalidOptionsError if the options are not valid. */
export const createClient = (options: ClientOptions): Client => clientOver(createTransport, options);

/** @param open how requests get to the platform */
export function clientOver(open: (options: TransportOptions) => Transport, options: ClientOptions): Client {
  const settings = parseOptions(options);
  const context: Context = {
    settings,
    limiter: createLimiter(settings.concurrency, settings.deadlineMs, settings.runtime),
    transport: open(settings),
  };
  return clientOf((name) => {
    const callOf: (request: never, headers: ContextHeaders) => Call<unknown> = CALLS[name];
    const send = async (request: never) => exchange(context, callOf(request, settings.headers));
    return send as unknown as Client[typeof name];
  });
}
