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
