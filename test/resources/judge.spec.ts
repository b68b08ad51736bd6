import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { UNKNOWN } from "../../provider/core/unknown";
import { judgeFallback } from "../../provider/resources/judge";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import type { NumberState } from "../../provider/resources/numberState";
import { ENDPOINT, reasons, settingsWith } from "./inputs";

/** Which guard is judged when: at a create, at a change, and never on the way back. */

const number = "4001";
const inputs = (inboundAgents: Record<string, number>, more: object = {}) => ({
  number,
  inboundAgents,
  endpoint: ENDPOINT,
  ...more,
});
const front = (twelve: number, thirteen: number) => ({ "agent_front@12": twelve, "agent_front@13": thirteen });
const codes = (trips: readonly { code: string }[]): string[] => trips.map(({ code }) => code);

const changing = (olds: NumberState, news: NumberState, guards: object) =>
  codes(numberAssignment.diff(number, olds, news, settingsWith({ ...guards })).trips);
const declaring = (args: object, guards: object, olds?: Record<string, unknown>) =>
  codes(numberAssignment.check(olds, { number, ...args }, settingsWith({ ...guards })).trips);

describe("a change of a number", () => {
  const strict = { maxShift: 10, approvedAgents: '["agent_front@12"]', maxUnapproved: 20, requireVersions: true };

  it("is stopped by every guard that it trips, at once", () => {
    const after = inputs({ "agent_front@12": 50, agent_front: 50 });
    assert.deepEqual(changing(inputs(front(90, 10)), after, strict), ["AGP-021", "AGP-022", "AGP-023"]);
  });

  it("passes where it is a small step to an approved split", () => {
    assert.deepEqual(changing(inputs(front(90, 10)), inputs(front(85, 15)), strict), []);
  });

  it("is judged by its program's own guard as well, the tighter one counts", () => {
    const [before, after] = [inputs(front(90, 10)), inputs(front(80, 20))];
    assert.deepEqual(changing(before, { ...after, maxShift: 5 }, {}), ["AGP-021"]);
    assert.deepEqual(changing(before, { ...after, maxShift: 5 }, { maxShift: 10 }), ["AGP-021"]);
    assert.deepEqual(changing(before, { ...after, maxShift: 50 }, { maxShift: 10 }), []);
  });

  it("is never refused on the way back, and not where the split stays", () => {
    const olds = { ...inputs(front(0, 100)), previousInboundAgents: front(90, 10) };
    assert.deepEqual(changing(olds, inputs(front(90, 10)), strict), []);
    assert.deepEqual(changing(olds, inputs(front(0, 100), { workspaceId: 43 }), strict), []);
    assert.deepEqual(changing(olds, inputs(front(80, 20)), strict), ["AGP-021"]);
  });

  it("is stopped by a freeze, unless nothing would be sent", () => {
    const olds = inputs(front(90, 10));
    assert.deepEqual(changing(olds, inputs(front(89, 11)), { freeze: "holiday" }), ["AGP-025"]);
    assert.deepEqual(changing(olds, inputs(front(90, 10), { maxShift: 3 }), { freeze: "holiday" }), []);
    assert.deepEqual(changing(olds, inputs(front(90, 10), { number: "4002" }), { freeze: "holiday" }), []);
  });
});

describe("the create of a number", () => {
  const list = [
    { agentId: "agent_front", agentVersion: 13, weight: 60 },
    { agentId: "agent_front", weight: 40 },
  ];
  const guards = { requireVersions: true, approvedAgents: "[]", weightTotal: 1, freeze: "holiday", maxShift: 0 };

  it("is judged whole, but for the shift: there is nothing to shift from", () => {
    assert.deepEqual(declaring({ inboundAgents: list }, guards), ["AGP-020", "AGP-022", "AGP-023", "AGP-025"]);
  });

  it("and not again in each later run", () => {
    assert.deepEqual(declaring({ inboundAgents: list }, guards, { number, inboundAgents: {} }), ["AGP-020"]);
    assert.deepEqual(declaring({ inboundAgents: list }, { ...guards, weightTotal: 100 }, { number }), []);
  });

  it("without agents trips nothing but a freeze", () => {
    assert.deepEqual(declaring({}, guards), ["AGP-025"]);
    assert.deepEqual(declaring({ inboundAgents: [] }, guards), ["AGP-025"]);
  });
});

