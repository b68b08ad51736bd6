import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Transport } from "../../provider/base/world";
import { closeAll, listen } from "../support/rawServer";
import { type Asked, openPlatform, type RequestFault, type Sent, type Store } from "./platform";

/** Serves the simulated platform over HTTP, for the real engine. */

/**
 * The faults in one run. A fault is matched to a request by the request's name and not by its position, because the
 * real engine sends some requests in a different order.
 */
export interface Trouble {
  readonly fault?: { readonly request: Asked; readonly occurrence: number; readonly kind: RequestFault };
  /** The request at which the CLI is killed, counted from 1, and whether the platform still acts on this request. */
  readonly cliDies?: { readonly at: number; readonly isActing: boolean };
  /** Requests that wait until all of them have arrived. The platform then handles them in this order. */
  readonly together: readonly Asked[];
  readonly kill: (role: "cli" | "provider") => void;
}

export const nameOf = ({ operation, number = "", chatId = "", logical = "" }: Asked): string =>
  `${operation} ${number}${chatId}${logical}`;

export type RealPlatform = Awaited<ReturnType<typeof startRealPlatform>>;

export async function startRealPlatform() {
  let respond: (request: IncomingMessage, response: ServerResponse) => Promise<void> = async () => {};
  const server = createServer((request, response) => void respond(request, response));
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    /** Prepares the next run. All later requests belong to it. */
    begin(store: Store, trouble: Trouble) {
      const seen = new Map<string, number>();
      const gate = newGate(trouble.together);
      const { fault, cliDies } = trouble;
      const platform = openPlatform(store, {
        faultAt(_index, request) {
          const name = nameOf(request);
          const occurrence = seen.get(name) ?? 0;
          seen.set(name, occurrence + 1);
          return fault !== undefined && name === nameOf(fault.request) && occurrence === fault.occurrence
            ? fault.kind
            : undefined;
        },
        pass: gate,
        die: () => trouble.kill("provider"),
      });
      let count = 0;
      respond = async (request, response) => {
        const body = await text(request);
        count += 1;
        const isLast = count === cliDies?.at;
        if (isLast && !cliDies?.isActing) {
          trouble.kill("cli");
          return;
        }
        const fullRequest = { method: request.method, url: new URL(request.url ?? "/", url), body };
        const reply = await platform.transport(fullRequest as Parameters<Transport>[0], 0);
        if (isLast) {
          trouble.kill("cli");
        } else if (reply.came === "nothing") {
          request.socket.resetAndDestroy();
        } else {
          const { retryAfter = "", contentType = "" } = reply.headers;
          response.writeHead(reply.status, { "content-type": contentType, "retry-after": retryAfter }).end(reply.bytes);
        }
      };
      return platform as { readonly sent: readonly Sent[]; readonly store: Store };
    },
    close: () => closeAll(server, []).finally(() => server.closeAllConnections()),
  };
}

interface Waiting {
  readonly name: string;
  readonly done: () => void;
}

/** Releases requests one by one. The platform acts on each before the next is released. */
async function release(waiting: readonly Waiting[]): Promise<void> {
  for (const { done } of waiting) {
    done();
    await new Promise((acted) => setImmediate(acted));
  }
}

/**
 * Holds the first `wanted.length` requests until all of them have arrived, then releases them in the order of `wanted`.
 */
function newGate(wanted: readonly Asked[]) {
  const order = wanted.map(nameOf);
  const waiting: Waiting[] = [];
  let isOpen = wanted.length === 0;
  return (request: Asked): Promise<void> =>
    new Promise((done) => {
      if (isOpen) {
        return done();
      }
      waiting.push({ name: nameOf(request), done });
      if (waiting.length === wanted.length) {
        isOpen = true;
        void release(waiting.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)));
      }
    });
}
