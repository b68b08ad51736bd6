import assert from "node:assert/strict";

/** What some work fails with, that must fail. */
export const rejectionOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => assert.fail("it passed"),
    (thrown: unknown) => thrown,
  );
