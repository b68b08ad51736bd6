import assert from "node:assert/strict";
import type { dynamic } from "@pulumi/pulumi";
import type { Emulator } from "../../emulator";
import { POSTED_KINDS, postedAs } from "../../provider/core/platform/posted";
import { dynamicHandler } from "../../provider/pulumi/dynamicHandler";
import { communityVoice } from "../../provider/resources/communityVoice";
import { type Lifecycle, SavedError } from "../../provider/resources/lifecycle";
import { LIFECYCLES } from "../../provider/resources/lifecycles";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { smsChat } from "../../provider/resources/smsChat";
import { emulatorForEach } from "../client/support";
import { POSTED_INPUTS } from "../resources/inputs";
import { rejectionOf } from "../support/rejected";
import { newRun } from "../support/session";

/** What is saved of an unknown outcome, and what that keeps from being sent again. */

const place = (emulator: Emulator) => ({ endpoint: emulator.url });
const voice = { workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", voiceName: "Nova", publicUserId: "u" };
const chat = { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550000001", toNumber: "+15550009999" };

async function savedBy(work: Promise<unknown>): Promise<SavedError> {
  const error = await rejectionOf(work);
  assert.ok(error instanceof SavedError, String(error));
  return error;
}

describe("an unknown outcome", () => {
  const start = emulatorForEach();

  for (const kind of POSTED_KINDS) {
    const lifecycle = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
    const inputs = POSTED_INPUTS[kind];
    const { foundBy, maybe } = postedAs(kind);

    it(`of a ${kind} is saved, and neither an update, nor a delete, nor an adoption sends anything`, async () => {
      const emulator = await start();
      const run = newRun(emulator.url, emulator.token);
      emulator.inject({ kind: "resetAfterRequest", applied: true });
      const { id, state, code } = await savedBy(lifecycle.create(inputs, run));
      assert.equal(code, maybe.code);
      assert.match(id, /^unresolved-/);
      assert.deepEqual(state, { ...inputs, ...place(emulator), unresolved: true });
      const edited = { ...inputs, [foundBy]: "another" };
      assert.deepEqual(lifecycle.diff(id, state, edited, run.settings).replaces, []);
      assert.deepEqual(await lifecycle.update(id, state, edited, run), state);
      await lifecycle.delete(id, state, run);
      const adopted = await lifecycle.create({ ...inputs, adopt: "known-id" }, run);
      assert.equal(adopted.id, "known-id");
      assert.deepEqual(
        emulator.requests.map(({ applied }) => applied),
        [true],
      );
      assert.ok(
        run.warnings.every((text) => text.startsWith("AGP-041")),
        run.warnings.join("\n"),
      );
    });
  }

  it("of a number is saved as such, and so is an answer that differs: the same program sends it again", async () => {
    const emulator = await start();
    const run = { ...newRun(emulator.url, emulator.token, { attempts: 1 }), wait: async () => undefined };
    const inputs = { number: "4001", inboundAgents: { agent_a: 1 }, ...place(emulator) };
    emulator.inject({ kind: "resetAfterRequest" });
    const unknown = await savedBy(numberAssignment.create(inputs, run));
    const maybe = { inboundAgents: { agent_a: 1 } };
    assert.deepEqual(unknown.state, { ...inputs, unapplied: [{ numbers: "4001\n", reason: "unknown", maybe }] });
    emulator.inject({ kind: "contradict", record: { inbound_agents: [] }, times: 3 });
    const different = await savedBy(numberAssignment.create(inputs, run));
    // A split that is not shown may be there all the same.
    const { unapplied } = different.state as { unapplied?: unknown };
    assert.deepEqual(unapplied, [{ numbers: "4001\n", reason: "different", applied: maybe }]);
    for (const { state } of [unknown, different]) {
      const saved = numberAssignment.readState(state as Record<string, unknown>, "4001");
      assert.equal(numberAssignment.diff("4001", saved, inputs, run.settings).changes, true);
      const settled = await numberAssignment.update("4001", saved, inputs, run);
      assert.equal(settled.unapplied, undefined);
    }
  });

  it("reaches the engine with the provider's text, without which it could never be deleted", async () => {
    const emulator = await start();
    const handler = dynamicHandler(communityVoice) as Required<dynamic.ResourceProvider>;
    const config: Record<string, string> = {
      "agent-platform:baseUrl": emulator.url,
      "agent-platform:accessToken": emulator.token,
    };
    const get = (key: string) => config[key];
    void handler.configure({ config: { get, require: get } as dynamic.Config });
    emulator.inject({ kind: "resetAfterRequest", applied: true });
    const created = handler.create({ ...voice, __provider: "the provider's text" });
    const error = (await rejectionOf(created)) as Error & { id: string; properties: unknown; reasons: string[] };
    assert.match(error.id, /^unresolved-/);
    assert.deepEqual(error.properties, {
      ...voice,
      ...place(emulator),
      unresolved: true,
      __provider: "the provider's text",
    });
    assert.deepEqual(error.reasons, [error.message]);
  });

  it("leaves a chat alone that is known: an update is recorded and never sent", async () => {
    const emulator = await start();
    const run = newRun(emulator.url, emulator.token);
    const { id, state } = await smsChat.create(chat, run);
    const updated = await smsChat.update(id, state, { ...chat, metadata: { edited: true } }, run);
    assert.deepEqual(updated.metadata, { edited: true });
    assert.equal(emulator.requests.length, 1);
  });
});
