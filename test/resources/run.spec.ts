import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { POSTED } from "../../provider/core/platform/kinds";
import { Memory } from "../../provider/resources/run/memory";
import { isMidway, keepsPosted, release } from "../../provider/resources/run/release";
import { urnOf as urnOfKind } from "../support/providerCalls";

const urnOf = (name: string) => urnOfKind("numberAssignment", name);
const [N1, N2, N3] = ["+15551230001", "+15551230002", "+15551230003"] as const;
const held = { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: "https://hooks.invalid/in" };
const routing = { inboundAgents: { agent_b: 100 } };
const declare = (run: Memory, keys: readonly string[], name = "one") =>
  run.declare({ urn: urnOf(name), keys, routing });

/** What a delete would do with a number that has an agent and a webhook. */
const released = (run: Memory, number: string, had: object = held) => {
  const one = release(run, [{ number, held: had, scope: {} }]).get(number);
  return one?.does === "wait" ? one.why : one?.does;
};
const FAILED = "the program or another resource failed in this run, so it is not known what the program declares";
const UNCONFIRMED = "another resource declares this number, but could not assign it in this run";

describe("what a run remembers", () => {
  it("clears what nothing declares, and does nothing with a number that has nothing", () => {
    const run = new Memory(() => false);
    declare(run, [N1]);
    assert.deepEqual([released(run, N2), released(run, N2, {})], ["clear", "nothing"]);
  });

  it("keeps a number of another resource once that has assigned it, and clears what only the old one had", () => {
    const run = new Memory(() => false);
    declare(run, [N1, N2]);
    assert.equal(released(run, N1), UNCONFIRMED);
    run.confirm(N1, "sent in this run");
    const { inboundWebhookUrl } = held;
    assert.deepEqual(
      [...release(run, [{ number: N1, held, scope: {} }]).values()],
      [{ does: "keep", task: { number: N1, routing, held: { inboundWebhookUrl } } }],
    );
    const nothingMore = [{ does: "keep", task: undefined }];
    assert.deepEqual([...release(run, [{ number: N1, held: routing, scope: {} }]).values()], nothingMore);
    // It never loses its agents because a new name declares none.
    run.declare({ urn: urnOf("without"), keys: [N3], routing: { outboundAgentId: "agent_o" } });
    run.confirm(N3, "sent in this run");
    assert.deepEqual([...release(run, [{ number: N3, held: routing, scope: {} }]).values()], nothingMore);
  });

  it("refuses the second resource that declares a number, and goes on with the first", () => {
    const run = new Memory(() => false);
    assert.equal(declare(run, [N1], "one"), undefined);
    assert.equal(declare(run, [N3], "Zürich"), undefined);
    // The engine checks a replacement twice.
    assert.equal(declare(run, [N3], "Zürich"), undefined);
    const taken = declare(run, [N2, N3], "Wien");
    assert.deepEqual([taken?.number, taken?.by.urn], [N3, urnOf("Zürich")]);
    assert.equal(declare(run, [N3], "Zürich"), undefined);
    // Two resources may adopt one chat.
    assert.equal(declare(run, ["chat\nchat_1"], "one"), undefined);
    assert.equal(declare(run, ["chat\nchat_1"], "two"), undefined);
    assert.deepEqual(
      ["chat_1", "chat_2"].map((id) => keepsPosted(run, POSTED.SmsChat, id)),
      [true, false],
    );
  });

  it("sends nothing of a delete if a resource or the program failed, and asks that only of a delete that sends", () => {
    let asked = 0;
    const ofProgram = new Memory(() => {
      asked += 1;
      return true;
    });
    assert.deepEqual([released(ofProgram, N1, {}), asked], ["nothing", 0]);
    assert.deepEqual([released(ofProgram, N1), asked], [FAILED, 1]);
    const ofResource = new Memory(() => false);
    assert.equal(released(ofResource, N1), "clear");
    ofResource.hasFailed = true;
    assert.equal(released(ofResource, N1), FAILED);
  });

  it("says that a delete comes before a create that was checked, unless something failed", () => {
    const run = new Memory(() => false);
    declare(run, [N1]);
    assert.equal(isMidway(run), false);
    run.awaited.add(urnOf("one"));
    assert.equal(isMidway(run), true);
    run.begin(urnOf("one"));
    assert.equal(isMidway(run), false);
    run.awaited.add(urnOf("two"));
    run.hasFailed = true;
    assert.equal(isMidway(run), false);
  });
});
