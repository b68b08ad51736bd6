import { isOfNumbers, type ResourceKind } from "./kinds";

/** Who answers a call is plain: a reviewer reads it in the preview, and an operator in a message. */

/** The only arguments of numbers that may be secret: they do not say who answers. */
const SECRET_OF_NUMBERS: readonly string[] = ["inboundWebhookUrl", "triggers"];

/** The only arguments of a voice or a chat that may not be secret. */
const PLAIN_OF_POSTED: readonly string[] = ["workspaceId", "agentId"];

const mustBePlain = (kind: ResourceKind, argument: string): boolean =>
  isOfNumbers(kind) ? !SECRET_OF_NUMBERS.includes(argument) : PLAIN_OF_POSTED.includes(argument);

/** The secret arguments of a resource that have to be plain. @param secret the names of all that are secret */
export const secretsRefused = (kind: ResourceKind, secret: unknown): string[] =>
  Array.isArray(secret) ? secret.map(String).filter((argument) => mustBePlain(kind, argument)) : [];

/** @param names arguments or settings, at least one */
export const isSecretText = (names: readonly string[]): string =>
  `${names.join(", ")} ${names.length === 1 ? "is" : "are"} secret, so a reviewer could not see who answers the calls. Write ${names.length === 1 ? "it" : "them"} in plain text.`;
