import { POSTED_KINDS, type PostedKind } from "./posted";

/** The kinds of resources, and what their states have. Every saved state has these texts, so they must not change. */

const NUMBERS_KINDS = ["NumberAssignment", "NumberGroup"] as const;
export type NumbersKind = (typeof NUMBERS_KINDS)[number];

export type ResourceKind = NumbersKind | PostedKind;
export const KINDS: readonly ResourceKind[] = [...NUMBERS_KINDS, ...POSTED_KINDS];

/** Does it hold numbers? The others are posted. */
export const isOfNumbers = (kind: ResourceKind): kind is NumbersKind =>
  NUMBERS_KINDS.some((ofNumbers) => ofNumbers === kind);

/** The type of a kind in a state that the plugin saved. */
export const pluginType = (kind: ResourceKind): string => `agent-platform:index:${kind}`;

/** The type of a kind in a state that the SDK's dynamic provider saved. */
export const dynamicType = (kind: ResourceKind): string => `pulumi-nodejs:dynamic/agent-platform:${kind}`;

/** The property with the provider's text. The SDK's provider process runs that text. Without it, it can neither refresh nor delete a resource. */
export const PROVIDER = "__provider";

/** The whole provider in the state: one constant line, the same on every machine and in every release. */
export const providerText = (kind: ResourceKind): string =>
  `exports.handler = () => require("pulumi-agent-platform/handlers").${kind[0]?.toLowerCase()}${kind.slice(1)}`;

// --- who answers a call is plain: a reviewer reads it in the preview, and an operator in a message

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
