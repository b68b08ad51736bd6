import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../emulator";
import { UNKNOWN } from "../../provider/base/engine";
import { unknownProgram } from "../../provider/engine/messages";
import { dynamicProvider } from "../../provider/engine/provider";
import { openRun, systemWorld } from "../../provider/engine/world";
import { numberAssignment, numberGroup } from "../../provider/numbers/lifecycle";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import type { Lifecycle } from "../../provider/run/resource";
import type { Run } from "../../provider/run/run";
import { ResourceError } from "../../provider/words/message";
import { codesOf } from "../support/failures";
import { namedIn } from "../support/named";
import { CONTEXT, POSTED_ARGS } from "../support/posts";
import { kindOf, urnOf } from "../support/providerCalls";
import type { DynamicProvider } from "../support/providers";
import { newRun } from "../support/session";

let emulator: Emulator;

/** Returns a provider for one kind of resource. All of its calls belong to the given run. */
const handlerOf = (lifecycle: unknown, run: Run): DynamicProvider =>
  dynamicProvider(lifecycle as Lifecycle<object, object>, () => run);

/** Runs a check that must succeed, and returns the checked inputs. */
async function checkedBy(handler: DynamicProvider, olds: object, args: object) {
  const { inputs, failures } = await handler.check({ ...olds }, { ...args });
  assert.equal(failures, undefined);
  return inputs;
}

