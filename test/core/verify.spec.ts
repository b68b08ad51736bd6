import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { NumberAnswer } from "../../provider/core/operations";
import type { Binding, Routing } from "../../provider/core/routing";
import { ourRecord, stillShown, verify } from "../../provider/core/verify";

const NUMBER = "+15551234567";
const agents = (...list: [string, number | undefined, number][]) =>
  list.map(([agentId, agentVersion, weight]) => ({
    agentId,
    weight,
    ...(agentVersion === undefined ? {} : { agentVersion }),
  }));

function mismatches(asked: Routing, answer: NumberAnswer, cleared: Binding[] = [], before: Routing = {}): string[] {
  return verify(NUMBER, asked, cleared, before, answer).mismatches.map(
    (found) => `${found.field}: ${found.asked} / ${found.answered}`,
  );
}
const record = (fields: object): NumberAnswer => ({ numbers: [{ number: NUMBER, ...fields }] });

describe("our record", () => {
  const rows: [string, Parameters<typeof ourRecord>[1], number | undefined][] = [
    [
      "the exact number",
      [
        { number: "+1", id: 1 },
        { number: NUMBER, id: 2 },
      ],
      2,
    ],
    [
      "the base number",
      [
        { number: "1", id: 1 },
        { number: "2", baseNumber: NUMBER, id: 2 },
      ],
      2,
    ],
    ["the only one, in another format", [{ number: "(555) 123-4567", id: 3 }], 3],
    [
      "none of several others",
      [
        { number: "1", id: 1 },
        { number: "2", id: 2 },
      ],
      undefined,
    ],
    ["none of none", [], undefined],
    ["the only one, without its number", [{ id: 4 }], 4],
    ["the only one, of its base number", [{ number: "", baseNumber: "1 555 123 4567", id: 5 }], 5],
    ["not the only one, if that is another number", [{ number: "+15551234568", id: 6 }], undefined],
    ["not the only one, if that is below another number", [{ baseNumber: "+15551234568", id: 6 }], undefined],
  ];
  for (const [name, records, id] of rows) {
    it(`is ${name}`, () => assert.equal(ourRecord(NUMBER, records)?.id, id));
  }
});

describe("the only record of an extension", () => {
  const rows: [string, object, boolean][] = [
    ["4001", { number: "+15551234567" }, true],
    ["4001", { number: "40 01", baseNumber: "+15551234567" }, true],
    ["4001", { number: "4002", baseNumber: "+15551234567" }, false],
    ["+15551234567#12", { number: "+15551234567" }, true],
    ["+15551234567#12", { number: "+15551234567 ext 12" }, true],
    ["+15551234567#12", { number: "+15559999999" }, false],
    ["front desk", { number: "Front-Desk" }, true],
    ["front desk", { number: "back office" }, false],
  ];
  for (const [number, shown, isOurs] of rows) {
    it(`${number} is ${isOurs ? "" : "not "}${JSON.stringify(shown)}`, () =>
      assert.equal(ourRecord(number, [shown]) !== undefined, isOurs));
  }
});

describe("a record that comes twice", () => {
  const asked = { inboundAgents: { "agent_a@1": 100 }, outboundAgentId: "agent_o" };
  const first = { number: NUMBER, id: 1, inboundAgents: agents(["agent_a", 1, 100]), agentId: "agent_o" };
  const twice = (second: object) => mismatches(asked, { numbers: [first, { ...first, id: 2, ...second }] });

  it("is compared as a whole, each field once", () => {
    assert.deepEqual(twice({}), []);
    assert.deepEqual(twice({ inboundAgents: [], agentId: null }), [
      "inboundAgents: agent_a@1 100 / no agent",
      "outboundAgentId: agent_o / no agent",
    ]);
    assert.deepEqual(twice({ platformImportError: true }), [
      "platformImportError: an import without error / an error without a message",
    ]);
  });
  it("says of the number what the first one says", () =>
    assert.equal(verify(NUMBER, asked, [], {}, { numbers: [first, { ...first, id: 2 }] }).record?.id, 1));
});

