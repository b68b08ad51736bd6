import assert from "node:assert/strict";
import { reportOf, single } from "./reportSteps";

describe("the title of a split", () => {
  const titleOf = (before: object, after: object) => {
    const of = (inboundAgents: object) => ({ number: "+1", inboundAgents });
    return reportOf(single("update", "one", of(before), of(after))).split("\n")[0];
  };
  const rows: readonly (readonly [string, before: object, after: object])[] = [
    ["b joins +1 (one) at 100 %; a leaves", { a: 100 }, { b: 100 }],
    ["c joins +1 (one) at 100 %; a, b leave", { a: 90, b: 10 }, { c: 100 }],
    ["b joins +1 (one) at 30 %", { a: 100 }, { a: 70, b: 30 }],
    ["c joins +1 (one) at 50 %; 2 other agents change", { a: 60, b: 40 }, { a: 30, b: 20, c: 50 }],
    ["c joins +1 (one) at 50 %; 2 other agents change, and 1 of them leaves", { a: 60, b: 40 }, { a: 50, c: 50 }],
    [
      "Traffic split on +1 (one): c 10 % → 40 %; 2 other agents change",
      { a: 60, b: 30, c: 10 },
      { a: 50, b: 10, c: 40 },
    ],
  ];
  for (const [title, before, after] of rows) {
    it(`says who joins, and who leaves for it: ${title}`, () => {
      assert.equal(titleOf(before, after), title);
    });
  }
});
