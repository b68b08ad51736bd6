import type { Client } from "../core/operations";
import type { OperationKind } from "./retry";

/** How an operation is called. */
export interface Operation {
  readonly kind: OperationKind;
  /** The path template: fit for logs, unlike the path. */
  readonly path: string;
}

/** The four operations of the interface. */
export const OPERATIONS: Readonly<Record<keyof Client, Operation>> = {
  assignNumber: { kind: "put", path: "/api/numbers/{number}/agent" },
  addCommunityVoice: { kind: "post", path: "/api/voices/community" },
  createSmsChat: { kind: "post", path: "/api/chats/outbound-sms" },
  endChat: { kind: "post", path: "/api/chats/{chatId}/end" },
};

/** `PUT /api/numbers/{number}/agent`. */
export const operationText = ({ kind, path }: Operation): string => `${kind.toUpperCase()} ${path}`;
