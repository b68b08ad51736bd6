import * as pulumi from "@pulumi/pulumi";
import { guardsOfProject, noSuchSettings, render } from "../core/messages";
import { GUARD_KEYS, NAMESPACE, unknownSettings } from "../core/settings";
import { oncePerRun } from "./perRun";
import { programError } from "./programError";

/** The provider's process asks for settings by name and cannot see a key that is misspelt; the program sees all keys. */

/**
 * Those that are refused are refused at each resource. `pulumi config set maxShift 20` writes a key of the project: it would guard nothing, and
 * say nothing. The names of guards are ours alone; a key such as `baseUrl` may be the program's own, and a platform without one is an error.
 */
export const refuseUnknownSettings = oncePerRun((): true => {
  const prefix = `${NAMESPACE}:`;
  const all = Object.keys(pulumi.runtime.allConfig());
  const keys = all.filter((key) => key.startsWith(prefix));
  const unknown = unknownSettings(keys.map((key) => key.slice(prefix.length)));
  // In a project of this name a key without a namespace is one of the program's own.
  const isOurs = pulumi.getProject() !== NAMESPACE;
  if (isOurs && unknown.length > 0) {
    throw programError(render(noSuchSettings(unknown)));
  }
  const misspelt = unknown.filter(({ meant }) => meant !== undefined);
  if (misspelt.length > 0) {
    void pulumi.log.warn(render(noSuchSettings(misspelt)));
  }
  const project = pulumi.getProject();
  const unread = isOurs
    ? GUARD_KEYS.filter((key) => all.includes(`${project}:${key}`) && !keys.includes(prefix + key))
    : [];
  if (unread.length > 0) {
    void pulumi.log.warn(render(guardsOfProject(project, unread)));
  }
  return true;
});
