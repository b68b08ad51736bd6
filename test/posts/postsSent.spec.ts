import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import type { Api } from "../../provider/api/exchange";
import { URN } from "../../provider/base/engine";
import { POSTED_KINDS, postedAs } from "../../provider/config/kinds";
import { CONTEXT_FIELDS } from "../../provider/config/settings";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import type { Lifecycle } from "../../provider/run/resource";
import { render, SavedError } from "../../provider/words/message";
import { need } from "../../tools/reference/declarations";
import { CALLS, emulatorForEach } from "../api/support";
import { camel, fieldsIn, interfaceSection, sectionOf } from "../docs/blocks";
import { codesOf, failureOf, headsOf, refusal, TOKEN } from "../support/failures";
import { LIFECYCLES } from "../support/lifecycles";
import { declare, withMiniStack } from "../support/miniStack";
import { CHAT, CONTEXT, chat, POSTED_ARGS, voice } from "../support/posts";
import { kindOf, urnOf } from "../support/providerCalls";
import { rejectionOf } from "../support/rejected";
import { checkRows } from "../support/rows";
import { newRun } from "../support/session";

/**
 * Tests the requests that are sent for voices and chats, and the state that is saved for them. Most tests call the
 * lifecycle directly. The others use the simulated engine.
 */

for (const kind of POSTED_KINDS) {
  const kindWithArticle = kind === "SmsChat" ? `an ${kind}` : `a ${kind}`;
  describe(`the lifecycle of ${kindWithArticle}`, () => {
    const start = emulatorForEach();
    const row = postedAs(kind);
    const inputs: Readonly<Record<string, unknown>> = { ...POSTED_ARGS[kind], [URN]: urnOf(kindOf(kind), "one") };
    const lifecycle = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;

    async function started() {
      const emulator = await start();
      return { emulator, run: newRun(emulator.url, emulator.token, CONTEXT) };
    }

    it(`sends exactly the documented fields to create a ${row.noun}`, async () => {
      const { emulator, run } = await started();
      const { state } = await lifecycle.create(inputs, run);
      const [{ operation, body } = assert.fail()] = emulator.requests;
      const section = sectionOf(CALLS[operation as keyof Api].operation) ?? assert.fail();
      const documented = fieldsIn(section);
      assert.deepEqual(Object.keys(body as object).sort(), [...documented].sort());
      const [created] = emulator[`${row.noun as "voice" | "chat"}s`];
      for (const name of documented.map(camel)) {
        assert.deepEqual(created?.[name], inputs[name], `${name} on the platform`);
      }
      const [response = ""] = /2\.\d/.exec(interfaceSection(section)) ?? [];
      // Arguments that are sent as headers are saved in the state, too, but they aren't outputs of the resource class.
      const expected = [URN, ...CONTEXT_FIELDS, ...need(kind).members.map(({ name }) => name)];
      const unexpected = [...Object.keys(state), ...fieldsIn(response).map(camel)].filter(
        (name) => !expected.includes(name),
      );
      assert.deepEqual(unexpected, []);
    });

    it(`requires the same ${row.noun} arguments as the platform`, async () => {
      const { emulator, run } = await started();
      await lifecycle.create(inputs, run);
      const { path = "", body = {} } = emulator.requests[0] ?? {};
      const headers = { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" };
      const required = need(`${kind}Args`).members.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
      for (const name of Object.keys(body as object)) {
        const incomplete = JSON.stringify({ ...(body as object), [name]: undefined });
        const { ok } = await fetch(`${emulator.url}${path}`, { method: "POST", headers, body: incomplete });
        // The platform requires a workspace, but the argument is optional because the settings can supply it.
        assert.equal(ok, name !== "workspaceId" && !required.includes(camel(name)), name);
      }
      const missing = Object.fromEntries(required.map((name) => [name, null]));
      const { failures } = lifecycle.check(undefined, { ...inputs, ...missing, workspaceId: null }, run.settings);
      assert.deepEqual(
        headsOf(failures.map(render)),
        required.map((name) => `AGP-001 ${name}`),
      );
    });

    it(`adopts an existing ${row.noun} without sending a request`, async () => {
      const { emulator, run } = await started();
      const { id, state } = await lifecycle.create({ ...inputs, adopt: "existing_1" }, run);
      assert.deepEqual(emulator.requests, []);
      assert.equal(id, "existing_1");
      assert.equal(Reflect.get(state, row.idName), "existing_1");
    });

    it(`does not record a rejected ${row.noun} in the state`, async () => {
      const { emulator, run } = await started();
      emulator.inject({ kind: "status", status: 403, body: { error: "another account" } });
      const failure = await failureOf(lifecycle.create(inputs, run));
      assert.equal(failure.code, "AGP-032");
      assert.equal(failure instanceof SavedError, false, "the failure saves a state");
      await lifecycle.create(inputs, run);
    });

    it(`saves an unresolved ${row.noun} and explains how to resolve it`, async () => {
      const { emulator, run } = await started();
      emulator.inject({ kind: "reset" });
      const failure = await failureOf(lifecycle.create(inputs, run), SavedError);
      assert.equal(failure.code, "AGP-041");
      assert.equal(fieldsOf(failure.state).unresolved, true, "`unresolved` in the state");
      for (const hint of [String(Reflect.get(inputs, row.foundBy)), "adopt:", `retryUnresolved: "${failure.id}"`]) {
        assert.ok(failure.message.includes(hint), `${hint} is missing from: ${failure.message}`);
      }
    });

    it(`does not resend an unresolved ${row.noun} even if an error hook retries it`, async () => {
      const { emulator, run } = await started();
      emulator.inject({ kind: "reset" });
      const first = await failureOf(lifecycle.create(inputs, run), SavedError);
      assert.equal(await rejectionOf(lifecycle.create(inputs, run)), first);
      assert.equal(await rejectionOf(lifecycle.update(first.id, first.state, inputs, run)), first);
      assert.equal(emulator.requests.length, 1);
    });

    it(`does not resend an unresolved ${row.noun} in a later run`, async () => {
      const { emulator, run } = await started();
      emulator.inject({ kind: "reset" });
      const first = await failureOf(lifecycle.create(inputs, run), SavedError);
      const laterRun = newRun(emulator.url, emulator.token, CONTEXT);
      assert.deepEqual(await lifecycle.update(first.id, first.state, inputs, laterRun), first.state);
      assert.equal(emulator.requests.length, 1);
    });

    it(`rejects a saved ${row.noun} with an empty endpoint or ${row.foundBy}`, () => {
      for (const field of [row.foundBy, "endpoint"]) {
        const saved = { ...inputs, endpoint: "https://platform.example", [field]: "" };
        assert.throws(() => lifecycle.readState(saved, "id"), { code: "AGP-080" });
      }
    });

    it(
      row.ends ? "ends the chat when its resource is deleted" : "does not send a request when a voice is deleted",
      async () => {
        const { emulator, run } = await started();
        const { id, state } = await lifecycle.create(inputs, run);
        await lifecycle.delete(id, lifecycle.readState({ ...state }, id), run);
        const sent = emulator.requests.slice(1).map(({ operation }) => operation);
        assert.deepEqual(sent, row.ends ? ["endChat"] : []);
      },
    );

    if (!row.ends) {
      return;
    }

    it(`rejects a ${row.noun} ID that is not valid in a URL path`, async () => {
      const { emulator, run } = await started();
      const id = "..";
      emulator.inject({ kind: "contradict", patch: { [row.idName]: id } });
      await failureOf(lifecycle.create(inputs, run), SavedError);
      const { failures } = lifecycle.check(undefined, { ...inputs, adopt: id }, run.settings);
      assert.deepEqual(headsOf(failures.map(render)), ["AGP-001 adopt"]);
    });
  });
}

let emulator: Emulator;

const run = () => newRun(emulator.url, TOKEN, { attempts: 1 });

/** Casts the state to a record so that tests can read the response's fields. */
const fieldsOf = (state: object) => state as Readonly<Record<string, unknown>>;

describe("the provider", () => {
  beforeEach(async () => {
    emulator = await startEmulator({ token: TOKEN });
  });
  afterEach(() => emulator.close());

  it("saves a voice's inputs and response fields in the state", async () => {
    emulator.inject({ kind: "contradict", patch: { tags: ["warm"], gender: null, accent: 7 } });
    const { id, state } = await communityVoice.create(voice, run());
    assert.equal(id, emulator.voices[0]?.voiceId);
    const { voiceId, voiceName, tags, endpoint } = fieldsOf(state);
    assert.deepEqual([voiceId, voiceName, tags, endpoint], [id, "Nova", ["warm"], emulator.url]);
    assert.ok(!("gender" in state) && !("accent" in state), "a null field or a field of the wrong type was saved");
  });

  it("warns that a deleted voice stays in the library", async () => {
    const { id, state } = await communityVoice.create(voice, run());
    const next = run();
    await communityVoice.delete(id, state, next);
    assert.deepEqual(codesOf(next.warnings), ["AGP-063"]);
    assert.equal(emulator.requests.length, 1);
  });

  it("does not suggest removing a voice that another resource adopts", async () => {
    const { id, state } = await communityVoice.create(voice, run());
    const next = run();
    next.noteDeclared("urn:other", communityVoice.check(undefined, { ...voice, adopt: id }, next.settings));
    await communityVoice.delete(id, state, next);
    assert.deepEqual(codesOf(next.warnings), ["AGP-061"]);
  });

  it("saves a chat's inputs and response fields in the state", async () => {
    emulator.inject({
      kind: "contradict",
      patch: { agentId: "chat_agent_other", version: "one", transcript: "hello" },
    });
    const { id, state } = await smsChat.create({ ...chat, metadata: { a: 1 } }, run());
    const { chatId, agentId, metadata, transcript } = fieldsOf(state);
    assert.deepEqual([chatId, agentId, metadata, transcript], [id, "chat_agent_a", { a: 1 }, "hello"]);
    assert.ok(!("version" in state), "a field of the wrong type was saved");
  });

  it("saves new chat metadata without sending a request", async () => {
    const { id, state } = await smsChat.create({ ...chat, metadata: { a: 1 } }, run());
    const updated = await smsChat.update(id, state, { ...chat, metadata: { a: 2 } }, run());
    assert.deepEqual([updated.metadata, fieldsOf(updated).chatId, emulator.requests.length], [{ a: 2 }, id, 1]);
  });

  it("saves a chat as unresolved after an unexpected error", async () => {
    const failing = async () => {
      throw new Error("not foreseen");
    };
    const offline = newRun("http://127.0.0.1:9", TOKEN, {}, { openTransport: () => failing });
    const { code, message, state } = await failureOf(smsChat.create(chat, offline), SavedError);
    assert.equal(code, "AGP-041");
    assert.equal(fieldsOf(state).unresolved, true, "`unresolved` in the state");
    assert.ok(message.includes("not foreseen"), message);
  });

  it("suggests the new base URL if a chat request is redirected", async () => {
    emulator.inject({ kind: "status", status: 302, headers: { location: "https://elsewhere.example/" } });
    const { code, message } = await failureOf(smsChat.create(chat, run()), SavedError);
    assert.equal(code, "AGP-041");
    assert.match(message, /agent-platform:baseUrl/);
    assert.ok(message.includes("https://elsewhere.example"), message);
  });

  it("does not print a chat's recipient once it is marked secret", () =>
    withMiniStack({}, async (stack) => {
      stack.emulator.inject({ kind: "reset" });
      await stack.up([declare("smsChat", CHAT)]);
      const hidden = declare("smsChat", { ...CHAT, secretArguments: ["toNumber"] });
      const runs = [await stack.preview([hidden]), await stack.up([hidden]), await stack.up([])];
      assert.deepEqual(
        runs.map(({ said }) => /AGP-04\d/.exec(said)?.[0]),
        ["AGP-041", "AGP-041", "AGP-041"],
      );
      assert.doesNotMatch(JSON.stringify(runs), new RegExp(CHAT.toNumber.slice(1)));
    }));

  it("resolves an unresolved chat with a single retry", () =>
    withMiniStack({}, async (stack) => {
      stack.emulator.inject({ kind: "reset" });
      await stack.up([declare("smsChat", CHAT)]);
      const retryUnresolved = stack.engine.state[0]?.id;
      const { failures, said } = await stack.up([declare("smsChat", { ...CHAT, retryUnresolved })]);
      assert.deepEqual([failures, said, stack.emulator.requests.length], [[], "", 2]);
    }));

  it("rejects a chat with both `adopt` and `retryUnresolved`", () => {
    const both = { ...chat, adopt: "chat_1", retryUnresolved: "unresolved-1" };
    assert.deepEqual(
      smsChat.check(undefined, both, run().settings).failures.map(({ code }) => code),
      ["AGP-001"],
    );
  });

  it("ends a chat with a single request", async () => {
    const { id, state } = await smsChat.create(chat, run());
    await smsChat.delete(id, state, run());
    assert.deepEqual([emulator.requests.length, emulator.chats[0]?.ended], [2, true]);
  });

  it("reports AGP-043 if the outcome of ending a chat is unknown", async () => {
    const { id, state } = await smsChat.create(chat, run());
    emulator.inject({ kind: "reset", applied: false });
    const { code, message } = await failureOf(smsChat.delete(id, state, run()));
    assert.equal(code, "AGP-043");
    assert.ok(message.includes(id), message);
  });

  it("reports AGP-032 if the platform forbids ending a chat", async () => {
    const { id, state } = await smsChat.create(chat, run());
    emulator.inject(refusal(403));
    assert.equal((await failureOf(smsChat.delete(id, state, run()))).code, "AGP-032");
  });

  it("retries a failed request to end a chat in the next run", () =>
    withMiniStack({}, async (stack) => {
      await stack.up([declare("smsChat", CHAT)]);
      stack.emulator.inject({ kind: "status", status: 200, body: { success: false, error: "busy" } });
      assert.equal((await stack.destroy()).failures.length, 1);
      assert.equal(stack.engine.state.length, 1);
      assert.deepEqual((await stack.destroy()).failures, []);
      assert.deepEqual([stack.engine.state.length, stack.emulator.requests.length], [0, 3]);
    }));

  it("warns if ending a chat returns a 404, 409 or 410", () =>
    checkRows([404, 409, 410], String, async (status) => {
      emulator.clearFaults();
      const { id, state } = await smsChat.create(chat, run());
      emulator.inject(refusal(status));
      const next = run();
      await smsChat.delete(id, state, next);
      assert.deepEqual(codesOf(next.warnings), ["AGP-061"]);
      assert.ok(next.warnings[0]?.includes(id), next.warnings[0]);
    }));

  it("does not end a removed chat if another resource fails", () =>
    withMiniStack({}, async (stack) => {
      const number = (agentId: string) =>
        declare("numberAssignment", { number: "4001", inboundAgents: [{ agentId, weight: 1 }] }, "number");
      await stack.up([number("agent_a"), declare("smsChat", CHAT)]);
      stack.emulator.inject({ kind: "status", status: 422, operation: "assignNumber" });
      const { failures } = await stack.up([number("agent_b")], { continueOnError: true });
      assert.deepEqual(codesOf(failures.map(({ message }) => message)), ["AGP-030", "AGP-074"]);
      assert.equal(stack.emulator.chats[0]?.ended, false);
    }));

  it("does not end a chat whose replacement has the same ID", () =>
    withMiniStack({}, async (stack) => {
      await stack.up([declare("smsChat", CHAT)]);
      const [before] = stack.engine.state;
      stack.emulator.inject({ kind: "contradict", patch: { chatId: before?.id } });
      const { failures, steps } = await stack.up([declare("smsChat", { ...CHAT, sendKey: "again" })]);
      assert.deepEqual([failures, steps.map(({ op }) => op)], [[], ["createReplacement", "deleteReplaced"]]);
      assert.deepEqual([stack.engine.state[0]?.id, stack.emulator.requests.length], [before?.id, 2]);
    }));
});
