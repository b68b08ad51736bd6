import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { POSTED } from "../../provider/config/kinds";
import { systemWorld } from "../../provider/engine/world";
import { release } from "../../provider/numbers/release";
import { sendAll } from "../../provider/numbers/send";
import type { Routing } from "../../provider/routing/routing";
import { postedKey, Run } from "../../provider/run/run";
import { urnOf as urnOfKind } from "../support/providerCalls";
import { response, silence } from "../support/replies";
import { newRun as runOffline, settingsOf } from "../support/session";
import { onStack, single } from "./groupSupport";

const urnOf = (name: string) => urnOfKind("numberAssignment", name);
const [N1, N2, N3] = ["+15551230001", "+15551230002", "+15551230003"] as const;
const mayHave = { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: "https://hooks.invalid/in" };
const routing = { inboundAgents: { agent_b: 100 } };
const platform = { endpoint: "https://platform.example" };
/**
 * Returns a run without an engine.
 * @param hasFailed returns whether the program's process has marked the run as failed
 */
const newRun = (hasFailed = () => false) =>
  new Run(settingsOf({ baseUrl: platform.endpoint }), { ...systemWorld, marks: { ...systemWorld.marks, hasFailed } });
/**
 * Declares numbers for a resource, as the provider's check does. If another resource declared one of the numbers first,
 * returns that resource's entry.
 */
const declare = (run: Run, numbers: readonly string[], name = "one", more: Routing = {}) => {
  const declares = { numbers, routing: { ...routing, ...more } };
  const taken = run.declaredElsewhere(urnOf(name), declares);
  run.noteDeclared(urnOf(name), declares);
  return taken;
};
const confirm = (run: Run, number: string, more: Routing = {}) => run.noteAssigned(number, more, "sent");
const releaseOf = (run: Run, number: string, had: Routing = mayHave) =>
  release({ number, ...had, ...platform }, undefined, run.ledger, () => run.hasFailed()).get(number);

/**
 * Returns the action that a delete would take on a number. Instead of `wait`, returns the reason for it:
 * - `failed`: something failed in this run.
 * - `unconfirmed`: the resource that now declares the number hasn't assigned it yet.
 */
const released = (run: Run, number: string, had?: Routing) => {
  const decision = releaseOf(run, number, had);
  if (decision?.action !== "wait") {
    return decision?.action;
  }
  return decision.owner === undefined ? "failed" : "unconfirmed";
};

/** Returns a group with these numbers and the ID `group-1`, as it is passed to `noteDiff`. */
const groupWith = (numbers: readonly string[]) => ({
  id: "group-1",
  olds: undefined,
  news: { numbers: numbers.map((number) => `${number}\n`).join("") },
});

