import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { NumberRecord, NumberResponse } from "../../provider/api/assignNumber";
import { pick } from "../../provider/base/json";
import { type Proof, verify } from "../../provider/numbers/verify";
import type { AssignedField, Routing } from "../../provider/routing/routing";
import { describeAgents, type Split, toSplit } from "../../provider/routing/split";
import { checkRows } from "../support/rows";

const NUMBER = "+15551234567";

/** Parses a list of agents and weights, such as `a@1 70, b 30`. An agent's version is optional. */
const list = (text: string) =>
  text.split(", ").map((entry) => {
    const [, agentId = "", version, weight] = /^(\w+)(?:@(\d+))? (.+)$/.exec(entry) ?? [];
    return { agentId, weight: Number(weight), ...(version !== undefined && { agentVersion: Number(version) }) };
  });

/**
 * Converts a list such as `a@1 70, b 30` to the form that messages use: `a@1 (weight 70), b (weight 30)`. An empty
 * string means no agents.
 */
const described = (text: string): string => describeAgents(text === "" ? [] : list(text));

/**
 * Verifies a response with status 200 to a request for `routing`.
 * @param cleared the fields that the request should clear
 * @param before a routing that the number may have before the request. Only the fields in `cleared` are used.
 */
const verified = (routing: Routing, response: NumberResponse, cleared: AssignedField[] = [], before: Routing = {}) =>
  verify({ number: NUMBER, routing, mayHave: [pick(before, cleared)] }, response, 200);

/**
 * Lists the fields in which a response differs from its request. Adds both values to `inboundAgents`, and `left` to a
 * field that wasn't cleared.
 */
function differences(
  asked: Routing,
  response: NumberResponse,
  cleared: AssignedField[] = [],
  before: Routing = {},
): string[] {
  const { mismatches, notCleared, otherDifferences } = verified(asked, response, cleared, before);
  const reported = mismatches.map(({ field, asked: wanted, returned }) =>
    field === "inboundAgents" ? `${field}: ${wanted} / ${returned}` : field,
  );
  return [...reported, ...notCleared.map((field) => `${field} left`), ...otherDifferences];
}
const record = (fields: NumberRecord): NumberResponse => ({ numbers: [{ number: NUMBER, ...fields }] });

const ourRecord = (number: string, numbers: readonly NumberRecord[]) =>
  verify({ number, routing: {}, mayHave: [] }, { numbers: [...numbers] }, 200).record;

