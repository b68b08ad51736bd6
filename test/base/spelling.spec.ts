import assert from "node:assert/strict";
import { isNear, isTypo, nearest } from "../../provider/base/spelling";

describe("the name that a user probably meant", () => {
  for (const { word, names, meant } of [
    { word: "frnt", names: ["night", "front"], meant: "front" },
    { word: "FRONT", names: ["front"], meant: "front" },
    { word: "rofnt", names: ["front"], meant: undefined },
    { word: "wegihtTotal", names: ["weightTotal"], meant: "weightTotal" },
    { word: "fromt", names: ["fronts", "front"], meant: "front" },
    { word: "fro", names: ["night", "front"], meant: "front" },
    { word: "fr", names: ["front"], meant: undefined },
    { word: "up", names: ["us"], meant: "us" },
    { word: "sales", names: ["front"], meant: undefined },
  ]) {
    const among = names.length === 1 ? `if the only name is "${names[0]}"` : `among "${names.join('" and "')}"`;
    it(`suggests ${meant === undefined ? "nothing" : `"${meant}"`} for "${word}" ${among}`, () => {
      assert.equal(nearest(word, names), meant);
    });
  }
});

describe("a mistyped agent", () => {
  for (const [name, other, isMistyped] of [
    ["agent_frond", "agent_front", true],
    ["agent_fornt", "agent_front", true],
    ["agent_foront", "agent_front", true],
    ["agent_front", "agent_front", false],
    ["agent_sales_uk", "agent_sales_us", false],
    ["agent_10024", "agent_10023", false],
    ["agent_fromd", "agent_front", false],
    ["agint_frond", "agent_front", false],
    ["agent_front_v2", "agent_front", false],
    ["agent_cat", "agent_cats", false],
    ["agent_bird", "agent_birds", true],
  ] as const) {
    it(`${isMistyped ? "treats" : "does not treat"} ${name} as a typo of ${other}`, () => {
      assert.equal(isTypo(name, other), isMistyped);
    });
  }
});

describe("near names", () => {
  for (const [name, other, near] of [
    ["agent-platfrom", "agent-platform", true],
    ["Agent-Platform", "agent-platform", true],
    ["agent-platform", "agent-platform", false],
    ["agentplatforms", "agent-platform", true],
    ["agentplatfrms", "agent-platform", false],
  ] as const) {
    it(`${near ? "treats" : "does not treat"} ${name} as near ${other}`, () => assert.equal(isNear(name, other), near));
  }
});