describe("inbound agents in the answer", () => {
  const asked = { inboundAgents: { "agent_a@1": 70, "agent_b@2": 30 } };
  const fits: [string, NumberAnswer][] = [
    ["as sent", record({ inboundAgents: agents(["agent_a", 1, 70], ["agent_b", 2, 30]) })],
    ["in another order", record({ inboundAgents: agents(["agent_b", 2, 30], ["agent_a", 1, 70]) })],
    ["scaled to 1", record({ inboundAgents: agents(["agent_a", 1, 0.7], ["agent_b", 2, 0.3]) })],
    ["without versions", record({ inboundAgents: agents(["agent_a", undefined, 70], ["agent_b", undefined, 30]) })],
    [
      "in the assignment object alone",
      { numbers: [], assignment: { inboundAgents: agents(["agent_a", 1, 70], ["agent_b", 2, 30]) } },
    ],
    ["a single id of one that was asked", record({ inboundAgentId: "agent_a" })],
    [
      "a single id of one that was asked, beside a list that is null",
      record({ inboundAgents: null, inboundAgentId: "agent_a" }),
    ],
    [
      "with an agent that holds nothing",
      record({ inboundAgents: agents(["agent_a", 1, 70], ["agent_b", 2, 30], ["agent_c", 1, 0]) }),
    ],
    ["nothing at all", {}],
  ];
  for (const [name, answer] of fits) {
    it(`fit: ${name}`, () => assert.deepEqual(mismatches(asked, answer), []));
  }

  const differ: [string, NumberAnswer, string][] = [
    [
      "other percentages",
      record({ inboundAgents: agents(["agent_a", 1, 69], ["agent_b", 2, 31]) }),
      "agent_a@1 69, agent_b@2 31",
    ],
    [
      "another version",
      record({ inboundAgents: agents(["agent_a", 1, 70], ["agent_b", 3, 30]) }),
      "agent_a@1 70, agent_b@3 30",
    ],
    ["one agent missing", record({ inboundAgents: agents(["agent_a", 1, 70]) }), "agent_a@1 70"],
    ["no agent", record({ inboundAgents: [] }), "no agent"],
    ["null", record({ inboundAgents: null }), "no agent"],
    ["null, and no single id either", record({ inboundAgents: null, inboundAgentId: null }), "no agent"],
    ["null, and an empty single id", record({ inboundAgents: null, inboundAgentId: "" }), "no agent"],
    [
      "a single id that was not asked, beside null",
      record({ inboundAgents: null, inboundAgentId: "agent_z" }),
      "agent_z",
    ],
    ["an empty list, whatever the single id", record({ inboundAgents: [], inboundAgentId: "agent_a" }), "no agent"],
    ["a single id that was not asked", record({ inboundAgentId: "agent_z" }), "agent_z"],
  ];
  for (const [name, answer, answered] of differ) {
    it(`differ: ${name}`, () =>
      assert.deepEqual(mismatches(asked, answer), [`inboundAgents: agent_a@1 70, agent_b@2 30 / ${answered}`]));
  }

  const single = { inboundAgents: { "agent_a@12": 100 } };
  const singles: [string, Routing, NumberAnswer, string | undefined][] = [
    ["its version", single, record({ inboundAgentId: "agent_a", inboundAgentVersion: 12 }), undefined],
    ["another version", single, record({ inboundAgentId: "agent_a", inboundAgentVersion: 13 }), "agent_a@13"],
    [
      "another version beside a list without one",
      single,
      record({ inboundAgents: agents(["agent_a", undefined, 100]), inboundAgentVersion: 13 }),
      "agent_a@13",
    ],
    [
      "another version, which its list contradicts",
      single,
      record({ inboundAgents: agents(["agent_a", 12, 100]), inboundAgentVersion: 13 }),
      "agent_a@13",
    ],
    [
      "no version",
      single,
      record({ inboundAgentId: "agent_a", inboundAgentVersion: null }),
      "agent_a without a version",
    ],
    [
      "no version, beside a list that is null",
      single,
      record({ inboundAgents: null, inboundAgentId: "agent_a", inboundAgentVersion: null }),
      "agent_a without a version",
    ],
    ["a version that is not shown", single, record({ inboundAgentId: "agent_a" }), undefined],
    [
      "no version beside a list, where the agent is none of its own",
      single,
      record({ inboundAgents: agents(["agent_a", 12, 100]), inboundAgentId: "agent_a", inboundAgentVersion: null }),
      undefined,
    ],
    [
      "no version of one that was asked for without",
      { inboundAgents: { agent_a: 100 } },
      record({ inboundAgentId: "agent_a", inboundAgentVersion: null }),
      undefined,
    ],
    [
      "the latest version of one that was asked for without",
      { inboundAgents: { agent_a: 100 } },
      record({ inboundAgentId: "agent_a", inboundAgentVersion: 13 }),
      undefined,
    ],
    [
      "the version of one of several",
      asked,
      record({ inboundAgents: agents(["agent_a", 1, 70], ["agent_b", 2, 30]), inboundAgentVersion: 2 }),
      undefined,
    ],
    ["an id that is null, without a list", single, record({ inboundAgentId: null }), "no agent"],
    ["an id that is empty, without a list", single, record({ inboundAgentId: "" }), "no agent"],
    ["an id that is null, where nothing was asked", {}, record({ inboundAgentId: null }), undefined],
    [
      "an id that is null, and a list in the assignment object",
      single,
      { ...record({ inboundAgentId: null }), assignment: { inboundAgents: agents(["agent_a", 12, 100]) } },
      undefined,
    ],
    [
      "an id that is null, and one in the assignment object",
      single,
      { ...record({ inboundAgentId: null }), assignment: { inboundAgentId: "agent_a" } },
      undefined,
    ],
  ];
  for (const [name, routing, answer, answered] of singles) {
    it(`of a single agent: ${name}`, () =>
      assert.deepEqual(
        verify(NUMBER, routing, [], {}, answer).mismatches.map((found) => found.answered),
        answered === undefined ? [] : [answered],
      ));
  }

  it("may be rounded to whole percents where a percentage is not whole", () => {
    const thirds = { inboundAgents: { agent_a: 1, agent_b: 1, agent_c: 1 } };
    const rounded = agents(["agent_a", 4, 34], ["agent_b", 4, 33], ["agent_c", 4, 33]);
    assert.deepEqual(mismatches(thirds, record({ inboundAgents: rounded })), []);
  });

  it("may name the latest version of an agent asked for without one", () => {
    assert.deepEqual(
      mismatches({ inboundAgents: { agent_a: 1 } }, record({ inboundAgents: agents(["agent_a", 17, 1]) })),
      [],
    );
  });

  it("are named once where record and assignment contradict in the same way", () => {
    const view = { inboundAgents: [] };
    assert.equal(mismatches(asked, { ...record(view), assignment: view }).length, 1);
  });
});

