import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { NumbersState } from "../../provider/core/change/state";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { ENDPOINT, settingsWith } from "./inputs";

/** Which guard is judged when: at a create, at a change, and never on the way back. */

const number = "4001";
const inputs = (inboundAgents: Record<string, number>, more: object = {}): NumbersState => ({
  number,
  inboundAgents,
  endpoint: ENDPOINT,
  ...more,
});
const front = (twelve: number, thirteen: number) => ({ "agent_front@12": twelve, "agent_front@13": thirteen });
const names = (violations: readonly { guard: string }[]): string[] => violations.map(({ guard }) => guard);

const changing = (olds: NumbersState, news: NumbersState, guards: object) =>
  names(numberAssignment.diff(number, olds, news, settingsWith({ ...guards })).violations);
const declaring = (args: object, guards: object, olds?: Record<string, unknown>) =>
  names(numberAssignment.check(olds, { number, ...args }, settingsWith({ ...guards })).violations);

describe("a change of a number", () => {
  const strict = { maxShift: 10, approvedAgents: '["agent_front@12"]', maxUnapproved: 20, requireVersions: true };

  it("is stopped by every guard that it violates, at once", () => {
    const after = inputs({ "agent_front@12": 50, agent_front: 50 });
    assert.deepEqual(changing(inputs(front(90, 10)), after, strict), ["maxShift", "requireVersions", "maxUnapproved"]);
  });

  it("passes where it is a small step to an approved split", () => {
    assert.deepEqual(changing(inputs(front(90, 10)), inputs(front(85, 15)), strict), []);
  });

  it("is never refused on the way back, and not where the split stays", () => {
    const olds = { ...inputs(front(0, 100)), previousInboundAgents: front(90, 10) };
    assert.deepEqual(changing(olds, inputs(front(90, 10)), strict), []);
    assert.deepEqual(changing(olds, inputs(front(0, 100), { workspaceId: 43 }), strict), []);
    assert.deepEqual(changing(olds, inputs(front(80, 20)), strict), ["maxShift"]);
  });

  it("is judged from what a request of unknown outcome may have left, too", () => {
    const applied = { inboundAgents: front(50, 50) };
    const olds = {
      ...inputs(front(45, 55), { previousInboundAgents: front(50, 50) }),
      unapplied: [
        { numbers: `${number}\n`, reason: "unknown" as const, applied, maybe: [{ inboundAgents: front(45, 55) }] },
      ],
    };
    const only = { maxShift: 10 };
    assert.deepEqual(changing(olds, inputs(front(58, 42)), only), ["maxShift"]);
    assert.deepEqual(changing(olds, inputs(front(54, 46)), only), []);
    // Neither the request itself nor the way back is refused.
    assert.deepEqual(changing(olds, inputs(front(45, 55)), only), []);
    assert.deepEqual(changing(olds, inputs(front(50, 50)), { maxShift: 1 }), []);
  });

  it("is stopped by a freeze, unless nothing would be sent", () => {
    const olds = inputs(front(90, 10));
    assert.deepEqual(changing(olds, inputs(front(89, 11)), { freeze: "holiday" }), ["freeze"]);
    assert.deepEqual(changing(olds, inputs(front(90, 10)), { freeze: "holiday" }), []);
  });

  it("of the number itself is judged as a new one by check: there is no split to move from", () => {
    assert.deepEqual(changing(inputs(front(90, 10)), inputs(front(10, 90), { number: "4002" }), strict), []);
  });
});

describe("the create of a number", () => {
  const list = [
    { agentId: "agent_front", agentVersion: 13, weight: 60 },
    { agentId: "agent_front", weight: 40 },
  ];
  const guards = { requireVersions: true, approvedAgents: "[]", weightTotal: 1, freeze: "holiday", maxShift: 0 };

  it("is judged whole, but for the shift: there is nothing to shift from", () => {
    const all = ["weightTotal", "requireVersions", "maxUnapproved", "freeze"];
    assert.deepEqual(declaring({ inboundAgents: list }, guards), all);
  });

  it("and not again in each later run, where diff judges what changes", () => {
    assert.deepEqual(declaring({ inboundAgents: list }, guards, { number, inboundAgents: {} }), []);
    assert.deepEqual(declaring({ inboundAgents: list }, guards, { number }), []);
  });

  it("without agents violates nothing but a freeze", () => {
    assert.deepEqual(declaring({}, guards), ["freeze"]);
    assert.deepEqual(declaring({ inboundAgents: [] }, guards), ["freeze"]);
  });
});
