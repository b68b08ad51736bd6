import assert from "node:assert/strict";
import { inspect } from "node:util";
import {
  createClient,
  type Failure,
  InvalidOptionsError,
  InvalidRequestError,
  PlatformError,
  unwrap,
} from "../../provider";

const operation = "PUT /api/numbers/{number}/agent";
const failure: Failure = {
  cause: "forbidden",
  exchange: { operation, status: 403, requestId: "r-1", attempts: 1, elapsedMs: 12 },
  platformMessage: "not yours",
  detail: "from 127.0.0.1:8080",
  isPlatformError: true,
};

function thrownBy(work: () => unknown): PlatformError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof PlatformError);
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("unwrap", () => {
  it("returns the answer", () => {
    assert.equal(unwrap({ outcome: "applied", answer: 7, issues: [], exchange: failure.exchange }), 7);
    assert.equal(unwrap({ outcome: "applied", answer: undefined, issues: [], exchange: failure.exchange }), undefined);
  });

  const silent = { operation, attempts: 4, elapsedMs: 12 };
  const rows: [string, "rejected" | "unknown", Partial<Failure>, string][] = [
    ["a refusal", "rejected", {}, `rejected: the platform returned 403 to ${operation}: "not yours"`],
    [
      "a refusal without words",
      "rejected",
      { platformMessage: undefined },
      `rejected: the platform returned 403 to ${operation}: from 127.0.0.1:8080`,
    ],
    [
      "no connection",
      "rejected",
      { platformMessage: undefined, exchange: silent, detail: "connection refused by 127.0.0.1:8080" },
      `rejected: connection refused by 127.0.0.1:8080 (${operation})`,
    ],
    [
      "no answer",
      "unknown",
      { platformMessage: undefined, exchange: silent, detail: "no response from 127.0.0.1:8080 within 30 s" },
      `unknown outcome: no response from 127.0.0.1:8080 within 30 s (${operation})`,
    ],
    ["a server's error", "unknown", {}, `unknown outcome: the platform returned 403 to ${operation}: "not yours"`],
  ];
  for (const [name, outcome, change, message] of rows) {
    it(`throws ${name} as a sentence`, () => {
      const error = thrownBy(() => unwrap({ outcome, failure: { ...failure, ...change } }));
      assert.equal(error.message, message);
      // Whoever unwraps is shown their own line.
      assert.match(error.stack ?? "", /errors\.spec\.ts/);
    });
  }

  it("carries the failure in typed fields", () => {
    const error = thrownBy(() => unwrap({ outcome: "rejected", failure }));
    const { name, cause, outcome, status } = error;
    assert.deepEqual(
      { name, cause, outcome, status, operation: error.operation },
      { name: "PlatformError", cause: "forbidden", outcome: "rejected", status: 403, operation },
    );
    assert.equal(error.failure, failure);
    assert.ok(inspect(error).length < 2000);
  });
});

describe("what a user of the client can catch", () => {
  it("is told apart by class, without a request", async () => {
    assert.throws(() => createClient({ baseUrl: "nowhere", accessToken: "a-good-token" }), InvalidOptionsError);
    const client = createClient({ baseUrl: "https://platform.example.com", accessToken: "a-good-token" });
    await assert.rejects(client.endChat({ chatId: "..", workspaceId: 42 }), InvalidRequestError);
  });
});