describe("the outbound agent in the answer", () => {
  const asked = { outboundAgentId: "agent_o", outboundAgentVersion: 3 };
  const rows: [string, object, string[]][] = [
    ["agent_id alone", { agentId: "agent_o" }, []],
    ["default_agent_id alone", { defaultAgentId: "agent_o" }, []],
    ["outbound_agents alone", { outboundAgents: agents(["agent_o", 3, 100]) }, []],
    ["another in agent_id", { agentId: "agent_x" }, ["outboundAgentId: agent_o / agent_x"]],
    ["none", { agentId: null, outboundAgents: [] }, ["outboundAgentId: agent_o / no agent"]],
    ["another version", { agentId: "agent_o", outboundAgentVersion: 4 }, ["outboundAgentVersion: 3 / 4"]],
    ["no version", { agentId: "agent_o", outboundAgentVersion: null }, ["outboundAgentVersion: 3 / no version"]],
    [
      "no version, in the list neither",
      { outboundAgents: agents(["agent_o", undefined, 100]), outboundAgentVersion: null },
      ["outboundAgentVersion: 3 / no version"],
    ],
    ["a version in the list alone", { outboundAgents: agents(["agent_o", 3, 100]), outboundAgentVersion: null }, []],
    ["a version that is null where no field shows the agent", { outboundAgentVersion: null }, []],
    [
      "a list where another agent gets all calls",
      { agentId: "agent_o", outboundAgents: agents(["agent_o", 3, 0], ["agent_x", 1, 100]) },
      ["outboundAgentId: agent_o / agent_x"],
    ],
    [
      "a list where another version gets all calls",
      { outboundAgents: agents(["agent_o", 3, 0], ["agent_o", 4, 100]) },
      ["outboundAgentVersion: 3 / 4"],
    ],
    [
      "a list where it gets some of the calls",
      { outboundAgents: agents(["agent_x", 1, 70], ["agent_o", 3, 30]) },
      ["outboundAgentId: agent_o / agent_x, agent_o"],
    ],
    [
      "a list without weights",
      { outboundAgents: agents(["agent_o", 3, 0], ["agent_x", 1, 0]) },
      ["outboundAgentId: agent_o / agent_o, agent_x"],
    ],
    ["a list without weights, of it alone", { outboundAgents: agents(["agent_o", 3, 0]) }, []],
    ["a list where another agent gets no calls", { outboundAgents: agents(["agent_o", 3, 9], ["agent_x", 1, 0]) }, []],
    [
      "a list where another version gets some of the calls",
      { outboundAgents: agents(["agent_o", 3, 50], ["agent_o", 4, 50]) },
      ["outboundAgentVersion: 3 / 4"],
    ],
    ["not shown", {}, []],
  ];
  for (const [name, fields, expected] of rows) {
    it(`is read from ${name}`, () => assert.deepEqual(mismatches(asked, record(fields)), expected));
  }
});

