import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { systemWorld } from "../../provider/engine/world";
import { release } from "../../provider/numbers/release";
import type { Routing } from "../../provider/routing/routing";
import { postedKey, Run } from "../../provider/run/run";
import { POSTED } from "../../provider/stack/kinds";
import { urnOf as urnOfKind } from "../support/providerCalls";
import { settingsOf } from "../support/session";
import { onStack, single } from "./groupSupport";

const urnOf = (name: string) => urnOfKind("numberAssignment", name);
const [N1, N2, N3] = ["+15551230001", "+15551230002", "+15551230003"] as const;
const mayHave = { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: "https://hooks.invalid/in" };
const routing = { inboundAgents: { agent_b: 100 } };
const here = { endpoint: "https://platform.example" };
/** @param hasFailed has the program marked its failure? */
const newRun = (hasFailed = () => false) =>
  new Run(settingsOf({ baseUrl: here.endpoint }), { ...systemWorld, marks: { ...systemWorld.marks, hasFailed } });
const declare = (run: Run, numbers: readonly string[], name = "one", more: Routing = {}) =>
  run.noteDeclared(urnOf(name), { numbers, routing: { ...routing, ...more } });
const confirm = (run: Run, number: string, more: Routing = {}) => run.noteAssigned(number, more, "sent");
const releaseOf = (run: Run, number: string, had: Routing = mayHave) =>
  release({ number, ...had, ...here }, undefined, run.ledger, () => run.isUncertain()).get(number);

/** What a delete would do with a number that has an agent and a webhook. */
const released = (run: Run, number: string, had?: Routing) => {
  const one = releaseOf(run, number, had);
  if (one?.what !== "wait") {
    return one?.what;
  }
  return one.owner === undefined ? "failed" : "unconfirmed";
};

describe("what a run remembers", () => {
  it("clears what nothing declares", () => {
    const run = newRun();
    declare(run, [N1]);
    assert.deepEqual([released(run, N2), released(run, N2, {})], ["clear", "nothing"]);
  });

  it("keeps a number that another resource has assigned", () => {
    const run = newRun();
    declare(run, [N1, N2]);
    assert.deepEqual(releaseOf(run, N1), { what: "wait", owner: urnOf("one") });
    confirm(run, N1);
    const { inboundWebhookUrl } = mayHave;
    const assignment = { number: N1, routing, mayHave: { inboundWebhookUrl } };
    assert.deepEqual(releaseOf(run, N1), { what: "keep", assignment });
    const nothingMore = { what: "keep", assignment: undefined };
    assert.deepEqual(releaseOf(run, N1, routing), nothingMore);
    // It never loses its agents because a new name declares none.
    run.noteDeclared(urnOf("without"), { numbers: [N3], routing: { outboundAgentId: "agent_o" } });
    confirm(run, N3);
    assert.deepEqual(releaseOf(run, N3, routing), nothingMore);
  });

  const known: readonly { readonly name: string; readonly olds: Routing; readonly cleared: Routing | undefined }[] = [
    { name: "its successor knew of it", olds: mayHave, cleared: undefined },
    {
      name: "its successor did not know of it",
      olds: routing,
      cleared: { inboundWebhookUrl: mayHave.inboundWebhookUrl },
    },
  ];
  for (const { name, olds, cleared } of known) {
    it(`clears ${cleared ? "the webhook" : "nothing"} if ${name}`, () => {
      const run = newRun();
      declare(run, [N1]);
      confirm(run, N1);
      const group = (had: Routing) => ({ numbers: `${N1}\n`, ...had, ...here });
      const successor = { id: "group-1", olds: group(olds), news: group(routing) };
      const assignment = cleared && { number: N1, routing, mayHave: cleared };
      const releases = release(group(mayHave), successor, run.ledger, () => run.isUncertain());
      assert.deepEqual([...releases], assignment ? [[N1, { what: "keep", assignment }]] : []);
    });
  }

  it("refuses the second resource that declares a number", () => {
    const run = newRun();
    assert.equal(declare(run, [N1], "one"), undefined);
    assert.equal(declare(run, [N3], "Zürich"), undefined);
    // The engine checks a replacement twice. Its number counts once: the limit of losses is a share of all numbers.
    assert.equal(declare(run, [N3], "Zürich"), undefined);
    assert.equal(run.ledger.size, 2);
    const taken = declare(run, [N2, N3], "Wien");
    assert.deepEqual([taken?.number, taken?.owner], [N3, urnOf("Zürich")]);
    assert.equal(declare(run, [N3], "Zürich"), undefined);
    // Two resources may adopt one chat.
    const adopts = postedKey("chat", "chat_1");
    const refused = ["one", "two"].flatMap((name) => run.noteDeclared(urnOf(name), { adopts }) ?? []);
    assert.deepEqual(refused, []);
    assert.deepEqual(
      ["chat_1", "chat_2"].map((id) => run.keepsPosted(POSTED.SmsChat, id)),
      [true, false],
    );
  });

  it("takes an extension in another workspace for another number", () => {
    const run = newRun();
    assert.equal(declare(run, ["4001"], "first", { workspaceId: 1 }), undefined);
    assert.equal(declare(run, ["4001"], "second", { workspaceId: 2 }), undefined);
    assert.equal(declare(run, ["4001"], "any")?.owner, urnOf("first"));
    assert.equal(declare(run, ["4001"], "again", { workspaceId: 2, accountSid: "account" })?.owner, urnOf("second"));
    assert.equal(declare(run, [N1], "number", { workspaceId: 1 }), undefined);
    assert.equal(declare(run, [N1], "same", { workspaceId: 2 })?.owner, urnOf("number"));
    const deletes = newRun();
    declare(deletes, ["4001"], "second", { workspaceId: 2 });
    confirm(deletes, "4001", { workspaceId: 2 });
    const had = (workspaceId?: number): Routing => ({ ...routing, workspaceId });
    const clears = { what: "clear", assignment: { number: "4001", routing: { workspaceId: 1 }, mayHave: had(1) } };
    assert.deepEqual(releaseOf(deletes, "4001", had(1)), clears);
    assert.deepEqual(
      [2, undefined].map((one) => released(deletes, "4001", had(one))),
      ["keep", "keep"],
    );
    // A request for the one does not confirm the other.
    declare(deletes, ["4001"], "third", { workspaceId: 3 });
    confirm(deletes, "4001", { workspaceId: 2 });
    assert.equal(released(deletes, "4001", had(3)), "unconfirmed");
  });

  it("sends nothing of a delete if anything failed", () => {
    let asked = 0;
    const ofProgram = newRun(() => {
      asked += 1;
      return true;
    });
    assert.deepEqual([released(ofProgram, N1, {}), asked], ["nothing", 0]);
    assert.deepEqual([released(ofProgram, N1), asked], ["failed", 1]);
    const ofResource = newRun();
    assert.equal(released(ofResource, N1), "clear");
    ofResource.noteFailed();
    assert.equal(released(ofResource, N1), "failed");
  });

  it("knows that a create is still to come", () => {
    const run = newRun();
    declare(run, [N1]);
    assert.equal(run.isMidway(), false);
    run.noteAwaited(urnOf("one"));
    assert.equal(run.isMidway(), true);
    run.noteCreating(urnOf("one"));
    assert.equal(run.isMidway(), false);
    run.noteAwaited(urnOf("two"));
    run.noteFailed();
    assert.equal(run.isMidway(), false);
  });
});

