import { isObject } from "../base/json";
import type { ParsedBody } from "./body";
import { bodyWithNames, type Call, type CallSettings, type Read, requestTo, SHOWN, secretsIn } from "./operation";
import { reportsFailure } from "./response";

/**
 * Ends a chat (docs/interface.md, section 4.4). Like every POST, the request isn't resent automatically after an
 * unknown outcome, although ending a chat twice would do no harm.
 */
export const endChat = (request: EndChatRequest, { baseUrl }: CallSettings): Call<undefined> => ({
  ...requestTo("POST /api/chats/{chatId}/end", baseUrl, { chatId: request.chatId }),
  body: bodyWithNames<EndChatRequest, "chatId" | "saved">(request, { workspaceId: "workspaceId" }),
  secrets: secretsIn(request.saved ?? {}, SHOWN),
  read,
});

export interface EndChatRequest {
  readonly chatId: string;
  readonly workspaceId: number;
  /**
   * The chat's saved properties. They aren't sent, but the response may repeat them, so any secrets in them are
   * withheld from messages.
   */
  readonly saved?: object;
}

/**
 * Reads the body of a 2xx response. Any body that doesn't report a failure is accepted, even an empty one, because the
 * interface doesn't specify the response (docs/interface.md, section 4.4). Markup counts as unusable, because only
 * another server, such as a gateway, would send it.
 */
function read(body: ParsedBody): Read<undefined> {
  if (body.form === "unreadable" && body.isMarkup) {
    return { unusable: body.detail };
  }
  // The body may be the chat (docs/interface.md, section 2.4). A chat's `status` describes the chat and not the
  // request, so ignore it: a chat with the status `failed` may well have been ended.
  const isRefused =
    body.form === "json" && isObject(body.value) && reportsFailure({ ...body.value, status: undefined });
  return isRefused ? { refused: true } : { response: undefined };
}
