import { assignNumber } from "./assignNumber";
import { type ApiRequest, type Decision, Refusal } from "./decision";
import { POSTS } from "./posts";

/** The parameters in an operation's path. */
export interface Parameters {
  /** The decoded number to assign. */
  readonly number?: string;
  /** The decoded ID of the chat to end. */
  readonly chatId?: string;
}

interface Row {
  readonly method: string;
  readonly path: string;
  /** Decides how the emulated platform responds to a request, and how that changes its state. */
  readonly decide: (request: ApiRequest, parameters: Parameters) => Decision;
}

/** The interface's operations (docs/interface.md, section 4). */
const operations = {
  assignNumber: {
    method: "PUT",
    path: "/api/numbers/{number}/agent",
    decide: (request, { number = "" }) => assignNumber(request, number),
  },
  ...POSTS,
} as const satisfies Readonly<Record<string, Row>>;

/** The name of an operation, or `unknown` if no operation has the request's method and path. */
export type Operation = keyof typeof operations | "unknown";

export const operationNames = Object.keys(operations);

/** The operation that a request is for, and the parameters in its path. */
export interface Route {
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** Set if there is no operation for the path and method, or if the path can't be decoded. */
  readonly refusal?: Refusal;
}

const patterns = Object.entries<Row>(operations).map(([operation, { method, path }]) => ({
  operation: operation as keyof typeof operations,
  method,
  path: new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

const unknown = (refusal: Refusal): Route => ({ operation: "unknown", parameters: {}, refusal });

/** Finds the operation for a request's method and path. The path is matched as sent, without normalization. */
export function routeOf(method: string, rawPath: string): Route {
  const [path = ""] = rawPath.split("?", 1);
  const matching = patterns.filter((pattern) => pattern.path.test(path));
  const pattern = matching.find((candidate) => candidate.method === method);
  if (pattern === undefined) {
    return unknown(
      matching.length === 0 ? new Refusal(404, "no such path") : new Refusal(405, `${method} is not possible here`),
    );
  }
  const { operation } = pattern;
  try {
    const segments = Object.entries(pattern.path.exec(path)?.groups ?? {});
    const parameters = Object.fromEntries(segments.map(([name, segment]) => [name, decodeURIComponent(segment)]));
    return { operation, parameters };
  } catch {
    return { operation, parameters: {}, refusal: new Refusal(400, "the path is not well encoded") };
  }
}

/** Passes the request to its operation, which decides how the platform responds. */
export function decideOn({ operation, parameters }: Route, request: ApiRequest): Decision {
  if (operation === "unknown") {
    throw new Refusal(404, "no such path");
  }
  const { decide }: Row = operations[operation];
  return decide(request, parameters);
}
