import assert from "node:assert/strict";
import { describe, it } from "mocha";
import * as z from "zod";
import { jsonObject, validate } from "../../provider/core/common/schemas";
import { inboundAgents } from "../../provider/core/routing/inboundAgents";

describe("a stored split that comes back to check", () => {
  it("names the entry whose version is none, in the order in which it came", () => {
    const schema = z.object({ inboundAgents });
    assert.deepEqual(validate(schema, { inboundAgents: { "agent_a@1": 50, "agent_front@": 50 } }).problems, [
      { path: 'inboundAgents["agent_front@"] (50)', rule: "must have an integer from 0 behind its `@`" },
    ]);
  });
});

describe("free-form JSON", () => {
  const problems = (value: unknown) => validate(jsonObject, value).problems.map(({ rule }) => rule);
  it("may hold many entries, as long as it is not too long", () => {
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, index]));
    assert.deepEqual(problems(many), ["must be at most 65536 characters of JSON"]);
    assert.deepEqual(problems({ list: Array.from({ length: 30_000 }, () => 1) }), []);
  });
});