describe("an extension in two workspaces of one stack", () => {
  it("is two numbers: a delete clears its own alone", () =>
    onStack({}, async (stack) => {
      const at = (workspaceId: number | undefined, name: string) => single("4001", { workspaceId }, name);
      assert.deepEqual((await stack.up([at(1, "one"), at(2, "two")])).failures, []);
      const bodies = stack.bodies() as { workspaceId?: number; inboundAgents: unknown }[];
      assert.deepEqual(bodies.map((body) => body.workspaceId).sort(), [1, 2]);
      assert.deepEqual((await stack.up([at(2, "two")])).failures, []);
      assert.deepEqual(stack.bodies(), [{ workspaceId: 1, inboundAgents: [] }]);
      const [refused] = (await stack.up([at(2, "two"), at(undefined, "any")])).failures;
      assert.match(
        refused?.message ?? "",
        /^AGP-003 NumberAssignment "any" \(4001\): extension 4001 is declared twice: /,
      );
      assert.deepEqual(stack.bodies(), []);
    }));
});

describe("a delete of a number that another resource has not got", () => {
  it("waits, and names that resource", () =>
    onStack({}, async ({ up, emulator }) => {
      await up([single(N1, {}, "holder")]);
      emulator.inject({ kind: "status", status: 400, body: { error: "not today" } });
      const { failures } = await up([single(N1, {}, "taker")], { continueOnError: true });
      assert.equal(
        failures[1]?.message,
        `AGP-074 NumberAssignment "holder" (${N1}): not cleared; NumberAssignment "taker" declares this number, but it is not certain that its routing was applied.\n` +
          "  The resource stays in the state.\n" +
          "  Fix the errors that the run shows, if there are any, then rerun.\n" +
          "  To keep the routing after all, change `triggers` and run `pulumi up`.",
      );
    }));
});
