import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { NumberRecord, NumberResponse } from "../../provider/api/assignNumber";
import { pick } from "../../provider/base/json";
import { type Proof, verify } from "../../provider/numbers/verify";
import type { AssignedField, Routing } from "../../provider/routing/routing";
import { describeAgents, type Split, toSplit } from "../../provider/routing/split";

const NUMBER = "+15551234567";

/** `a@1 70, b 30`: agents, some with a version, and their weights. */
const list = (text: string) =>
  text.split(", ").map((one) => {
    const [, agentId = "", version, weight] = /^(\w+)(?:@(\d+))? (.+)$/.exec(one) ?? [];
    return { agentId, weight: Number(weight), ...(version !== undefined && { agentVersion: Number(version) }) };
  });

/** The same agents as messages name them. An empty text stands for no agents. */
const words = (text: string): string => describeAgents(text === "" ? [] : list(text));

/** @param cleared of the fields that the number may have, those that are to be cleared */
const verified = (routing: Routing, response: NumberResponse, cleared: AssignedField[] = [], before: Routing = {}) =>
  verify({ number: NUMBER, routing, mayHave: [pick(before, cleared)] }, response, 200);

/** What a response contradicts: the differences that fail a run, what is left of what was to be cleared, and the other fields. */
function differences(
  asked: Routing,
  response: NumberResponse,
  cleared: AssignedField[] = [],
  before: Routing = {},
): string[] {
  const { mismatches, notCleared, otherDifferences } = verified(asked, response, cleared, before);
  const texts = mismatches.map(({ field, asked: wanted, returned }) =>
    field === "inboundAgents" ? `${field}: ${wanted} / ${returned}` : field,
  );
  return [...texts, ...notCleared.map((field) => `${field} left`), ...otherDifferences];
}
const record = (fields: NumberRecord): NumberResponse => ({ numbers: [{ number: NUMBER, ...fields }] });

const ourRecord = (number: string, numbers: readonly NumberRecord[]) =>
  verify({ number, routing: {}, mayHave: [] }, { numbers: [...numbers] }, 200).record;

describe("the record for a number", () => {
  const exact = { number: NUMBER, id: 2 };
  const rows: readonly {
    readonly name: string;
    readonly number: string;
    readonly records: readonly NumberRecord[];
    readonly id: number | undefined;
  }[] = [
    { name: "the record with the exact number", number: NUMBER, records: [{ number: "+1", id: 1 }, exact], id: 2 },
    {
      name: "the record whose base number is the number",
      number: NUMBER,
      records: [
        { number: "1", id: 1 },
        { number: "2", baseNumber: NUMBER, id: 2 },
      ],
      id: 2,
    },
    {
      name: "the only record even if its number has another format",
      number: NUMBER,
      records: [{ number: "(555) 123-4567", id: 3 }],
      id: 3,
    },
    {
      name: "no record if there are only other numbers",
      number: NUMBER,
      records: [{ number: "1" }, { number: "2" }],
      id: undefined,
    },
    {
      name: "the only record, matched by its base number",
      number: NUMBER,
      records: [{ number: "", baseNumber: "1 555 123 4567", id: 5 }],
      id: 5,
    },
    {
      name: "no record if the only one is for another number",
      number: NUMBER,
      records: [{ number: "+15551234568", id: 6 }],
      id: undefined,
    },
    {
      name: "no record if the only one has another base number",
      number: NUMBER,
      records: [{ baseNumber: "+15551234568", id: 6 }],
      id: undefined,
    },
    {
      name: "the only record for an extension, whatever its number",
      number: "4001",
      records: [{ number: NUMBER, id: 7 }],
      id: 7,
    },
    {
      name: "the record whose extension has another format",
      number: "front desk",
      records: [{ number: "Front-Desk", id: 9 }],
      id: 9,
    },
    {
      name: "the record whose number and extension have another format",
      number: `${NUMBER}#12`,
      records: [{ number: `${NUMBER} ext 12`, id: 10 }],
      id: 10,
    },
    {
      name: "no record if the only one has another number before the extension",
      number: `${NUMBER}#12`,
      records: [{ number: "+15559999999", id: 11 }],
      id: undefined,
    },
    {
      name: "the record with the same digits, not the one with an extension",
      number: NUMBER,
      records: [
        { number: "15551234567#12", baseNumber: NUMBER, id: 12 },
        { number: "15551234567", id: 13 },
      ],
      id: 13,
    },
    {
      name: "the record with the same extension among several",
      number: `${NUMBER}#12`,
      records: [
        { number: "1 555 123 4567", id: 14 },
        { number: "1 555 123 4567 #12", baseNumber: NUMBER, id: 15 },
        { number: "1 555 123 4567 #13", baseNumber: NUMBER, id: 16 },
      ],
      id: 15,
    },
    {
      name: "no record if no name matches",
      number: "front desk",
      records: [{ number: "Back-Desk" }, { number: "4002" }],
      id: undefined,
    },
  ];
  for (const { name, number, records, id } of rows) {
    it(`finds ${name}`, () => assert.equal(ourRecord(number, records)?.id, id));
  }
});

