import assert from "node:assert/strict";
import type { Emulator } from "../../emulator";
import type { Plan } from "../../provider/core/change/plan";
import type { Routing } from "../../provider/core/routing/routing";
import { type Lifecycle, SavedError, type Session } from "../../provider/resources/lifecycle";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { numberGroup } from "../../provider/resources/numberGroup";
import { emulatorForEach } from "../client/support";
import { newRun } from "../support/session";

/** What is remembered of a number that was not applied, and what is cleared of it one day: no more, and no less, than is ours. */

const number = "+15551234567";
const numbers = Array.from({ length: 6 }, (_, index) => `+1555123000${index}`);
const live = { agent_live: 100 };
const split = [{ agentId: "agent_a", weight: 100 }];

const runOf = (emulator: Emulator) => ({
  ...newRun(emulator.url, emulator.token, { attempts: 1 }),
  wait: async () => undefined,
});

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

async function saved(work: Promise<unknown>): Promise<{ id: string; state: never; message: string }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SavedError, String(error));
  return { id: error.id, state: error.state as never, message: error.message };
}

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

describe("a number of a group that never got anything of it", () => {
  const start = emulatorForEach();

  it("keeps what it has when a group that was stopped at its first number is destroyed", async () => {
    const emulator = await start();
    await alive(emulator, numbers);
    const times = Number.POSITIVE_INFINITY;
    const rejected = emulator.inject({ kind: "status", status: 401, after: 1, times });
    const { id, state } = await saved(numberGroup.create(group(emulator, numbers), runOf(emulator)));
    rejected.remove();
    emulator.clearRequests();
    await numberGroup.delete(id, state, { ...runOf(emulator) }).catch(() => undefined);
    assert.deepEqual([...new Set(emulator.requests.map((request) => request.number))], numbers.slice(0, 1));
    assert.deepEqual(
      agentsOf(emulator, numbers.slice(1)),
      numbers.slice(1).map(() => live),
    );
  });

  it("keeps what it has when it was refused and then leaves, and is no reason to fail", async () => {
    const emulator = await start();
    const [first = "", refused = ""] = numbers;
    await alive(emulator, [first, refused]);
    const always = emulator.inject({ kind: "status", status: 409, number: refused, times: Number.POSITIVE_INFINITY });
    const { id, state } = await saved(numberGroup.create(group(emulator, [first, refused]), runOf(emulator)));
    assert.deepEqual((state as { unapplied: unknown }).unapplied, [{ numbers: `${refused}\n`, reason: "rejected" }]);
    emulator.clearRequests();
    const left = await numberGroup.update(id, state, group(emulator, [first]) as never, runOf(emulator));
    assert.deepEqual([emulator.requests.length, (left as { unapplied?: unknown }).unapplied], [0, undefined]);
    await numberGroup.delete(id, state, runOf(emulator));
    assert.deepEqual(agentsOf(emulator, [first, refused]), [{}, live]);
    always.remove();
  });

  it("keeps a webhook of its own when it joins in the change that takes the group's away", async () => {
    const emulator = await start();
    const [first = "", joining = ""] = numbers;
    const inboundWebhookUrl = "https://hooks.example.com/in";
    const { id, state } = await numberGroup.create(group(emulator, [first], { inboundWebhookUrl }), runOf(emulator));
    await alive(emulator, [joining]);
    await numberGroup.update(id, state, group(emulator, [first, joining]), runOf(emulator));
    assert.deepEqual(
      [first, joining].map((one) => emulator.routing(one)?.inboundWebhookUrl),
      [undefined, "https://live.example.com/in"],
    );
  });
});

describe("a number whose last outcome is not known", () => {
  const start = emulatorForEach();

  it("is cleared of the split that it may have, when the one before was empty", async () => {
    const emulator = await start();
    const { state } = await numberAssignment.create(single(emulator, { inboundAgents: [] }), runOf(emulator));
    emulator.inject({ kind: "resetInBody" });
    const unknown = await saved(
      numberAssignment.update(number, state, single(emulator, { inboundAgents: split }), runOf(emulator)),
    );
    assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_a: 100 });
    await numberAssignment.delete(number, unknown.state, runOf(emulator));
    assert.deepEqual(emulator.routing(number)?.inboundAgents, {});
  });

  it("is cleared of the split that was asked for, when the answer showed none yet", async () => {
    const emulator = await start();
    emulator.inject({ kind: "contradict", record: { inbound_agents: [] }, times: 3 });
    const different = await saved(numberAssignment.create(single(emulator, { inboundAgents: split }), runOf(emulator)));
    assert.match(different.message, /^AGP-050 /);
    await numberAssignment.delete(number, different.state, runOf(emulator));
    assert.deepEqual(emulator.routing(number)?.inboundAgents, {});
  });

  it("is cleared of both ways to pass a field through", async () => {
    const emulator = await start();
    const withExtra = (extraFields: object) => single(emulator, { inboundAgents: split, extraFields });
    const { state } = await numberAssignment.create(withExtra({ one: 1 }), runOf(emulator));
    emulator.inject({ kind: "resetInBody" });
    const unknown = await saved(numberAssignment.update(number, state, withExtra({ one: 1, two: 2 }), runOf(emulator)));
    emulator.clearRequests();
    await numberAssignment.update(number, unknown.state, withExtra({ one: 1 }), runOf(emulator));
    assert.deepEqual(
      emulator.requests.map(({ body }) => (body as { two?: unknown }).two),
      [null],
    );
  });

  it("takes nothing to another platform than what is declared there", async () => {
    const [here, there] = [await start(), await start()];
    const inboundWebhookUrl = "https://hooks.example.com/in";
    const { state } = await numberAssignment.create(
      single(here, { inboundAgents: split, inboundWebhookUrl }),
      runOf(here),
    );
    await alive(there, [number]);
    there.inject({ kind: "resetAfterRequest" });
    const declared = single(there, { inboundAgents: split });
    const unknown = await saved(numberAssignment.update(number, state, declared, runOf(there)));
    await numberAssignment.update(number, unknown.state, declared, runOf(there));
    assert.equal(there.routing(number)?.inboundWebhookUrl, "https://live.example.com/in");
  });
});

