import type { Client } from "../core/routing/client";

export type Method = "PUT" | "POST";

/** How an operation is called: what is known of it without a request. */
export interface Operation {
  readonly method: Method;
  /** The path template: fit for logs, unlike the path. */
  readonly path: string;
  /** May it be sent again after an unknown outcome? The same PUT twice changes nothing; a POST makes a second chat or voice. */
  readonly isRepeatable: boolean;
  /** The section of the interface. */
  readonly section: string;
}

/** The operations of the interface. */
export const OPERATIONS: Readonly<Record<keyof Client, Operation>> = {
  assignNumber: { method: "PUT", path: "/api/numbers/{number}/agent", isRepeatable: true, section: "4.1" },
  createSmsChat: { method: "POST", path: "/api/chats/outbound-sms", isRepeatable: false, section: "4.2" },
  addCommunityVoice: { method: "POST", path: "/api/voices/community", isRepeatable: false, section: "4.3" },
  endChat: { method: "POST", path: "/api/chats/{chatId}/end", isRepeatable: false, section: "4.4" },
};

/** `PUT /api/numbers/{number}/agent`. */
export const operationText = ({ method, path }: Operation): string => `${method} ${path}`;
