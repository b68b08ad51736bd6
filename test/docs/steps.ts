import assert from "node:assert/strict";
import type { Step } from "./guide";

/** What is done at comments that several pages have. */

export const NUMBER = "+15551234567";

/** A PUT for each of these numbers since the last look, in any order, and no other request. */
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

export const routed =
  (number: string, split: Readonly<Record<string, number>>): Step =>
  ({ platform }) =>
    void assert.deepEqual(platform.routing(number)?.inboundAgents, split);
