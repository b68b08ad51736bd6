import assert from "node:assert/strict";
import type { Emulator } from "../../emulator";
import type { Lifecycle } from "../../provider/resources/lifecycle";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { numberGroup } from "../../provider/resources/numberGroup";
import { emulatorForEach } from "../client/support";
import { many, savedBy } from "../resources/groupSupport";
import { declare, withMiniStack } from "../support/miniStack";
import { newRun } from "../support/session";

/** What is remembered of a number that was not applied, and what is cleared of it one day: no more, and no less, than is ours. */

const number = "+15551234567";
const numbers = many(6);
const live = { agent_live: 100 };
const split = [{ agentId: "agent_a", weight: 100 }];

const runOf = (emulator: Emulator) => newRun(emulator.url, emulator.token, { attempts: 1 });

function checked<Inputs extends object>(lifecycle: Lifecycle<Inputs, never>, emulator: Emulator, args: object): Inputs {
  const { inputs, failures, violations } = lifecycle.check(undefined, { ...args }, runOf(emulator).settings);
  assert.deepEqual([failures, violations], [[], []]);
  return inputs;
}

const single = (emulator: Emulator, args: object) =>
  checked(numberAssignment as unknown as Lifecycle<never, never>, emulator, { number, ...args }) as never;
const group = (emulator: Emulator, all: readonly string[], args: object = {}) =>
  checked(numberGroup as unknown as Lifecycle<never, never>, emulator, {
    numbers: all,
    inboundAgents: split,
    ...args,
  }) as never;

/** Numbers that somebody else has assigned before. */
async function alive(emulator: Emulator, all: readonly string[]): Promise<void> {
  const client = runOf(emulator).client();
  for (const one of all) {
    await client.assignNumber({
      number: one,
      inboundAgents: [{ agentId: "agent_live", weight: 100 }],
      inboundWebhookUrl: "https://live.example.com/in",
    });
  }
  emulator.clearRequests();
}

const agentsOf = (emulator: Emulator, all: readonly string[]) => all.map((one) => emulator.routing(one)?.inboundAgents);

describe("a number that may not have what was sent", () => {
  const start = emulatorForEach();

  it("keeps what it has if a group that was stopped at its first number is destroyed", async () => {
    const emulator = await start();
    await alive(emulator, numbers);
    const times = Number.POSITIVE_INFINITY;
    const rejected = emulator.inject({ kind: "status", status: 401, after: 1, times });
    const { id, state } = await savedBy<never>(numberGroup.create(group(emulator, numbers), runOf(emulator)));
    rejected.remove();
    emulator.clearRequests();
    await numberGroup.delete(id, state, runOf(emulator)).catch(() => undefined);
    assert.deepEqual([...new Set(emulator.requests.map((request) => request.number))], numbers.slice(0, 1));
    assert.deepEqual(
      agentsOf(emulator, numbers.slice(1)),
      numbers.slice(1).map(() => live),
    );
  });

  it("keeps what it has if its group never assigned it and it leaves, and is no reason to fail", async () => {
    const emulator = await start();
    const [first = "", refused = ""] = numbers;
    await alive(emulator, [first, refused]);
    const always = emulator.inject({ kind: "status", status: 409, number: refused, times: Number.POSITIVE_INFINITY });
    const { id, state } = await savedBy<never>(numberGroup.create(group(emulator, [first, refused]), runOf(emulator)));
    assert.deepEqual((state as { unapplied: unknown }).unapplied, [{ numbers: `${refused}\n`, reason: "rejected" }]);
    emulator.clearRequests();
    const left = await numberGroup.update(id, state, group(emulator, [first]) as never, runOf(emulator));
    assert.deepEqual([emulator.requests.length, (left as { unapplied?: unknown }).unapplied], [0, undefined]);
    await numberGroup.delete(id, state, runOf(emulator));
    assert.deepEqual(agentsOf(emulator, [first, refused]), [{}, live]);
    always.remove();
  });

  it("is cleared of the split that it may have, if the one before was empty", async () => {
    const emulator = await start();
    const { state } = await numberAssignment.create(single(emulator, { inboundAgents: [] }), runOf(emulator));
    emulator.inject({ kind: "resetInBody" });
    const unknown = await savedBy<never>(
      numberAssignment.update(number, state, single(emulator, { inboundAgents: split }), runOf(emulator)),
    );
    assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_a: 100 });
    await numberAssignment.delete(number, unknown.state, runOf(emulator));
    assert.deepEqual(emulator.routing(number)?.inboundAgents, {});
  });

  it("is cleared of the split that was asked for, if the response showed none yet", async () => {
    const emulator = await start();
    emulator.inject({ kind: "contradict", record: { inbound_agents: [] }, times: 3 });
    const different = await savedBy<never>(
      numberAssignment.create(single(emulator, { inboundAgents: split }), runOf(emulator)),
    );
    assert.match(different.message, /^AGP-050 /);
    await numberAssignment.delete(number, different.state, runOf(emulator));
    assert.deepEqual(emulator.routing(number)?.inboundAgents, {});
  });

  it("does not count as cleared if the platform refuses every word for none, and takes a request without one", async () => {
    const emulator = await start();
    emulator.setProfile({ putStatus: 204 });
    const { state } = await numberAssignment.create(single(emulator, { inboundAgents: split }), runOf(emulator));
    emulator.inject({ kind: "status", status: 400, body: { error: "a number must keep an agent" }, times: 2 });
    await assert.rejects(numberAssignment.delete(number, state, runOf(emulator)), {
      message: /^AGP-0\d\d NumberAssignment .*: outcome unknown: cleared or not; .*a number must keep an agent/,
    });
    assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_a: 100 });
  });
});

