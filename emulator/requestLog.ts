import { EventEmitter, once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { Operation, Parameters } from "./route";

/** A request that arrived, with its outcome. */
export interface LoggedRequest extends Parameters {
  /** The position in the log, from 0. */
  readonly index: number;
  readonly operation: Operation;
  readonly method: string;
  /** The request target as sent, still encoded. */
  readonly path: string;
  /** The parsed JSON body. Undefined if there was no body or it wasn't JSON. */
  readonly body: unknown;
  readonly rawBody: string;
  /**
   * The headers, with names in lowercase. Headers with credentials are removed, so `authorized` says whether the token
   * was valid.
   */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /**
   * Whether the request had the right access token. If the token is changed later, this stays as it was when the
   * request arrived.
   */
  readonly authorized: boolean;
  /**
   * The status of the response. Undefined if it has not been sent yet, or if the connection was cut before it was sent.
   */
  readonly status: number | undefined;
  /** The kind of the fault that hit the request. */
  readonly fault?: string;
  /** Whether the platform applied the request, even if the response says otherwise. */
  readonly applied: boolean;
  /** The ID of the chat or voice that the request created, even if the response doesn't show it. */
  readonly createdId: string | undefined;
}

/** A log entry that is still changing, because its request is being served. */
export type OpenRequest = { -readonly [Field in keyof LoggedRequest]: LoggedRequest[Field] };

export type RequestLog = ReturnType<typeof createRequestLog>;

export function createRequestLog() {
  const entries: OpenRequest[] = [];
  const arrivalEvents = new EventEmitter().setMaxListeners(0);
  let arrivals = 0;
  let isClosed = false;

  return {
    entries: entries as readonly LoggedRequest[],
    add(fields: Omit<OpenRequest, "index">): OpenRequest {
      const entry: OpenRequest = { index: entries.length, ...fields };
      entries.push(entry);
      return entry;
    },
    /**
     * Wakes the callers of `waitFor`. Call this once the request has been processed or put on hold, so that they see
     * any change that it made to the state.
     */
    arrived() {
      arrivals += 1;
      arrivalEvents.emit("arrival");
    },
    async waitFor(count: number): Promise<readonly LoggedRequest[]> {
      while (arrivals < count) {
        if (isClosed) {
          throw new Error(`The emulator was closed after ${arrivals} requests; a test waits for ${count}.`);
        }
        await once(arrivalEvents, "arrival");
      }
      return [...entries];
    },
    clear() {
      entries.length = 0;
      arrivals = 0;
    },
    close() {
      isClosed = true;
      arrivalEvents.emit("arrival");
    },
  };
}

const credentials = new Set(["authorization", "proxy-authorization", "cookie"]);

export function withoutCredentials(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.has(name)));
}
