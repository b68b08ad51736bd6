import * as pulumi from "@pulumi/pulumi";
import { onceForEach } from "../core/once";

const NO_MONITOR = {};

/** Made once for each run of a program: each has a monitor for itself, and several may run in one process. */
export function oncePerRun<Made>(make: () => Made): () => Made {
  const madeFor = onceForEach((_monitor: object) => make());
  return () => madeFor(pulumi.runtime.getMonitor() ?? NO_MONITOR);
}
