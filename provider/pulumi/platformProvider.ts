import * as pulumi from "@pulumi/pulumi";
import { BASE_URL_ENV, NAMESPACE, PROVIDER_NAME_KEY, type SettingKey, unknownSettings } from "../core/config/settings";
import { noSuchArguments, render, secretRollouts } from "../core/messages";
import { parseBaseUrl } from "../core/platform/endpoint";
import { tokenRule } from "../edge/settings";
import type { NamedRolloutArgs } from "../resources/args";
import { programError } from "./programError";

/**
 * The settings of an explicit provider: those of the stack's config, for another account. What has no comment here is the setting
 * of the same name, with the same default.
 */
export interface AgentPlatformArgs {
  /** Address of this platform: https, or http on loopback. */
  readonly baseUrl: pulumi.Input<string>;
  /** The bearer token; saved in the state, encrypted. Exactly one of this and `accessTokenEnv`. */
  readonly accessToken?: pulumi.Input<string>;
  /** Name of the environment variable that holds the token: no secret in the state, and a rotated token reaches refresh and destroy. */
  readonly accessTokenEnv?: pulumi.Input<string>;
  readonly workspaceId?: pulumi.Input<number | undefined>;
  readonly accountSid?: pulumi.Input<string | undefined>;
  readonly rollouts?: pulumi.Input<Record<string, pulumi.Input<NamedRolloutArgs>> | undefined>;
  readonly clearWith?: pulumi.Input<"auto" | "null" | "empty" | "omit" | undefined>;
  readonly onMismatch?: pulumi.Input<"error" | "warn" | undefined>;
  readonly requestTimeout?: pulumi.Input<number | undefined>;
  readonly deadline?: pulumi.Input<number | undefined>;
  readonly attempts?: pulumi.Input<number | undefined>;
  readonly concurrency?: pulumi.Input<number | undefined>;
  readonly actorTypeHeader?: pulumi.Input<string | undefined>;
  readonly providerScopeHeader?: pulumi.Input<string | undefined>;
  readonly workspaceContextHeader?: pulumi.Input<string | undefined>;
  readonly weightTotal?: pulumi.Input<number | undefined>;
  readonly maxShift?: pulumi.Input<number | undefined>;
  readonly steps?: pulumi.Input<pulumi.Input<number>[] | undefined>;
  readonly requireVersions?: pulumi.Input<boolean | undefined>;
  readonly approvedAgents?: pulumi.Input<string | pulumi.Input<string>[] | undefined>;
  readonly maxUnapproved?: pulumi.Input<number | undefined>;
  readonly maxRemove?: pulumi.Input<number | undefined>;
  readonly freeze?: pulumi.Input<string | undefined>;
}

type Complete = { [Key in SettingKey]: AgentPlatformArgs[Key] };

/**
 * An explicit provider, for a second account or platform: `new NumberAssignment("x", {…}, { provider: thatOne })`.
 * It uses what it was given. Of the settings in the environment it takes only the token that `accessTokenEnv` names, and the bypass of guards.
 */
export class AgentPlatform extends pulumi.ProviderResource {
  constructor(name: string, args: AgentPlatformArgs, opts?: pulumi.ResourceOptions) {
    // A program in JavaScript may leave them out.
    const all: Partial<AgentPlatformArgs> = args ?? {};
    const refused = tokenRule(name, all);
    if (refused !== undefined) {
      throw programError(render(refused));
    }
    const unknown = unknownSettings(Object.keys(all));
    if (unknown.length > 0) {
      throw programError(render(noSuchArguments(name, unknown)));
    }
    const { accessToken, rollouts, ...rest } = args satisfies Partial<Complete> & AgentPlatformArgs;
    const settings = {
      ...rest,
      ...(rollouts === undefined ? {} : { rollouts: notSecret(rollouts) }),
      ...(accessToken === undefined ? {} : { accessToken: pulumi.secret(accessToken) }),
    };
    const config = Object.entries({ ...settings, [PROVIDER_NAME_KEY]: name });
    super(
      "pulumi-nodejs",
      name,
      Object.fromEntries(config.map(([key, value]) => [`${NAMESPACE}:${key}`, value])),
      opts,
    );
    given.set(this, args);
  }
}

/** The provider's process gets the values without what marks a secret. So the program has to look. */
function notSecret(rollouts: AgentPlatformArgs["rollouts"]): pulumi.Output<unknown> {
  const all = pulumi.output(rollouts);
  return pulumi.output(pulumi.isSecret(all)).apply((isSecret) => {
    if (isSecret) {
      throw programError(render(secretRollouts()));
    }
    return all;
  });
}

const given = new WeakMap<pulumi.ProviderResource, AgentPlatformArgs>();

/** The arguments of a provider; undefined if another class made it. */
export const argumentsOf = (provider: pulumi.ProviderResource): AgentPlatformArgs | undefined => given.get(provider);

/** The platform of a provider, if the program knows it: undefined for a base URL that is an output, or not valid. */
export function endpointOf(provider: pulumi.ProviderResource | undefined): string | undefined {
  const baseUrl =
    provider === undefined
      ? new pulumi.Config(NAMESPACE).get("baseUrl") || process.env[BASE_URL_ENV]
      : argumentsOf(provider)?.baseUrl;
  return typeof baseUrl === "string" ? parseBaseUrl(baseUrl).url : undefined;
}