describe("a duplicated record", () => {
  const asked = { inboundAgents: { "a@1": 100 }, outboundAgentId: "o" };
  const first = { number: NUMBER, id: 1, inboundAgents: list("a@1 100"), agentId: "o" };
  const response = (second: NumberRecord) => ({ numbers: [first, { ...first, id: 2, ...second }] });

  it("compares both copies of a duplicated record and reports each field once", () => {
    assert.deepEqual(differences(asked, response({})), []);
    assert.deepEqual(differences(asked, response({ inboundAgents: [], agentId: "x" })), [
      `inboundAgents: ${words("a@1 100")} / ${words("")}`,
      "outboundAgentId",
    ]);
    // A part that has a field as null says nothing against one that has a value.
    assert.deepEqual(differences(asked, response({ inboundAgents: null, agentId: null })), []);
    assert.deepEqual(differences(asked, response({ platformImportError: true })), ["platformImportError"]);
  });
  it("takes the IDs from the first copy of a duplicated record", () =>
    assert.equal(verified(asked, response({})).record?.id, 1));
});

describe("inbound agents in the response", () => {
  const asked = { inboundAgents: { "a@1": 70, "b@2": 30 } };
  const both = list("a@1 70, b@2 30");
  const fits: [string, NumberResponse][] = [
    ["in another order", record({ inboundAgents: list("b@2 30, a@1 70") })],
    ["whose weights are scaled to 1", record({ inboundAgents: list("a@1 0.7, b@2 0.3") })],
    ["without versions", record({ inboundAgents: list("a 70, b 30") })],
    ["in the assignment object only", { numbers: [], assignment: { inboundAgents: both } }],
    ["with a single ID next to a null list", record({ inboundAgents: null, inboundAgentId: "z" })],
    ["with an extra agent that has weight 0", record({ inboundAgents: list("a@1 70, b@2 30, c@1 0") })],
  ];
  for (const [name, response] of fits) {
    it(`accepts inbound agents ${name}`, () => assert.deepEqual(differences(asked, response), []));
  }

  const differ: [string, NumberRecord, string][] = [
    ["inbound agents whose percentages differ", { inboundAgents: list("a@1 69, b@2 31") }, words("a@1 69, b@2 31")],
    ["an empty list of inbound agents next to a single ID", { inboundAgents: [], inboundAgentId: "a" }, words("")],
  ];
  for (const [name, fields, returned] of differ) {
    it(`reports ${name}`, () =>
      assert.deepEqual(differences(asked, record(fields)), [
        `inboundAgents: ${words("a@1 70, b@2 30")} / ${returned}`,
      ]));
  }

  const single = { inboundAgents: { "a@12": 100 } };
  for (const assignment of [{ inboundAgents: list("a@12 100") }, { inboundAgentId: "a" }]) {
    it(`accepts a null agent ID in the record if the assignment shows ${Object.keys(assignment)}`, () =>
      assert.deepEqual(differences(single, { ...record({ inboundAgentId: null }), assignment }), []));
  }

  for (const empty of [{ inboundAgents: null }, { inboundAgentId: "" }]) {
    const name = JSON.stringify(empty);
    it(`accepts inbound agents that only one part lists if the other part has ${name}`, () => {
      const listed = { inboundAgents: list("a@12 100") };
      assert.deepEqual(differences(single, { ...record(listed), assignment: empty }), []);
      assert.deepEqual(differences(single, { ...record(empty), assignment: listed }), []);
      assert.deepEqual(differences(single, { ...record(empty), assignment: empty }), [
        `inboundAgents: ${words("a@12 100")} / ${words("")}`,
      ]);
    });
  }

  it("accepts thirds that are rounded to whole percentages", () => {
    const thirds = { inboundAgents: { a: 1, b: 1, c: 1 } };
    assert.deepEqual(differences(thirds, record({ inboundAgents: list("a@4 34, b@4 33, c@4 33") })), []);
    assert.deepEqual(differences(thirds, record({ inboundAgents: list("a@4 33, b@4 33, c@4 33, d@1 1") })), [
      `inboundAgents: ${words("a 1, b 1, c 1")} / ${words("a@4 33, b@4 33, c@4 33, d@1 1")}`,
    ]);
  });

  it("reports a mismatch once if the record and the assignment show the same agents", () => {
    const view = { inboundAgents: [] };
    assert.equal(differences(asked, { ...record(view), assignment: view }).length, 1);
  });
});

