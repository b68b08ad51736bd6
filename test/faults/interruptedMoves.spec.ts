import assert from "node:assert/strict";
import type { Declaration, Run, RunOptions } from "../support/miniEngine";
import { closeProviders, declare, type MiniStack, messagesOf, withMiniStack } from "../support/miniStack";
import type { Properties } from "../support/providerProcess";

/** A number passes from one resource to another, the run breaks off, and the program goes back. Found by the random chains. */
describe("a number that was on its way to another resource", () => {
  after(closeProviders);

  const Chat = { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550000100", toNumber: "+15550000101" };
  const number = "+15550000002";
  const agent = (agentId: string) => [{ agentId, weight: 100 }];
  const holder = declare("numberAssignment", { number, inboundAgents: agent("agent_a") }, "holder");
  const taker = declare(
    "numberAssignment",
    { number, inboundAgents: agent("agent_b"), inboundWebhookUrl: "https://hooks.invalid/in" },
    "taker",
  );
  const takingGroup = declare("numberGroup", { numbers: [number], inboundAgents: agent("agent_b") }, "taker");

  for (const [kind, other] of [
    ["an assignment", taker],
    ["a group", takingGroup],
  ] as const) {
    it(`is as its holder declares it again, after ${kind} had taken it in a run that failed`, () =>
      withMiniStack({}, async ({ up, engine, emulator }) => {
        await up([holder]);
        // Applied, and nobody knows: the run stops before the holder's delete.
        emulator.inject({ kind: "appliedBut500" });
        await up([other]);
        assert.deepEqual(
          engine.state.map(({ name }) => name),
          ["holder", "taker"],
        );
        // The program goes back: for the engine the holder is unchanged, and the leftover must not leave its agents behind.
        const back = await up([holder]);
        assert.deepEqual(back.failures, []);
        assert.deepEqual(back.steps, [
          { op: "same", name: "holder" },
          { op: "delete", name: "taker" },
        ]);
        assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 } });
        emulator.clearRequests();
        await up([holder]);
        assert.equal(emulator.requests.length, 0);
      }));
  }

  for (const [kind, other, told] of [
    ["an assignment", taker, /^AGP-033 NumberAssignment "\+15550000002": delete rejected: /],
    ["a group", takingGroup, /^AGP-070 NumberGroup "\+15550000002": /],
  ] as const) {
    it(`is not taken for gone by ${kind}, where the platform knew it a moment ago: what only that one bound is cleared by the next run`, () =>
      withMiniStack({}, async ({ up, emulator }) => {
        const withWebhook = { ...other.args, inboundWebhookUrl: "https://hooks.invalid/in" };
        await up([declare(other.kind, withWebhook, "taker")]);
        emulator.inject({ kind: "status", status: 404, after: 1, body: { error: "no such number" } });
        const { failures } = await up([holder]);
        assert.deepEqual(
          failures.map(({ name }) => name),
          ["taker"],
        );
        assert.match(failures[0]?.message ?? "", told);
        assert.deepEqual((await up([holder])).failures, []);
        assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 } });
      }));
  }

  it("is not let go in a run in which something failed: what the program declares behind it is not known", () =>
    withMiniStack({}, async ({ up, engine, emulator }) => {
      const other = declare("numberAssignment", { number: "+15550000009", inboundAgents: agent("agent_c") }, "other");
      const chat = declare("smsChat", { ...Chat }, "chat");
      await up([holder, chat]);
      emulator.inject({ kind: "status", status: 422, body: { error: "no" } });
      emulator.clearRequests();
      const failed = await up([other], { continueOnError: true });
      assert.deepEqual(
        failed.failures.map(({ name }) => name),
        ["other", "chat", "holder"],
      );
      assert.match(
        failed.failures[2]?.message ?? "",
        /^AGP-074 NumberAssignment "\+15550000002": Delete not sent: another resource failed in this run, so it is not known what the program declares\.\n/,
      );
      assert.deepEqual([emulator.requests.length, emulator.chats[0]?.ended], [1, false]);
      assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 } });
      // The next run, in which nothing fails, lets go of both.
      assert.deepEqual((await up([other], { continueOnError: true })).failures, []);
      assert.deepEqual([emulator.routing(number)?.inboundAgents, emulator.chats[0]?.ended], [{}, true]);
      assert.deepEqual(
        engine.state.map(({ name }) => name),
        ["other"],
      );
    }));

  /** Each provider has a process of its own: what one has bound, the other does not know. */
  describe("between two providers on one platform", () => {
    const webhook = "https://hooks.invalid/in";
    const from = declare(
      "numberAssignment",
      { number, inboundAgents: agent("agent_a"), inboundWebhookUrl: webhook },
      "from",
    );
    const to = {
      ...declare("numberAssignment", { number, inboundAgents: agent("agent_b") }, "to"),
      provider: "second",
    };
    const other = declare("numberAssignment", { number: "+15550000009", inboundAgents: agent("agent_c") }, "other");
    const takers = [
      ["an assignment", to],
      ["a group", { ...to, kind: "numberGroup", args: { numbers: [number], inboundAgents: agent("agent_b") } }],
    ] as const;
    const withTwo = (test: (stack: Two) => Promise<void>) =>
      withMiniStack({}, async (stack) => {
        const { engine, settings, emulator } = stack;
        const own = settings().default ?? {};
        const run = (config: Properties = {}) => ({
          configs: { default: own, second: { ...own, "agent-platform:providerName": "second", ...config } },
        });
        await test({
          ...stack,
          up: (program, options = {}) => engine.up(program, { ...run(), ...options }),
          frozen: (program) => engine.up(program, run({ "agent-platform:freeze": "a fair" })),
          bodies: () => {
            const bodies = emulator.requests.map(({ body }) => body);
            emulator.clearRequests();
            return bodies;
          },
        });
      });
    type Two = Pick<MiniStack, "engine" | "emulator" | "providers"> & {
      readonly up: (program: readonly Declaration[], options?: Partial<RunOptions>) => Promise<Run>;
      readonly frozen: (program: readonly Declaration[]) => Promise<Run>;
      readonly bodies: () => unknown[];
    };
    const wire = (agentId: string) => [{ agent_id: agentId, weight: 100 }];

    it("is as its holder declares it, after a group had taken it while it changed its provider, and the program went back", () =>
      withTwo(async ({ up, emulator, bodies }) => {
        const group = (numbers: readonly string[], agentId: string) =>
          declare("numberGroup", { numbers, inboundAgents: agent(agentId) }, "group");
        await up([from, group(["+15550000009"], "agent_a")]);
        emulator.inject({ kind: "status", status: 422, number: "+15550000009" });
        await up([{ ...group([number, "+15550000009"], "agent_b"), provider: "second" }]);
        assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_b: 100 });
        bodies();
        // To the group it is a number that leaves, to the engine its holder is unchanged.
        assert.deepEqual((await up([from, group(["+15550000009"], "agent_a")])).failures, []);
        assert.deepEqual(bodies(), [
          { inboundAgents: wire("agent_a") },
          { inboundAgents: wire("agent_a"), inboundWebhookUrl: webhook },
        ]);
        assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: webhook });
      }));

    for (const [kind, taker] of takers) {
      it(`is as its holder declares it, after ${kind} had taken it in a run that failed and the program went back`, () =>
        withTwo(async ({ up, emulator, bodies, engine }) => {
          await up([from]);
          // The run fails before its deletes; the number is with the taker by then.
          emulator.inject({ kind: "status", status: 422, number: "+15550000009" });
          const failed = await up([taker, { ...other, dependsOn: ["to"] }]);
          assert.deepEqual(
            failed.failures.map(({ name }) => name),
            ["other"],
          );
          assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_b: 100 });
          bodies();
          const back = await up([from]);
          assert.deepEqual(back.failures, []);
          assert.deepEqual(bodies(), [{ inboundAgents: wire("agent_a"), inboundWebhookUrl: webhook }]);
          assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: webhook });
          assert.deepEqual((await up([from])).steps, [{ op: "same", name: "from" }]);
          assert.deepEqual(bodies(), []);
          assert.deepEqual(
            engine.state.map(({ name }) => name),
            ["from"],
          );
        }));

      it(`is as ${kind} declares it, which took it in a run that failed and is finished by the next one`, () =>
        withTwo(async ({ up, emulator, bodies }) => {
          await up([from]);
          emulator.inject({ kind: "status", status: 422, number: "+15550000009" });
          await up([taker, { ...other, dependsOn: ["to"] }]);
          bodies();
          const done = await up([taker, { ...other, dependsOn: ["to"] }]);
          assert.deepEqual(done.failures, []);
          // Once more, for nobody knows which of the two came last, and without the webhook that only the old one bound.
          assert.deepEqual(bodies(), [
            { inboundAgents: wire("agent_c") },
            { inboundAgents: wire("agent_b"), inboundWebhookUrl: null },
          ]);
          assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_b: 100 } });
        }));

      it(`loses what only the old provider's resource bound, in one run that nothing disturbs, to ${kind}`, () =>
        withTwo(async ({ up, emulator, bodies }) => {
          await up([from]);
          bodies();
          assert.deepEqual((await up([taker])).failures, []);
          assert.deepEqual(bodies(), [
            { inboundAgents: wire("agent_b") },
            { inboundAgents: wire("agent_b"), inboundWebhookUrl: null },
          ]);
          assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_b: 100 } });
        }));
    }

    it("is not let go while the other provider could not assign it, and goes with the next run", () =>
      withTwo(async ({ up, emulator, engine }) => {
        await up([from]);
        emulator.inject({ kind: "status", status: 422 });
        const failed = await up([to], { continueOnError: true });
        assert.deepEqual(messagesOf(failed).at(-1)?.split("\n"), [
          'AGP-074 NumberAssignment "+15550000002": Delete not sent: another resource declares this number, but could not assign it in this run.',
          "  This resource stays in the state. Fix any other resource that failed, then rerun.",
        ]);
        assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: webhook });
        assert.deepEqual((await up([to])).failures, []);
        assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_b: 100 } });
        assert.deepEqual(
          engine.state.map(({ name }) => name),
          ["to"],
        );
      }));

    it("stays with both in the state where the other provider is frozen or its platform fails, and the run says so", () =>
      withTwo(async ({ up, frozen, emulator }) => {
        await up([from]);
        emulator.inject({ kind: "status", status: 422, number: "+15550000009" });
        await up([to, { ...other, dependsOn: ["to"] }]);
        const stopped = await frozen([to]);
        assert.deepEqual(messagesOf(stopped), [
          'AGP-074 NumberAssignment "+15550000002": Delete not sent: another resource declares this number, but agent-platform:freeze stops its provider.\n  This resource stays in the state. Fix any other resource that failed, then rerun.',
        ]);
        emulator.inject({ kind: "status", status: 503, number });
        const failed = await up([to]);
        assert.deepEqual(messagesOf(failed), [
          'AGP-074 NumberAssignment "+15550000002": Delete not sent: another resource declares this number, and sending its routing again failed: the platform returned 503 to PUT /api/numbers/{number}/agent: "injected 503".\n  This resource stays in the state. Fix any other resource that failed, then rerun.',
        ]);
        assert.deepEqual((await up([to])).failures, []);
        assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_b: 100 } });
      }));
  });

  it("loses what its group bound to it before it left, where the run failed and it joined again", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      const [one, two] = ["+15550000003", "+15550000004"];
      const group = (numbers: readonly string[], more: object = {}) =>
        declare("numberGroup", { numbers, inboundAgents: agent("agent_a"), ...more }, "group");
      const other = declare("numberAssignment", { number, inboundAgents: agent("agent_c") }, "other");
      const webhook = { inboundWebhookUrl: "https://hooks.invalid/in" };
      await up([group([one, two], webhook)]);
      emulator.inject({ kind: "status", status: 422, number });
      const failed = await up([group([one], webhook), other]);
      assert.deepEqual(
        failed.failures.map(({ name }) => name),
        ["other"],
      );
      // The original is still to be deleted: only it knows what stands at the number that left.
      assert.deepEqual((await up([group([one, two])])).failures, []);
      for (const member of [one, two]) {
        assert.deepEqual(emulator.routing(member), { inboundAgents: { agent_a: 100 } }, member);
      }
      emulator.clearRequests();
      assert.deepEqual((await up([group([one, two])])).steps, [{ op: "same", name: "group" }]);
      assert.equal(emulator.requests.length, 0);
    }));

  it("gets one PUT in a rename that nothing disturbs", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      await up([holder]);
      emulator.clearRequests();
      const renamed = await up([{ ...holder, name: "renamed" }]);
      assert.deepEqual(renamed.failures, []);
      assert.equal(emulator.requests.length, 1);
    }));
});
