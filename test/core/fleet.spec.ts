import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import {
  byCause,
  type FleetInputs,
  type FleetState,
  formerOf,
  heldBy,
  type Missed,
  plan,
  removable,
  routingFor,
  scopeIn,
} from "../../provider/core/fleet";

const HERE = "https://one.example";
const inputs = (numbers: readonly string[], more: Partial<FleetInputs> = {}): FleetInputs => ({
  numbers: [...numbers]
    .sort()
    .map((number) => `${number}\n`)
    .join(""),
  inboundAgents: { "agent_a@1": 90, "agent_b@1": 10 },
  endpoint: HERE,
  ...more,
});

describe("the plan of a group", () => {
  const abc = inputs(["a", "b", "c"]);
  const rows: [
    string,
    FleetState | undefined,
    FleetInputs,
    { send?: string[]; clear?: string[]; joining?: string[] },
  ][] = [
    ["nothing yet -> a group: all are sent", undefined, abc, { send: ["a", "b", "c"], joining: ["a", "b", "c"] }],
    ["the same again: nothing", abc, abc, {}],
    ["another split: all", abc, { ...abc, inboundAgents: { agent_a: 1 } }, { send: ["a", "b", "c"] }],
    ["another workspace: all", abc, { ...abc, workspaceId: 7 }, { send: ["a", "b", "c"] }],
    ["other triggers: all", abc, { ...abc, triggers: ["again"] }, { send: ["a", "b", "c"] }],
    ["one joins: that one", abc, inputs(["a", "b", "c", "d"]), { send: ["d"], joining: ["d"] }],
    ["one leaves: it is cleared", abc, inputs(["a", "c"]), { clear: ["b"] }],
    ["a label: nothing", abc, { ...abc, numbers: "a\tLondon\nb\nc\n" }, {}],
    ["a guard: nothing", abc, { ...abc, ...{ maxShift: 5 } }, {}],
    ["an override: that one", abc, { ...abc, overrides: { b: { outboundAgentId: "agent_n" } } }, { send: ["b"] }],
    [
      "an override is gone: that one",
      { ...abc, overrides: { b: { outboundAgentId: "agent_n" } } },
      abc,
      { send: ["b"] },
    ],
    ["an override that says nothing: nothing", { ...abc, overrides: { b: {} } }, { ...abc, overrides: { b: {} } }, {}],
    ["some were missed: those", { ...abc, unapplied: { a: "rejected", c: "not sent" } }, abc, { send: ["a", "c"] }],
    [
      "one could not be cleared: again",
      { ...inputs(["a"]), unapplied: { z: "leaving" } },
      inputs(["a"]),
      { clear: ["z"] },
    ],
    [
      "one that could not be cleared is back: sent",
      { ...inputs(["a"]), unapplied: { z: "leaving" } },
      inputs(["a", "z"]),
      { send: ["z"], joining: ["z"] },
    ],
    [
      "another platform: all are sent there, and nothing is cleared, here or there",
      { ...abc, unapplied: { z: "leaving" } },
      inputs(["a", "b"], { endpoint: "https://two.example" }),
      { send: ["a", "b"] },
    ],
    [
      "a number with the name of a method: nothing",
      inputs(["constructor"], { overrides: {} }),
      inputs(["constructor"]),
      {},
    ],
  ];
  for (const [name, olds, news, { send = [], clear = [], joining = [] }] of rows) {
    it(name, () => {
      const planned = plan(olds, news);
      assert.deepEqual(
        { send: planned.send, clear: planned.clear, joining: planned.joining },
        { send, clear, joining },
      );
    });
  }

  it("reaches what is declared from whatever was, and touches no number twice", () => {
    const some = fc.uniqueArray(fc.constantFrom<string>("a", "b", "c", "d", "e", "f"), { minLength: 1 });
    const marks = fc.dictionary(
      fc.constantFrom("a", "b", "c", "y", "z"),
      fc.constantFrom("rejected", "unknown", "leaving", "not sent" as const),
    ) as fc.Arbitrary<NonNullable<FleetState["unapplied"]>>;
    fc.assert(
      fc.property(some, some, marks, (had, wanted, unapplied) => {
        const { send, clear } = plan({ ...inputs(had), unapplied }, inputs(wanted));
        const missing = (number: string) => !had.includes(number) || unapplied[number] !== undefined;
        assert.deepEqual(send, wanted.filter(missing).sort());
        const left = [...had, ...Object.keys(unapplied).filter((number) => unapplied[number] === "leaving")];
        assert.deepEqual([...clear].sort(), [...new Set(left)].filter((number) => !wanted.includes(number)).sort());
      }),
      { verbose: true },
    );
  });
});

