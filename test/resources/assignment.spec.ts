import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Emulator, type Profile, startEmulator } from "../../emulator";
import type { NumbersInputs } from "../../provider/core/routing/group";
import type { Session } from "../../provider/resources/lifecycle";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { newRun } from "../support/session";

const NUMBER = "+15551234567";
const TOKEN = "an-access-token";

describe("one number at the platform", () => {
  let emulator: Emulator;
  let session: Session;

  beforeEach(async () => {
    emulator = await startEmulator({ token: TOKEN });
    session = newRun(emulator.url, TOKEN);
  });
  afterEach(() => emulator.close());

  const inputs = (more: Partial<NumbersInputs> = {}): NumbersInputs => ({
    number: NUMBER,
    inboundAgents: { "agent_a@1": 1 },
    endpoint: emulator.url,
    ...more,
  });

  it("never loses its agents because a new name declares none", async () => {
    const old = await numberAssignment.create(inputs(), session);
    session.run.declare({ urn: "urn:new", keys: [NUMBER] });
    await numberAssignment.create({ number: NUMBER, outboundAgentId: "agent_o", endpoint: emulator.url }, session);
    emulator.clearRequests();
    await numberAssignment.delete(old.id, old.state, session);
    assert.deepEqual(emulator.requests, []);
  });

  /** Whether the answers show a clear or not: what was to go is gone. */
  const silent: [string, Partial<Profile>][] = [
    ["null clears and the answer has no body", { putStatus: 204, clears: "null" }],
    ["empty clears and unset fields are absent", { unsetFields: "absent", clears: "empty" }],
    ["only the assignment is answered, without the webhook", { records: "none", clears: "empty" }],
  ];
  for (const [name, profile] of silent) {
    it(`is cleared where ${name}`, async () => {
      emulator.setProfile(profile);
      const { id, state } = await numberAssignment.create(inputs({ inboundWebhookUrl: "https://h.example/" }), session);
      await numberAssignment.delete(id, state, newRun(emulator.url, TOKEN));
      assert.deepEqual(emulator.routing(NUMBER)?.inboundAgents, {});
      assert.equal(emulator.routing(NUMBER)?.inboundWebhookUrl, undefined);
    });
  }
});
