import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { endWithEngine } from "../edge/engineWatch";
import { engineLink } from "./engine";
import { resourceProvider } from "./provider";

/** A group is one message, with its state and with what was declared before. By default gRPC takes 4 MB. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The process of the plugin: the engine starts it with its own address, and reads the port from the first line. */
export function startPlugin(engineAddress: string | undefined): void {
  const engine = engineLink();
  if (engineAddress !== undefined) {
    endWithEngine(engineAddress);
    engine.connect(engineAddress);
  }
  const server = new Server({
    "grpc.max_receive_message_length": MOST_BYTES,
    "grpc.max_send_message_length": MOST_BYTES,
  });
  server.addService(ResourceProviderService, { ...resourceProvider(engine, engineAddress) });
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    }
    process.stdout.write(`${port}\n`);
  });
}

startPlugin(process.argv[2]);
