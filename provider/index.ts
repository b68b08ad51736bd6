/** The agents of phone numbers as code: resources, an explicit provider and helpers. */
export type { ChatMessage, PlatformIds } from "./core/platform/operations";
export { AgentPlatform, type AgentPlatformArgs } from "./pulumi/platformProvider";
export * from "./pulumi/resources";
export { split } from "./pulumi/splits";
export type * from "./resources/args";
