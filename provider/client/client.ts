import type { Client, Outcome } from "../core/operations";
import { addCommunityVoiceCall, assignNumberCall, type Call, createSmsChatCall, endChatCall } from "./calls";
import { type Context, exchange } from "./exchange";
import { createLimiter } from "./limiter";
import { type ClientOptions, parseOptions } from "./options";
import { createTransport } from "./transport";

/** The four operations, without Pulumi. Throws an InvalidOptionsError if the options are not valid. */
export function createClient(options: ClientOptions): Client {
  const settings = parseOptions(options);
  const context: Context = {
    settings,
    limiter: createLimiter(settings.concurrency, settings.deadlineMs, settings.runtime),
    transport: createTransport(settings),
  };
  const run = <Answer>(call: Call<Answer>): Promise<Outcome<Answer>> => exchange(context, call);
  return {
    assignNumber: async (request) => run(assignNumberCall(request)),
    addCommunityVoice: async (request) => run(addCommunityVoiceCall(request, settings.headers)),
    createSmsChat: async (request) => run(createSmsChatCall(request)),
    endChat: async (request) => run(endChatCall(request)),
  };
}
