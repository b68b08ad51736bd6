import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { buildAndPack } from "./support/packed";

describe("the package as it is published", () => {
  it("is the same tarball, byte for byte, when it is built again somewhere else", async () => {
    const both = await Promise.all([buildAndPack(), buildAndPack()]);
    for (const { root } of both) {
      rmSync(root, { recursive: true, force: true });
    }
    const [first, second] = both.map(({ integrity }) => integrity);
    assert.equal(first, second);
  });
});
