import type { Client, Failure, Outcome } from "../core/platform/operations";
import { InvalidRequestError } from "./errors";
import { clientOf, type Operation, operationText } from "./operationTable";

/**
 * The client of one run, which has one token. A 401 is the one response that concerns every request: after it the run sends nothing more,
 * because 25 numbers would be refused one by one, each with the same message. Requests that are under way at that moment go on. Any other
 * response, a 403 as well, may concern one number alone.
 */
export function stopAfterRefusal(client: Client): Client {
  let isRejected = false;

  const guarded =
    <Sent, Answer>(called: Operation, send: (request: Sent) => Promise<Outcome<Answer>>) =>
    async (request: Sent): Promise<Outcome<Answer>> => {
      const operation = operationText(called);
      if (isRejected) {
        return { outcome: "rejected", failure: rejectedBefore(operation) };
      }
      const outcome = await send(request).catch((error: unknown) => unknownAfter<Answer>(error, operation));
      isRejected ||= outcome.outcome !== "applied" && outcome.failure.cause === "unauthenticated";
      return outcome;
    };

  return clientOf((name, operation) => {
    const send: (request: never) => Promise<Outcome<unknown>> = client[name];
    return guarded(operation, send) as unknown as Client[typeof name];
  });
}

const rejectedBefore = (operation: string): Failure => ({
  cause: "unauthenticated",
  detail: "the platform rejected the token earlier in this run (401)",
  exchange: { operation, attempts: 0, elapsedMs: 0 },
  isPlatformError: false,
});

/** What is not valid was not sent. After any other error the request may have been sent, and what was sent must not be forgotten. */
function unknownAfter<Answer>(error: unknown, operation: string): Outcome<Answer> {
  if (error instanceof InvalidRequestError) {
    throw error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  const exchange = { operation, attempts: 1, elapsedMs: 0 };
  return { outcome: "unknown", failure: { cause: "unusable", exchange, detail, isPlatformError: false } };
}
