import assert from "node:assert/strict";
import { afterAccepted, afterLimit, type RateEstimate, rateAt, UNLIMITED } from "../../provider/client/rate";

/** Requests that were sent at these times and accepted at once. */
function taken(times: readonly number[], estimate: RateEstimate = UNLIMITED): RateEstimate {
  return times.reduce(afterAccepted, estimate);
}

const every = (ms: number, count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index * ms);
const two = (rate: number) => rate.toFixed(2);
const rounded = (estimate: RateEstimate, now: number) => two(rateAt(estimate, now));

describe("the estimated rate", () => {
  it("has no limit until a 429 comes", () => {
    assert.equal(rateAt(UNLIMITED, 5), Number.POSITIVE_INFINITY);
    assert.equal(rateAt(taken(every(1, 100)), 100), Number.POSITIVE_INFINITY);
  });

  it("is a little below what was accepted within the second before the 429", () => {
    assert.equal(rounded(afterLimit(taken(every(10, 300)), 3000, 3010, 4010, 16), 4010), two(0.95 * 99));
  });

  it("counts what was sent before the 429 and answered after it", () => {
    const cut = afterLimit(taken(every(10, 90)), 900, 910, 1910, 16);
    assert.equal(rounded(cut, 1910), two(0.95 * 90));
    assert.equal(rounded(taken([901, 902], cut), 1910), two(0.95 * 92));
    assert.equal(rounded(taken([911, -101], cut), 1910), two(0.95 * 90));
  });

  it("is raised by 5 % within half a minute where it was measured, by half every second where it was not", () => {
    const measured = afterLimit(taken(every(10, 100)), 1000, 1000, 2000, 16);
    assert.equal(rounded(measured, 2000), two(0.95 * 99));
    assert.equal((rateAt(measured, 32_000) / rateAt(measured, 2000)).toFixed(3), "1.053");
    assert.equal((rateAt(measured, 82_000) / rateAt(measured, 2000)).toFixed(3), "2.000");
    const burst = afterLimit(taken(every(1, 12)), 12, 12, 1012, 16);
    assert.equal(rounded(burst, 1012), two(0.95 * 12));
    assert.equal((rateAt(burst, 3012) / rateAt(burst, 1012)).toFixed(3), "2.250");
  });

  it("is not lowered again by the rest of a salvo, nor by a pause that was too short", () => {
    const first = afterLimit(taken(every(1, 50)), 50, 55, 1055, 16);
    const rest = afterLimit(first, 54, 60, 1060, 16);
    assert.equal(rounded(rest, 1060), rounded(first, 1055));
    const tooShort = afterLimit(rest, 1061, 1066, 3000, 16);
    assert.equal(rounded(tooShort, 3000), rounded(first, 1055));
  });

  it("is lowered by a third where it is refused within its first second", () => {
    const first = afterLimit(taken(every(1, 12)), 12, 12, 1012, 16);
    const before = rateAt(first, 1500);
    assert.equal(rounded(afterLimit(taken([1013], first), 1500, 1505, 2505, 16), 2505), two(0.7 * before));
  });

  it("is halved where less than one a second is accepted, down to one in half a minute", () => {
    let estimate = afterLimit(UNLIMITED, 0, 0, 1000, 16);
    assert.equal(rounded(estimate, 1000), "1.00");
    for (let round = 0; round < 40; round += 1) {
      const now = estimate.since + 5000;
      estimate = afterLimit(taken([now - 3000], { ...estimate, isMeasured: true }), now, now, now + 1000, 16);
    }
    assert.equal(rateAt(estimate, estimate.since), 1 / 30);
  });

  it("remembers the last seconds only", () => {
    assert.equal(taken(every(10, 10_000)).accepted.length < 1000, true);
  });
});
