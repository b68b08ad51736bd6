import type { Operation, Route } from "./route";

/** Which requests a fault meets, and how often. */
export interface FaultFilter {
  /** Only requests of this operation. */
  readonly operation?: Operation;
  /** Only assignments of this number. */
  readonly number?: string;
  /** How many matching requests pass before the first one that is hit. @default 0 */
  readonly after?: number;
  /** How many requests are hit. `Infinity` = until `remove()`. @default 1 */
  readonly times?: number;
  /** Whether the platform acts on the request before the fault. @default the one of its kind */
  readonly applied?: boolean;
}

/** What happens to a request that is hit: `FAULTS` has a sentence about each kind. */
export type FaultAction =
  | { readonly kind: "resetAfterRequest" | "resetInHeaders" | "resetInBody" | "invalidJson" | "silence" }
  /** `hold`: until `release()`. With `applied: false` the platform acts on it only then, if the client is still there. */
  | { readonly kind: "hold" }
  /** Milliseconds before the response. @default 1000; and before each byte of the body. @default 100 */
  | { readonly kind: "slowHeaders" | "drip"; readonly ms?: number }
  /** Bytes of white space. @default 8 MiB */
  | { readonly kind: "huge"; readonly bytes?: number }
  /**
   * Text is sent as it is, nothing as an empty body, anything else as JSON; a list as the value of a header sends it once for each.
   * Without a body, a status below 300 has the platform's own, and another one an error.
   */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string | string[]>>;
    }
  /** By a function, or field by field; `record` changes every record of `numbers`. @default another inbound agent */
  | {
      readonly kind: "contradict";
      readonly patch?: ((response: unknown) => unknown) | Readonly<Record<string, unknown>>;
      readonly record?: Readonly<Record<string, unknown>>;
    };

/** A fault to inject. */
export type Fault = FaultFilter & FaultAction;

/** The name of a fault. */
export type FaultKind = FaultAction["kind"];

/** Every kind: does the platform act, unless the fault says otherwise, and what does a client meet? A `status` below 300 acts. */
export const FAULTS: Readonly<Record<FaultKind, { readonly acts: boolean; readonly says: string }>> = {
  resetAfterRequest: { acts: false, says: "The connection is cut before the platform acts." },
  resetInHeaders: { acts: true, says: "The platform acts, and the connection is cut in the head of the response." },
  resetInBody: { acts: true, says: "The platform acts, and the connection is cut in the body of the response." },
  slowHeaders: { acts: true, says: "The platform acts, and the response begins one second later." },
  drip: { acts: true, says: "The platform acts, and the body comes byte by byte, ten in a second." },
  invalidJson: { acts: true, says: "The platform acts, and the body lacks its last character." },
  huge: { acts: true, says: "The platform acts, and 8 MiB of white space follow the body." },
  status: { acts: false, says: "The response has this status. Only below 300 the platform acts." },
  silence: { acts: false, says: "The platform does not act, and no response comes." },
  hold: { acts: true, says: "The platform acts, and the response waits for `release()`." },
  contradict: { acts: true, says: "The platform acts, and the response to a PUT shows another inbound agent." },
};

/** What `inject` returns. */
export interface FaultHandle {
  /** How many requests were hit. */
  readonly hits: number;
  /** No further request is hit. Requests that wait still wait. */
  remove(): void;
  /** Ends the wait of each request, and of each one that this fault would still keep waiting. */
  release(): void;
}

/** A fault that is in place. */
export interface ActiveFault {
  readonly fault: Fault;
  /** Whether the platform acts before the fault. */
  readonly applied: boolean;
  /** Resolves at the release. */
  readonly released: Promise<void>;
}

export type Faults = ReturnType<typeof createFaults>;

interface Injected extends ActiveFault {
  seen: number;
  hits: number;
}

/** The faults in place, oldest first: of two that are due, the one that was injected first hits. */
export function createFaults() {
  let injected: Injected[] = [];

  return {
    inject(fault: Fault): FaultHandle {
      checkFault(fault);
      let release = () => {};
      const entry: Injected = {
        fault,
        applied: fault.applied ?? (fault.kind === "status" ? fault.status < 300 : FAULTS[fault.kind].acts),
        released: new Promise((resolve) => {
          release = resolve;
        }),
        seen: 0,
        hits: 0,
      };
      injected.push(entry);
      const remove = () => {
        injected = injected.filter((other) => other !== entry);
      };
      return {
        get hits() {
          return entry.hits;
        },
        remove,
        release() {
          remove();
          release();
        },
      };
    },
    /** The fault that meets this request. */
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
      if (due.hits >= (due.fault.times ?? 1)) {
        injected = injected.filter((other) => other !== due);
      }
      return due;
    },
    clear() {
      injected = [];
    },
  };
}

function matches(fault: Fault, route: Route): boolean {
  const { operation, number } = fault;
  const isOther = operation !== undefined && operation !== route.operation;
  const isUntouched = isOfPuts(fault) && route.operation !== "assignNumber";
  return !isOther && !isUntouched && (number === undefined || number === route.parameters.number);
}

/** Without a change of its own, it shows another agent, and only the response to a PUT shows agents. */
export const isOfPuts = (fault: Fault): boolean =>
  fault.kind === "contradict" && fault.patch === undefined && fault.record === undefined;

/** A fault may come from a command line, which checks no types. A mistake is found here, before it breaks a server at work. */
function checkFault(fault: Fault): void {
  if (!Object.hasOwn(FAULTS, fault.kind)) {
    throw new Error(`Fault kind "${String(fault.kind)}" does not exist. Kinds: ${Object.keys(FAULTS).join(", ")}.`);
  }
  if (fault.kind === "status" && !(Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 999)) {
    throw new Error("Fault status: `status` must be an integer from 200 to 999.");
  }
  if (isOfPuts(fault) && ![undefined, "assignNumber"].includes(fault.operation)) {
    throw new Error(
      `Fault contradict: without \`patch\` and \`record\` it is of assignNumber, not of ${fault.operation}.`,
    );
  }
}
