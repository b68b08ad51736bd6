import * as z from "zod";
import { wire } from "../base/schemas";
import { bodyWithNames, type Call, type CallSettings, isSegment, requestTo, SHOWN, secretsIn } from "./operation";
import { camelCased, dateTime, freeObject, readNew, wireInteger, wireText } from "./response";

/**
 * Starts a chat, which sends an SMS (docs/interface.md, section 4.2). If the outcome is unknown, the request is never
 * resent, because the SMS may already have been sent.
 */
export const createSmsChat = (request: CreateSmsChatRequest, { baseUrl }: CallSettings): Call<Chat> => ({
  ...requestTo("POST /api/chats/outbound-sms", baseUrl),
  body: bodyWithNames(request, {
    workspaceId: "workspaceId",
    agentId: "agent_id",
    fromNumber: "from_number",
    toNumber: "to_number",
    metadata: "metadata",
    serviceDynamicVariables: "service_dynamic_variables",
  }),
  secrets: secretsIn(request, SHOWN),
  read(body) {
    const read = readNew(body, chat, "chatId");
    // The request that later ends the chat needs the chat's ID in its path, so an ID that can't be part of a path is
    // unusable.
    return "response" in read && !isSegment(read.response?.chatId ?? "")
      ? { unusable: "the chatId in the response cannot be part of a URL, so this chat could never be ended" }
      : read;
  },
});

export interface CreateSmsChatRequest {
  readonly workspaceId: number;
  readonly agentId: string;
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly serviceDynamicVariables?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A chat as the platform returns it (docs/interface.md, section 2.4). The chat's ID is required, because it becomes the
 * resource's ID in the state.
 */
export type Chat = z.output<typeof chat> & { readonly chatId: string };

const chat = z
  .object({
    chatId: wireText,
    agentId: wireText,
    version: wireInteger,
    status: wireText,
    type: wireText,
    metadata: wire(freeObject),
    customAttributes: wire(freeObject),
    startedAt: dateTime,
    endedAt: dateTime,
    transcript: wireText,
    messages: wire(
      z.array(
        z.object({ content: wireText, name: wireText, tool_calls: wire(z.array(freeObject)) }).transform(camelCased),
      ),
    ),
    chatCost: wire(freeObject),
    chatAnalysis: wire(freeObject),
    collectedDynamicVariables: wire(freeObject),
    service_dynamic_variables: wire(freeObject),
    overrideDynamicVariables: wire(freeObject),
  })
  .transform(camelCased);
