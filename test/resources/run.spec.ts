import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { POSTED } from "../../provider/core/platform/posted";
import { newRun, type Run } from "../../provider/resources/run";
import { urnOf as urnOfKind } from "../support/providerCalls";

const urnOf = (name: string) => urnOfKind("numberAssignment", name);
const [N1, N2, N3] = ["+15551230001", "+15551230002", "+15551230003"] as const;
const held = { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: "https://hooks.invalid/in" };
const routing = { inboundAgents: { agent_b: 100 } };
const declare = (run: Run, keys: readonly string[], name = "one") => run.declare({ urn: urnOf(name), keys, routing });

/** What a delete would do with a number that has an agent and a webhook. */
const released = (run: Run, number: string, had: object = held) => {
  const release = run.release([{ number, held: had, scope: {} }]).get(number);
  return release?.does === "wait" ? release.why : release?.does;
};
const FAILED = "the program or another resource failed in this run, so it is not known what the program declares";
const UNCONFIRMED = "another resource declares this number, but could not assign it in this run";

describe("what a run remembers", () => {
  it("clears what nothing declares, and does nothing with a number that has nothing", () => {
    const run = newRun(() => false);
    declare(run, [N1]);
    assert.deepEqual([released(run, N2), released(run, N2, {})], ["clear", "nothing"]);
  });

  it("keeps a number of another resource once that has assigned it, and clears what only the old one had", () => {
    const run = newRun(() => false);
    declare(run, [N1, N2]);
    assert.equal(released(run, N1), UNCONFIRMED);
    run.assigning(N1);
    run.answered(N1, routing);
    assert.equal(released(run, N1), UNCONFIRMED);
    run.assigned(N1);
    const { inboundWebhookUrl } = held;
    assert.deepEqual(
      [...run.release([{ number: N1, held, scope: {} }]).values()],
      [{ does: "keep", task: { number: N1, routing, held: { inboundWebhookUrl } } }],
    );
    assert.deepEqual([...run.release([{ number: N1, held: routing, scope: {} }]).values()], [{ does: "keep" }]);
  });

  it("refuses the second resource that declares a number, and goes on with the first", () => {
    const run = newRun(() => false);
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
      ["chat_1", "chat_2"].map((id) => run.keepsPosted(POSTED.SmsChat, id)),
      [true, false],
    );
  });

  it("sends nothing of a delete if a resource or the program failed, and asks that only of a delete that sends", () => {
    let asked = 0;
    const ofProgram = newRun(() => {
      asked += 1;
      return true;
    });
    assert.deepEqual([released(ofProgram, N1, {}), asked], ["nothing", 0]);
    assert.deepEqual([released(ofProgram, N1), asked], [FAILED, 1]);
    const ofResource = newRun(() => false);
    assert.equal(released(ofResource, N1), "clear");
    ofResource.failed();
    assert.equal(released(ofResource, N1), FAILED);
  });

  it("says that a delete comes before a create that was checked, unless something failed", () => {
    const run = newRun(() => false);
    declare(run, [N1]);
    assert.equal(run.isMidway(), false);
    run.awaitCreate(urnOf("one"));
    assert.equal(run.isMidway(), true);
    run.begin(urnOf("one"));
    assert.equal(run.isMidway(), false);
    run.awaitCreate(urnOf("two"));
    run.failed();
    assert.equal(run.isMidway(), false);
  });

  it("counts the numbers that deletes let go, and knows a destroy by that no resource was checked", () => {
    const run = newRun(() => false);
    assert.equal(run.isDeclaring(), false);
    declare(run, [N1]);
    run.noteLost([N1, N2]);
    run.noteLost([N2]);
    assert.deepEqual([run.lostBeside([N2, N3]), run.isDeclaring()], [1, true]);
  });
});
