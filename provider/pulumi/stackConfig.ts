import * as pulumi from "@pulumi/pulumi";
import { noSuchSettings, render } from "../core/messages";
import { NAMESPACE, unknownSettings } from "../core/settings";
import { programError } from "./mistakes";

/** The provider's process asks for settings by name and cannot see a key that is misspelt; the program sees all keys. */

/** By the monitor, which each run has for itself: several programs may run in one process. */
const judged = new WeakSet<object>();
const NO_MONITOR = {};

export function refuseUnknownSettings(): void {
  const run = pulumi.runtime.getMonitor() ?? NO_MONITOR;
  if (judged.has(run)) {
    return;
  }
  const prefix = `${NAMESPACE}:`;
  const keys = Object.keys(pulumi.runtime.allConfig()).filter((key) => key.startsWith(prefix));
  const unknown = unknownSettings(keys.map((key) => key.slice(prefix.length)));
  // In a project of this name a key without a namespace is one of the program's own.
  const isOurs = pulumi.getProject() !== NAMESPACE;
  if (isOurs && unknown.length > 0) {
    throw programError(render(noSuchSettings(unknown)));
  }
  judged.add(run);
  const misspelt = unknown.filter(({ meant }) => meant !== undefined);
  if (misspelt.length > 0) {
    void pulumi.log.warn(render(noSuchSettings(misspelt)));
  }
}
