import assert from "node:assert/strict";
import { isNear, isTypo, nearest } from "../../provider/base/spelling";

describe("nearest", () => {
  it("suggests the most similar name", () => {
    assert.equal(nearest("frnt", ["night", "front"]), "front");
    assert.equal(nearest("wegihtTotal", ["weightTotals", "weightTotal"]), "weightTotal");
    assert.equal(nearest("fromt", ["fronts", "front"]), "front");
    assert.equal(nearest("up", ["us"]), "us");
  });

  it("suggests a name that differs only in case", () => assert.equal(nearest("FRONT", ["front"]), "front"));

  it("suggests a name that starts with the given word", () =>
    assert.equal(nearest("fro", ["night", "front"]), "front"));

  it("suggests nothing if no name is similar enough", () => {
    for (const word of ["rofnt", "fr", "sales"]) {
      assert.equal(nearest(word, ["front"]), undefined, word);
    }
  });
});

describe("isTypo", () => {
  it("finds a typo if one letter is wrong, missing, extra or swapped", () => {
    for (const name of ["agent_frond", "agent_fornt", "agent_foront"]) {
      assert.equal(isTypo(name, "agent_front"), true, name);
    }
    assert.equal(isTypo("agent_bird", "agent_birds"), true);
  });

  it("finds no typo in identical names", () => assert.equal(isTypo("agent_front", "agent_front"), false));

  it("finds no typo if names differ only in a number or short word", () => {
    assert.equal(isTypo("agent_sales_uk", "agent_sales_us"), false);
    assert.equal(isTypo("agent_10024", "agent_10023"), false);
    assert.equal(isTypo("agent_cat", "agent_cats"), false);
  });

  it("finds no typo if several characters differ", () => {
    for (const name of ["agent_fromd", "agint_frond", "agent_front_v2"]) {
      assert.equal(isTypo(name, "agent_front"), false, name);
    }
  });
});

describe("isNear", () => {
  it("returns true for names that differ by a small typo", () => {
    assert.equal(isNear("agent-platfrom", "agent-platform"), true);
    assert.equal(isNear("agentplatforms", "agent-platform"), true);
  });

  it("returns true for names that differ only in case", () =>
    assert.equal(isNear("Agent-Platform", "agent-platform"), true));

  it("returns false for identical names", () => assert.equal(isNear("agent-platform", "agent-platform"), false));

  it("returns false for names that differ in three characters", () =>
    assert.equal(isNear("agentplatfrms", "agent-platform"), false));
});
