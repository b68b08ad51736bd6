import { isObject } from "../base/json";
import type { ParsedBody } from "./body";
import { bodyWithNames, type Call, type CallSettings, type Read, requestTo, SHOWN, secretsIn } from "./operation";
import { reportsFailure } from "./response";

/**
 * Ends a chat (docs/interface.md, section 4.4). Ending it twice would do no harm, but no POST is resent automatically
 * after an unknown outcome.
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
 * Reads the body of a 2xx response. Accepts any body that doesn't report a failure, because the interface doesn't
 * specify the response (docs/interface.md, section 4.4).
 */
function read(body: ParsedBody): Read<undefined> {
  // Only another server, such as a gateway, would send markup.
  if (body.form === "unreadable" && body.isMarkup) {
    return { unusable: body.detail };
  }
  // Ignore `status`. If the body is the chat (docs/interface.md, section 2.4), the status `failed` describes the chat,
  // which may well have been ended.
  const isRefused =
    body.form === "json" && isObject(body.value) && reportsFailure({ ...body.value, status: undefined });
  return isRefused ? { refused: true } : { response: undefined };
}
