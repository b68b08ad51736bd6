import * as pulumi from "@pulumi/pulumi";
import { noSuchSettings, render } from "../core/messages";
import { NAMESPACE, unknownSettings } from "../core/settings";
import { programError } from "./mistakes";
import { oncePerRun } from "./perRun";

/** The provider's process asks for settings by name and cannot see a key that is misspelt; the program sees all keys. */

/** Those that are refused are refused at each resource. */
export const refuseUnknownSettings = oncePerRun((): true => {
  const prefix = `${NAMESPACE}:`;
  const keys = Object.keys(pulumi.runtime.allConfig()).filter((key) => key.startsWith(prefix));
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
  return true;
});
