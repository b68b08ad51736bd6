import { validateHeaderName, validateHeaderValue } from "node:http";
import { appliedByDefault, type Fault, faultKinds } from "./faultKinds";
import type { Route } from "./route";

/** What `inject` returns. */
export interface FaultHandle {
  /** How many requests were hit (for `refuse` without a filter: connections). */
  readonly hits: number;
  /** No further request is hit. Requests that are held stay held. */
  remove(): void;
  /** Lets go of the requests that are held, and of every one that this fault would still hold. */
  release(): void;
}

/** A fault that is in place. */
export interface ActiveFault {
  readonly fault: Fault;
  /** Whether the platform acts before the fault. */
  readonly applied: boolean;
  /** Calls back at the release; at once if that has been. */
  onRelease(callback: () => void): void;
}

export interface Faults {
  inject(fault: Fault): FaultHandle;
  /** The fault that meets a new connection, before anything is known of its requests. */
  takeConnection(): ActiveFault | undefined;
  /** The fault that meets this request. */
  take(route: Route): ActiveFault | undefined;
  clear(): void;
}

interface Injected extends ActiveFault {
  seen: number;
  hits: number;
}

/** The faults in place, oldest first: of two that are due, the one that was injected first hits. */
export function createFaults(): Faults {
  let injected: Injected[] = [];

  const takeFrom = (candidates: readonly Injected[]): ActiveFault | undefined => {
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
  };

  return {
    inject(fault) {
      checkFault(fault);
      const { onRelease, release } = createGate();
      const entry: Injected = {
        fault,
        applied: fault.applied ?? (fault.kind === "status" ? fault.status < 300 : appliedByDefault[fault.kind]),
        onRelease,
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
    takeConnection: () => takeFrom(injected.filter(({ fault }) => meetsConnections(fault))),
    take: (route) => takeFrom(injected.filter(({ fault }) => !meetsConnections(fault) && matches(fault, route))),
    clear() {
      injected = [];
    },
  };
}

function meetsConnections({ kind, operation, number }: Fault): boolean {
  return kind === "refuse" && operation === undefined && number === undefined;
}

function matches(fault: Fault, route: Route): boolean {
  if (fault.operation !== undefined && fault.operation !== route.operation) {
    return false;
  }
  return fault.number === undefined || fault.number === route.number;
}

function createGate(): { onRelease(callback: () => void): void; release(): void } {
  let waiting: (() => void)[] | undefined = [];
  return {
    onRelease(callback) {
      if (waiting === undefined) {
        callback();
      } else {
        waiting.push(callback);
      }
    },
    release() {
      const held = waiting ?? [];
      waiting = undefined;
      for (const callback of held) {
        callback();
      }
    },
  };
}

/** A fault may come from a command line, where no type has been checked; found out here, it does not break a server at work. */
function checkFault(fault: Fault): void {
  if (!Object.hasOwn(appliedByDefault, fault.kind)) {
    throw new Error(`Fault kind "${String(fault.kind)}" does not exist. Kinds: ${faultKinds.join(", ")}.`);
  }
  if (fault.kind === "status" && !(Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 999)) {
    throw new Error("Fault status: `status` must be an integer from 200 to 999.");
  }
  for (const [name, value] of Object.entries(("headers" in fault && fault.headers) || {})) {
    validateHeaderName(name);
    for (const one of [value].flat()) {
      validateHeaderValue(name, one);
    }
  }
}
