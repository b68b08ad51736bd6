import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** A TCP server on loopback that can send any bytes, for responses that no HTTP server would send. */
export interface RawServer {
  readonly url: string;
  readonly port: number;
  /** The number of connections so far. */
  readonly connections: number;
  /** The requests so far, each as one string. A request is added once its head and its whole body have arrived. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** @param respond is called with each complete request and its socket */
export async function startRawServer(respond: (socket: Socket, request: string) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let text = "";
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = endOfRequest(text); end !== undefined; end = endOfRequest(text)) {
        requests.push(text.slice(0, end));
        respond(socket, text.slice(0, end));
        text = text.slice(end);
      }
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get connections() {
      return connections;
    },
    requests,
    close: () => closeAll(server, sockets),
  };
}

function endOfRequest(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n");
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return head !== -1 && text.length >= head + 4 + length ? head + 4 + length : undefined;
}

export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

export function closeAll(server: Server, sockets: Iterable<{ destroy(): unknown }>): Promise<void> {
  for (const socket of sockets) {
    socket.destroy();
  }
  return new Promise((resolve) => server.close(() => resolve()));
}