describe("a delete", () => {
  it("unassigns a deleted number that no other resource declares", () => {
    const run = newRun();
    declare(run, [N1]);
    assert.equal(released(run, N2), "clear");
  });

  it("skips a deleted number that has no assigned fields", () => assert.equal(released(newRun(), N2, {}), "nothing"));

  it("waits until the resource that now declares a number has assigned it", () => {
    const run = newRun();
    declare(run, [N1]);
    assert.deepEqual(releaseOf(run, N1), { action: "wait", owner: urnOf("one") });
    confirm(run, N1);
    assert.equal(released(run, N1), "keep");
  });

  it("waits only for numbers that the new resource has yet to assign", () => {
    const run = newRun();
    declare(run, [N1, N2]);
    run.noteDiff(urnOf("one"), groupWith([N1, N2]), { replaces: [], assigns: [N1], clears: [] });
    assert.deepEqual([released(run, N1), released(run, N2)], ["unconfirmed", "keep"]);
  });

  it("does not clear a number that its new resource failed to assign", async () => {
    const offline = { openTransport: () => async () => silence("open", "ECONNRESET") };
    const run = runOffline(platform.endpoint, "an-access-token", { attempts: 1 }, offline);
    declare(run, [N1]);
    confirm(run, N1);
    await sendAll([{ number: N1, routing, mayHave: [] }], { label: "it", run, isRollback: false });
    assert.equal(released(run, N1), "unconfirmed");
  });

  it("does not clear a number that its new resource has assigned", async () => {
    const online = { openTransport: () => async () => response(200, '{"success":true}') };
    const run = runOffline(platform.endpoint, "an-access-token", { attempts: 1 }, online);
    declare(run, [N1]);
    await sendAll([{ number: N1, routing, mayHave: [] }], { label: "it", run, isRollback: false });
    assert.equal(released(run, N1, routing), "keep");
  });

  it("clears only fields that the number's new resource does not declare", () => {
    const run = newRun();
    declare(run, [N1]);
    confirm(run, N1);
    const { inboundWebhookUrl } = mayHave;
    const assignment = { number: N1, routing, mayHave: [{ inboundWebhookUrl }] };
    assert.deepEqual(releaseOf(run, N1), { action: "keep", assignment });
    assert.deepEqual(releaseOf(run, N1, routing), { action: "keep", assignment: undefined });
  });

  it("does not clear inbound agents even if the new resource declares none", () => {
    const run = newRun();
    run.noteDeclared(urnOf("without"), { numbers: [N3], routing: { outboundAgentId: "agent_o" } });
    confirm(run, N3);
    assert.deepEqual(releaseOf(run, N3, routing), { action: "keep", assignment: undefined });
  });

  const successors: readonly {
    readonly name: string;
    readonly olds: Routing;
    readonly cleared: Routing | undefined;
  }[] = [
    {
      name: "leaves clearing to the replacement if its saved state has the same fields",
      olds: mayHave,
      cleared: undefined,
    },
    {
      name: "clears a webhook that the replacement's saved state lacks",
      olds: routing,
      cleared: { inboundWebhookUrl: mayHave.inboundWebhookUrl },
    },
  ];
  for (const { name, olds, cleared } of successors) {
    it(name, () => {
      const run = newRun();
      declare(run, [N1]);
      confirm(run, N1);
      const group = (had: Routing) => ({ numbers: `${N1}\n`, ...had, ...platform });
      const successor = { id: "group-1", olds: group(olds), news: group(routing) };
      const assignment = cleared && { number: N1, routing, mayHave: [cleared] };
      const releases = release(group(mayHave), successor, run.ledger, () => run.hasFailed());
      assert.deepEqual([...releases], assignment ? [[N1, { action: "keep", assignment }]] : []);
    });
  }

  it("does not clear a number that the replacement adds in the same run", () => {
    const run = newRun();
    declare(run, [N1]);
    // An earlier run failed before it deleted the original group, which has N1. The replacement was saved without N1.
    // This run adds N1 to the replacement.
    const group = (number: string, had: Routing) => ({ numbers: `${number}\n`, ...had, ...platform });
    const successor = { id: "group-1", olds: group(N2, routing), news: group(N1, routing) };
    const releases = release(group(N1, routing), successor, run.ledger, () => run.hasFailed());
    assert.deepEqual([...releases], [[N1, { action: "wait", owner: urnOf("one") }]]);
  });

  it("does not clear a number after another resource failed", () => {
    const run = newRun();
    assert.equal(released(run, N1), "clear");
    run.noteFailed();
    assert.equal(released(run, N1), "failed");
  });

  it("does not clear a number after the program failed", () => {
    let callCount = 0;
    const run = newRun(() => {
      callCount += 1;
      return true;
    });
    assert.deepEqual([released(run, N1, {}), callCount], ["nothing", 0]);
    assert.deepEqual([released(run, N1), callCount], ["failed", 1]);
  });

  it("reports a create as pending until it starts", () => {
    const run = newRun();
    declare(run, [N1]);
    run.noteCreatePending(urnOf("one"));
    assert.equal(run.isMidRun(), true);
    run.noteCreating(urnOf("one"));
    assert.equal(run.isMidRun(), false);
  });

  it("does not wait for a pending create after a failure", () => {
    const run = newRun();
    run.noteCreatePending(urnOf("two"));
    run.noteFailed();
    assert.equal(run.isMidRun(), false);
  });

  it("does not count a number as lost if it moves to another resource", () => {
    const run = newRun();
    declare(run, [N1]);
    const clears = [N2, N3].map((number) => ({ number, place: platform }));
    run.noteDiff(urnOf("one"), groupWith([N1]), { replaces: ["numbers"], assigns: [], clears });
    declare(run, [N3], "other");
    assert.equal(run.noteLosses(), 1);
  });

  it("counts a lost number only once if two resources lose it", () => {
    const run = newRun();
    for (const workspaceId of [1, 2]) {
      run.noteLost([N1, "4001"].map((number) => ({ number, place: { ...platform, workspaceId } })));
    }
    // The same extension in another workspace is a different number.
    assert.equal(run.noteLosses(), 3);
  });

  it("counts a lost extension once per workspace", () => {
    const [unnamed, first, second] = [platform, { ...platform, workspaceId: 1 }, { ...platform, workspaceId: 2 }];
    for (const places of [
      [unnamed, first, second],
      [first, unnamed, second],
      [first, second, unnamed],
    ]) {
      const run = newRun();
      for (const place of places) {
        run.noteLost([{ number: "4001", place }]);
      }
      assert.equal(run.noteLosses(), 2);
    }
  });

  it("does not end a chat that another resource adopts", () => {
    const run = newRun();
    const adopts = postedKey("chat", "chat_1");
    run.noteDeclared(urnOf("one"), { adopts });
    assert.equal(run.declaredElsewhere(urnOf("two"), { adopts }), undefined);
    run.noteDeclared(urnOf("two"), { adopts });
    assert.deepEqual(
      ["chat_1", "chat_2"].map((id) => run.isPostKept(POSTED.SmsChat, id)),
      [true, false],
    );
  });
});

