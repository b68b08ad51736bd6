import { isObject } from "../base/json";
import { type ParsedBody, secretsIn } from "./body";
import { bodyWithNames, type Operation, type Read, requestTo, SHOWN } from "./operation";
import { reportsFailure } from "./response";

const NAME = "POST /api/chats/{chatId}/end";

/**
 * Ends a chat (interface 4.4). Not resent automatically after an unknown outcome, although ending a chat twice does no
 * harm.
 */
export const endChat: Operation<EndChatRequest, undefined> = {
  name: NAME,
  call: (request, { baseUrl }) => ({
    ...requestTo(NAME, baseUrl, { chatId: request.chatId }),
    body: bodyWithNames<EndChatRequest, "chatId" | "saved">(request, { workspaceId: "workspaceId" }),
    secrets: secretsIn(request.saved ?? {}, SHOWN),
    read,
  }),
};

export interface EndChatRequest {
  readonly chatId: string;
  readonly workspaceId: number;
  /** The chat's saved properties. They aren't sent, but the response may repeat them. */
  readonly saved?: object;
}

/**
 * Accepts any 2xx response, even without a body, because the interface does not specify one (4.4). Refuses markup,
 * which only another server would send.
 */
function read(body: ParsedBody): Read<undefined> {
  if (body.form === "unreadable" && body.isMarkup) {
    return { unusable: body.detail };
  }
  // If the body is a chat, `status` is the status of that chat (2.4).
  const isRefused =
    body.form === "json" && isObject(body.value) && reportsFailure({ ...body.value, status: undefined });
  return isRefused ? { refused: true } : { response: undefined };
}
