import assert from "node:assert/strict";

/** Returns the error of a call that must fail. */
export const rejectionOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (result) => assert.fail(`The call should have failed, but returned ${JSON.stringify(result)}`),
    (thrown: unknown) => thrown,
  );

/** Like `rejectionOf`, but also asserts that the error is an instance of `type`. */
export async function rejectionAs<E extends Error>(
  type: abstract new (...args: never) => E,
  call: Promise<unknown>,
): Promise<E> {
  const error = await rejectionOf(call);
  assert.ok(error instanceof type, `The call should have failed with a ${type.name}, but failed with: ${error}`);
  return error;
}
