import type { Cause, Client, Failure, Outcome } from "../core/platform/operations";
import { InvalidRequestError } from "./errors";
import { clientOf, type Operation, operationText } from "./operationTable";

/** One 403 may concern one number alone. If a scope has returned so many and accepted nothing, they concern the token. */
const FORBIDDEN_TRIES = 3;

/** What the platform has returned to one operation in one workspace and account. */
interface Scope {
  forbidden: number;
  isAccepted: boolean;
}

interface Request {
  readonly workspaceId?: number | undefined;
  readonly accountSid?: string | undefined;
}

/**
 * The client of one run, which has one token. After the platform has rejected the token, the run sends nothing more: 25 numbers would be
 * refused one by one, each with the same message. Requests that are under way at that moment go on.
 */
export function stopAfterRefusal(client: Client): Client {
  let isRejected = false;
  const scopes = new Map<string, Scope>();

  const stopped = (scope: Scope, { workspaceId }: Request): Pick<Failure, "cause" | "detail"> | undefined => {
    if (isRejected) {
      return { cause: "unauthenticated", detail: "the platform rejected the token earlier in this run (401)" };
    }
    // It may be secret in the resource of the request.
    const where = workspaceId === undefined ? "" : " in this workspace";
    return scope.isAccepted || scope.forbidden < FORBIDDEN_TRIES
      ? undefined
      : { cause: "forbidden", detail: `the platform refused the token everything${where} in this run (403)` };
  };

  function note(scope: Scope, cause: Cause | undefined): void {
    isRejected ||= cause === "unauthenticated";
    scope.isAccepted ||= cause === undefined;
    scope.forbidden += cause === "forbidden" ? 1 : 0;
  }

  const guarded =
    <Sent, Answer>(called: Operation, send: (request: Sent) => Promise<Outcome<Answer>>) =>
    async (request: Sent & Request): Promise<Outcome<Answer>> => {
      const operation = operationText(called);
      const key = JSON.stringify([operation, request.workspaceId, request.accountSid]);
      const scope = scopes.get(key) ?? { forbidden: 0, isAccepted: false };
      scopes.set(key, scope);
      const why = stopped(scope, request);
      if (why !== undefined) {
        const exchange = { operation, attempts: 0, elapsedMs: 0 };
        return { outcome: "rejected", failure: { ...why, exchange, isPlatformError: false } };
      }
      const outcome = await send(request).catch((error: unknown) => unknownAfter<Answer>(error, operation));
      note(scope, outcome.outcome === "applied" ? undefined : outcome.failure.cause);
      return outcome;
    };

  return clientOf((name, operation) => {
    const send: (request: never) => Promise<Outcome<unknown>> = client[name];
    return guarded(operation, send) as unknown as Client[typeof name];
  });
}

/** What is not valid was not sent. After any other error the request may have been sent, and what was sent must not be forgotten. */
function unknownAfter<Answer>(error: unknown, operation: string): Outcome<Answer> {
  if (error instanceof InvalidRequestError) {
    throw error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  const exchange = { operation, attempts: 1, elapsedMs: 0 };
  return { outcome: "unknown", failure: { cause: "unusable", exchange, detail, isPlatformError: false } };
}