describe("record lookup", () => {
  const exact = { number: NUMBER, id: 2 };
  const rows: readonly {
    readonly name: string;
    readonly number: string;
    readonly records: readonly NumberRecord[];
    readonly id: number | undefined;
  }[] = [
    {
      name: "finds the record with the exact number",
      number: NUMBER,
      records: [{ number: "+1", id: 0 }, { number: "1 555 123 4567", id: 1 }, exact],
      id: 2,
    },
    {
      name: "finds a record whose base number matches",
      number: NUMBER,
      records: [
        { number: "4567", id: 1 },
        { number: "2", baseNumber: NUMBER, id: 2 },
      ],
      id: 2,
    },
    {
      name: "finds a number's record regardless of formatting",
      number: NUMBER,
      records: [{ number: "(555) 123-4567", id: 3 }],
      id: 3,
    },
    {
      name: "finds no record if several records partially match",
      number: NUMBER,
      records: [
        { number: "4567", id: 1 },
        { number: "123 4567", id: 2 },
      ],
      id: undefined,
    },
    {
      name: "finds a record by its base number regardless of formatting",
      number: NUMBER,
      records: [{ number: "2", baseNumber: "1 555 123 4567", id: 5 }],
      id: 5,
    },
    {
      name: "finds no record if the response lists only another number",
      number: NUMBER,
      records: [{ number: "+15551234568", id: 6 }],
      id: undefined,
    },
    {
      name: "finds no record if the only record has a different base number",
      number: NUMBER,
      records: [{ baseNumber: "+15551234568", id: 6 }],
      id: undefined,
    },
    {
      name: "accepts the only record for an extension even if it shows another number",
      number: "4001",
      records: [{ number: NUMBER, id: 7 }],
      id: 7,
    },
    {
      name: "finds an extension's record regardless of formatting",
      number: "4001",
      records: [
        { number: "4002", id: 8 },
        { number: "40-01", id: 9 },
      ],
      id: 9,
    },
    {
      name: "finds the record of a number with an extension regardless of formatting",
      number: `${NUMBER}#12`,
      records: [{ number: `${NUMBER} ext 12`, id: 10 }],
      id: 10,
    },
    {
      name: "finds no record for an extension if the response lists only another number",
      number: `${NUMBER}#12`,
      records: [{ number: "+15559999999", id: 11 }],
      id: undefined,
    },
    {
      name: "prefers a number's own record to its extension's record",
      number: NUMBER,
      records: [
        { number: "15551234567#12", baseNumber: NUMBER, id: 12 },
        { number: "15551234567", id: 13 },
      ],
      id: 13,
    },
    {
      name: "finds an extension's record among several for the same phone number",
      number: `${NUMBER}#12`,
      records: [
        { number: "1 555 123 4567", id: 14 },
        { number: "1 555 123 4567 #12", baseNumber: NUMBER, id: 15 },
        { number: "1 555 123 4567 #13", baseNumber: NUMBER, id: 16 },
      ],
      id: 15,
    },
    {
      name: "finds no record if no extension matches",
      number: "front desk",
      records: [
        { number: "Back-Desk", id: 17 },
        { number: "4002", id: 18 },
      ],
      id: undefined,
    },
  ];
  for (const { name, number, records, id } of rows) {
    it(name, () => assert.equal(ourRecord(number, records)?.id, id));
  }
});

describe("record comparison", () => {
  const asked = { inboundAgents: { "a@1": 100 }, outboundAgentId: "o" };
  const first = { number: NUMBER, id: 1, inboundAgents: list("a@1 100"), agentId: "o" };
  const response = (second: NumberRecord) => ({ numbers: [first, { ...first, id: 2, ...second }] });

  it("compares both records if a response lists a number twice", () => {
    assert.deepEqual(differences(asked, response({})), []);
    assert.deepEqual(differences(asked, response({ inboundAgents: [], agentId: "x" })), [
      `inboundAgents: ${described("a@1 100")} / ${described("")}`,
      "outboundAgentId",
    ]);
    // A null in one of the records doesn't contradict a value in the other.
    assert.deepEqual(differences(asked, response({ inboundAgents: null, agentId: null })), []);
    assert.deepEqual(differences(asked, response({ platformImportError: true })), ["platformImportError"]);
  });
  it("returns the first record if a response lists a number twice", () =>
    assert.equal(verified(asked, response({})).record?.id, 1));
});

