import { type Operation, operationNames, type Route } from "./route";

/** Which requests a fault meets, and how often. */
export interface FaultFilter {
  /** Only requests of this operation. */
  readonly operation?: Operation;
  /** Only assignments of this number. */
  readonly number?: string;
  /** How many matching requests pass before the first one that is hit. @default 0 */
  readonly after?: number;
  /** How many requests are hit. `always`: each, until `remove()`. @default 1 */
  readonly times?: number | "always";
  /** Whether the platform acts on the request before the fault. @default the one of its kind */
  readonly applied?: boolean;
}

/** What happens to a request that is hit: `FAULTS` has a sentence about each kind. */
export type FaultAction =
  /** Before the response; with `inBody`, in the middle of it. */
  | { readonly kind: "reset"; readonly inBody?: boolean }
  /** With `applied: false` the platform acts only at the release, if the client is still there. */
  | { readonly kind: "hold" }
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
  status: { acts: false, says: "The response has this status. Only below 300 the platform acts." },
  reset: { acts: true, says: "The platform acts, and the connection is cut before the response." },
  hold: { acts: true, says: "The platform acts, and the response waits until the fault is taken away." },
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
  readonly release: () => void;
}

/** The faults in place, oldest first: of two that are due, the one that was injected first hits. */
export function createFaults() {
  let injected: Injected[] = [];
  /** Those that were not released. Requests of such a one may wait, even if it hits no further one. */
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
      applied: fault.applied ?? (fault.kind === "status" ? fault.status < 300 : FAULTS[fault.kind].acts),
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
      const { times = 1 } = due.fault;
      if (times !== "always" && due.hits >= times) {
        remove(due);
      }
      return due;
    },
    clear() {
      injected = [];
    },
    /** Those in place, each with how many requests it will still hit. */
    list: () =>
      injected.map(({ fault, hits }) => ({
        ...fault,
        times: fault.times === "always" ? fault.times : (fault.times ?? 1) - hits,
      })),
    /** These from now on. Requests that wait get their response. */
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

/** Without a change of its own, it shows another agent, and only the response to a PUT shows agents. */
export const isPutOnly = (fault: Fault): boolean =>
  fault.kind === "contradict" && fault.patch === undefined && fault.record === undefined;

/** A fault may come from a command line or over HTTP, which check no types. A mistake is found here, before it breaks a server at work. */
function checkFault(fault: Fault): void {
  const { kind, operation, times = 1 } = fault;
  if (!Object.hasOwn(FAULTS, kind)) {
    throw new Error(`Fault kind "${String(kind)}" does not exist. Kinds: ${Object.keys(FAULTS).join(", ")}.`);
  }
  if (operation !== undefined && operation !== "unknown" && !operationNames.includes(operation)) {
    throw new Error(`Fault operation "${operation}" does not exist. Operations: ${operationNames.join(", ")}.`);
  }
  if (fault.kind === "status" && !(Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 999)) {
    throw new Error("Fault status: `status` must be an integer from 200 to 999.");
  }
  if (times !== "always" && !(Number.isFinite(times) && times >= 1)) {
    throw new Error('Fault times: must be a number from 1, or "always".');
  }
  if (isPutOnly(fault) && operation !== undefined && operation !== "assignNumber") {
    throw new Error(`Fault contradict: without \`patch\` and \`record\` it is of assignNumber, not of ${operation}.`);
  }
}
