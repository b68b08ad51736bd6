import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../emulator";
import { UNKNOWN } from "../../provider/base/unknown";
import { type Handler, handlerFor } from "../../provider/engine/provider";
import { type EdgeSession, newSession, thisMachine } from "../../provider/engine/world";
import { numberAssignment, numberGroup } from "../../provider/numbers/lifecycle";
import { smsChat } from "../../provider/posts/kinds";
import { ResourceError } from "../../provider/run/errors";
import type { Lifecycle } from "../../provider/run/resource";
import { Memory } from "../../provider/run/run";
import { unknownProgram } from "../../provider/stack/messages";

import { urnOf } from "../support/providerCalls";
import { newRun, WITHOUT_ENGINE } from "../support/session";

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator();
});
afterEach(() => emulator.close());

/** A lifecycle as an edge calls it, in one run. */
const handlerOf = (lifecycle: unknown, session: EdgeSession): Handler =>
  handlerFor(lifecycle as Lifecycle<object, object>, () => session);

/** The inputs that a check returns. */
function checkedBy(handler: Handler, olds: object, args: object) {
  const found = handler.check({ ...olds }, { ...args });
  assert.ok("inputs" in found);
  return found.inputs;
}

/** A group as an edge is called for it. */
describe("a group's handler", () => {
  const newHandler = () => handlerOf(numberGroup, newRun(emulator.url, emulator.token));
  const of = (numbers: readonly string[]) => ({
    __urn: urnOf("numberGroup", "emea"),
    numbers,
    inboundAgents: [{ agentId: "agent_a", weight: 100 }],
  });
  const checked = (handler: Handler, olds: object, numbers: readonly string[]) => checkedBy(handler, olds, of(numbers));

  it("has the numbers of a replacement that it does not send, so that a delete of another resource clears none of them", async () => {
    const before = newHandler();
    const group = await before.create(checked(before, {}, ["4001", "4002"]));
    const handler = newHandler();
    handler.diff(group.id, { ...group.state }, checked(handler, group.state, ["4002"]));
    // The engine hands over what `ignoreChanges` has kept away from diff: no guard has judged that.
    const args = { ...of(["4002"]), inboundAgents: [{ agentId: "agent_ignored", weight: 100 }] };
    const inputs = checkedBy(handler, {}, args);
    assert.deepEqual(inputs.inboundAgents, { agent_a: 100 });
    await handler.create(inputs);
    // The original of another resource, left by a run that failed before its deletes.
    await handler.delete("group-other", { ...group.state, __urn: urnOf("numberGroup", "other"), numbers: "4002\n" });
    assert.deepEqual(emulator.routing("4002"), { inboundAgents: { agent_a: 100 } });
  });

  it("clears nothing in a run in which a check was refused: with an entry that is not valid, none of its numbers is declared", async () => {
    const before = newHandler();
    const group = await before.create(checked(before, {}, ["4001", "4002"]));
    const handler = newHandler();
    const renamed = { ...of(["4001", "4002", " "]), __urn: urnOf("numberGroup", "emea-new") };
    assert.ok("reasons" in handler.check({}, renamed));
    await assert.rejects(handler.delete(group.id, { ...group.state }), { code: "AGP-070" });
    assert.deepEqual(emulator.routing("4001"), { inboundAgents: { agent_a: 100 } });
  });
});

describe("a number's handler", () => {
  const line = { __urn: urnOf("numberAssignment", "line"), number: "4001", inboundAgents: { agent_a: 1 } };
  const handlerIn = (session: EdgeSession) => handlerOf(numberAssignment, session);

  it("says once before the first up of real numbers that their routing is overwritten, and nothing of an emulator's", () => {
    const said = (url: string, olds = {}) => {
      const session = newRun(url, "an-access-token");
      checkedBy(handlerIn(session), olds, line);
      return session.warnings;
    };
    const real = "https://platform.example";
    assert.deepEqual(said(real), [
      "AGP-072 New resources assign numbers, and the routing that these have today is overwritten. To keep it, record it first: `npx pulumi-agent-platform takeover --import` sends nothing (shown once per run).",
    ]);
    assert.deepEqual([said(emulator.url), said(real, { ...line, endpoint: real })], [[], []]);
  });

  it("hears in the first delete of a run that the program failed, although its process could mark that only a moment later", async () => {
    const before = handlerIn(newRun(emulator.url, emulator.token));
    const { id, state } = await before.create(checkedBy(before, {}, line));
    emulator.clearRequests();
    let isMarked = false;
    const wait = async () => {
      isMarked = true;
    };
    const run = new Memory(() => isMarked);
    const handler = handlerIn({ ...newRun(emulator.url, emulator.token), expectsProgramMark: true, wait, run });
    await assert.rejects(handler.delete(id, { ...state }), { message: /^AGP-074 / });
    assert.deepEqual(emulator.requests, []);
  });

  it("saves what is sent and goes on to send, but clears nothing, if the mark of a failed program cannot be read", async () => {
    const unreadable = () => {
      throw new ResourceError(unknownProgram("is missing", "the folder"));
    };
    const { settings } = newRun(emulator.url, emulator.token);
    const session = newSession(settings, WITHOUT_ENGINE, () => {}, {
      ...thisMachine,
      marksOf: () => ({ hasFailed: unreadable, markChecking() {}, isCheckedElsewhere: () => false }),
    });
    const handler = handlerIn(session);
    for (const number of ["4001", "4002"]) {
      const args = { ...line, __urn: urnOf("numberAssignment", number), number };
      const { id, state } = await handler.create(checkedBy(handler, {}, args));
      assert.deepEqual([id, emulator.routing(number)], [number, { inboundAgents: { agent_a: 1 } }]);
      // Of a number that the program no longer declares.
      await assert.rejects(handler.delete("4003", { ...state, number: "4003" }), { code: "AGP-076" });
    }
    assert.equal(emulator.requests.length, 2);
  });
});