describe("number ownership", () => {
  it("finds the resource that already declares a number", () => {
    const run = newRun();
    assert.equal(declare(run, [N1], "one"), undefined);
    assert.equal(declare(run, [N3], "Zürich"), undefined);
    const taken = declare(run, [N2, N3], "Wien");
    assert.deepEqual([taken?.number, taken?.owner], [N3, urnOf("Zürich")]);
  });

  it("accepts a number that the same resource declares twice", () => {
    const run = newRun();
    declare(run, [N3]);
    assert.equal(declare(run, [N3]), undefined);
    assert.equal(run.ledger.size, 1);
  });

  const firstWorkspace = { workspaceId: 1 };
  const rows: readonly {
    readonly name: string;
    readonly number: string;
    readonly before: Routing;
    readonly after: Routing;
    readonly isSame: boolean;
  }[] = [
    {
      name: "allows the same extension in two workspaces",
      number: "4001",
      before: firstWorkspace,
      after: { workspaceId: 2 },
      isSame: false,
    },
    {
      name: "allows the same extension in two accounts",
      number: "4001",
      before: { accountSid: "a" },
      after: { accountSid: "b" },
      isSame: false,
    },
    {
      name: "rejects a duplicate extension if one resource names no workspace",
      number: "4001",
      before: firstWorkspace,
      after: {},
      isSame: true,
    },
    {
      name: "rejects the same number in two workspaces",
      number: N1,
      before: firstWorkspace,
      after: { workspaceId: 2 },
      isSame: true,
    },
  ];
  for (const { name, number, before, after, isSame } of rows) {
    it(name, () => {
      const run = newRun();
      declare(run, [number], "first", before);
      const taken = declare(run, [number], "second", after);
      assert.equal(taken?.owner, isSame ? urnOf("first") : undefined);
    });
  }

  it("clears an extension even if another workspace declares the same one", () => {
    const run = newRun();
    declare(run, ["4001"], "second", { workspaceId: 2 });
    confirm(run, "4001", { workspaceId: 2 });
    const routingIn = (workspaceId?: number): Routing => ({ ...routing, workspaceId });
    const expected = {
      action: "clear",
      assignment: { number: "4001", routing: { workspaceId: 1 }, mayHave: [routingIn(1)] },
    };
    assert.deepEqual(releaseOf(run, "4001", routingIn(1)), expected);
    assert.deepEqual([released(run, "4001", routingIn(2)), released(run, "4001", routingIn())], ["keep", "keep"]);
  });

  it("ignores an extension's confirmation from another workspace", () => {
    const run = newRun();
    declare(run, ["4001"], "third", { workspaceId: 3 });
    confirm(run, "4001", { workspaceId: 2 });
    assert.equal(released(run, "4001", { ...routing, workspaceId: 3 }), "unconfirmed");
  });
});

describe("an extension in two workspaces", () => {
  it("clears an extension only in the deleted resource's workspace", () =>
    onStack({}, async (stack) => {
      const extension = (workspaceId: number | undefined, name: string) => single("4001", { workspaceId }, name);
      assert.deepEqual((await stack.up([extension(1, "one"), extension(2, "two")])).failures, []);
      const bodies = stack.bodies() as { workspaceId?: number; inboundAgents: unknown }[];
      assert.deepEqual(bodies.map((body) => body.workspaceId).sort(), [1, 2]);
      assert.deepEqual((await stack.up([extension(2, "two")])).failures, []);
      assert.deepEqual(stack.bodies(), [{ workspaceId: 1, inboundAgents: [] }]);
      const [refused] = (await stack.up([extension(2, "two"), extension(undefined, "any")])).failures;
      assert.match(refused?.message ?? "", /^AGP-003 NumberAssignment "any" \(4001\): /);
      assert.deepEqual(stack.bodies(), []);
    }));
});

describe("a failed takeover", () => {
  it("reports which resource failed to take over the number", () =>
    onStack({}, async ({ up, emulator }) => {
      await up([single(N1, {}, "holder")]);
      emulator.inject({ kind: "status", status: 400, body: { error: "not today" } });
      const { failures } = await up([single(N1, {}, "taker")], { continueOnError: true });
      assert.match(
        failures[1]?.message ?? "",
        new RegExp(`^AGP-074 NumberAssignment "holder" \\(\\${N1}\\): .*"taker"`),
      );
    }));
});
