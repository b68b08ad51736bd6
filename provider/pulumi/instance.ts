import * as pulumi from "@pulumi/pulumi";
import { INSTANCE_KEY, NAMESPACE, type SettingKey } from "../core/settings";

/**
 * The settings of an explicit provider: those of the stack's config, for another account. What has no comment here is the setting
 * of the same name, with the same default.
 */
export interface AgentPlatformArgs {
  /** Where this platform answers: https, or http on loopback. */
  baseUrl: pulumi.Input<string>;
  /** The bearer token; saved in the state, encrypted. Exactly one of this and `accessTokenEnv`. */
  accessToken?: pulumi.Input<string>;
  /** Name of the environment variable that holds the token: no secret in the state, and a rotated token reaches refresh and destroy. */
  accessTokenEnv?: pulumi.Input<string>;
  workspaceId?: pulumi.Input<number | undefined>;
  accountSid?: pulumi.Input<string | undefined>;
  clearWith?: pulumi.Input<"auto" | "null" | "empty" | "omit" | undefined>;
  onMismatch?: pulumi.Input<"error" | "warn" | undefined>;
  requestTimeout?: pulumi.Input<number | undefined>;
  deadline?: pulumi.Input<number | undefined>;
  retries?: pulumi.Input<number | undefined>;
  concurrency?: pulumi.Input<number | undefined>;
  actorTypeHeader?: pulumi.Input<string | undefined>;
  providerScopeHeader?: pulumi.Input<string | undefined>;
  workspaceContextHeader?: pulumi.Input<string | undefined>;
  weightTotal?: pulumi.Input<number | undefined>;
  maxShift?: pulumi.Input<number | undefined>;
  requireVersions?: pulumi.Input<boolean | undefined>;
  approvedAgents?: pulumi.Input<string | pulumi.Input<string>[] | undefined>;
  maxUnapproved?: pulumi.Input<number | undefined>;
  maxRemove?: pulumi.Input<number | undefined>;
  freeze?: pulumi.Input<string | undefined>;
}

type Complete = { [Key in SettingKey]: AgentPlatformArgs[Key] };

/**
 * An explicit provider, for a second account or platform: `new NumberAssignment("x", {…}, { provider: thatOne })`.
 * It uses what it was given and never falls back to the environment.
 */
export class AgentPlatform extends pulumi.ProviderResource {
  constructor(name: string, args: AgentPlatformArgs, opts?: pulumi.ResourceOptions) {
    if ((args.accessToken === undefined) === (args.accessTokenEnv === undefined)) {
      throw new pulumi.RunError(
        `AGP-013 AgentPlatform "${name}": give exactly one of accessToken and accessTokenEnv. An explicit provider never takes the token of the environment.`,
      );
    }
    const { accessToken, ...rest } = args satisfies Partial<Complete> & AgentPlatformArgs;
    const settings = { ...rest, ...(accessToken === undefined ? {} : { accessToken: pulumi.secret(accessToken) }) };
    super("pulumi-nodejs", name, { ...namespaced(settings), [`${NAMESPACE}:${INSTANCE_KEY}`]: name }, opts);
  }
}

const namespaced = (settings: object) =>
  Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${NAMESPACE}:${key}`, value]));