describe("inbound agent verification", () => {
  const asked = { inboundAgents: { "a@1": 70, "b@2": 30 } };
  const both = list("a@1 70, b@2 30");
  const fits: [string, NumberResponse, Proof][] = [
    [
      "accepts a response with inbound agents in a different order",
      record({ inboundAgents: list("b@2 30, a@1 70") }),
      "proven",
    ],
    [
      "accepts a response whose weights sum to 1 instead of 100",
      record({ inboundAgents: list("a@1 0.7, b@2 0.3") }),
      "proven",
    ],
    [
      "reports no mismatch if the response omits the agents' versions",
      record({ inboundAgents: list("a 70, b 30") }),
      "no versions",
    ],
    [
      "accepts agents that the response lists only in its assignment object",
      { numbers: [], assignment: { inboundAgents: both } },
      "proven",
    ],
    [
      "ignores a response's single agent ID if several agents were requested",
      record({ inboundAgents: null, inboundAgentId: "z" }),
      "no agents",
    ],
    [
      "accepts an extra agent with weight 0 in the response",
      record({ inboundAgents: list("a@1 70, b@2 30, c@1 0") }),
      "proven",
    ],
  ];
  for (const [name, response, proof] of fits) {
    it(name, () => {
      assert.deepEqual(differences(asked, response), []);
      assert.equal(verified(asked, response).proof, proof);
    });
  }

  const differ: [string, NumberRecord, string][] = [
    [
      "agents whose percentages differ from the request",
      { inboundAgents: list("a@1 69, b@2 31") },
      described("a@1 69, b@2 31"),
    ],
    [
      "an empty agent list even if the response has an agent ID",
      { inboundAgents: [], inboundAgentId: "a" },
      described(""),
    ],
  ];
  for (const [name, fields, returned] of differ) {
    it(`reports ${name}`, () =>
      assert.deepEqual(differences(asked, record(fields)), [
        `inboundAgents: ${described("a@1 70, b@2 30")} / ${returned}`,
      ]));
  }

  const single = { inboundAgents: { "a@12": 100 } };
  it("ignores a null agent ID if the assignment object names the agent", () =>
    checkRows([{ inboundAgents: list("a@12 100") }, { inboundAgentId: "a" }], JSON.stringify, (assignment) =>
      assert.deepEqual(differences(single, { ...record({ inboundAgentId: null }), assignment }), []),
    ));

  it("accepts agents listed in either the record or the assignment object", () =>
    checkRows([{ inboundAgents: null }, { inboundAgentId: "" }], JSON.stringify, (empty) => {
      const listed = { inboundAgents: list("a@12 100") };
      assert.deepEqual(differences(single, { ...record(listed), assignment: empty }), []);
      assert.deepEqual(differences(single, { ...record(empty), assignment: listed }), []);
      assert.deepEqual(differences(single, { ...record(empty), assignment: empty }), [
        `inboundAgents: ${described("a@12 100")} / ${described("")}`,
      ]);
    }));

  it("accepts thirds rounded to whole percentages", () => {
    const thirds = { inboundAgents: { a: 1, b: 1, c: 1 } };
    assert.deepEqual(differences(thirds, record({ inboundAgents: list("a@4 34, b@4 33, c@4 33") })), []);
    assert.deepEqual(differences(thirds, record({ inboundAgents: list("a@4 33, b@4 33, c@4 33, d@1 1") })), [
      `inboundAgents: ${described("a 1, b 1, c 1")} / ${described("a@4 33, b@4 33, c@4 33, d@1 1")}`,
    ]);
  });

  it("reports a mismatch only once if record and assignment object show it", () => {
    const view = { inboundAgents: [] };
    assert.equal(differences(asked, { ...record(view), assignment: view }).length, 1);
  });
});

/** Parses a string such as `a@1 70, b 30` into a split. */
const split = (text: string): Split => toSplit(list(text));

