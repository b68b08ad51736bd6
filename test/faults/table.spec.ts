import assert from "node:assert/strict";
import { CODES } from "../../provider/core/common/codes";
import { FAULTS } from "./faults";

/** The table of README.md in this folder. readings.spec.ts compares its messages with what is said. */
describe("the table of faults", () => {
  it("has each fault once", () => {
    assert.deepEqual(
      FAULTS.map(({ id }) => id),
      Array.from({ length: 73 }, (_, index) => index + 1),
    );
  });

  it("names codes that there are", () => {
    const codes = FAULTS.flatMap(({ read }) => JSON.stringify(read).match(/AGP-\d{3}/g) ?? []);
    assert.ok(codes.length > 40, `${codes.length} codes`);
    assert.deepEqual(
      codes.filter((code) => !Object.hasOwn(CODES, code)),
      [],
    );
  });
});
