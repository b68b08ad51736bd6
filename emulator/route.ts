import { Refusal } from "./decision";

/** An operation of the interface's section 4; `unknown` is every other path or method. */
export type Operation = "assignNumber" | "createSmsChat" | "addCommunityVoice" | "endChat" | "unknown";

/** What a request line asks for. */
export interface Route {
  readonly operation: Operation;
  /** The decoded path segment of a number assignment. */
  readonly number?: string;
  /** The decoded path segment of the end of a chat. */
  readonly chatId?: string;
  /** Why the path cannot be served. */
  readonly refusal?: Refusal;
}

interface Pattern {
  readonly operation: Exclude<Operation, "unknown">;
  readonly method: "PUT" | "POST";
  readonly path: RegExp;
}

const patterns: readonly Pattern[] = [
  { operation: "assignNumber", method: "PUT", path: /^\/api\/numbers\/([^/]+)\/agent$/ },
  { operation: "createSmsChat", method: "POST", path: /^\/api\/chats\/outbound-sms$/ },
  { operation: "addCommunityVoice", method: "POST", path: /^\/api\/voices\/community$/ },
  { operation: "endChat", method: "POST", path: /^\/api\/chats\/([^/]+)\/end$/ },
];

/** Finds the operation of a raw request line. The path is matched as it is on the wire: nothing is normalised before. */
export function routeOf(method: string, rawPath: string, basePath: string): Route {
  const [path = ""] = rawPath.split("?", 1);
  const inner = path.startsWith(basePath) ? path.slice(basePath.length) : "";
  for (const pattern of patterns) {
    const match = pattern.path.exec(inner);
    if (match !== null) {
      return matched(pattern, method, match[1]);
    }
  }
  return { operation: "unknown", refusal: new Refusal(404, "no such path") };
}

function matched(pattern: Pattern, method: string, segment: string | undefined): Route {
  if (method !== pattern.method) {
    return { operation: "unknown", refusal: new Refusal(405, `${method} is not possible here`) };
  }
  if (segment === undefined) {
    return { operation: pattern.operation };
  }
  const name = pattern.operation === "assignNumber" ? "number" : "chatId";
  const decoded = decode(segment);
  if (decoded !== undefined) {
    return { operation: pattern.operation, [name]: decoded };
  }
  return { operation: pattern.operation, refusal: new Refusal(400, "the path is not well encoded") };
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
