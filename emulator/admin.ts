import type { IncomingMessage, ServerResponse } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { demand, isObject, Refusal } from "./decision";
import type { Faults } from "./faults";
import type { Platform } from "./platform";
import type { RequestLog } from "./requestLog";
import { routingOf } from "./store";

/** The path for inspecting a running emulator and changing its faults. The platform's API has no such path. */
export const ADMIN_PATH = "/emulator";

interface Administered {
  readonly platform: Platform;
  readonly faults: Faults;
  readonly log: RequestLog;
}

/**
 * The body of the response to a GET or a PUT of the admin path. A PUT with the body `{ "faults": [...] }` also replaces
 * all faults.
 */
export type Status = ReturnType<typeof statusOf>;

/**
 * Serves requests to the admin path. They don't count against the rate limit, can't be hit by a fault, and aren't
 * logged.
 */
export async function administer(request: IncomingMessage, response: ServerResponse, parts: Administered) {
  const { status, body } = await answer(request, parts).catch((error: Error) => ({
    status: error instanceof Refusal ? error.status : 400,
    body: { error: error.message },
  }));
  response.writeHead(status, { "Content-Type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}

async function answer(request: IncomingMessage, parts: Administered) {
  const { method } = request;
  demand(method === "GET" || method === "PUT", 405, `${method} is not possible here`);
  if (method === "PUT") {
    // Browsers don't let a web page send this content type to another origin, so no web page can change the faults.
    const isJson = request.headers["content-type"] === "application/json";
    demand(isJson, 415, "the body must be application/json");
    const body: unknown = await readJson(request);
    demand(isObject(body) && Array.isArray(body.faults), 400, "the body must be { faults: [...] }");
    parts.faults.replace(body.faults);
  }
  return { status: 200, body: statusOf(parts) };
}

const statusOf = ({ platform: { account }, faults, log }: Administered) => ({
  workspaceId: account.workspaceId,
  requests: log.entries.length,
  numbers: [...account.numbers].map(([number, { routing }]) => ({ number, ...routingOf(routing) })),
  chats: account.posted.chats,
  voices: account.posted.voices,
  faults: faults.list(),
});
