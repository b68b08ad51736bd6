// node:http alone cannot break a connection before a request is read, nor cut a response in its head. So the port belongs to node:net,
// and each connection is handed to an http server that never listens itself.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";
import type { Decision } from "./decision";
import { actOut, type Exchange, encode, reset, send } from "./exchange";
import type { ActiveFault, Faults } from "./faults";
import type { Incoming, Platform } from "./platform";
import { type LoggedRequest, type OpenRequest, type RequestLog, withoutCredentials } from "./requestLog";
import { routeOf } from "./route";

/** What a server stands on. */
export interface ServerParts {
  readonly platform: Platform;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly onRequest: (request: LoggedRequest) => void;
}

export function createEmulatorServer(parts: ServerParts) {
  const connections = new Map<Socket, { open: number }>();

  // 1 MiB of head, so that a number of 10,000 characters arrives; no limit of time: a fault may hold a request for long.
  const http = createServer({ maxHeaderSize: 2 ** 20, keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  http.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (connection !== undefined) {
      connection.open += 1;
      response.once("close", () => {
        connection.open -= 1;
      });
    }
    serve(request, response);
  });

  const net = createNetServer((socket) => {
    socket.on("error", () => {});
    if (parts.faults.takeConnection() !== undefined) {
      return void socket.resetAndDestroy();
    }
    connections.set(socket, { open: 0 });
    socket.once("close", () => connections.delete(socket));
    http.emit("connection", socket);
  });

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const route = routeOf(request.method ?? "", request.url ?? "");
    const active = parts.faults.take(route);
    const open = (raw: Buffer): Exchange => {
      const incoming = incomingOf(request, route, raw.toString());
      const entry = parts.log.add(entryOf(request, incoming, active, parts.platform));
      response.once("close", () => parts.onRequest(entry));
      return exchangeOf(response, request.socket, entry, incoming);
    };
    if (active?.fault.kind === "refuse") {
      reset(open(Buffer.alloc(0)));
      parts.log.arrived();
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const exchange = open(Buffer.concat(chunks));
      if (active === undefined) {
        send(exchange, encode(exchange.apply()));
      } else {
        actOut(exchange, active);
      }
      parts.log.arrived();
    });
  }

  function exchangeOf(response: ServerResponse, socket: Socket, entry: OpenRequest, incoming: Incoming): Exchange {
    let decide: (() => Decision) | undefined;
    let applied: Decision | undefined;
    // A request that is cut before it was read is not admitted: it counts against no limit.
    const decision = (): Decision => {
      decide ??= parts.platform.admit(incoming);
      return decide();
    };
    return {
      response,
      socket,
      entry,
      preview: () => (applied ?? decision()).answer,
      apply() {
        if (applied === undefined) {
          applied = decision();
          applied.commit?.();
          entry.applied = applied.commit !== undefined;
        }
        return applied.answer;
      },
    };
  }

  return {
    /** Listens on 127.0.0.1; port 0 takes a free one, and keeps it. */
    async listen(port: number): Promise<number> {
      if (!net.listening) {
        await once(net.listen({ port, host: "127.0.0.1" }), "listening");
      }
      return (net.address() as AddressInfo).port;
    },
    /** Closes the port and every connection. */
    stop: () =>
      new Promise<void>((resolve) => {
        net.close(() => resolve());
        for (const socket of connections.keys()) {
          socket.destroy();
        }
      }),
    /** Closes the connections that wait for a next request, so that the next one is a new connection. */
    closeIdle() {
      for (const [socket, { open }] of connections) {
        if (open === 0) {
          socket.destroy();
        }
      }
    },
  };
}

function incomingOf(request: IncomingMessage, route: Incoming["route"], rawBody: string): Incoming {
  return {
    route,
    token: /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1],
    headers: request.headers,
    rawBody,
    body: parsed(rawBody),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function entryOf(
  request: IncomingMessage,
  { route, token, rawBody, body }: Incoming,
  active: ActiveFault | undefined,
  platform: Platform,
): Omit<OpenRequest, "index"> {
  return {
    operation: route.operation,
    method: request.method ?? "",
    path: request.url ?? "",
    ...route.parameters,
    body,
    rawBody,
    headers: withoutCredentials(request.headers),
    authorized: token !== undefined && platform.tokens.has(token),
    status: undefined,
    ...(active !== undefined && { fault: active.fault.kind }),
    applied: false,
  };
}
