import { addCommunityVoice } from "./addCommunityVoice";
import { assignNumber } from "./assignNumber";
import { createSmsChat } from "./createSmsChat";
import { endChat } from "./endChat";
import type { Outcome } from "./failure";
import type { Operation } from "./operation";

/** The four operations of the interface. */
export const OPERATIONS = { assignNumber, createSmsChat, addCommunityVoice, endChat };

type Operations = typeof OPERATIONS;

/**
 * Each method rejects with an InvalidRequestError if its request can't be sent; otherwise the outcome says how the
 * exchange ended.
 */
export type Api = {
  readonly [Name in keyof Operations]: Operations[Name] extends Operation<infer Request, infer Response>
    ? (request: Request) => Promise<Outcome<Response>>
    : never;
};
