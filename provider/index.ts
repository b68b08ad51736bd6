/** The agents of phone numbers as code: resources, an explicit provider, helpers, and the client without Pulumi. */
export { createClient } from "./client/client";
export { InvalidOptionsError, InvalidRequestError, PlatformError, unwrap } from "./client/errors";
export type { AttemptLog, ClientOptions, ClientRuntime } from "./client/options";
export type * from "./core/platform/operations";
export { AgentPlatform, type AgentPlatformArgs } from "./pulumi/platformProvider";
export * from "./pulumi/resources";
export { split } from "./pulumi/splits";
export type * from "./resources/args";
