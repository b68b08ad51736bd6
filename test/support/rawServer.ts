import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** A TCP server on loopback that answers bytes for bytes: for what no HTTP server would say. */
export interface RawServer {
  readonly url: string;
  readonly port: number;
  /** Every connection so far. */
  readonly connections: number;
  /** What came, one text for each whole request (head and body by its content-length). */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** `answer` gets each whole request and the socket it came on. */
export async function startRawServer(answer: (socket: Socket, request: string) => void): Promise<RawServer> {
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
        answer(socket, text.slice(0, end));
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
