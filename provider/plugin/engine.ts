import { AsyncLocalStorage } from "node:async_hooks";
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Warn } from "../edge/session";

/** A call of the engine. The engine shows no standard error of a plugin, but lines that it gets over its own service, at the resource that they name. */
interface EngineCall {
  readonly urn: string;
  /** Lines that are being sent. The run may end with the result of the call, so the call waits for them. */
  readonly told: Promise<void>[];
}

const currentCall = new AsyncLocalStorage<EngineCall>();

/** Runs a call of the engine. The engine shows the lines of the call at its resource. */
export async function duringCall<T>(urn: string, work: () => T | Promise<T>): Promise<T> {
  const call: EngineCall = { urn, told: [] };
  try {
    return await currentCall.run(call, async () => work());
  } finally {
    await Promise.all(call.told);
  }
}

/** The connection to the engine. Its address is known from the start of this process, or comes when a debugger attaches. */
export interface EngineLink {
  readonly warn: Warn;
  connect(address: string): void;
}

export function engineLink(): EngineLink {
  let client: EngineClient | undefined;

  function warn(text: string): void {
    if (client === undefined) {
      process.stderr.write(`${text}\n`);
      return;
    }
    const call = currentCall.getStore();
    const request = new LogRequest()
      .setSeverity(LogSeverity.WARNING)
      .setMessage(text)
      .setUrn(call?.urn ?? "");
    // If the engine has ended, the line is lost; the engine watch then ends this process.
    const told = new Promise<void>((resolve) => client?.log(request, () => resolve()));
    call?.told.push(told);
  }

  return {
    connect(address) {
      client?.close();
      // The engine is on this machine. gRPC would use the proxy of the environment even for loopback.
      client = new EngineClient(address, credentials.createInsecure(), { "grpc.enable_http_proxy": 0 });
    },
    warn,
  };
}