describe("outbound agents that the program sends itself, as fields that the interface does not declare", () => {
  for (const name of ["outboundAgents", "outbound_agents"]) {
    it(`may be several: ${name}`, () => {
      const list = agents(["agent_x", 1, 70], ["agent_o", 3, 30]);
      const asked = { outboundAgentId: "agent_o", extraFields: { [name]: [] } };
      assert.deepEqual(mismatches(asked, record({ outboundAgents: list })), []);
    });
  }
});

describe("what was to be cleared", () => {
  const all: Binding[] = ["inboundAgents", "outboundAgentId", "inboundWebhookUrl"];
  const before = {
    inboundAgents: { agent_a: 1 },
    outboundAgentId: "agent_o",
    inboundWebhookUrl: "https://h.example/secret",
  };

  it("is gone", () => {
    assert.deepEqual(
      mismatches({}, record({ inboundAgents: [], agentId: null, inboundWebhookUrl: "" }), all, before),
      [],
    );
    assert.deepEqual(
      mismatches({}, record({ inboundAgents: null, agentId: "", inboundWebhookUrl: null }), all, before),
      [],
    );
  });
  it("is still bound, and the URL is not shown", () => {
    const left = record({
      inboundAgents: agents(["agent_a", undefined, 1]),
      agentId: "agent_o",
      inboundWebhookUrl: "https://h.example/secret",
    });
    assert.deepEqual(mismatches({}, left, all, before), [
      "inboundAgents: no agent / agent_a 1",
      "outboundAgentId: no agent / agent_o",
      "inboundWebhookUrl: none / a URL",
    ]);
  });
  it("is still bound where a single id is given beside a list that is null", () => {
    const answered = (fields: object) => mismatches({}, record(fields), ["inboundAgents"], before);
    assert.deepEqual(answered({ inboundAgents: null, inboundAgentId: "agent_a" }), [
      "inboundAgents: no agent / agent_a",
    ]);
    assert.deepEqual(answered({ inboundAgents: null, inboundAgentId: null }), []);
    assert.deepEqual(answered({ inboundAgents: null, inboundAgentId: "" }), []);
    assert.deepEqual(answered({ inboundAgents: [], inboundAgentId: "agent_a" }), []);
  });
  it("is time routing that is still on", () => {
    const cleared: Binding[] = ["isTimeRoutingEnabled"];
    const held = { isTimeRoutingEnabled: true };
    assert.deepEqual(mismatches({}, record({ isTimeRoutingEnabled: true }), cleared, held), [
      "isTimeRoutingEnabled: off / true",
    ]);
    assert.deepEqual(mismatches({}, record({ isTimeRoutingEnabled: false }), cleared, held), []);
  });
  it("is not seen where the answer does not show the field", () => {
    const unseen = (answer: NumberAnswer) =>
      verify(NUMBER, {}, [...all, "isTimeRoutingEnabled"], before, answer).unseen;
    assert.deepEqual(unseen({}), [...all, "isTimeRoutingEnabled"]);
    assert.deepEqual(unseen(record({ inboundAgentId: null, agentId: null })), [
      "inboundWebhookUrl",
      "isTimeRoutingEnabled",
    ]);
    assert.deepEqual(
      unseen(record({ inboundAgents: [], outboundAgents: [], inboundWebhookUrl: null, isTimeRoutingEnabled: null })),
      [],
    );
  });
  it("leaves a default agent of the platform's own alone", () => {
    assert.deepEqual(
      mismatches({}, record({ inboundAgents: [], agentId: null, defaultAgentId: "agent_o" }), all, before),
      [],
    );
    assert.deepEqual(mismatches({}, record({ inboundAgents: [], agentId: "agent_platform" }), all, before), []);
  });

  it("sees a version that stays with its agent, and takes another one for the platform's choice", () => {
    const pinned = { outboundAgentId: "agent_o", outboundAgentVersion: 3 };
    const left = (version: number) =>
      mismatches(
        { outboundAgentId: "agent_o" },
        record({ outboundAgents: agents(["agent_o", version, 1]) }),
        ["outboundAgentVersion"],
        pinned,
      );
    assert.deepEqual([left(3), left(4)], [["outboundAgentVersion: no version / 3"], []]);
  });
});