describe("split verification", () => {
  const twoVersions = "a@12 90, a@13 10";
  const rows: { name: string; asked: string; shown: string; proves: Proof | "other" }[] = [
    {
      name: "confirms a split if the response shows all its versions",
      asked: twoVersions,
      shown: twoVersions,
      proves: "proven",
    },
    {
      name: "confirms a split without versions even if the response adds a version",
      asked: "a 90, b 10",
      shown: "a@4 90, b 10",
      proves: "proven",
    },
    {
      name: "does not confirm a split if the response omits its versions",
      asked: twoVersions,
      shown: "a 90, a 10",
      proves: "no versions",
    },
    {
      name: "does not confirm a split if the response scales it and omits versions",
      asked: twoVersions,
      shown: "a 0.9, a 0.1",
      proves: "no versions",
    },
    {
      name: "does not confirm a split if the response shows only the agent's total",
      asked: twoVersions,
      shown: "a 100",
      proves: "no versions",
    },
    {
      name: "does not confirm a split if the response merges one agent's versions",
      asked: "a@1 50, a@2 20, b@1 30",
      shown: "b@1 30, a 70",
      proves: "no versions",
    },
    {
      name: "does not confirm a split if the response omits one of two versions",
      asked: twoVersions,
      shown: "a@12 90, a 10",
      proves: "no versions",
    },
    {
      name: "does not confirm a split if the response omits one agent's version",
      asked: "a@1 70, b@2 30",
      shown: "a@1 70, b 30",
      proves: "no versions",
    },
    {
      name: "reports an agent whose total weight differs from the request",
      asked: "a@1 50, a@2 20, b@1 30",
      shown: "a 71, b 29",
      proves: "other",
    },
    {
      name: "reports an agent that was not requested",
      asked: "a@12 99.6, a@13 0.4",
      shown: "a 99.5, b 0.5",
      proves: "other",
    },
    {
      name: "reports a version that receives more calls than requested",
      asked: twoVersions,
      shown: "a@12 95, a 5",
      proves: "other",
    },
    { name: "reports a version that was not requested", asked: twoVersions, shown: "a@14 10, a 90", proves: "other" },
    {
      name: "reports a wrong version even for the smaller share of calls",
      asked: twoVersions,
      shown: "a@12 90, a@14 10",
      proves: "other",
    },
    {
      name: "reports a response that sends all calls to one of two versions",
      asked: twoVersions,
      shown: "a@12 100",
      proves: "other",
    },
    {
      name: "reports a response whose weights are all 0",
      asked: twoVersions,
      shown: "a@12 0, a@13 0",
      proves: "other",
    },
    {
      name: "reports a response in which the agent's total weight is 0",
      asked: twoVersions,
      shown: "a 0",
      proves: "other",
    },
    {
      name: "reports a 0.4% share that the response shows as 0%",
      asked: "a@12 99.6, a@13 0.4",
      shown: "a@12 100, a@13 0",
      proves: "other",
    },
    {
      name: "reports a 0.9% share that the response shows as 0%",
      asked: "a@12 99.1, a@13 0.9",
      shown: "a@12 99, a@13 0",
      proves: "other",
    },
    {
      name: "reports an agent with a 0.4% share that the response omits",
      asked: "a 99.6, b 0.4",
      shown: "a 100",
      proves: "other",
    },
    {
      name: "confirms a split whose 0.4% share is rounded up to 1%",
      asked: "a@12 99.6, a@13 0.4",
      shown: "a@12 99, a@13 1",
      proves: "proven",
    },
    {
      name: "reports a 0.4% share that the agent's total shows as 0%",
      asked: "a@1 50, a@2 49.6, b@1 0.4",
      shown: "a 100, b 0",
      proves: "other",
    },
    {
      name: "reports calls for an agent that should receive none",
      asked: "a 66.6, b 33.4, c 0",
      shown: "a 67, b 33, c 0.5",
      proves: "other",
    },
  ];
  for (const { name, asked, shown, proves } of rows) {
    it(name, () => {
      const { mismatches, proof } = verified({ inboundAgents: split(asked) }, record({ inboundAgents: list(shown) }));
      assert.equal(mismatches.length > 0 ? "other" : proof, proves);
    });
  }

  it("adds up an agent's weights if the response lists it more than once", () => {
    const response = record({ inboundAgents: list("a 80, b 10, a 10") });
    const { mismatches, returnedSplit } = verified({ inboundAgents: split(twoVersions) }, response);
    assert.deepEqual(mismatches, [
      { field: "inboundAgents", asked: described(twoVersions), returned: described("a 80, b 10, a 10") },
    ]);
    assert.deepEqual(returnedSplit, { a: 90, b: 10 });
    assert.equal(verified({ inboundAgents: split("a 90, b 10") }, response).proof, "proven");
  });

  it("preserves an @ in a returned agent ID", () => {
    const shown = [{ agentId: "agent_x@beta", weight: 60 }, ...list("b@2 30"), { agentId: "agent_x@beta", weight: 10 }];
    const { returnedSplit } = verified({ inboundAgents: split(twoVersions) }, record({ inboundAgents: shown }));
    assert.deepEqual(returnedSplit, { "agent_x@beta": 70, "b@2": 30 });
  });
});

