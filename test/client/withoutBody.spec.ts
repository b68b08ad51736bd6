import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { createTransport } from "../../provider/client/transport";
import { startRawServer } from "../support/rawServer";

const ANSWER = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

describe("a request without a body", () => {
  for (const method of ["DELETE", "GET", "POST", "PUT"] as const) {
    it(`is sent, and its response is read: ${method}`, async () => {
      const server = await startRawServer((socket) => socket.end(ANSWER));
      try {
        const transport = createTransport({ concurrency: 1, proxy: undefined, attemptMs: 3000 });
        const request = { method, isRepeatable: true, url: new URL(`${server.url}/api/webhooks/1`), headers: {} };
        const reply = await transport(request, 3000);
        assert.deepEqual([reply.came, reply.came === "response" && reply.status], ["response", 200]);
        const [line = "", ...headers] = server.requests.join("").split("\r\n");
        assert.equal(line, `${method} /api/webhooks/1 HTTP/1.1`);
        assert.deepEqual(
          headers.filter((header) => /^(content-type|transfer-encoding):/i.test(header)),
          [],
        );
      } finally {
        await server.close();
      }
    });
  }
});
