/** The agents of phone numbers as code: resources and a helper. */
export type { PlatformIds } from "./core/api/operations";
export type { Aborted as AbortedRollout, Rollout as ResolvedRollout } from "./core/routing/rollout";
export * from "./pulumi/resources";
export type * from "./resources/args";