describe("field verification", () => {
  const clearable: AssignedField[] = ["inboundAgents", "outboundAgentId", "inboundWebhookUrl"];
  const url = "https://h.example/secret";
  const before = { inboundAgents: { a: 1 }, outboundAgentId: "o", inboundWebhookUrl: url };
  const left = (fields: NumberRecord, cleared = clearable) => differences({}, record(fields), cleared, before);

  it("accepts a cleared field that the response shows as empty or null", () => {
    assert.deepEqual(left({ inboundAgents: [], agentId: null, inboundWebhookUrl: "" }), []);
    assert.deepEqual(left({ inboundAgents: null, agentId: "", inboundWebhookUrl: null }), []);
  });
  it("reports cleared fields that the response still shows", () => {
    assert.deepEqual(left({ inboundAgents: list("a 1"), agentId: "o", inboundWebhookUrl: url }), [
      "inboundAgents left",
      "outboundAgentId left",
      "inboundWebhookUrl left",
    ]);
    const response = record({ workspaceId: 43, inboundWebhookUrl: url });
    assert.deepEqual(differences({ workspaceId: 42 }, response, ["inboundWebhookUrl"], before), [
      "inboundWebhookUrl left",
      "workspaceId",
    ]);
  });
  it("reports a remaining agent ID if the response's agent list is null", () => {
    const agentsLeft = (fields: NumberRecord) => left(fields, ["inboundAgents"]);
    assert.deepEqual(agentsLeft({ inboundAgents: null, inboundAgentId: "a" }), ["inboundAgents left"]);
    assert.deepEqual(agentsLeft({ inboundAgents: [], inboundAgentId: "a" }), []);
  });
  it("reports time routing that is still enabled after being cleared", () => {
    const differencesWith = (isTimeRoutingEnabled: boolean) =>
      differences({}, record({ isTimeRoutingEnabled }), ["isTimeRoutingEnabled"], { isTimeRoutingEnabled: true });
    assert.deepEqual([differencesWith(true), differencesWith(false)], [["isTimeRoutingEnabled left"], []]);
  });
  it("accepts a cleared agent field that shows the platform's default agent", () => {
    assert.deepEqual(left({ inboundAgents: [], agentId: null, defaultAgentId: "o" }), []);
    assert.deepEqual(left({ inboundAgents: [], agentId: "platform" }), []);
  });
  it("reports a cleared agent version that the response still shows", () => {
    const asked = { outboundAgentId: "o" };
    const differencesWith = (agents: string) =>
      differences(asked, record({ outboundAgents: list(agents) }), ["outboundAgentVersion"], {
        ...asked,
        outboundAgentVersion: 3,
      });
    assert.deepEqual([differencesWith("o@3 1"), differencesWith("o@4 1")], [["outboundAgentVersion"], []]);
    // A leftover version isn't reported if its agent was cleared too.
    const response = record({ agentId: null, outboundAgentVersion: 3 });
    const agentWithVersion = { outboundAgentId: "o", outboundAgentVersion: 3 };
    assert.deepEqual(differences({}, response, ["outboundAgentId", "outboundAgentVersion"], agentWithVersion), []);
  });
});

