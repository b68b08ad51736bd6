import { connect, createServer, type Socket } from "node:net";
import { closeAll, listen } from "../support/rawServer";

/** How the proxy responds to a CONNECT request. */
export type ProxyBehaviour =
  /** Opens a tunnel. */
  | "tunnel"
  /** Responds with this status and doesn't open a tunnel. */
  | { readonly status: number }
  /** Resets the connection (RST) as soon as it has received the CONNECT. */
  | "reset"
  /** Never responds. */
  | "silent";

/**
 * An HTTP proxy on loopback that supports only CONNECT. Whichever host a client asks for, the tunnel leads to the same
 * port on this machine.
 */
export interface ConnectProxy {
  readonly port: number;
  /** The CONNECT requests received so far. `authorization` is the unparsed Proxy-Authorization header. */
  readonly connects: readonly { readonly target: string; readonly authorization: string | undefined }[];
  behaviour: ProxyBehaviour;
  /** Drops every open connection, even in the middle of a request. */
  cut(): void;
  close(): Promise<void>;
}

const OPENED = "HTTP/1.1 200 Connection established\r\n\r\n";

function pipe(client: Socket, platform: Socket): void {
  client.pipe(platform).pipe(client);
  platform.on("close", () => client.destroy());
  client.on("close", () => platform.destroy());
}

export async function startConnectProxy(platformPort: number): Promise<ConnectProxy> {
  const sockets = new Set<Socket>();
  const connects: { target: string; authorization: string | undefined }[] = [];
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };

  function answer(client: Socket): void {
    const { behaviour } = proxy;
    if (typeof behaviour === "object") {
      client.end(`HTTP/1.1 ${behaviour.status} No\r\nProxy-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno`);
    } else if (behaviour === "reset") {
      client.resetAndDestroy();
    } else if (behaviour !== "silent") {
      const platform = track(connect(platformPort, "127.0.0.1"));
      client.write(OPENED);
      pipe(client, platform);
    }
  }

  const server = createServer((client) => {
    let head = "";
    const read = (chunk: Buffer) => {
      head += chunk.toString("latin1");
      if (head.includes("\r\n\r\n")) {
        client.off("data", read);
        const target = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1] ?? `not a CONNECT: ${head.slice(0, 40)}`;
        connects.push({ target, authorization: /\r\nproxy-authorization: (.*)\r\n/i.exec(head)?.[1] });
        answer(client);
      }
    };
    track(client).on("data", read);
  });
  const port = await listen(server);
  const cut = () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  const proxy: ConnectProxy = { port, connects, behaviour: "tunnel", cut, close: () => closeAll(server, sockets) };
  return proxy;
}
