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
  /**
   * Whether the platform acts on the request before the fault. A kind that breaks a response of success says true by default, a kind
   * that reads as a refusal, or as no response at all, says false.
   */
  readonly applied?: boolean;
}

/** What happens to a request that is hit. */
export type FaultAction =
  /** RST after the whole request was read. */
  | { readonly kind: "resetAfterRequest" }
  /** RST after half of the response's head. */
  | { readonly kind: "resetInHeaders" }
  /** RST after half of the response's body. */
  | { readonly kind: "resetInBody" }
  /** The response starts after so many milliseconds. @default 1000 */
  | { readonly kind: "slowHeaders"; readonly ms?: number }
  /** The body comes one byte every so many milliseconds. @default 100 */
  | { readonly kind: "drip"; readonly ms?: number }
  /** The response without its last character, complete by its length. */
  | { readonly kind: "invalidJson" }
  /** The response, followed by so many bytes of white space. @default 8 MiB */
  | { readonly kind: "huge"; readonly bytes?: number }
  /** This status; text is sent as it is, nothing as an empty body, anything else as JSON; a list as the value of a header sends it once for each. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string | string[]>>;
    }
  /** The request is read and never answered. */
  | { readonly kind: "silence" }
  /** The request is held until `release()`. With `applied: false` the platform acts on it only then, if the client is still there. */
  | { readonly kind: "hold" }
  /** The response is changed: by a function, or field by field (`record` changes every record of `numbers`). */
  | {
      readonly kind: "contradict";
      readonly patch?: ((answer: unknown) => unknown) | Readonly<Record<string, unknown>>;
      readonly record?: Readonly<Record<string, unknown>>;
    };

/** A fault to inject. */
export type Fault = FaultFilter & FaultAction;

/** The name of a fault. */
export type FaultKind = FaultAction["kind"];

/** Every kind, and whether the platform acts on the request unless the fault says otherwise; for `status` below 300 it does. */
const appliedByDefault: Readonly<Record<FaultKind, boolean>> = {
  resetAfterRequest: false,
  resetInHeaders: true,
  resetInBody: true,
  slowHeaders: true,
  drip: true,
  invalidJson: true,
  huge: true,
  status: false,
  silence: false,
  hold: true,
  contradict: true,
};

/** Every kind of fault. */
export const faultKinds = Object.keys(appliedByDefault) as readonly FaultKind[];

/** What `inject` returns. */
export interface FaultHandle {
  /** How many requests were hit. */
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
        applied: fault.applied ?? (fault.kind === "status" ? fault.status < 300 : appliedByDefault[fault.kind]),
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

function matches({ operation, number }: Fault, route: Route): boolean {
  const isOther = operation !== undefined && operation !== route.operation;
  return !isOther && (number === undefined || number === route.parameters.number);
}

/** A fault may come from a command line, which checks no types. A mistake is found here, before it breaks a server at work. */
function checkFault(fault: Fault): void {
  if (!Object.hasOwn(appliedByDefault, fault.kind)) {
    throw new Error(`Fault kind "${String(fault.kind)}" does not exist. Kinds: ${faultKinds.join(", ")}.`);
  }
  if (fault.kind === "status" && !(Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 999)) {
    throw new Error("Fault status: `status` must be an integer from 200 to 999.");
  }
}
