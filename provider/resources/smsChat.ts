import type { CreateSmsChatRequest } from "../core/api/operations";
import type { Chat } from "../core/api/responses";
import {
  chatAgentId,
  jsonObject,
  objectOf,
  optional,
  pathId,
  phoneNumber,
  plainText,
  required,
  seenAs,
} from "../core/common/schemas";
import { type PostInputs, postLifecycle, postShape } from "./posts";

export interface ChatInputs extends CreateSmsChatRequest, PostInputs {
  readonly sendKey?: string | undefined;
}

export const smsChat = postLifecycle<ChatInputs, Chat>({
  kind: "SmsChat",
  schema: objectOf({
    ...postShape,
    agentId: seenAs("shown", required(chatAgentId)),
    fromNumber: required(phoneNumber),
    toNumber: required(phoneNumber),
    metadata: optional(jsonObject),
    serviceDynamicVariables: optional(jsonObject),
    sendKey: optional(plainText),
    adopt: optional(pathId),
  }),
  post: (client, inputs) => client.createSmsChat(inputs),
  end: (client, id, { workspaceId }) => client.endChat({ chatId: id, workspaceId }),
});
