import { EventEmitter, once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { Operation, Parameters } from "./route";

/** One request that arrived, and what became of it. */
export interface LoggedRequest extends Parameters {
  /** The position in the log, from 0. */
  readonly index: number;
  readonly operation: Operation;
  readonly method: string;
  /** The request target as it was on the wire, undecoded. */
  readonly path: string;
  /** The parsed JSON; undefined if there was no body or it was not JSON. */
  readonly body: unknown;
  readonly rawBody: string;
  /** Names in lower case; what carries credentials is left out, see `authorized`. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Whether the request carried a token that is valid now. */
  readonly authorized: boolean;
  /** The status of the response; undefined while there is none, or if the response was cut before it. */
  readonly status: number | undefined;
  /** The kind of the fault that met the request. */
  readonly fault?: string;
  /** Whether the platform acted on the request, whatever the response says. */
  readonly applied: boolean;
  /** The identifier of the chat or the voice that it made, whatever the response says. */
  readonly made: string | undefined;
}

/** The entry while the request is being served. */
export type OpenRequest = { -readonly [Field in keyof LoggedRequest]: LoggedRequest[Field] };

export type RequestLog = ReturnType<typeof createRequestLog>;

export function createRequestLog() {
  const entries: OpenRequest[] = [];
  const news = new EventEmitter().setMaxListeners(0);
  let arrivals = 0;
  let isClosed = false;

  return {
    entries: entries as readonly LoggedRequest[],
    add(fields: Omit<OpenRequest, "index">): OpenRequest {
      const entry: OpenRequest = { index: entries.length, ...fields };
      entries.push(entry);
      return entry;
    },
    /** Tells who waits that one more request has arrived. Apart from `add`, so that the state is changed first. */
    arrived() {
      arrivals += 1;
      news.emit("news");
    },
    async waitFor(count: number): Promise<readonly LoggedRequest[]> {
      while (arrivals < count) {
        if (isClosed) {
          throw new Error(`The emulator was closed after ${arrivals} requests; a test waits for ${count}.`);
        }
        await once(news, "news");
      }
      return [...entries];
    },
    clear() {
      entries.length = 0;
      arrivals = 0;
    },
    close() {
      isClosed = true;
      news.emit("news");
    },
  };
}

const credentials = new Set(["authorization", "proxy-authorization", "cookie"]);

export function withoutCredentials(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.has(name)));
}