describe("the rest of the answer", () => {
  it("is compared with what was declared, and the account is not shown", () => {
    const asked = {
      workspaceId: 42,
      accountSid: "a-b-c",
      inboundWebhookUrl: "https://h.example",
      isTimeRoutingEnabled: true,
    };
    const other = {
      workspaceId: 43,
      accountSid: "x",
      inboundWebhookUrl: "https://h.example/",
      isTimeRoutingEnabled: false,
    };
    assert.deepEqual(mismatches(asked, record(other)), [
      "isTimeRoutingEnabled: true / false",
      "workspaceId: 42 / 43",
      "accountSid: the declared account / another account",
    ]);
  });
  const webhook = "https://h.example/in?a=1";
  const rows: [string, Routing, object, string[]][] = [
    [
      "another webhook",
      { inboundWebhookUrl: webhook },
      { inboundWebhookUrl: "https://h.example/x" },
      ["inboundWebhookUrl: the declared URL / another URL"],
    ],
    [
      "no webhook",
      { inboundWebhookUrl: webhook },
      { inboundWebhookUrl: null },
      ["inboundWebhookUrl: the declared URL / none"],
    ],
    [
      "a webhook that is no URL",
      { inboundWebhookUrl: webhook },
      { inboundWebhookUrl: "h.example" },
      ["inboundWebhookUrl: the declared URL / another URL"],
    ],
    ["the same webhook", { inboundWebhookUrl: webhook }, { inboundWebhookUrl: webhook }, []],
    ["a webhook that is not shown", { inboundWebhookUrl: webhook }, {}, []],
    ["a webhook that nobody declared", {}, { inboundWebhookUrl: webhook }, []],
    ["time routing that is on", { isTimeRoutingEnabled: true }, { isTimeRoutingEnabled: true }, []],
    [
      "time routing that is null",
      { isTimeRoutingEnabled: true },
      { isTimeRoutingEnabled: null },
      ["isTimeRoutingEnabled: true / not set"],
    ],
    ["time routing that is null and was off", { isTimeRoutingEnabled: false }, { isTimeRoutingEnabled: null }, []],
    ["time routing that is not shown", { isTimeRoutingEnabled: true }, {}, []],
    ["time routing that nobody declared", {}, { isTimeRoutingEnabled: true }, []],
    ["a workspace that is null", { workspaceId: 42 }, { workspaceId: null }, []],
    ["a workspace that nobody declared", {}, { workspaceId: 42 }, []],
    [
      "another version among several outbound agents",
      { outboundAgentId: "agent_o", outboundAgentVersion: 3 },
      {
        outboundAgents: agents(["agent_x", 3, 1], ["agent_o", 4, 1]),
      },
      ["outboundAgentId: agent_o / agent_x, agent_o"],
    ],
    [
      "a version that nobody declared",
      { outboundAgentId: "agent_o" },
      {
        outboundAgents: agents(["agent_o", 4, 1]),
      },
      [],
    ],
    [
      "several outbound agents, none of them ours",
      { outboundAgentId: "agent_o" },
      {
        agentId: "agent_x",
        outboundAgents: agents(["agent_y", 4, 1]),
      },
      ["outboundAgentId: agent_o / agent_x, agent_y"],
    ],
  ];
  for (const [name, asked, fields, expected] of rows) {
    it(`is compared with what was declared: ${name}`, () =>
      assert.deepEqual(mismatches(asked, record(fields)), expected));
  }

  it("shows the split that it holds, be it empty, and whether it shows any binding at all", () => {
    const seen = (fields: object) => {
      const { isShown, shown } = verify(NUMBER, {}, [], {}, record(fields));
      return [isShown, shown];
    };
    assert.deepEqual(seen({ inboundAgents: agents(["agent_b", 2, 1], ["agent_a", undefined, 3]) }), [
      true,
      { agent_a: 3, "agent_b@2": 1 },
    ]);
    assert.deepEqual(seen({ inboundAgents: null }), [true, {}]);
    assert.deepEqual(seen({ agentId: null }), [true, undefined]);
    assert.deepEqual(seen({ inboundAgentId: "agent_a" }), [true, undefined]);
    assert.deepEqual(seen({ outboundAgents: [] }), [true, undefined]);
    assert.deepEqual(seen({ workspaceId: 42 }), [false, undefined]);
  });

  it("is still bound only where it was to be cleared", () => {
    const view = { inboundAgents: agents(["agent_a", undefined, 1]), isTimeRoutingEnabled: false };
    const before = { inboundAgents: { agent_a: 1 } };
    const verdict = verify(NUMBER, { isTimeRoutingEnabled: true }, ["inboundAgents"], before, record(view));
    assert.equal(verdict.mismatches.length, 2);
    assert.deepEqual(
      stillShown(verdict, ["inboundAgents"]).map(({ field }) => field),
      ["inboundAgents"],
    );
  });

  it("leaves an outbound agent that is inbound by now alone", () => {
    const asked = { inboundAgents: { "agent_o@2": 1 } };
    const view = { inboundAgents: agents(["agent_o", 2, 1]), agentId: "agent_o" };
    assert.deepEqual(mismatches(asked, record(view), ["outboundAgentId"], { outboundAgentId: "agent_o" }), []);
    const other = { inboundAgents: { agent_a: 1 } };
    const shown = { inboundAgents: agents(["agent_a", undefined, 1]), agentId: "agent_o" };
    assert.deepEqual(mismatches(other, record(shown), ["outboundAgentId"], { outboundAgentId: "agent_o" }), [
      "outboundAgentId: no agent / agent_o",
    ]);
  });

  it("says an import error with its message, or without one", () => {
    assert.deepEqual(mismatches({}, record({ platformImportError: true, platformImportErrorMessage: "no such SID" })), [
      "platformImportError: an import without error / no such SID",
    ]);
    assert.deepEqual(mismatches({}, record({ platformImportError: true })), [
      "platformImportError: an import without error / an error without a message",
    ]);
    assert.deepEqual(mismatches({}, record({ platformImportError: false, platformImportErrorMessage: "old" })), []);
  });
  it("is somebody else's where several records are none of ours", () => {
    assert.deepEqual(mismatches({ workspaceId: 1 }, { numbers: [{ number: "1" }, { number: "2" }] }), [
      "number: this number / 2 records, none of them this number",
    ]);
    assert.deepEqual(mismatches({ workspaceId: 1 }, { numbers: [{ number: "+19998887777" }] }), [
      "number: this number / a record of another number",
    ]);
  });
});