/** Clearing takes several PUTs if a platform ignores the first ways of writing "none": one of them may fail. */
describe("a refusal after an earlier way of clearing was accepted", () => {
  const number = "+15550000001";
  const before = declare("numberAssignment", {
    number,
    inboundAgents: [{ agentId: "agent_a", weight: 100 }],
    inboundWebhookUrl: "https://hooks.invalid/in",
  });
  const after = declare("numberAssignment", { number, inboundAgents: [{ agentId: "agent_b", weight: 100 }] });

  it("does not say that the number keeps its routing, for the first PUT was applied", () =>
    withMiniStack({ profile: { clears: "empty" } }, async ({ up, engine, emulator }) => {
      await up([before]);
      emulator.inject({ kind: "status", status: 403, after: 1 });
      const failed = await up([after]);
      assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_b: 100 });
      assert.match(
        failed.failures[0]?.message ?? "",
        /^AGP-040 .*: outcome unknown: old or new routing; .* returned 403 /,
      );
      assert.deepEqual(engine.state[0]?.outputs.unapplied, [
        {
          numbers: `${number}\n`,
          reason: "unknown",
          applied: { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: "https://hooks.invalid/in" },
          maybe: [{ inboundAgents: { agent_b: 100 } }],
        },
      ]);
      // Back to the program of before: without the mark this would be no change, and agent_b would stay.
      assert.deepEqual((await up([before])).failures, []);
      assert.deepEqual(emulator.routing(number), {
        inboundAgents: { agent_a: 100 },
        inboundWebhookUrl: "https://hooks.invalid/in",
      });
    }));
});

/** An integer has no empty form: a platform that takes only empty forms keeps the version, and that must be said. */
describe("a version that is taken from an outbound agent", () => {
  const number = "+15550000001";
  const pinned = declare("numberAssignment", {
    number,
    inboundAgents: [],
    outboundAgentId: "agent_o",
    outboundAgentVersion: 3,
  });
  const unpinned = declare("numberAssignment", { number, inboundAgents: [], outboundAgentId: "agent_o" });

  it("is said if every way leaves it, and is no failure: the platform may show the version that it picks", () =>
    withMiniStack({ profile: { clears: "empty" } }, async ({ up, emulator }) => {
      await up([pinned]);
      const { failures, said } = await up([unpinned]);
      assert.deepEqual(failures, []);
      assert.equal(
        said,
        'warning: AGP-050 NumberAssignment "it" (+15550000001): the response differs from the request in outboundAgentVersion. It counts as applied. If that is not expected, check the number in the platform\'s web application.\n',
      );
      assert.equal(emulator.routing(number)?.outboundAgentVersion, 3);
      emulator.clearRequests();
      assert.deepEqual((await up([unpinned])).steps, [{ op: "same", name: "it" }]);
      assert.equal(emulator.requests.length, 0);
    }));
});
