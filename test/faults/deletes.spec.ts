import assert from "node:assert/strict";
import type { FaultAction } from "../../emulator";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import { endpointDiffers } from "../../provider/run/messages";
import type { Lifecycle } from "../../provider/run/resource";
import { render } from "../../provider/words/message";
import { emulatorForEach } from "../api/support";
import { appliedBut500, loginPage } from "../support/answers";
import { LIFECYCLES } from "../support/lifecycles";
import { declare, withMiniStack } from "../support/miniStack";
import { kindOf, urnOf } from "../support/providerCalls";
import { newRun } from "../support/session";

describe("the provider", () => {
  const inboundAgents = [{ agentId: "agent_a", weight: 100 }];
  const assignment = declare("numberAssignment", { number: "+15550000001", inboundAgents });

  // After a failed delete, the state still contains the routing that the platform may have cleared. The error must
  // explain how to restore it.
  it("explains how to restore a number after a delete with an unknown outcome", () =>
    withMiniStack({}, async ({ up, destroy, emulator }) => {
      await up([assignment]);
      emulator.inject(appliedBut500);
      const { failures } = await destroy();
      assert.match(failures[0]?.message ?? "", /^AGP-040 [\s\S]*change `triggers`/);
      // Running `pulumi up` again doesn't help. The program still matches the state, so the engine changes nothing.
      const rerun = await up([assignment]);
      assert.deepEqual(rerun.steps, [{ op: "same", name: "it" }]);
      assert.deepEqual(emulator.routing("+15550000001"), { inboundAgents: {} });
      const resent = await up([{ ...assignment, args: { ...assignment.args, triggers: ["again"] } }]);
      assert.deepEqual(resent.failures, []);
      assert.deepEqual(emulator.routing("+15550000001"), { inboundAgents: { agent_a: 100 } });
    }));

  it("retries a delete in the next run after an unexpected 404", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      const holder = { ...assignment, name: "holder" };
      const inboundWebhookUrl = "https://hooks.invalid/in";
      const taker = { ...assignment, name: "taker", args: { ...assignment.args, inboundWebhookUrl } };
      await up([taker]);
      emulator.inject({ kind: "status", status: 404, after: 1, body: { error: "no such number" } });
      const { failures, said } = await up([holder]);
      assert.match(failures[0]?.message ?? "", /^AGP-033 NumberAssignment "taker" \(\+15550000001\): /);
      // The warning that the number keeps its agents must not be printed until the request has succeeded.
      assert.equal(said, "");
      assert.deepEqual((await up([holder])).failures, []);
      assert.deepEqual(emulator.routing("+15550000001"), { inboundAgents: { agent_a: 100 } });
    }));

  // After a failure, the provider may not know all the resources that the program declares. One of them might have
  // taken over the number.
  it("does not delete a NumberAssignment if a NumberGroup update partially fails", () =>
    withMiniStack({}, async ({ up, emulator, sent }) => {
      const inboundAgents = { agent_a: 1 };
      const group = (agents: object) =>
        declare("numberGroup", { numbers: "4001\n4002\n", inboundAgents: agents }, "pool");
      const desk = declare("numberAssignment", { number: "4003", inboundAgents }, "desk");
      await up([group(inboundAgents), desk]);
      emulator.inject({ kind: "status", status: 422, number: "4002" });
      sent();
      const { failures } = await up([group({ agent_b: 1 })], { continueOnError: true });
      assert.deepEqual(
        failures.map(({ name }) => name),
        ["pool", "desk"],
      );
      assert.ok(!sent().includes("4003"), "a request for 4003 was sent");
      assert.deepEqual(emulator.routing("4003"), { inboundAgents });
    }));
});

describe("the resource lifecycle", () => {
  const start = emulatorForEach();
  const otherPlatform = "https://another.example";
  const number = "+15550000001";
  const inboundAgents = { agent_a: 1 };
  const states = {
    NumberAssignment: { number, inboundAgents },
    NumberGroup: { numbers: `${number}\n+15550000002\n`, inboundAgents },
    SmsChat: { workspaceId: 42, agentId: "chat_agent_a", fromNumber: number, toNumber: "+15550009999" },
  };

  for (const [kind, state] of Object.entries(states) as [keyof typeof states, object][]) {
    it(`refuses to delete ${kind === "SmsChat" ? "an" : "a"} ${kind} created on another platform`, async () => {
      const emulator = await start();
      const lifecycle = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
      const saved = { ...state, __urn: urnOf(kindOf(kind), "it"), endpoint: otherPlatform };
      const label = `${kind} "it"${kind === "NumberAssignment" ? ` (${number})` : ""}`;
      await assert.rejects(lifecycle.delete("id", saved, newRun(emulator.url, emulator.token)), {
        message: render(endpointDiffers(label, otherPlatform, emulator.url)),
      });
      assert.equal(emulator.requests.length, 0);
    });
  }

  it("distinguishes a proxy's 404 from the platform's", async () => {
    const emulator = await start();
    const run = newRun(emulator.url, emulator.token);
    const state = { number, inboundAgents, endpoint: emulator.url };
    const proxyFaults: FaultAction[] = [
      loginPage(404),
      { kind: "status", status: 404, body: { message: "no Route matched with those values" } },
      { kind: "status", status: 404, body: { error: "Not Found", status: 404, path: "/api/numbers" } },
      { kind: "status", status: 404, body: { error: "Not Found" } },
      { kind: "status", status: 404, body: { error: "number unknown", code: 7 } },
      { kind: "status", status: 404, body: { error: "number unknown" }, headers: { "Content-Type": "text/plain" } },
      {
        kind: "status",
        status: 404,
        body: { error: "not here" },
        headers: { "Content-Type": "application/problem+json" },
      },
    ];
    for (const fault of proxyFaults) {
      emulator.inject(fault);
      await assert.rejects(numberAssignment.delete(number, state, run), { code: "AGP-033" }, JSON.stringify(fault));
    }
    assert.deepEqual(run.warnings, []);
    emulator.inject({ kind: "status", status: 404, body: { error: "no such number" } });
    await numberAssignment.delete(number, state, run);
    assert.match(run.warnings.join(), /^AGP-061 .*\(404\)/);
  });
});