/** `a@1 70, b 30` as a program asks for it. */
const split = (text: string): Split => toSplit(list(text));

const PROOFS: Readonly<Record<string, string>> = {
  proven: "proven",
  "no versions": "unproven",
  other: "different",
};

describe("a split in the response", () => {
  const two = "a@12 90, a@13 10";
  const rows: { name: string; asked: string; shown: string; proves: Proof | "other" }[] = [
    { name: "its versions", asked: two, shown: two, proves: "proven" },
    { name: "a version that was not requested", asked: "a 90, b 10", shown: "a@4 90, b 10", proves: "proven" },
    { name: "each entry but no versions", asked: two, shown: "a 90, a 10", proves: "no versions" },
    { name: "no versions and weights scaled to 1", asked: two, shown: "a 0.9, a 0.1", proves: "no versions" },
    { name: "only its agent's total", asked: two, shown: "a 100", proves: "no versions" },
    {
      name: "only totals per agent",
      asked: "a@1 50, a@2 20, b@1 30",
      shown: "b@1 30, a 70",
      proves: "no versions",
    },
    { name: "only one of two versions", asked: two, shown: "a@12 90, a 10", proves: "no versions" },
    {
      name: "the version of only one of two agents",
      asked: "a@1 70, b@2 30",
      shown: "a@1 70, b 30",
      proves: "no versions",
    },
    {
      name: "another total for an agent",
      asked: "a@1 50, a@2 20, b@1 30",
      shown: "a 71, b@1 29",
      proves: "other",
    },
    { name: "another agent without versions", asked: two, shown: "a 90, b 10", proves: "other" },
    { name: "more calls for one version", asked: two, shown: "a@12 95, a 5", proves: "other" },
    { name: "another version", asked: two, shown: "a@14 10, a 90", proves: "other" },
    {
      name: "another version in place of the one with fewer calls",
      asked: two,
      shown: "a@12 90, a@14 10",
      proves: "other",
    },
    { name: "all calls for one version", asked: two, shown: "a@12 100", proves: "other" },
    { name: "only weights of zero", asked: two, shown: "a@12 0, a@13 0", proves: "other" },
    { name: "only totals of zero", asked: two, shown: "a 0", proves: "other" },
    { name: "0.4% rounded to zero", asked: "a@12 99.6, a@13 0.4", shown: "a@12 100, a@13 0", proves: "other" },
    { name: "0.9% rounded to zero", asked: "a@12 99.1, a@13 0.9", shown: "a@12 99, a@13 0", proves: "other" },
    { name: "99.6% rounded to 100% and no other agent", asked: "a 99.6, b 0.4", shown: "a 100", proves: "other" },
    { name: "0.4% rounded up", asked: "a@12 99.6, a@13 0.4", shown: "a@12 99, a@13 1", proves: "proven" },
    {
      name: "another agent's 0.4% rounded to zero in the totals",
      asked: "a@1 50, a@2 49.6, b@1 0.4",
      shown: "a 100, b 0",
      proves: "other",
    },
    {
      name: "calls for an agent that should get none",
      asked: "a 66.6, b 33.4, c 0",
      shown: "a 67, b 33, c 0.5",
      proves: "other",
    },
  ];
  for (const { name, asked, shown, proves } of rows) {
    it(`treats a split as ${PROOFS[proves]} if the response shows ${name}`, () => {
      const { mismatches, proof } = verified({ inboundAgents: split(asked) }, record({ inboundAgents: list(shown) }));
      assert.equal(mismatches.length > 0 ? "other" : proof, proves);
    });
  }

  it("returns the response's split with one total per agent", () => {
    const response = record({ inboundAgents: list("a 80, b 10, a 10") });
    const { mismatches, returnedSplit } = verified({ inboundAgents: split(two) }, response);
    assert.deepEqual(mismatches, [{ field: "inboundAgents", asked: words(two), returned: words("a 80, b 10, a 10") }]);
    assert.deepEqual(returnedSplit, { a: 90, b: 10 });
  });

  it("returns an agent ID unchanged even if it contains an @ without a version", () => {
    const shown = [{ agentId: "agent_x@beta", weight: 60 }, ...list("b@2 30"), { agentId: "agent_x@beta", weight: 10 }];
    const { returnedSplit } = verified({ inboundAgents: split(two) }, record({ inboundAgents: shown }));
    assert.deepEqual(returnedSplit, { "agent_x@beta": 70, "b@2": 30 });
  });
});

