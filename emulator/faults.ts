import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { isObject } from "./decision";
import { InvalidArgument } from "./errors";
import { type Operation, operationNames, type Route } from "./route";

/** Which requests a fault applies to, and how often. A request is `hit` if the fault takes effect on it. */
export interface FaultFilter {
  /** Limits the fault to this operation. */
  readonly operation?: Operation;
  /** Limits the fault to assignments of this number. */
  readonly number?: string;
  /** How many matching requests this fault lets through before it hits the first one. @default 0 */
  readonly after?: number;
  /** How many requests the fault hits. With `always`, it hits every matching request until `remove()`. @default 1 */
  readonly times?: number | "always";
  /**
   * Whether the platform applies the request, as if there were no fault, before the fault takes effect.
   * @default true, except for a status of 300 or above
   */
  readonly applied?: boolean;
}

/** What a fault does to a request that it hits. `FAULTS` describes each kind of fault. */
export type FaultAction =
  /** Resets the connection before the response, or halfway through its body if `inBody` is set. */
  | { readonly kind: "reset"; readonly inBody?: boolean }
  /**
   * Holds the response until the fault is released. With `applied: false`, the platform applies the request only then,
   * and only if the client is still connected.
   */
  | { readonly kind: "hold" }
  /** Responds with this status. */
  | {
      readonly kind: "status";
      readonly status: number;
      /**
       * A string is sent as is, `undefined` as an empty body, and anything else as JSON.
       * @default the body of the platform's normal response for a status below 300, otherwise an error
       */
      readonly body?: unknown;
      /** A header whose value is an array is sent once for each item. */
      readonly headers?: Readonly<Record<string, string | string[]>>;
    }
  /**
   * Changes the body of the platform's response.
   * @default the response to a PUT shows another inbound agent
   */
  | {
      readonly kind: "contradict";
      /** Fields to merge into the body, or a function that returns the new body. */
      readonly patch?: ((response: unknown) => unknown) | Readonly<Record<string, unknown>>;
      /** Fields to merge into every entry of the body's `numbers`. */
      readonly record?: Readonly<Record<string, unknown>>;
    };

/** A fault to inject: which requests it hits, and what happens to them. */
export type Fault = FaultFilter & FaultAction;

export type FaultKind = FaultAction["kind"];

/** What each kind of fault does by default, as the help describes it. */
export const FAULTS: Readonly<Record<FaultKind, string>> = {
  status: "The response has this status. The platform acts only if it is below 300.",
  reset: "The platform acts, but the connection is cut before the response.",
  hold: "The platform acts, but the response waits until the fault is removed.",
  contradict: "The platform acts, but the response to a PUT shows another inbound agent.",
};

/** Lets whoever injected a fault watch it and end it. */
export interface FaultHandle {
  /** The number of requests that the fault has hit so far. */
  readonly hits: number;
  /** Ends the fault for later requests. Requests that the fault already holds stay on hold until `release()`. */
  remove(): void;
  /** Ends the fault, and responds to all requests that it holds. */
  release(): void;
}

/** A fault as the server applies it to a request. */
export interface ActiveFault {
  readonly fault: Fault;
  /** Whether the platform applies the request before the fault takes effect. */
  readonly applied: boolean;
  /** Resolves when the fault is released. */
  readonly released: Promise<void>;
}

export type Faults = ReturnType<typeof createFaults>;

interface Injected extends ActiveFault {
  seen: number;
  hits: number;
  readonly release: () => void;
}

