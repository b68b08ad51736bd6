import { randomUUID } from "node:crypto";
import { type ClientRuntime, systemRuntime } from "../client/options";
import { createTransport, type Transport, type TransportOptions } from "../client/transport";
import { type RunProcess, thisProcess } from "./runFile";

/** What a session uses of the world beside its settings. */
export interface Machine extends RunProcess {
  /** How requests get to the platform. */
  readonly transport: (options: TransportOptions) => Transport;
  readonly clock: ClientRuntime;
  uuid(): string;
}

export const thisMachine: Machine = {
  ...thisProcess,
  transport: createTransport,
  clock: systemRuntime,
  uuid: randomUUID,
};
