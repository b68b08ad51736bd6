import * as pulumi from "@pulumi/pulumi";
import { GUARD_KEYS, NAMESPACE, SHOWN_KEYS, unknownSettings } from "../core/config/settings";
import { guardsOfProject, noSuchSettings, render, secretSettings } from "../core/messages";
import { programError } from "./mistakes";
import { oncePerRun } from "./programRun";

/** A function of the SDK that its types hide; undefined if a version has none. */
const { isConfigSecret } = pulumi.runtime as { readonly isConfigSecret?: (key: string) => boolean };

/**
 * Throws if a key of the stack's config is not a setting: the program sees all keys, and a provider process only those that it asks for. It
 * warns of a guard under the project's own namespace, as `pulumi config set maxShift 20` writes it, because that guards nothing. Another key
 * there, such as `baseUrl`, may be the program's own.
 */
export const refuseUnknownSettings = oncePerRun((): true => {
  const prefix = `${NAMESPACE}:`;
  const all = Object.keys(pulumi.runtime.allConfig());
  const keys = all.filter((key) => key.startsWith(prefix));
  const unknown = unknownSettings(keys.map((key) => key.slice(prefix.length)));
  if (unknown.length > 0) {
    throw programError(render(noSuchSettings(unknown)));
  }
  const secret = SHOWN_KEYS.filter((key) => isConfigSecret?.(prefix + key));
  if (secret.length > 0) {
    throw programError(render(secretSettings(secret)));
  }
  const project = pulumi.getProject();
  const unread = GUARD_KEYS.filter((key) => all.includes(`${project}:${key}`) && !keys.includes(prefix + key));
  if (unread.length > 0) {
    void pulumi.log.warn(render(guardsOfProject(project, unread)));
  }
  return true;
});
