import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { byCause, type FailedNumber } from "../../provider/core/messages";
import { removable } from "../../provider/core/routing/group";

describe("failures by cause", () => {
  const failed = (number: string, cause: string, more: Partial<FailedNumber> = {}): FailedNumber => ({
    number,
    cause,
    reason: "rejected",
    ...more,
  });

  it("are counted, the most frequent first and what was not sent last", () => {
    const all = [
      failed("1", "404"),
      failed("2", "503", { reason: "unknown" }),
      failed("3", "503", { reason: "unknown" }),
      failed("4", "503"),
      ...["5", "6", "7"].map((number) => failed(number, "stopped", { reason: "not sent" })),
    ];
    assert.deepEqual(
      byCause(all).map(({ cause, numbers }) => [cause, numbers]),
      [
        ["503", ["2", "3"]],
        ["404", ["1"]],
        ["503", ["4"]],
        ["stopped", ["5", "6", "7"]],
      ],
    );
  });
});

describe("how many numbers may leave at once", () => {
  for (const [of, max, most] of [
    [3, undefined, 1],
    [100, undefined, 5],
    [10_000, undefined, 500],
    [10_000, 0, 0],
    [10, 8, 8],
  ] as const) {
    it(`${of} numbers, ${max === undefined ? "no setting" : `maxRemove ${max}`}: ${most}`, () =>
      assert.equal(removable(of, max), most));
  }
});
