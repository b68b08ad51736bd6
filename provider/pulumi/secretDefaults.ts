import * as pulumi from "@pulumi/pulumi";
import { parseJson } from "../core/common/json";
import { NAMESPACE } from "../core/config/settings";
import { defaultedArguments, type ResourceKind } from "../core/platform/kinds";
import { isSecretSetting } from "./stackConfig";

/**
 * The arguments, with the settings that are their defaults and are secret. The engine gives a dynamic provider the plain values of settings, so
 * the program gives them as arguments: then the engine knows that they are secret.
 */
export function withSecretDefaults<Args extends object>(kind: ResourceKind, given: Args): Args {
  // A program in JavaScript may leave them out.
  const args: Args = given ?? {};
  const missing = defaultedArguments(kind).filter((name) => (Reflect.get(args, name) ?? undefined) === undefined);
  const found = missing.map((name) => [name, inConfig(name)]);
  return { ...args, ...Object.fromEntries(found.filter(([, value]) => value !== undefined)) };
}

function inConfig(name: "accountSid" | "workspaceId"): pulumi.Output<unknown> | undefined {
  if (!isSecretSetting(name)) {
    return undefined;
  }
  const text = new pulumi.Config(NAMESPACE).getSecret(name);
  return name === "accountSid" ? text : text?.apply((value) => parseJson(value) ?? value);
}