describe("the session of a process", () => {
  const { settings } = newRun("http://127.0.0.1:9", "an-access-token");

  it("tells a warning once a run", () => {
    const told: string[] = [];
    const session = newSession(settings, WITHOUT_ENGINE, (text) => void told.push(text));
    for (const who of ["a", "a", "b"]) {
      session.warn({ code: "AGP-064", who, lines: ["told", "and why"], remedy: "Act." });
    }
    assert.deepEqual(
      told,
      ["a", "b"].map((who) => `AGP-064 ${who}: told\n  and why\n  Act.`),
    );
  });

  it("hears of an engine that reads no more", () => {
    newSession(settings, WITHOUT_ENGINE, () => {});
    // An error event without a listener is thrown.
    for (const stream of [process.stdout, process.stderr]) {
      assert.equal(stream.emit("error", new Error("write EPIPE")), true);
    }
  });
});

/** Two resources may have one chat: a rename by `adopt` whose first run broke off, or a second name that was tried and given up. */
describe("a chat's handler", () => {
  const chat = {
    workspaceId: 42,
    agentId: "chat_agent_1",
    fromNumber: "+15550000001",
    toNumber: "+15550000002",
    __urn: urnOf("smsChat", "welcome"),
  };
  function newHandler() {
    const session = newRun(emulator.url, emulator.token);
    return { ...handlerOf(smsChat, session), warnings: session.warnings };
  }
  async function started() {
    const handler = newHandler();
    return handler.create(checkedBy(handler, {}, chat));
  }
  const areEnded = () => emulator.chats.map(({ ended }) => ended);

  it("ends no chat that another resource has without adopt, and says so; that one's own delete ends it", async () => {
    const { id, state } = await started();
    const handler = newHandler();
    assert.deepEqual(handler.diff(id, { ...state }, checkedBy(handler, chat, chat)).replaces, []);
    await handler.delete(id, { ...state, adopt: id });
    assert.deepEqual(areEnded(), [false]);
    assert.deepEqual(handler.warnings, [
      `AGP-061 SmsChat "welcome": not ended: another resource of the program has chat "${id}". The chat continues. No action is needed: what the program still has stays as it is.`,
    ]);
    await newHandler().delete(id, { ...state });
    assert.deepEqual(areEnded(), [true]);
  });

  it("is replaced for a value that is not known yet in a preview, and in a run only once a check has the value", async () => {
    const { id, state } = await started();
    const later = { ...chat, fromNumber: UNKNOWN };
    const preview = newHandler();
    assert.deepEqual(preview.diff(id, { ...state }, checkedBy(preview, chat, later)).replaces, ["fromNumber"]);
    // With deleteBeforeReplace of what it depends on, the engine asks without a check, and would end the chat at once.
    const { changes, replaces } = newHandler().diff(id, { ...state }, later);
    assert.deepEqual([changes, replaces], [false, []]);
  });

  it("ends a chat that goes, although a number that stays has the same id", async () => {
    const { id, state } = await started();
    const session = newRun(emulator.url, emulator.token);
    const [ofChats, ofNumbers] = [handlerOf(smsChat, session), handlerOf(numberAssignment, session)];
    const line = { number: id, inboundAgents: { agent_a: 1 }, __urn: urnOf("numberAssignment", "line") };
    const { state: saved } = await ofNumbers.create(checkedBy(ofNumbers, {}, line));
    ofNumbers.diff(id, { ...saved }, checkedBy(ofNumbers, line, line));
    await ofChats.delete(id, { ...state });
    assert.deepEqual([areEnded(), session.warnings], [[true], []]);
  });

  it("ends a chat that goes, after a refresh, where it is replaced, and where an option of the engine replaces it unasked", async () => {
    const changed = { ...chat, sendKey: "2" };
    const recorded = { ...chat, metadata: { note: "x" } };
    for (const [news, replaces] of [
      [undefined, []],
      [changed, ["sendKey"]],
      [recorded, []],
    ] as const) {
      const { id, state } = await started();
      const handler = newHandler();
      handler.diff(id, { ...state }, chat);
      if (news !== undefined) {
        assert.deepEqual(handler.diff(id, { ...state }, checkedBy(handler, chat, news)).replaces, replaces);
        await handler.create(checkedBy(handler, {}, news));
      }
      await handler.delete(id, { ...state });
      assert.equal(emulator.chats.find(({ chatId }) => chatId === id)?.ended, true, JSON.stringify(news));
    }
    assert.equal(emulator.chats.length, 5);
  });
});
