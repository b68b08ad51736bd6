import assert from "node:assert/strict";
import type { NumbersState } from "../../provider/core/change/state";
import { UNKNOWN } from "../../provider/core/common/schemas";
import { render } from "../../provider/core/messages";
import type { NumbersInputs } from "../../provider/core/routing/group";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { ENDPOINT, outcome, settings } from "./inputs";

const number = "+15551234567";
const front = (agentVersion: number | undefined, weight: number) => ({ agentId: "agent_front", agentVersion, weight });

describe("NumberAssignment.diff", () => {
  const inputsOf = (args: object): NumbersInputs => {
    const checked = numberAssignment.check(undefined, { number, ...args }, settings);
    assert.deepEqual(checked.failures, []);
    return checked.inputs;
  };
  const split = (stable: number, candidate: number) => ({ inboundAgents: [front(12, stable), front(13, candidate)] });
  const rows: [string, object, object, string][] = [
    ["70/30 -> 70/30", split(70, 30), split(70, 30), "same"],
    ["70/30 -> the other order", split(70, 30), { inboundAgents: split(70, 30).inboundAgents.toReversed() }, "same"],
    ["70/30 -> 30/70", split(70, 30), split(30, 70), "update"],
    ["70/30 -> 7/3: other weights are sent as written", split(70, 30), split(7, 3), "update"],
    ["version 12 -> none", { inboundAgents: [front(12, 1)] }, { inboundAgents: [front(undefined, 1)] }, "update"],
    ["weight 0 -> gone", { inboundAgents: [front(12, 1), front(13, 0)] }, { inboundAgents: [front(12, 1)] }, "update"],
    ["agents -> none", split(70, 30), { inboundAgents: [] }, "update"],
    ["unset -> none", {}, { inboundAgents: [] }, "update"],
    ["number A -> B", {}, { number: "+15550000000" }, "replace by number"],
    ["number A -> unknown", {}, { number: UNKNOWN }, "update"],
    ["number A -> B and a split -> unknown", {}, { number: "4001", inboundAgents: UNKNOWN }, "replace by number"],
    ["workspace 42 -> 43", { workspaceId: 42 }, { workspaceId: 43 }, "update"],
    ["account a -> b", { accountSid: "a" }, { accountSid: "b" }, "update"],
    ["flag true -> false", { isTimeRoutingEnabled: true }, { isTimeRoutingEnabled: false }, "update"],
    ["flag unset -> false", {}, { isTimeRoutingEnabled: false }, "update"],
    ["webhook set -> unset", { inboundWebhookUrl: "https://a.example/" }, {}, "update"],
    ["unset -> unknown", {}, { outboundAgentId: UNKNOWN }, "update"],
    ["triggers 1 -> 2", { triggers: [1] }, { triggers: [2] }, "update"],
    ["triggers in another order of keys", { triggers: { a: 1, b: 2 } }, { triggers: { b: 2, a: 1 } }, "same"],
    ["an undeclared field", { extraFields: { a: 1 } }, { extraFields: { a: 2 } }, "update"],
  ];
  for (const [name, before, after, expected] of rows) {
    it(`${name}: ${expected}`, () => {
      const olds = inputsOf(before) as NumbersState;
      assert.equal(outcome(numberAssignment.diff("", olds, inputsOf(after), settings)), expected);
    });
  }

  const told: [string, Partial<NumbersState>, string, string][] = [
    [
      "of another platform",
      { endpoint: "https://old.example.com" },
      "endpoint",
      `AGP-060 NumberAssignment "${number}": moves from https://old.example.com to ${ENDPOINT}. ` +
        "The routing at https://old.example.com is unchanged; remove it there if unwanted.",
    ],
    ...[
      ["unknown", "the outcome of the request was not known"] as const,
      ["different", "the response differed from what was sent"] as const,
    ].map(([reason, why]): [string, Partial<NumbersState>, string, string] => [
      `unapplied (${reason})`,
      { unapplied: [{ numbers: `${number}\n`, reason }] },
      "unapplied",
      `AGP-044 NumberAssignment "${number}": not applied in an earlier run (${why}), so it is sent again.`,
    ]),
  ];
  for (const [name, state, reason, message] of told) {
    it(`${name} -> the same inputs: update, and why is said`, () => {
      const olds: NumbersState = { ...inputsOf({}), ...state };
      const diff = numberAssignment.diff(number, olds, inputsOf({}), settings);
      assert.equal(outcome(diff), `update; ${reason}`);
      assert.deepEqual(numberAssignment.explain(number, olds, inputsOf({}), diff).map(render), [message]);
    });
  }
});