describe("the routing of one number of a group", () => {
  const group = inputs(["a", "b"], { outboundAgentId: "agent_front", outboundAgentVersion: 12, workspaceId: 42 });
  const shared = { workspaceId: 42, inboundAgents: group.inboundAgents };

  it("is the group's", () => {
    assert.deepEqual(routingFor("a", group), { ...shared, outboundAgentId: "agent_front", outboundAgentVersion: 12 });
  });

  it("is the group's but for its override", () => {
    const overrides = { a: { inboundWebhookUrl: "https://hook.example", outboundAgentVersion: 13 } };
    assert.deepEqual(routingFor("a", { ...group, overrides }), {
      ...shared,
      outboundAgentId: "agent_front",
      outboundAgentVersion: 13,
      inboundWebhookUrl: "https://hook.example",
    });
  });

  it("does not give another agent the version of the group's", () => {
    const overrides = { a: { outboundAgentId: "agent_night" } };
    assert.deepEqual(routingFor("a", { ...group, overrides }), { ...shared, outboundAgentId: "agent_night" });
  });
});

describe("what a number of a group may hold", () => {
  const before: FleetState = inputs(["a", "b"], {
    outboundAgentId: "agent_front",
    workspaceId: 42,
    overrides: { b: { inboundWebhookUrl: "https://hook.example" } },
  });
  const after = {
    ...inputs(["a", "b"], { inboundAgents: {}, workspaceId: 43 }),
    unapplied: { b: "rejected" },
  } as const;
  const state: FleetState = { ...after, ...formerOf(before, { endpoint: HERE }, ["b"]) };

  it("is the state's routing where it was applied", () => {
    assert.deepEqual(heldBy("a", state, { endpoint: HERE }), { inboundAgents: {}, workspaceId: 43 });
  });

  it("is either routing where it was not, with what was its own", () => {
    assert.deepEqual(heldBy("b", state, { endpoint: HERE }), {
      inboundAgents: { "agent_a@1": 90, "agent_b@1": 10 },
      outboundAgentId: "agent_front",
      inboundWebhookUrl: "https://hook.example",
      workspaceId: 43,
    });
  });

  it("is any of several earlier ones after several failures", () => {
    const third = { ...inputs(["a", "b"], { isTimeRoutingEnabled: true }), unapplied: { b: "unknown" } } as const;
    const held = heldBy("b", { ...third, ...formerOf(state, { endpoint: HERE }, ["b"]) }, { endpoint: HERE });
    assert.deepEqual(Object.keys(held).sort(), [
      "inboundAgents",
      "inboundWebhookUrl",
      "isTimeRoutingEnabled",
      "outboundAgentId",
      "workspaceId",
    ]);
  });

  it("is nothing at a platform that it was never sent to", () => {
    assert.deepEqual(heldBy("a", state, { endpoint: "https://two.example" }), {});
    assert.deepEqual(formerOf(before, { endpoint: "https://two.example" }, ["b"]), {});
    assert.deepEqual(heldBy("a", undefined, { endpoint: HERE }), {});
  });

  it("is nothing in another account of the same platform", () => {
    assert.deepEqual(heldBy("a", state, { endpoint: HERE, account: "second" }), {});
    assert.deepEqual(formerOf(before, { endpoint: HERE, account: "second" }, ["b"]), {});
  });

  it("is nothing of a number that joins, and of one that never got anything", () => {
    assert.deepEqual(heldBy("c", state, { endpoint: HERE }), {});
    assert.deepEqual(heldBy("b", { ...state, unapplied: { b: "untouched" } }, { endpoint: HERE }), {});
  });

  it("was bound in the workspace of then, if it left", () => {
    const left: FleetState = { ...after, unapplied: { z: "leaving" }, ...formerOf(before, { endpoint: HERE }, ["z"]) };
    assert.equal(scopeIn("z", left).workspaceId, 42);
    assert.equal(scopeIn("a", left).workspaceId, 43);
  });
});

describe("failures by cause", () => {
  const missed = (number: string, cause: string, more: Partial<Missed> = {}): Missed => ({
    number,
    cause,
    shortfall: "rejected",
    isLeaving: false,
    ...more,
  });

  it("are counted, the most frequent first and what was not sent last", () => {
    const all = [
      missed("1", "404"),
      missed("2", "503", { shortfall: "unknown" }),
      missed("3", "503", { shortfall: "unknown" }),
      missed("4", "503", { isLeaving: true }),
      ...["5", "6", "7"].map((number) => missed(number, "stopped", { shortfall: "not sent" })),
    ];
    assert.deepEqual(
      byCause(all).map(({ cause, numbers }) => [cause, numbers]),
      [
        ["503", ["2", "3"]],
        ["404", ["1"]],
        ["503", ["4"]],
        ["stopped", ["5", "6", "7"]],
      ],
    );
  });
});

describe("how many numbers may leave at once", () => {
  for (const [of, max, most] of [
    [3, undefined, 5],
    [100, undefined, 5],
    [10_000, undefined, 500],
    [10_000, 0, 0],
    [10, 8, 8],
  ] as const) {
    it(`${of} numbers, ${max === undefined ? "no setting" : `maxRemove ${max}`}: ${most}`, () =>
      assert.equal(removable(of, max), most));
  }
});
