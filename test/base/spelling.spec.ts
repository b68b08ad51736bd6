import assert from "node:assert/strict";
import { isNear, isTypo, nearest } from "../../provider/base/spelling";
import { checkRows } from "../support/rows";

describe("nearest", () => {
  for (const { title, rows } of [
    {
      title: "suggests the most similar name",
      rows: [
        { word: "frnt", names: ["night", "front"], meant: "front" },
        { word: "wegihtTotal", names: ["weightTotals", "weightTotal"], meant: "weightTotal" },
        { word: "fromt", names: ["fronts", "front"], meant: "front" },
        { word: "up", names: ["us"], meant: "us" },
      ],
    },
    {
      title: "suggests a name that differs only in case",
      rows: [{ word: "FRONT", names: ["front"], meant: "front" }],
    },
    {
      title: "suggests a name that starts with the given word",
      rows: [{ word: "fro", names: ["night", "front"], meant: "front" }],
    },
    {
      title: "suggests nothing if no name is similar enough",
      rows: [
        { word: "rofnt", names: ["front"], meant: undefined },
        { word: "fr", names: ["front"], meant: undefined },
        { word: "sales", names: ["front"], meant: undefined },
      ],
    },
  ]) {
    it(title, () =>
      checkRows(
        rows,
        ({ word }) => word,
        ({ word, names, meant }) => assert.equal(nearest(word, names), meant),
      ),
    );
  }
});

interface Case {
  readonly title: string;
  readonly pairs: readonly (readonly [name: string, other: string])[];
  readonly expected: boolean;
}

const TYPOS: readonly Case[] = [
  {
    title: "finds a typo if one letter is wrong, missing, extra or swapped",
    pairs: [
      ["agent_frond", "agent_front"],
      ["agent_fornt", "agent_front"],
      ["agent_foront", "agent_front"],
      ["agent_bird", "agent_birds"],
    ],
    expected: true,
  },
  { title: "finds no typo in identical names", pairs: [["agent_front", "agent_front"]], expected: false },
  {
    title: "finds no typo if names differ only in a number or short word",
    pairs: [
      ["agent_sales_uk", "agent_sales_us"],
      ["agent_10024", "agent_10023"],
      ["agent_cat", "agent_cats"],
    ],
    expected: false,
  },
  {
    title: "finds no typo if several characters differ",
    pairs: [
      ["agent_fromd", "agent_front"],
      ["agint_frond", "agent_front"],
      ["agent_front_v2", "agent_front"],
    ],
    expected: false,
  },
];

describe("isTypo", () => {
  for (const { title, pairs, expected } of TYPOS) {
    it(title, () =>
      checkRows(
        pairs,
        ([name]) => name,
        ([name, other]) => assert.equal(isTypo(name, other), expected),
      ),
    );
  }
});

const NEAR: readonly Case[] = [
  {
    title: "returns true for names that differ by a small typo",
    pairs: [
      ["agent-platfrom", "agent-platform"],
      ["agentplatforms", "agent-platform"],
    ],
    expected: true,
  },
  {
    title: "returns true for names that differ only in case",
    pairs: [["Agent-Platform", "agent-platform"]],
    expected: true,
  },
  { title: "returns false for identical names", pairs: [["agent-platform", "agent-platform"]], expected: false },
  {
    title: "returns false for names that differ in three characters",
    pairs: [["agentplatfrms", "agent-platform"]],
    expected: false,
  },
];

describe("isNear", () => {
  for (const { title, pairs, expected } of NEAR) {
    it(title, () =>
      checkRows(
        pairs,
        ([name]) => name,
        ([name, other]) => assert.equal(isNear(name, other), expected),
      ),
    );
  }
});
