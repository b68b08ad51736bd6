import assert from "node:assert/strict";
import type { Step } from "./guide";

/** Steps shared by the tests of several pages. */

export const NUMBER = "+15551234567";

/**
 * Asserts that the platform got one PUT for each of these numbers since the last check, in any order, and no other
 * request.
 */
export const puts =
  (...numbers: readonly string[]): Step =>
  ({ platform }) => {
    const sent = platform.requests.map(({ method, path }) => `${method} ${decodeURIComponent(path)}`);
    assert.deepEqual(
      sent.sort(),
      numbers.map((number) => `PUT /api/numbers/${number}/agent`),
    );
    platform.clearRequests();
  };

/** Asserts that the number has exactly these inbound agents on the platform. */
export const routed =
  (number: string, split: Readonly<Record<string, number>>): Step =>
  ({ platform }) =>
    void assert.deepEqual(platform.routing(number)?.inboundAgents, split);