describe("the fallback of onDelete", () => {
  const guards = { requireVersions: true, approvedAgents: ["agent_a@1"], weightTotal: 100 };
  const list = (agentId: string, agentVersion: number | undefined, weight: number) => [
    { agentId, ...(agentVersion === undefined ? {} : { agentVersion }), weight },
  ];
  const inboundAgents = list("agent_a", 1, 100);
  const wild = { inboundAgents: list("agent_wild", undefined, 3) };
  const declared = (onDelete: unknown, more: object = {}, olds?: Record<string, unknown>) =>
    reasons(numberAssignment.check(olds, { number, inboundAgents, onDelete }, settingsWith({ ...guards, ...more })));

  it("is judged at its declaration as the split is: it gets every call when the number goes", () => {
    assert.deepEqual(declared(wild), [
      "AGP-020 onDelete.inboundAgents: weights sum to 3, expected 100 (agent_wild 3). Change a weight, or the weightTotal. Nothing was sent.",
      "AGP-022 onDelete.inboundAgents: every agent must name its version, and agent_wild does not. Add agentVersion. Nothing was sent.",
      "AGP-023 onDelete.inboundAgents: agent_wild would hold 100 %, at most 0 % until approved (from 0 %). " +
        "Give a smaller share, or approve in agent-platform:approvedAgents. Nothing was sent.",
    ]);
  });

  it("passes where it is approved, empty, unknown or none", () => {
    const outbound = { outboundAgentId: "agent_wild" };
    const none = { inboundAgents: [] };
    for (const onDelete of ["clear", undefined, UNKNOWN, { inboundAgents: UNKNOWN }, { inboundAgents }, outbound, none])
      assert.deepEqual(declared(onDelete), [], JSON.stringify(onDelete));
  });

  it("is judged by its program's own total where the stack has none, and in no later run that leaves it as it is", () => {
    const [twice, args] = [{ inboundAgents: list("agent_a", 1, 2) }, { number, inboundAgents }];
    const check = (onDelete: object, olds?: Record<string, unknown>) =>
      codes(numberAssignment.check(olds, { ...args, weightTotal: 100, onDelete }, settingsWith()).trips);
    assert.deepEqual([check(twice), check({ inboundAgents })], [["AGP-020"], []]);
    assert.deepEqual([check(twice, args), declared(wild, {}, args)], [[], []]);
  });

  const saved = { inboundAgents: { agent_wild: 3 } };
  const better = { inboundAgents: { "agent_a@1": 100 } };
  const changes: [string, object | undefined, object | undefined, string[]][] = [
    ["unchanged, however it was saved", saved, saved, []],
    ["to one that is not approved", better, saved, ["AGP-020", "AGP-022", "AGP-023"]],
    ["from none", undefined, saved, ["AGP-020", "AGP-022", "AGP-023"]],
    ["to one that is approved", saved, better, []],
    ["to none", saved, undefined, []],
  ];
  for (const [name, before, after, expected] of changes) {
    it(`is judged at a change: ${name}`, () => {
      const olds = inputs({ "agent_a@1": 100 }, { onDelete: before }) as NumberState;
      const news = inputs({ "agent_a@1": 100 }, { onDelete: after }) as NumberState;
      assert.deepEqual(changing(olds, { ...news, workspaceId: 43 }, guards), expected);
      assert.deepEqual(codes(judgeFallback(olds, news, settingsWith(guards))), expected);
    });
  }
});