describe("response verification", () => {
  it("ignores the body of a 202 response", () => {
    const assignment = { number: NUMBER, routing: { inboundAgents: { a: 1 } }, mayHave: [] };
    const { mismatches, proof } = verify(assignment, record({ inboundAgents: [], platformImportError: true }), 202);
    assert.deepEqual([mismatches, proof], [[], "later"]);
  });

  it("ignores the values of undeclared fields", () =>
    assert.deepEqual(differences({}, record({ inboundWebhookUrl: "https://h.example/", inboundAgentId: null })), []));

  it("accepts null for time routing that is set to false", () =>
    assert.deepEqual(differences({ isTimeRoutingEnabled: false }, record({ isTimeRoutingEnabled: null })), []));

  it("returns the response's split if it differs from the declared one", () => {
    const proofAndSplit = (fields: NumberRecord, asked = {}) => {
      const { proof, returnedSplit } = verified(asked, record(fields));
      return [proof, returnedSplit];
    };
    assert.deepEqual(proofAndSplit({ inboundAgents: list("b@2 1, a 3") }), ["proven", undefined]);
    assert.deepEqual(proofAndSplit({ inboundAgents: null }), ["proven", undefined]);
    assert.deepEqual(proofAndSplit({ agentId: null }), ["proven", undefined]);
    assert.deepEqual(proofAndSplit({ outboundAgents: [] }), ["proven", undefined]);
    assert.deepEqual(proofAndSplit({ workspaceId: 42 }), ["no agents", undefined]);
    const asked = { inboundAgents: { a: 1 } };
    assert.deepEqual(proofAndSplit({ inboundAgents: list("a 3") }, asked), ["proven", undefined]);
    assert.deepEqual(proofAndSplit({ inboundAgents: null, inboundAgentId: "a" }, asked), ["proven", undefined]);
    assert.deepEqual(proofAndSplit({ outboundAgents: [], agentId: "a" }, asked), ["no agents", undefined]);
    assert.deepEqual(proofAndSplit({ inboundAgents: list("b@2 1, c 3") }, asked), ["no versions", { c: 3, "b@2": 1 }]);
    assert.deepEqual(proofAndSplit({ inboundAgents: null, inboundAgentId: "b" }, asked), ["no versions", { b: 1 }]);
    assert.deepEqual(proofAndSplit({ inboundAgents: [] }, asked), ["no versions", undefined]);
  });

  it("accepts a cleared outbound agent that is now an inbound agent", () => {
    const differencesWith = (agent: string) => {
      const fields = { inboundAgents: list(`${agent} 1`), agentId: "o" };
      const asked = { inboundAgents: { [agent]: 1 } };
      return differences(asked, record(fields), ["outboundAgentId"], { outboundAgentId: "o" });
    };
    assert.deepEqual([differencesWith("o@2"), differencesWith("a")], [[], ["outboundAgentId left"]]);
  });

  it("reports a platform import error with its message", () => {
    const mismatchesIf = (platformImportError: boolean) =>
      verified({}, record({ platformImportError, platformImportErrorMessage: "no such SID" })).mismatches;
    assert.deepEqual(
      mismatchesIf(true).map(({ field, returned }) => [field, returned]),
      [["platformImportError", "no such SID"]],
    );
    assert.deepEqual(mismatchesIf(false), []);
  });
  it("reports a mismatch if the response lists only other numbers", () => {
    const differencesFor = (...numbers: string[]) =>
      differences({ workspaceId: 1 }, { numbers: numbers.map((number) => ({ number })) });
    assert.deepEqual(differencesFor("1", "2"), ["number"]);
    assert.deepEqual(differencesFor("+19998887777"), ["number"]);
    assert.deepEqual(differencesFor("+19998887777", NUMBER), []);
    // Either record could be for this number, so neither is compared with the request.
    assert.deepEqual(differencesFor("555 123 4567", "123 4567"), []);
  });
});

/**
 * Tests the ways in which a response can show a field. Each row has a mark:
 * - S: the response shows the requested value. For inbound agents, only this counts as proof.
 * - C: the response contradicts the request. Only this is reported as a difference.
 * - `-`: neither.
 */
describe("response fields", () => {
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
    it(`reports a difference in ${field} only if the response contradicts it`, () =>
      checkRows(
        rows,
        ([fields, expected]) => `${JSON.stringify(fields)} ${expected}`,
        ([fields, expected]) => {
          for (const response of [record(fields), { assignment: fields }, { ...record(fields), assignment: fields }]) {
            const reported = differences(asked, response).map((difference) => difference.split(":")[0]);
            assert.equal(reported.includes(field), expected === "C", reported.join());
            if (field === "inboundAgents" && expected !== "C") {
              assert.equal(verified(asked, response).proof === "proven", expected === "S");
            }
          }
        },
      ));
  }
});
