import { AsyncLocalStorage } from "node:async_hooks";
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Diagnostics } from "../edge/session";

/**
 * What is said beside the answers of calls. The engine shows nothing of what a plugin writes to its standard error; what it is told
 * over its own service stands at the resource, so each line needs the URN of the call that says it.
 */
interface Call {
  readonly urn: string;
  /** Lines on their way: the run may end with the answer, so that waits for them. */
  readonly told: Promise<void>[];
}

const calls = new AsyncLocalStorage<Call>();

/** Runs a call of the engine's; what it says meanwhile stands at its resource. */
export async function duringCall<T>(urn: string, work: () => T | Promise<T>): Promise<T> {
  const call: Call = { urn, told: [] };
  try {
    return await calls.run(call, async () => work());
  } finally {
    await Promise.all(call.told);
  }
}

/** How this process speaks with its engine: at an address known from its start, or where a debugger attached it. */
export interface EngineLink extends Diagnostics {
  connect(address: string): void;
}

export function engineLink(): EngineLink {
  let client: EngineClient | undefined;

  function tell(text: string, severity: LogSeverity, isEphemeral: boolean): void {
    if (client === undefined) {
      process.stderr.write(`${text}\n`);
      return;
    }
    const call = calls.getStore();
    const request = new LogRequest()
      .setSeverity(severity)
      .setMessage(text)
      .setUrn(call?.urn ?? "")
      .setEphemeral(isEphemeral);
    // An engine that is gone hears nothing; the watch over it ends the process.
    const told = new Promise<void>((resolve) => client?.log(request, () => resolve()));
    call?.told.push(told);
  }

  return {
    connect(address) {
      client?.close();
      client = new EngineClient(address, credentials.createInsecure());
    },
    warn: (text) => tell(text, LogSeverity.WARNING, false),
    progress: (text) => tell(text, LogSeverity.INFO, true),
  };
}
