import * as pulumi from "@pulumi/pulumi";
import { onceForEach } from "../core/common/once";

const NO_MONITOR = {};

/** Computes a value once for each run of a program. One process may have several runs, and each has a monitor of its own. */
export function oncePerRun<Made>(make: () => Made): () => Made {
  const madeFor = onceForEach((_monitor: object) => make());
  return () => madeFor(pulumi.runtime.getMonitor() ?? NO_MONITOR);
}