describe("a field to clear", () => {
  const all: AssignedField[] = ["inboundAgents", "outboundAgentId", "inboundWebhookUrl"];
  const url = "https://h.example/secret";
  const before = { inboundAgents: { a: 1 }, outboundAgentId: "o", inboundWebhookUrl: url };
  const left = (fields: NumberRecord, cleared = all) => differences({}, record(fields), cleared, before);

  it("treats a field as cleared if the response shows it as empty or null", () => {
    assert.deepEqual(left({ inboundAgents: [], agentId: null, inboundWebhookUrl: "" }), []);
    assert.deepEqual(left({ inboundAgents: null, agentId: "", inboundWebhookUrl: null }), []);
  });
  it("reports a cleared field whose value the response still shows", () => {
    assert.deepEqual(left({ inboundAgents: list("a 1"), agentId: "o", inboundWebhookUrl: url }), [
      "inboundAgents left",
      "outboundAgentId left",
      "inboundWebhookUrl left",
    ]);
    const other = record({ workspaceId: 43, inboundWebhookUrl: url });
    assert.deepEqual(differences({ workspaceId: 42 }, other, ["inboundWebhookUrl"], before), [
      "inboundWebhookUrl left",
      "workspaceId",
    ]);
  });
  it("reports cleared agents if the response shows a null list and an agent ID", () => {
    const agents = (fields: NumberRecord) => left(fields, ["inboundAgents"]);
    assert.deepEqual(agents({ inboundAgents: null, inboundAgentId: "a" }), ["inboundAgents left"]);
    assert.deepEqual(agents({ inboundAgents: [], inboundAgentId: "a" }), []);
  });
  it("reports that time routing was not cleared if it is still enabled", () => {
    const flag = (isTimeRoutingEnabled: boolean) =>
      differences({}, record({ isTimeRoutingEnabled }), ["isTimeRoutingEnabled"], { isTimeRoutingEnabled: true });
    assert.deepEqual([flag(true), flag(false)], [["isTimeRoutingEnabled left"], []]);
  });
  it("ignores the platform's default agent in a cleared field", () => {
    assert.deepEqual(left({ inboundAgents: [], agentId: null, defaultAgentId: "o" }), []);
    assert.deepEqual(left({ inboundAgents: [], agentId: "platform" }), []);
  });
  it("reports a cleared agent version that the response still shows", () => {
    const asked = { outboundAgentId: "o" };
    const version = (agents: string) =>
      differences(asked, record({ outboundAgents: list(agents) }), ["outboundAgentVersion"], {
        ...asked,
        outboundAgentVersion: 3,
      });
    assert.deepEqual([version("o@3 1"), version("o@4 1")], [["outboundAgentVersion"], []]);
    // If its agent goes too, the version is of no agent.
    const gone = record({ agentId: null, outboundAgentVersion: 3 });
    const both = { outboundAgentId: "o", outboundAgentVersion: 3 };
    assert.deepEqual(differences({}, gone, ["outboundAgentId", "outboundAgentVersion"], both), []);
  });
});

