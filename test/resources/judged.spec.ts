import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { NumbersState } from "../../provider/core/change/state";
import { UNKNOWN } from "../../provider/core/common/schemas";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { ENDPOINT, reasons, settingsWith } from "./inputs";

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

  it("is judged by its program's own guard as well, the tighter one counts", () => {
    const [before, after] = [inputs(front(90, 10)), inputs(front(80, 20))];
    assert.deepEqual(changing(before, { ...after, maxShift: 5 }, {}), ["maxShift"]);
    assert.deepEqual(changing(before, { ...after, maxShift: 5 }, { maxShift: 10 }), ["maxShift"]);
    assert.deepEqual(changing(before, { ...after, maxShift: 50 }, { maxShift: 10 }), ["looser"]);
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
        { numbers: `${number}\n`, reason: "unknown" as const, applied, maybe: { inboundAgents: front(45, 55) } },
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
    assert.deepEqual(changing(olds, inputs(front(90, 10), { maxShift: 3 }), { freeze: "holiday" }), []);
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
      "AGP-023 onDelete.inboundAgents: agent_wild is not approved. Unapproved agents would receive 100 % (now 0 %, limit 0 %). " +
        "Name approved agents, or approve these in agent-platform:approvedAgents.",
      "AGP-022 onDelete.inboundAgents: every agent must name its version; missing for agent_wild. Add the version, as in `agent_front@12`.",
      "AGP-020 onDelete.inboundAgents: the weights sum to 3, expected 100 (agent_wild 3). Change a weight, or weightTotal. Nothing was sent for this resource.",
    ]);
  });

  it("is judged for its outbound agent too: it makes every outbound call", () => {
    assert.deepEqual(declared({ outboundAgentId: "agent_wild" }), [
      "AGP-023 onDelete.outboundAgentId: agent_wild is not approved. Name approved agents, or approve these in agent-platform:approvedAgents.",
      "AGP-022 onDelete.outboundAgentId: every agent must name its version; missing for agent_wild. Add the version, as in `agent_front@12`. Nothing was sent for this resource.",
    ]);
  });

  it("passes where it is approved, empty, unknown or none", () => {
    const outbound = { outboundAgentId: "agent_a", outboundAgentVersion: 1 };
    const none = { inboundAgents: [] };
    for (const onDelete of [
      "clear",
      undefined,
      UNKNOWN,
      { inboundAgents: UNKNOWN },
      { outboundAgentId: UNKNOWN },
      { inboundAgents },
      outbound,
      none,
    ]) {
      assert.deepEqual(declared(onDelete), [], JSON.stringify(onDelete));
    }
  });

  it("is judged by its program's own total where the stack has none, and by check in no later run", () => {
    const [twice, args] = [{ inboundAgents: list("agent_a", 1, 2) }, { number, inboundAgents }];
    const check = (onDelete: object, olds?: Record<string, unknown>) =>
      names(numberAssignment.check(olds, { ...args, weightTotal: 100, onDelete }, settingsWith()).violations);
    assert.deepEqual([check(twice), check({ inboundAgents })], [["weightTotal"], []]);
    assert.deepEqual([check(twice, args), declared(wild, {}, args)], [[], []]);
  });

  const saved = { inboundAgents: { agent_wild: 3 } };
  const better = { inboundAgents: { "agent_a@1": 100 } };
  const all = ["weightTotal", "requireVersions", "maxUnapproved"];
  const changes: [string, object | undefined, object | undefined, string[]][] = [
    ["unchanged, however it was saved", saved, saved, []],
    ["to one that is not approved", better, saved, all],
    ["from none", undefined, saved, all],
    ["to one that is approved", saved, better, []],
    ["to none", saved, undefined, []],
  ];
  for (const [name, before, after, expected] of changes) {
    it(`is judged at a change: ${name}`, () => {
      const olds = inputs({ "agent_a@1": 100 }, { onDelete: before });
      const news = inputs({ "agent_a@1": 100 }, { onDelete: after, workspaceId: 43 });
      assert.deepEqual(changing(olds, news, guards), expected);
    });
  }
});
