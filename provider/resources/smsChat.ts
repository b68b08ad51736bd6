import * as z from "zod";
import { sameEndpoint } from "../core/endpoint";
import { resourceLabel } from "../core/label";
import * as messages from "../core/messages";
import type { Chat, Client, CreateSmsChatRequest } from "../core/operations";
import { chatAgentId, chatId, jsonObject, oneOf, optional, phoneNumber, plainText, required } from "../core/schemas";
import { contextOf, deleteFailed, ResourceError, refuseFrozen, refuseOtherEndpoint, type Session } from "./lifecycle";
import { type PostInputs, postLifecycle, postShape, type SavedPost } from "./posts";
import { chatKey } from "./run";

export interface ChatInputs extends CreateSmsChatRequest, PostInputs {
  readonly sendKey?: string | undefined;
  readonly endMissing?: "ended" | "error" | undefined;
}

export type ChatState = SavedPost<ChatInputs, Chat>;

const KIND = "SmsChat";

/** Responses to an end that mean that nothing is left to end (interface 4.4 does not show it). */
const GONE = new Set([404, 409, 410]);

export const smsChat = postLifecycle<ChatInputs, Chat>({
  kind: KIND,
  noun: "chat",
  foundBy: { argument: "toNumber", phrase: (number) => `chat to ${number}` },
  idName: "chatId",
  schema: z.strictObject({
    ...postShape,
    agentId: required(chatAgentId),
    fromNumber: required(phoneNumber),
    toNumber: required(phoneNumber),
    metadata: optional(jsonObject),
    serviceDynamicVariables: optional(jsonObject),
    sendKey: optional(plainText),
    endMissing: optional(oneOf(["ended", "error"])),
    adopt: optional(chatId),
  }),
  key: chatKey,
  post: (client, inputs) => client.createSmsChat(inputs),
  code: "AGP-042",
  refused: "No chat was started. Nothing is saved.",
  remove: end,
});

/** Ends the chat (interface 4.4). */
async function end(id: string, state: ChatState, session: Session): Promise<void> {
  const label = resourceLabel(KIND, state);
  refuseOtherEndpoint(label, state, session);
  // After a rename without an alias, the new name adopts this chat, in this run or in an earlier one that broke off before this delete. Or
  // two resources have one chat, and the other one stays.
  const other = session.run.keepsChat(id);
  if (other === "unknown") {
    throw new ResourceError(messages.postponed(label, messages.ADOPTER_GONE));
  }
  if (other === "continues") {
    return session.warn(messages.adoptedElsewhere(label, id));
  }
  if (session.run.heard().hasFailed) {
    throw new ResourceError(messages.postponed(label, messages.RUN_FAILED));
  }
  refuseFrozen(label, session);
  const outcome = await session.client().endChat({ chatId: id, workspaceId: state.workspaceId });
  if (outcome.outcome !== "applied") {
    concludeEnd(id, outcome, state, session);
  }
}

type Unended = Exclude<Awaited<ReturnType<Client["endChat"]>>, { outcome: "applied" }>;

function concludeEnd(id: string, { outcome, failure }: Unended, state: ChatState, session: Session): void {
  const status = failure.exchange.status ?? 0;
  // Another provider may open another account, which never knew this chat: there a 404 ends nothing.
  const isOurs = sameEndpoint(state, session.settings);
  if (outcome === "rejected" && isOurs && GONE.has(status) && state.endMissing !== "error") {
    session.warn(messages.alreadyEnded(resourceLabel(KIND, state), id, status));
    return;
  }
  const remedy = GONE.has(status)
    ? "If the chat has ended, or this account never had it, forget the resource with `pulumi state delete`; otherwise check the workspace and the provider."
    : undefined;
  const context = { ...contextOf(state.workspaceId, session), who: resourceLabel(KIND, state), remedy };
  throw deleteFailed(outcome, failure, context, {
    code: "AGP-043",
    truth: `Chat ${JSON.stringify(id)} may or may not have ended.`,
    remedy: "Run the same command again: it ends the chat once more, which does no harm.",
  });
}