describe("a response", () => {
  it("does not verify a response with status 202", () => {
    const assignment = { number: NUMBER, routing: { inboundAgents: { a: 1 } }, mayHave: [] };
    const { mismatches, proof } = verify(assignment, record({ inboundAgents: [], platformImportError: true }), 202);
    assert.deepEqual([mismatches, proof], [[], "later"]);
  });

  it("accepts any value for fields that aren't declared", () => {
    assert.deepEqual(differences({}, record({ inboundWebhookUrl: "https://h.example/", inboundAgentId: null })), []);
    assert.deepEqual(differences({ isTimeRoutingEnabled: false }, record({ isTimeRoutingEnabled: null })), []);
  });

  it("returns the split in the response if it differs from the declared one", () => {
    const seen = (fields: NumberRecord, asked = {}) => {
      const { proof, returnedSplit } = verified(asked, record(fields));
      return [proof, returnedSplit];
    };
    assert.deepEqual(seen({ inboundAgents: list("b@2 1, a 3") }), ["proven", undefined]);
    assert.deepEqual(seen({ inboundAgents: null }), ["proven", undefined]);
    assert.deepEqual(seen({ agentId: null }), ["proven", undefined]);
    assert.deepEqual(seen({ outboundAgents: [] }), ["proven", undefined]);
    assert.deepEqual(seen({ workspaceId: 42 }), ["no agents", undefined]);
    const asked = { inboundAgents: { a: 1 } };
    assert.deepEqual(seen({ inboundAgents: list("a 3") }, asked), ["proven", undefined]);
    assert.deepEqual(seen({ inboundAgents: null, inboundAgentId: "a" }, asked), ["proven", undefined]);
    assert.deepEqual(seen({ outboundAgents: [], agentId: "a" }, asked), ["no agents", undefined]);
    assert.deepEqual(seen({ inboundAgents: list("b@2 1, c 3") }, asked), ["no versions", { c: 3, "b@2": 1 }]);
    assert.deepEqual(seen({ inboundAgents: null, inboundAgentId: "b" }, asked), ["no versions", { b: 1 }]);
    assert.deepEqual(seen({ inboundAgents: [] }, asked), ["no versions", undefined]);
  });

  it("accepts a cleared outbound agent that is now an inbound agent", () => {
    const left = (agent: string) => {
      const view = { inboundAgents: list(`${agent} 1`), agentId: "o" };
      const asked = { inboundAgents: { [agent]: 1 } };
      return differences(asked, record(view), ["outboundAgentId"], { outboundAgentId: "o" });
    };
    assert.deepEqual([left("o@2"), left("a")], [[], ["outboundAgentId left"]]);
  });

  it("reports an import error with its message", () => {
    const said = (platformImportError: boolean) =>
      verified({}, record({ platformImportError, platformImportErrorMessage: "no such SID" })).mismatches;
    assert.deepEqual(
      said(true).map(({ field, returned }) => [field, returned]),
      [["platformImportError", "no such SID"]],
    );
    assert.deepEqual(said(false), []);
  });
  it("reports a mismatch if the response lists only other numbers", () => {
    const shown = (...numbers: string[]) =>
      differences({ workspaceId: 1 }, { numbers: numbers.map((number) => ({ number })) });
    assert.deepEqual(shown("1", "2"), ["number"]);
    assert.deepEqual(shown("+19998887777"), ["number"]);
    // Each may be ours, so none is judged.
    assert.deepEqual(shown("555 123 4567", "123 4567"), []);
  });
});