/** Creates the emulator's list of faults. If two faults could hit the same request, the older one does. */
export function createFaults() {
  let injected: Injected[] = [];
  /**
   * The faults that may still hold requests. A removed fault stays in this set, because the requests that it holds wait
   * for its release.
   */
  const unreleased = new Set<Injected>();

  const remove = (entry: Injected) => {
    injected = injected.filter((other) => other !== entry);
  };

  const release = (entry: Injected) => {
    remove(entry);
    unreleased.delete(entry);
    entry.release();
  };

  function inject(fault: Fault): FaultHandle {
    checkFault(fault);
    let resolve = () => {};
    const entry: Injected = {
      fault,
      applied: fault.applied ?? (fault.kind !== "status" || fault.status < 300),
      released: new Promise((done) => {
        resolve = done;
      }),
      release: () => resolve(),
      seen: 0,
      hits: 0,
    };
    injected.push(entry);
    unreleased.add(entry);
    return {
      get hits() {
        return entry.hits;
      },
      remove: () => remove(entry),
      release: () => release(entry),
    };
  }

  return {
    inject,
    /** Returns the fault that hits this request, if there is one, and counts the hit. */
    take(route: Route): ActiveFault | undefined {
      const candidates = injected.filter(({ fault }) => matches(fault, route));
      for (const candidate of candidates) {
        candidate.seen += 1;
      }
      const due = candidates.find(({ seen, fault }) => seen > (fault.after ?? 0));
      if (due === undefined) {
        return undefined;
      }
      due.hits += 1;
      const { times = 1 } = due.fault;
      if (times !== "always" && due.hits >= times) {
        remove(due);
      }
      return due;
    },
    clear() {
      injected = [];
    },
    /** The active faults, with the number of requests that each will still hit. */
    list: () =>
      injected.map(({ fault, hits }) => ({
        ...fault,
        times: fault.times === "always" ? fault.times : (fault.times ?? 1) - hits,
      })),
    /** Replaces all faults, and releases the requests on hold. */
    replace(faults: readonly Fault[]) {
      faults.forEach(checkFault);
      for (const entry of [...unreleased]) {
        release(entry);
      }
      injected = [];
      faults.forEach(inject);
    },
  };
}

function matches(fault: Fault, route: Route): boolean {
  const { operation, number } = fault;
  const isOther = operation !== undefined && operation !== route.operation;
  const isUntouched = isPutOnly(fault) && route.operation !== "assignNumber";
  return !isOther && !isUntouched && (number === undefined || number === route.parameters.number);
}

/**
 * Whether the fault can hit only PUTs. By default, a `contradict` fault changes the inbound agents, which only the
 * response to a PUT contains.
 */
export const isPutOnly = (fault: Fault): boolean =>
  fault.kind === "contradict" && fault.patch === undefined && fault.record === undefined;

/**
 * Throws if a fault is invalid. Faults from a command line or over HTTP are not type-checked, so this catches mistakes
 * before they crash a running server.
 */
function checkFault(fault: Fault): void {
  const { kind, operation, after = 0, times = 1 } = fault;
  if (!Object.hasOwn(FAULTS, kind)) {
    throw new InvalidArgument(`Fault kind "${String(kind)}" does not exist. Kinds: ${Object.keys(FAULTS).join(", ")}.`);
  }
  if (operation !== undefined && operation !== "unknown" && !operationNames.includes(operation)) {
    throw new InvalidArgument(
      `Fault operation "${operation}" does not exist. Operations: ${operationNames.join(", ")}.`,
    );
  }
  if (fault.kind === "status" && !(Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 999)) {
    throw new InvalidArgument("A fault's status must be an integer from 200 to 999.");
  }
  if (fault.kind === "status") {
    checkHeaders(fault);
  }
  if (!(Number.isFinite(after) && after >= 0)) {
    throw new InvalidArgument("A fault's after must be a number of at least 0.");
  }
  if (times !== "always" && !(Number.isFinite(times) && times >= 1)) {
    throw new InvalidArgument('A fault\'s times must be a number of at least 1, or "always".');
  }
  if (isPutOnly(fault) && operation !== undefined && operation !== "assignNumber") {
    throw new InvalidArgument(
      `Without \`patch\` or \`record\`, a contradict fault applies only to assignNumber, not to ${operation}.`,
    );
  }
}

/**
 * Throws if Node can't send a fault's headers. Node checks headers only when it writes them, so this writes them to a
 * response without a connection.
 */
function checkHeaders({ status, headers = {} }: Fault & { readonly kind: "status" }): void {
  if (!isObject(headers)) {
    throw new InvalidArgument("A fault's headers must be an object.");
  }
  try {
    new ServerResponse(new IncomingMessage(new Socket())).writeHead(status, { ...headers, "Content-Length": "0" });
  } catch (error) {
    throw new InvalidArgument(`A fault's headers cannot be sent: ${(error as Error).message}.`);
  }
}
