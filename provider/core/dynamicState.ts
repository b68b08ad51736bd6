import type { ResourceKind } from "./urn";

/** What a state says of a resource whose provider is part of the program: a contract with every state that was saved. */

export const dynamicType = (kind: ResourceKind): string => `pulumi-nodejs:dynamic/agent-platform:${kind}`;

/** The property that holds the provider. The SDK's provider process runs it, and can neither refresh nor delete a resource without it. */
export const PROVIDER = "__provider";

/** The whole provider in the state: one constant line, the same on every machine and in every release. */
export const providerText = (kind: ResourceKind): string =>
  `exports.handler = () => require("pulumi-agent-platform/handlers").${kind[0]?.toLowerCase()}${kind.slice(1)}`;