const VERDICTS = {
  S: "as proof that a field was applied",
  C: "as proof that a field was not applied",
  "-": "as no proof",
} as const;

/**
 * Every field in every form in which a response may show it: as asked (S), contradicted (C), or neither (-), which confirms nothing. A
 * contradiction has to be named, and only what is shown as asked is confirmed.
 */
describe("a response field", () => {
  const url = "https://h.example/in";
  const forms: {
    readonly [Name in Exclude<keyof Routing, "extraFields">]: [Routing, [NumberRecord, "S" | "C" | "-"][]];
  } = {
    accountSid: [
      { accountSid: "5d3a8c1e" },
      [
        [{ accountSid: "5d3a8c1e" }, "S"],
        [{ accountSid: "5D3A8C1E" }, "C"],
        [{ accountSid: "other" }, "C"],
        [{ accountSid: null }, "-"],
        [{}, "-"],
      ],
    ],
    workspaceId: [
      { workspaceId: 42 },
      [
        [{ workspaceId: 42 }, "S"],
        [{ workspaceId: 43 }, "C"],
        [{ workspaceId: 0 }, "C"],
        [{ workspaceId: null }, "-"],
        [{}, "-"],
      ],
    ],
    outboundAgentId: [
      { outboundAgentId: "o" },
      [
        [{ agentId: "o" }, "S"],
        [{ agentId: "O" }, "C"],
        [{ agentId: "x" }, "C"],
        [{ agentId: null }, "C"],
        [{ agentId: "" }, "C"],
        [{ defaultAgentId: "o" }, "S"],
        [{ defaultAgentId: "x" }, "C"],
        [{ agentId: null, defaultAgentId: "o" }, "S"],
        [{ outboundAgents: list("o 1") }, "S"],
        [{ outboundAgents: list("o@7 1") }, "S"],
        [{ outboundAgents: list("o@1 50, o@2 50") }, "S"],
        [{ outboundAgents: list("x 1") }, "C"],
        [{ outboundAgents: list("o 0, evil 100") }, "C"],
        [{ outboundAgents: list("o 50, evil 50") }, "C"],
        [{ outboundAgents: list("o 100, evil 0") }, "S"],
        [{ outboundAgents: list("o 0") }, "C"],
        [{ agentId: "o", outboundAgents: list("o 0, evil 100") }, "C"],
        [{ agentId: "x", outboundAgents: list("y@3 1") }, "C"],
        [{ agentId: "o", outboundAgents: [] }, "S"],
        [{ agentId: "o", outboundAgents: null }, "S"],
        [{ outboundAgents: [] }, "C"],
        [{ outboundAgents: null }, "C"],
        [{}, "-"],
      ],
    ],
    outboundAgentVersion: [
      { outboundAgentId: "o", outboundAgentVersion: 3 },
      [
        [{ outboundAgentVersion: 3 }, "S"],
        [{ outboundAgentVersion: 4 }, "C"],
        [{ outboundAgentVersion: null }, "-"],
        [{ outboundAgents: list("o@3 1") }, "S"],
        [{ outboundAgents: list("o@4 1") }, "C"],
        [{ outboundAgents: list("o@3 1"), outboundAgentVersion: null }, "S"],
        [{ outboundAgents: list("o@4 1"), outboundAgentVersion: 3 }, "C"],
        [{ outboundAgents: list("o@3 1, x@9 0") }, "S"],
        [{ outboundAgents: list("o@3 30, x@1 70") }, "C"],
        [{ outboundAgents: list("o 1"), outboundAgentVersion: null }, "-"],
        [{ outboundAgents: list("o 1") }, "-"],
        [{ agentId: "o" }, "-"],
        [{}, "-"],
      ],
    ],
    inboundAgents: [
      { inboundAgents: { "a@13": 100 } },
      [
        [{ inboundAgents: list("a@13 1") }, "S"],
        [{ inboundAgents: list("a@13 1, b 0") }, "S"],
        [{ inboundAgents: list("a@13 1"), inboundAgentVersion: 12 }, "S"],
        [{ inboundAgents: list("a@12 1") }, "C"],
        [{ inboundAgents: list("A@13 1") }, "C"],
        [{ inboundAgents: list("a@13 50, b 50") }, "C"],
        [{ inboundAgents: list("a@13 0, b 100") }, "C"],
        [{ inboundAgents: list("a@13 0") }, "C"],
        [{ inboundAgents: list("a 1") }, "-"],
        [{ inboundAgents: [] }, "C"],
        [{ inboundAgents: null }, "C"],
        [{ inboundAgentId: "a", inboundAgentVersion: 13 }, "S"],
        [{ inboundAgentId: "a", inboundAgentVersion: 12 }, "C"],
        [{ inboundAgentId: "a", inboundAgentVersion: null }, "-"],
        [{ inboundAgentId: "a" }, "-"],
        [{ inboundAgentId: "b", inboundAgentVersion: 13 }, "C"],
        [{ inboundAgentId: "a", inboundAgentVersion: 13, inboundAgents: null }, "S"],
        [{ inboundAgentId: null }, "C"],
        [{ inboundAgentId: "" }, "C"],
        [{ inboundAgentVersion: 13 }, "-"],
        [{}, "-"],
      ],
    ],
    inboundWebhookUrl: [
      { inboundWebhookUrl: url },
      [
        [{ inboundWebhookUrl: url }, "S"],
        [{ inboundWebhookUrl: "HTTPS://H.example/in" }, "S"],
        [{ inboundWebhookUrl: "https://h.example/IN" }, "C"],
        [{ inboundWebhookUrl: "" }, "C"],
        [{ inboundWebhookUrl: "h.example" }, "C"],
        [{ inboundWebhookUrl: null }, "C"],
        [{}, "-"],
      ],
    ],
    isTimeRoutingEnabled: [
      { isTimeRoutingEnabled: true },
      [
        [{ isTimeRoutingEnabled: true }, "S"],
        [{ isTimeRoutingEnabled: false }, "C"],
        [{ isTimeRoutingEnabled: null }, "C"],
        [{}, "-"],
      ],
    ],
  };
  for (const [field, [asked, rows]] of Object.entries(forms)) {
    for (const [fields, expected] of rows) {
      it(`takes ${JSON.stringify(fields)} in a response ${VERDICTS[expected]} (${field})`, () => {
        for (const response of [record(fields), { assignment: fields }, { ...record(fields), assignment: fields }]) {
          const named = differences(asked, response).map((text) => text.split(":")[0]);
          assert.equal(named.includes(field), expected === "C", named.join());
          if (field === "inboundAgents" && expected !== "C") {
            assert.equal(verified(asked, response).proof === "proven", expected === "S");
          }
        }
      });
    }
  }
});
