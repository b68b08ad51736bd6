import { Refusal } from "./decision";

/** An operation of the interface's section 4; `unknown` is every other path or method. */
export type Operation = "assignNumber" | "createSmsChat" | "addCommunityVoice" | "endChat" | "unknown";

/** What the path of an operation names. */
type Parameter = "number" | "chatId";

/** What a request line asks for. */
export interface Route {
  readonly operation: Operation;
  /** The decoded segments of the path. */
  readonly parameters: Readonly<Partial<Record<Parameter, string>>>;
  /** Why the path cannot be served. */
  readonly refusal?: Refusal;
}

const operations = {
  assignNumber: ["PUT", "/api/numbers/{number}/agent"],
  createSmsChat: ["POST", "/api/chats/outbound-sms"],
  addCommunityVoice: ["POST", "/api/voices/community"],
  endChat: ["POST", "/api/chats/{chatId}/end"],
} as const satisfies Record<Exclude<Operation, "unknown">, readonly [method: string, path: string]>;

const patterns = Object.entries(operations).map(([operation, [method, path]]) => ({
  operation: operation as keyof typeof operations,
  method,
  path: new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

const unknown = (refusal: Refusal): Route => ({ operation: "unknown", parameters: {}, refusal });

/** Finds the operation of a raw request line. The path is matched as it is on the wire: nothing is normalised before. */
export function routeOf(method: string, rawPath: string, basePath: string): Route {
  const [path = ""] = rawPath.split("?", 1);
  const inner = path.startsWith(basePath) ? path.slice(basePath.length) : "";
  const matching = patterns.filter((pattern) => pattern.path.test(inner));
  const pattern = matching.find((one) => one.method === method);
  if (pattern === undefined) {
    return unknown(
      matching.length === 0 ? new Refusal(404, "no such path") : new Refusal(405, `${method} is not possible here`),
    );
  }
  const { operation } = pattern;
  try {
    const segments = Object.entries(pattern.path.exec(inner)?.groups ?? {});
    const parameters = Object.fromEntries(segments.map(([name, segment]) => [name, decodeURIComponent(segment)]));
    return { operation, parameters };
  } catch {
    return { operation, parameters: {}, refusal: new Refusal(400, "the path is not well encoded") };
  }
}
