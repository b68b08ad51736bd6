import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { byCause, type FailedNumber } from "../../provider/core/messages";
import { type NumbersInputs, removable, routingFor, unknownOverrides } from "../../provider/core/routing/group";

const HERE = "https://one.example";
const inputs = (numbers: readonly string[], more: Partial<NumbersInputs> = {}): NumbersInputs => ({
  numbers: [...numbers]
    .sort()
    .map((number) => `${number}\n`)
    .join(""),
  inboundAgents: { "agent_a@1": 90, "agent_b@1": 10 },
  endpoint: HERE,
  ...more,
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

describe("overrides", () => {
  it("that name no number of the group are told, were it the name of a method", () => {
    const overrides = { b: {}, constructor: {}, z: {} };
    assert.deepEqual(unknownOverrides({ numbers: "a\nb\n", overrides }), ["constructor", "z"]);
    assert.deepEqual(unknownOverrides({ numbers: "a\nconstructor\n", overrides: { constructor: {} } }), []);
    assert.deepEqual(unknownOverrides({ numbers: "a\n" }), []);
  });

  it("are looked up among the program's alone", () => {
    const { inboundAgents } = inputs([]);
    assert.deepEqual(routingFor("constructor", inputs(["constructor"], { overrides: {} })), { inboundAgents });
  });
});

describe("failures by cause", () => {
  const failed = (number: string, cause: string, more: Partial<FailedNumber> = {}): FailedNumber => ({
    number,
    cause,
    reason: "rejected",
    ...more,
  });

  it("are counted, the most frequent first and what was not sent last", () => {
    const all = [
      failed("1", "404"),
      failed("2", "503", { reason: "unknown" }),
      failed("3", "503", { reason: "unknown" }),
      failed("4", "503"),
      ...["5", "6", "7"].map((number) => failed(number, "stopped", { reason: "not sent" })),
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
