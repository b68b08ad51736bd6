import assert from "node:assert/strict";

/** The error from a call that must fail. */
export const rejectionOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (result) => assert.fail(`The call succeeded, and was to fail: ${JSON.stringify(result)}`),
    (thrown: unknown) => thrown,
  );

/** The same, of the class that the error must have. */
export async function rejectionAs<E extends Error>(
  type: abstract new (...args: never) => E,
  call: Promise<unknown>,
): Promise<E> {
  const error = await rejectionOf(call);
  assert.ok(error instanceof type, `The call was to fail with a ${type.name}, and failed with: ${error}`);
  return error;
}
