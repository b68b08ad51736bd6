import type { ResourceKind } from "./urn";

/** What a state says about a dynamic resource. Every saved state has it, so it must not change. */

export const dynamicType = (kind: ResourceKind): string => `pulumi-nodejs:dynamic/agent-platform:${kind}`;

/** The property with the provider's text. The SDK's provider process runs that text. Without it, it can neither refresh nor delete a resource. */
export const PROVIDER = "__provider";

/** The whole provider in the state: one constant line, the same on every machine and in every release. */
export const providerText = (kind: ResourceKind): string =>
  `exports.handler = () => require("pulumi-agent-platform/handlers").${kind[0]?.toLowerCase()}${kind.slice(1)}`;
