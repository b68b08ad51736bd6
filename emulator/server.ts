import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { ADMIN_PATH, administer } from "./admin";
import { errorResponse } from "./decision";
import { applyFault, type Exchange, encode, send } from "./exchange";
import type { ActiveFault, Faults } from "./faults";
import type { Incoming, Platform } from "./platform";
import { type LoggedRequest, type OpenRequest, type RequestLog, withoutCredentials } from "./requestLog";
import { routeOf } from "./route";

/** The parts of an emulator that the server uses. */
interface ServerParts {
  readonly platform: Platform;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly onRequest: (request: LoggedRequest) => void;
}

export function createEmulatorServer(parts: ServerParts) {
  // Allow 1 MiB for the path and headers, so that even a very long phone number fits. Disable timeouts, because a fault
  // may hold a request for long.
  const server = createServer(
    { maxHeaderSize: 2 ** 20, keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 },
    serve,
  );
  server.on("connection", (socket: Socket) => void socket.on("error", () => {}));

  function serve(request: IncomingMessage, response: ServerResponse): void {
    if (!isOfThisMachine(request.headers.host)) {
      const { status, headers, body } = encode(errorResponse(403, "the Host header must name this machine"));
      response.writeHead(status, headers).end(body);
      return;
    }
    if (request.url === ADMIN_PATH) {
      void administer(request, response, parts);
      return;
    }
    const route = routeOf(request.method ?? "", request.url ?? "");
    const active = parts.faults.take(route);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const incoming = incomingOf(request, route, Buffer.concat(chunks).toString());
      const entry = parts.log.add(entryOf(request, incoming, active, parts.platform));
      response.once("close", () => parts.onRequest(entry));
      const exchange = exchangeOf(response, request.socket, entry, incoming);
      if (active === undefined) {
        send(exchange, encode(exchange.apply()));
      } else {
        applyFault(exchange, active);
      }
      parts.log.arrived();
    });
  }

  function exchangeOf(response: ServerResponse, socket: Socket, entry: OpenRequest, incoming: Incoming): Exchange {
    return {
      response,
      socket,
      entry,
      preview: () => parts.platform.decide(incoming).response,
      apply() {
        const decision = parts.platform.decide(incoming);
        decision.commit?.();
        entry.applied = decision.commit !== undefined;
        entry.createdId = decision.createdId;
        return decision.response;
      },
    };
  }

  return {
    /** Listens on 127.0.0.1 and returns the port. Port 0 picks a free one. */
    async listen(port: number): Promise<number> {
      if (!server.listening) {
        await once(server.listen({ port, host: "127.0.0.1" }), "listening");
      }
      return (server.address() as AddressInfo).port;
    },
    /** Closes the port and all connections. */
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Whether the Host header names the loopback interface. This stops DNS rebinding: a web page whose host name resolves
 * to 127.0.0.1 still sends that host name.
 */
const isOfThisMachine = (host = ""): boolean => /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/i.test(host);

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
    authorized: token === platform.token,
    status: undefined,
    ...(active !== undefined && { fault: active.fault.kind }),
    applied: false,
    createdId: undefined,
  };
}
