import assert from "node:assert/strict";
import { plain } from "../../cli/report/text";
import { A, group, modelOf, of, reportOf, single } from "./reportSteps";

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

describe("the headline of numbers that this stack has not had", () => {
  const grows = (name: string, ...joining: readonly string[]) =>
    group("update", name, of(A, `+${name}`), of(A, `+${name}`, ...joining));
  const moved = single("delete", "two", { number: "+2", inboundAgents: A });
  const rows = [
    [
      "First assignment overwrites +1 (one) with agent_a@1 100 %",
      single("create", "one", undefined, { number: "+1", inboundAgents: A }),
    ],
    [
      "First assignment overwrites +1 (one), inbound agents not managed",
      single("create", "one", undefined, { number: "+1", outboundAgentId: "agent_o" }),
    ],
    [
      "First assignment overwrites 2 numbers, in 2 different ways",
      single("create", "one", undefined, { number: "+1", inboundAgents: A }),
      single("create", "two", undefined, { number: "+2" }),
    ],
    [
      "2 numbers join uk (1 → 3) and get its routing (agent_a@1 100 %) at once, which overwrites them",
      grows("uk", "+3", "+4"),
    ],
    [
      "2 numbers join uk (1 → 3) and get its routing (agent_a@1 100 %) at once, which overwrites 1 of them",
      grows("uk", "+2", "+4"),
      moved,
    ],
    [
      "3 numbers join groups, which overwrites those that are new to the stack",
      grows("uk", "+3"),
      grows("us", "+4", "+5"),
    ],
    ["1 number joins uk (1 → 2) and gets its routing (agent_a@1 100 %) at once", grows("uk", "+2"), moved],
  ] as const;
  for (const [headline, ...steps] of rows) {
    it(headline, () => {
      assert.equal(plain(modelOf(steps).headline), headline);
    });
  }
});