describe("the handler", () => {
  beforeEach(async () => {
    emulator = await startEmulator();
  });
  afterEach(() => emulator.close());

  describe("of a group", () => {
    const newHandler = () => handlerOf(numberGroup, newRun(emulator.url, emulator.token));
    const argsFor = (numbers: readonly string[]) => ({
      __urn: urnOf("numberGroup", "emea"),
      numbers,
      inboundAgents: [{ agentId: "agent_a", weight: 100 }],
    });
    const checked = (handler: DynamicProvider, olds: object, numbers: readonly string[]) =>
      checkedBy(handler, olds, argsFor(numbers));

    it("does not unassign a number that a replacement group still declares", async () => {
      const before = newHandler();
      const group = await before.create(await checked(before, {}, ["4001", "4002"]));
      const handler = newHandler();
      await handler.diff(group.id, { ...group.outs }, await checked(handler, group.outs, ["4002"]));
      // The engine now passes the program's own arguments, including values that `ignoreChanges` hid from diff and that
      // no guard has checked.
      const args = { ...argsFor(["4002"]), inboundAgents: [{ agentId: "agent_ignored", weight: 100 }] };
      const inputs = await checkedBy(handler, {}, args);
      assert.deepEqual(inputs.inboundAgents, { agent_a: 100 });
      await handler.create(inputs);
      // An earlier run replaced another group, but failed before it deleted the original. Delete that original now.
      await handler.delete("group-other", { ...group.outs, __urn: urnOf("numberGroup", "other"), numbers: "4002\n" });
      assert.deepEqual(emulator.routing("4002"), { inboundAgents: { agent_a: 100 } });
    });

    it("refuses to delete a group before its replacement is created", async () => {
      const before = newHandler();
      const group = await before.create(await checked(before, {}, ["4001", "4002"]));
      const handler = newHandler();
      await handler.diff(group.id, { ...group.outs }, await checked(handler, group.outs, ["4002"]));
      await checked(handler, {}, ["4002"]);
      emulator.clearRequests();
      await assert.rejects(handler.delete(group.id, { ...group.outs }), { code: "AGP-075" });
      assert.deepEqual(emulator.requests, []);
    });

    it("refuses to delete a group if another provider process ran checks", async () => {
      const before = newHandler();
      const group = await before.create(await checked(before, {}, ["4001"]));
      emulator.clearRequests();
      const marks = { ...systemWorld.marks, isCheckedElsewhere: () => true };
      const handler = handlerOf(numberGroup, newRun(emulator.url, emulator.token, {}, { marks }));
      await assert.rejects(handler.delete(group.id, { ...group.outs }), { code: "AGP-074" });
      assert.deepEqual(emulator.requests, []);
    });

    it("refuses to delete a group if another resource in the program is invalid", async () => {
      const before = newHandler();
      const group = await before.create(await checked(before, {}, ["4001", "4002"]));
      const handler = newHandler();
      const renamed = { ...argsFor(["4001", "4002", " "]), __urn: urnOf("numberGroup", "emea-new") };
      assert.notEqual((await handler.check({}, renamed)).failures, undefined, "the check fails");
      await assert.rejects(handler.delete(group.id, { ...group.outs }), { code: "AGP-070" });
      assert.deepEqual(emulator.routing("4001"), { inboundAgents: { agent_a: 100 } });
    });
  });

  describe("of a number", () => {
    const line = { __urn: urnOf("numberAssignment", "line"), number: "4001", inboundAgents: { agent_a: 1 } };
    const handlerIn = (run: Run) => handlerOf(numberAssignment, run);

    it("warns before the first assignment on a real platform", async () => {
      const warningsFor = async (url: string, olds = {}) => {
        const run = newRun(url, "an-access-token");
        await checkedBy(handlerIn(run), olds, line);
        return run.warnings;
      };
      const real = "https://platform.example";
      assert.deepEqual(codesOf(await warningsFor(real)), ["AGP-072"]);
      assert.deepEqual(
        [await warningsFor(emulator.url), await warningsFor(real, { ...line, endpoint: real })],
        [[], []],
      );
    });

    it("does not print the first-assignment warning for an invalid number", async () => {
      const run = newRun("https://platform.example", "an-access-token");
      const { failures } = await handlerIn(run).check({}, { ...line, number: " " });
      assert.equal(failures?.length, 1);
      assert.deepEqual(codesOf(run.warnings), []);
    });

    it("enforces a freeze on an update but not on a refresh", async () => {
      const before = handlerIn(newRun(emulator.url, emulator.token));
      const { id, outs: state } = await before.create(await checkedBy(before, {}, line));
      const handler = handlerIn(newRun(emulator.url, emulator.token, { freeze: "audit" }));
      const changed = { ...line, inboundAgents: { agent_b: 1 } };
      assert.equal((await handler.diff(id, { ...state }, changed)).changes, true);
      const inputs = await checkedBy(handler, state, changed);
      await assert.rejects(handler.diff(id, { ...state }, inputs), { code: "AGP-025" });
    });

    it("refuses to unassign a number if the program fails during the delete", async () => {
      const before = handlerIn(newRun(emulator.url, emulator.token));
      const { id, outs: state } = await before.create(await checkedBy(before, {}, line));
      emulator.clearRequests();
      let isMarked = false;
      const delay = async () => {
        isMarked = true;
      };
      const clock = { ...systemWorld.clock, delay };
      const marks = { ...systemWorld.marks, isProgramWatched: true, hasFailed: () => isMarked };
      const handler = handlerIn(newRun(emulator.url, emulator.token, {}, { clock, marks }));
      await assert.rejects(handler.delete(id, { ...state }), { message: /^AGP-074 / });
      assert.deepEqual(emulator.requests, []);
    });

    it("refuses to unassign a number if program failures cannot be detected", async () => {
      const unreadable = () => {
        throw new ResourceError(unknownProgram("is missing", "the folder"));
      };
      const marks = { ...systemWorld.marks, hasFailed: unreadable };
      const handler = handlerIn(newRun(emulator.url, emulator.token, {}, { marks }));
      for (const number of ["4001", "4002"]) {
        const args = { ...line, __urn: urnOf("numberAssignment", number), number };
        const { id, outs: state } = await handler.create(await checkedBy(handler, {}, args));
        assert.deepEqual([id, emulator.routing(number)], [number, { inboundAgents: { agent_a: 1 } }]);
        // Delete a number that the program no longer declares.
        await assert.rejects(handler.delete("4003", { ...state, number: "4003" }), { code: "AGP-076" });
      }
      assert.equal(emulator.requests.length, 2);
    });
  });

  describe("of a resource without a URN", () => {
    const check = (lifecycle: unknown, args: object) =>
      handlerOf(lifecycle, newRun(emulator.url, emulator.token)).check({}, { ...args });

    // A transform in the program can remove the URN. Without URNs, the run couldn't tell two chats apart.
    it("rejects a chat without a URN", async () => {
      const { failures = [] } = await check(smsChat, POSTED_ARGS.SmsChat);
      assert.deepEqual(
        failures.map(({ property, reason }) => [property, namedIn(reason)]),
        [["", "AGP-001 SmsChat __urn"]],
      );
    });

    it("accepts a number without a URN, as in `pulumi import`", async () => {
      const checked = await check(numberAssignment, { number: "4001", inboundAgents: { agent_a: 1 } });
      assert.equal(checked.failures, undefined);
    });

    it("identifies a resource without a URN by its kind in errors", async () => {
      const handler = handlerOf(numberAssignment, newRun(emulator.url, emulator.token));
      const args = { number: "4001", inboundAgents: { agent_a: 1 } };
      await handler.check({}, { ...args });
      const { failures } = await handler.check({}, { ...args, __urn: urnOf("numberAssignment", "line") });
      assert.match(failures?.[0]?.reason ?? "", /^AGP-003 .*4001 .* NumberAssignment and NumberAssignment "line"\./);
    });
  });

  describe("of any resource", () => {
    const config: Readonly<Record<string, string>> = { baseUrl: "http://127.0.0.1:9", accessToken: "an-access-token" };

    it("prints identical warnings only once per run", () => {
      const run = newRun("http://127.0.0.1:9", "an-access-token");
      for (const label of ["a", "a", "b"]) {
        run.warn({ code: "AGP-061", label, lines: ["told", "and why"], remedy: "Act." });
      }
      assert.deepEqual(
        run.warnings,
        ["a", "b"].map((label) => `AGP-061 ${label}: told\n  and why\n  Act.`),
      );
    });

    it("uses the same run for every resource", () =>
      assert.equal(
        openRun((key) => config[key]),
        openRun((key) => config[key]),
      ));

    it("does not crash if the output pipe breaks", () => {
      openRun((key) => config[key]);
      // Without a listener, `emit` throws the error.
      for (const stream of [process.stdout, process.stderr]) {
        assert.equal(stream.emit("error", new Error("write EPIPE")), true);
      }
    });
  });

  describe("on a frozen stack", () => {
    const frozen = () => newRun(emulator.url, emulator.token, { ...CONTEXT, freeze: "audit" });
    const inboundAgents = { agent_a: 1 };
    for (const [lifecycle, kindArgs] of [
      [numberAssignment, { number: "4001", inboundAgents }],
      [numberGroup, { numbers: ["4001"], inboundAgents }],
      [communityVoice, POSTED_ARGS.CommunityVoice],
      [smsChat, POSTED_ARGS.SmsChat],
    ] as const) {
      const { kind } = lifecycle;
      const args = { ...kindArgs, __urn: urnOf(kindOf(kind), "one") };
      it(`refuses to create ${kind === "SmsChat" ? "an" : "a"} ${kind} during a freeze, even with \`--replace\``, async () => {
        const open = handlerOf(lifecycle, newRun(emulator.url, emulator.token, CONTEXT));
        const { id, outs: state } = await open.create(await checkedBy(open, {}, args));
        emulator.clearRequests();
        const refused = [`AGP-025 ${kind} "one"`];
        const creating = handlerOf(lifecycle, frozen());
        const refusalsOf = async (handler: DynamicProvider) =>
          (await handler.check({}, { ...args })).failures?.map(({ reason }) => reason.split(/:| \(/)[0]);
        assert.deepEqual(await refusalsOf(creating), refused);
        // With `--replace`, the engine replaces the resource even if diff finds no change. Before that, it calls check
        // again, as for a new resource.
        const forced = handlerOf(lifecycle, frozen());
        const { changes } = await forced.diff(id, { ...state }, await checkedBy(forced, state, args));
        assert.deepEqual([changes, await refusalsOf(forced), emulator.requests], [false, refused, []]);
      });
    }
  });

  describe("of a chat", () => {
    const chat = {
      workspaceId: 42,
      agentId: "chat_agent_1",
      fromNumber: "+15550000001",
      toNumber: "+15550000002",
      __urn: urnOf("smsChat", "welcome"),
    };
    function newHandler() {
      const run = newRun(emulator.url, emulator.token);
      return { ...handlerOf(smsChat, run), warnings: run.warnings };
    }
    async function started() {
      const handler = newHandler();
      return handler.create(await checkedBy(handler, {}, chat));
    }
    const areEnded = () => emulator.chats.map(({ ended }) => ended);

    it("warns instead of ending a chat that another resource manages", async () => {
      const { id, outs: state } = await started();
      const handler = newHandler();
      assert.deepEqual((await handler.diff(id, { ...state }, await checkedBy(handler, chat, chat))).replaces, []);
      // The state can contain two resources for a chat, for example if a run failed while it renamed one with `adopt`.
      await handler.delete(id, { ...state, adopt: id });
      assert.deepEqual(areEnded(), [false]);
      assert.deepEqual(codesOf(handler.warnings), ["AGP-061"]);
      await newHandler().delete(id, { ...state });
      assert.deepEqual(areEnded(), [true]);
    });

    it("plans to replace a chat with an unknown argument only after a check", async () => {
      const { id, outs: state } = await started();
      const later = { ...chat, fromNumber: UNKNOWN };
      const preview = newHandler();
      assert.deepEqual((await preview.diff(id, { ...state }, await checkedBy(preview, chat, later))).replaces, [
        "fromNumber",
      ]);
      // If the chat depends on a resource with `deleteBeforeReplace`, the engine calls diff without a check. A planned
      // replacement would then end the chat immediately.
      const { changes, replaces } = await newHandler().diff(id, { ...state }, later);
      assert.deepEqual([changes, replaces], [false, []]);
    });

    it("ends a chat even if a number has the same ID", async () => {
      const { id, outs: state } = await started();
      const run = newRun(emulator.url, emulator.token);
      const [ofChats, ofNumbers] = [handlerOf(smsChat, run), handlerOf(numberAssignment, run)];
      const line = { number: id, inboundAgents: { agent_a: 1 }, __urn: urnOf("numberAssignment", "line") };
      const { outs: saved } = await ofNumbers.create(await checkedBy(ofNumbers, {}, line));
      await ofNumbers.diff(id, { ...saved }, await checkedBy(ofNumbers, line, line));
      await ofChats.delete(id, { ...state });
      assert.deepEqual([areEnded(), run.warnings], [[true], []]);
    });

    it("ends a chat when it is removed or replaced", async () => {
      const changed = { ...chat, sendKey: "2" };
      const recorded = { ...chat, metadata: { note: "x" } };
      for (const [news, replaces] of [
        [undefined, []],
        [changed, ["sendKey"]],
        [recorded, []],
      ] as const) {
        const { id, outs: state } = await started();
        const handler = newHandler();
        await handler.diff(id, { ...state }, chat);
        if (news !== undefined) {
          assert.deepEqual(
            (await handler.diff(id, { ...state }, await checkedBy(handler, chat, news))).replaces,
            replaces,
          );
          await handler.create(await checkedBy(handler, {}, news));
        }
        await handler.delete(id, { ...state });
        assert.equal(emulator.chats.find(({ chatId }) => chatId === id)?.ended, true, JSON.stringify(news));
      }
      assert.equal(emulator.chats.length, 5);
    });
  });
});
