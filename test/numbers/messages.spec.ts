import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import { smsChat } from "../../provider/posts/kinds";
import type { NumbersInputs } from "../../provider/routing/group";
import { Run } from "../../provider/run/run";
import { remedyOf } from "../../provider/words/codes";
import { noContent } from "../support/answers";
import { chat } from "../support/posts";
import { urnOf } from "../support/providerCalls";
import { refusal, said, TOKEN } from "../support/said";
import { newRun } from "../support/session";

/** What an operator reads of a number. Each sentence of each code is in test/words/testdata/messages.txt. */

const NUMBER = "+15551234567";
const WHO = `NumberAssignment "support" (${NUMBER})`;

let emulator: Emulator;

const number = (more: Partial<NumbersInputs> = {}): NumbersInputs => ({
  __urn: urnOf("numberAssignment", "support"),
  number: NUMBER,
  workspaceId: 42,
  inboundAgents: { "agent_a@1": 90, "agent_a@2": 10 },
  endpoint: emulator.url,
  ...more,
});
const run = (more: object = {}) => newRun(emulator.url, TOKEN, { attempts: 1, ...more });

describe("messages about a number", () => {
  beforeEach(async () => {
    emulator = await startEmulator({ token: TOKEN });
  });
  afterEach(() => emulator.close());

  describe("a number whose request fails", () => {
    it("reports AGP-030 if the platform rejects the assignment", async () => {
      emulator.inject(refusal(422, "weights must sum to 1"));
      assert.equal(
        await said(numberAssignment.create(number(), run())),
        `AGP-030 ${WHO}: routing unchanged; the platform returned 422 to PUT /api/numbers/{number}/agent: "weights must sum to 1".
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  ${remedyOf("AGP-030")}
  More: npx pulumi-agent-platform help AGP-030`,
      );
    });

    it("reports AGP-040 if the connection is lost before the response", async () => {
      emulator.inject({ kind: "reset", applied: false });
      assert.equal(
        await said(numberAssignment.create(number(), run())),
        `AGP-040 ${WHO}: outcome unknown: old or new routing; 127.0.0.1:8080 closed the connection before it responded (ECONNRESET) (PUT /api/numbers/{number}/agent).
  1 attempt in 0.0 s.
  Saved. The next \`pulumi up\` sends only this number.
  Rerun. Sending the same routing twice does no harm.
  More: npx pulumi-agent-platform help AGP-040`,
      );
    });

    it("reports AGP-050 if the response shows another split", async () => {
      emulator.inject({ kind: "contradict", patch: { assignment: undefined }, record: { inbound_agents: [] } });
      assert.equal(
        await said(numberAssignment.create(number(), run())),
        `AGP-050 ${WHO}: the response differs; inboundAgents: sent agent_a@1 90, agent_a@2 10, the platform returned no agent.
  Saved. The next \`pulumi up\` sends only this number.
  If the platform reports an import error, fix it there, then rerun. If you expect any other difference, set \`agent-platform:onMismatch\` to \`warn\`.
  More: npx pulumi-agent-platform help AGP-050`,
      );
    });
  });

  describe("a destroy whose token is refused", () => {
    const Environment = "AGENT_PLATFORM_ACCESS_TOKEN";
    for (const { name, status, source, remedy } of [
      {
        name: "comes from the saved state",
        status: 401,
        source: "config",
        remedy: `A destroy uses the token in the saved state. Set ${Environment} to a new one and rerun.`,
      },
      { name: "lacks a permission", status: 403, source: "config", remedy: "The token comes from the saved state." },
      {
        name: "comes from the environment",
        status: 401,
        source: "environment",
        remedy: `The token comes from ${Environment} (environment).`,
      },
    ] as const) {
      it(`explains how to finish a destroy if the token ${name}`, async () => {
        const { id, state } = await numberAssignment.create(number(), run());
        const started = await smsChat.create(chat, run());
        emulator.inject(refusal(status));
        const { settings, world } = run();
        const destroy = new Run({ ...settings, tokenSource: source }, world);
        for (const failing of [
          () => numberAssignment.delete(id, state, destroy),
          () => smsChat.delete(started.id, started.state, destroy),
        ]) {
          const text = await said(failing());
          assert.ok(
            text.split("\n").some((line) => line.includes(remedy)),
            text,
          );
        }
      });
    }
  });

  describe("a number that is not cleared", () => {
    const record = { inbound_agents: [{ agent_id: "agent_a", agent_version: 1, weight: 1 }] };
    const remedy = remedyOf("AGP-052");

    it("reports AGP-052 if the agents remain after a delete", async () => {
      const { id, state } = await numberAssignment.create(number(), run());
      emulator.inject({ kind: "contradict", record });
      assert.equal(
        await said(numberAssignment.delete(id, state, run())),
        `AGP-052 ${WHO}: not cleared; the platform still returns inboundAgents.
  The resource stays in the state.
  ${remedy} If you want to keep the routing instead, change \`triggers\` and run \`pulumi up\`. After a destroy, that run also adds the voices again and starts the chats again, which sends SMS.`,
      );
    });

    it("reports AGP-052 if the agents remain after an update", async () => {
      const { id, state } = await numberAssignment.create(number(), run());
      emulator.inject({ kind: "contradict", record });
      assert.equal(
        await said(numberAssignment.update(id, state, number({ inboundAgents: {} }), run({ clearWith: "null" }))),
        `AGP-052 ${WHO}: the response differs; the platform still returns inboundAgents.
  Saved. The next \`pulumi up\` sends only this number.
  ${remedy}
  More: npx pulumi-agent-platform help AGP-052`,
      );
    });
  });

  describe("a number that is not verified", () => {
    it("warns with AGP-053 once for each reason why a response proves nothing", async () => {
      const one = run();
      emulator.inject(noContent());
      await numberAssignment.create(number(), one);
      emulator.inject({ kind: "status", status: 202, body: { numbers: [{ number: NUMBER, inbound_agents: [] }] } });
      await numberAssignment.create(number(), one);
      const versionless = [90, 10].map((weight) => ({ agent_id: "agent_a", weight }));
      emulator.inject({
        kind: "contradict",
        record: { inbound_agents: versionless },
        patch: { assignment: null },
        times: 2,
      });
      await numberAssignment.create(number(), one);
      await numberAssignment.create(number({ number: "4002" }), one);
      assert.deepEqual(
        one.warnings.map((warning) => warning.slice(0, 7)),
        ["AGP-053", "AGP-053", "AGP-053"],
      );
      assert.equal(new Set(one.warnings).size, 3, "three different reasons");
    });
  });

  describe("a frozen stack", () => {
    const freeze = { freeze: "cut-over until Monday" };

    it("refuses to delete a number or a chat during a freeze with AGP-025", async () => {
      const one = await numberAssignment.create(number(), run());
      const { id, state } = await smsChat.create(chat, run());
      emulator.clearRequests();
      const text = (who: string) =>
        `AGP-025 ${who}: changes are frozen: cut-over until Monday. Nothing was sent for this resource. ${remedyOf("AGP-025")}`;
      assert.equal(await said(numberAssignment.delete(one.id, one.state, run(freeze))), text(WHO));
      assert.equal(await said(smsChat.delete(id, state, run(freeze))), text('SmsChat "welcome"'));
      assert.equal(emulator.requests.length, 0);
    });

    it("deletes a number without agents during a freeze", async () => {
      const { id, state } = await numberAssignment.create(number({ inboundAgents: {} }), run());
      emulator.clearRequests();
      await numberAssignment.delete(id, state, run(freeze));
      assert.equal(emulator.requests.length, 0);
    });
  });
});