/** Another resource that is checked, and that diff finds as it was. */
function declareUnchanged({ run }: Session, keys: readonly string[], routing?: Routing): void {
  const urn = `urn:pulumi:dev::test::agent-platform:index:NumberAssignment::other ${keys.join()}`;
  run.declare({ urn, keys, routing });
  run.noteDiff(urn, { id: "other", olds: {}, news: {}, isJudged: false }, {
    replaces: [],
    binds: [],
  } as unknown as Plan);
}

describe("a number that the program declares under another name", () => {
  const start = emulatorForEach();

  it("keeps its agents where the new name is unchanged and manages none", async () => {
    const emulator = await start();
    const old = await numberAssignment.create(single(emulator, { inboundAgents: split }), runOf(emulator));
    const run = runOf(emulator);
    const args = { number, inboundWebhookUrl: "https://hooks.example.com/in" };
    const { declares, routing } = numberAssignment.check(undefined, args, run.settings);
    declareUnchanged(run, declares, routing);
    await numberAssignment.delete(number, old.state, run);
    assert.match(run.warnings.join(), /^AGP-061 .* the program now declares it elsewhere /);
    assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_a: 100 });
  });

  it("is not said to keep its agents before the request for that has worked, nor is a number of a group", async () => {
    const emulator = await start();
    const one = await numberAssignment.create(single(emulator, { inboundAgents: split }), runOf(emulator));
    const many = await numberGroup.create(group(emulator, numbers.slice(0, 1)), runOf(emulator));
    const run = runOf(emulator);
    const args = { number, inboundWebhookUrl: "https://hooks.example.com/in" };
    const { routing } = numberAssignment.check(undefined, args, run.settings);
    declareUnchanged(run, [number, ...numbers.slice(0, 1)], routing);
    emulator.inject({ kind: "status", status: 503, times: 2 });
    await assert.rejects(numberAssignment.delete(number, one.state, run), { code: "AGP-040" });
    await assert.rejects(numberGroup.delete(many.id, many.state, run), { code: "AGP-070" });
    assert.deepEqual(run.warnings, []);
  });
});

describe("a frozen stack", () => {
  const start = emulatorForEach();

  it("sends nothing for a number that the program declares under another name either", async () => {
    const emulator = await start();
    const one = await numberAssignment.create(single(emulator, { inboundAgents: split }), runOf(emulator));
    const many = await numberGroup.create(group(emulator, numbers.slice(0, 2)), runOf(emulator));
    emulator.clearRequests();
    const frozen = newRun(emulator.url, emulator.token, { freeze: "audit" });
    const args = { number, inboundWebhookUrl: "https://hooks.example.com/in" };
    const { routing = {} } = numberAssignment.check(undefined, args, frozen.settings);
    for (const declared of [number, ...numbers.slice(0, 2)]) {
      declareUnchanged(frozen, [declared], routing);
    }
    for (const deleting of [
      () => numberAssignment.delete(number, one.state, frozen),
      () => numberGroup.delete(many.id, many.state, frozen),
    ]) {
      const message = await deleting().then(
        () => "deleted",
        (error: Error) => error.message,
      );
      assert.match(message, /^AGP-025 /);
    }
    assert.deepEqual(emulator.requests, []);
  });
});

describe("a platform that refuses every word for none", () => {
  const start = emulatorForEach();

  it("is not taken to have cleared what it was not asked to clear", async () => {
    const emulator = await start();
    emulator.setProfile("putStatus=204");
    const { state } = await numberAssignment.create(single(emulator, { inboundAgents: split }), runOf(emulator));
    emulator.inject({ kind: "status", status: 400, body: { error: "a number must keep an agent" }, times: 2 });
    const message = await numberAssignment.delete(number, state, runOf(emulator)).then(
      () => "deleted",
      (error: Error) => error.message,
    );
    assert.match(message, /^AGP-0\d\d NumberAssignment .*delete: outcome unknown; .*a number must keep an agent/);
    assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_a: 100 });
  });
});
