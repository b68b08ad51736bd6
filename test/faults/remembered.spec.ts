import assert from "node:assert/strict";
import type { Emulator } from "../../emulator";
import { numberAssignment, numberGroup } from "../../provider/numbers/lifecycle";
import type { Lifecycle } from "../../provider/run/resource";
import { emulatorForEach } from "../api/support";
import { many, savedBy } from "../numbers/groupSupport";
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
  const client = runOf(emulator).api();
  for (const one of all) {
    const routing = { inboundAgents: { agent_live: 100 }, inboundWebhookUrl: "https://live.example.com/in" };
    await client.assignNumber({ number: one, routing, mayHave: {} });
  }
  emulator.clearRequests();
}

const agentsOf = (emulator: Emulator, all: readonly string[]) => all.map((one) => emulator.routing(one)?.inboundAgents);

describe("a number that may not have what was sent", () => {
  const start = emulatorForEach();

  it("keeps what it has if its group was stopped before it", async () => {
    const emulator = await start();
    await alive(emulator, numbers);
    const times = "always";
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

  it("keeps what it has if its group never assigned it", async () => {
    const emulator = await start();
    const [first = "", refused = ""] = numbers;
    await alive(emulator, [first, refused]);
    const always = emulator.inject({ kind: "status", status: 409, number: refused, times: "always" });
    const { id, state } = await savedBy<never>(numberGroup.create(group(emulator, [first, refused]), runOf(emulator)));
    assert.deepEqual((state as { unapplied: unknown }).unapplied, [{ numbers: `${refused}\n`, reason: "rejected" }]);
    emulator.clearRequests();
    const left = await numberGroup.update(id, state, group(emulator, [first]) as never, runOf(emulator));
    assert.deepEqual([emulator.requests.length, (left as { unapplied?: unknown }).unapplied], [0, undefined]);
    await numberGroup.delete(id, state, runOf(emulator));
    assert.deepEqual(agentsOf(emulator, [first, refused]), [{}, live]);
    always.remove();
  });

  it("is cleared of the split that it may have", async () => {
    const emulator = await start();
    const { state } = await numberAssignment.create(single(emulator, { inboundAgents: [] }), runOf(emulator));
    emulator.inject({ kind: "reset", inBody: true });
    const unknown = await savedBy<never>(
      numberAssignment.update(number, state, single(emulator, { inboundAgents: split }), runOf(emulator)),
    );
    assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_a: 100 });
    await numberAssignment.delete(number, unknown.state, runOf(emulator));
    assert.deepEqual(emulator.routing(number)?.inboundAgents, {});
  });

  it("is cleared of a split that no response showed yet", async () => {
    const emulator = await start();
    emulator.inject({ kind: "contradict", record: { inbound_agents: [] } });
    const different = await savedBy<never>(
      numberAssignment.create(single(emulator, { inboundAgents: split }), runOf(emulator)),
    );
    assert.match(different.message, /^AGP-050 /);
    await numberAssignment.delete(number, different.state, runOf(emulator));
    assert.deepEqual(emulator.routing(number)?.inboundAgents, {});
  });
});

describe("a version that is taken from an outbound agent", () => {
  const number = "+15550000001";
  const pinned = declare("numberAssignment", {
    number,
    inboundAgents: [],
    outboundAgentId: "agent_o",
    outboundAgentVersion: 3,
  });
  const unpinned = declare("numberAssignment", { number, inboundAgents: [], outboundAgentId: "agent_o" });

  it("is a warning if the platform keeps it", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      await up([pinned]);
      emulator.inject({ kind: "contradict", record: { outbound_agent_version: 3 } });
      const { failures, said } = await up([unpinned]);
      assert.deepEqual(failures, []);
      assert.equal(
        said,
        'warning: AGP-050 NumberAssignment "it" (+15550000001): the response differs from the request in outboundAgentVersion. It counts as applied. If that is not expected, check the number in the platform\'s web application.\n',
      );
      emulator.clearRequests();
      assert.deepEqual((await up([unpinned])).steps, [{ op: "same", name: "it" }]);
      assert.equal(emulator.requests.length, 0);
    }));
});
