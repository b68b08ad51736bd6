import assert from "node:assert/strict";
import type { FaultAction } from "../../emulator";
import { type Lifecycle, ResourceError } from "../../provider/resources/lifecycle";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { numberGroup } from "../../provider/resources/numberGroup";
import { smsChat } from "../../provider/resources/smsChat";
import { emulatorForEach } from "../client/support";
import { urnOf } from "../support/providerCalls";
import { rejectionOf } from "../support/rejected";
import { newRun } from "../support/session";

/** Deletes that would reach the wrong platform or account, and answers that come from somebody else. */

const number = "+15550000001";
const inboundAgents = { agent_a: 1 };
const states = {
  number: { __urn: urnOf("numberAssignment", "support"), number, inboundAgents },
  group: { __urn: urnOf("numberGroup", "emea"), numbers: `${number}\n+15550000002\n`, inboundAgents },
  chat: {
    __urn: urnOf("smsChat", "welcome"),
    workspaceId: 42,
    agentId: "chat_agent_a",
    fromNumber: number,
    toNumber: "+15550009999",
  },
};

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await rejectionOf(work);
  assert.ok(error instanceof ResourceError, String(error));
  return error.message;
}

describe("a delete", () => {
  const start = emulatorForEach();
  const saved = "https://another.example";

  for (const [name, id, lifecycle, state, who] of [
    [
      "a number",
      number,
      numberAssignment as unknown as Lifecycle<never, never>,
      states.number,
      `NumberAssignment "support" (${number})`,
    ],
    ["a group", "group-1", numberGroup as unknown as Lifecycle<never, never>, states.group, 'NumberGroup "emea"'],
    ["a chat", "chat_1", smsChat as unknown as Lifecycle<never, never>, states.chat, 'SmsChat "welcome"'],
  ] as const) {
    it(`is never sent to another platform than the state speaks of: ${name}`, async () => {
      const emulator = await start();
      const run = newRun(emulator.url, emulator.token);
      const message = await refusal(lifecycle.delete(id, { ...state, endpoint: saved } as never, run));
      assert.equal(
        message,
        `AGP-060 ${who}: delete not sent: the state was created against ${saved}; the settings point to ${emulator.url}.
  Set agent-platform:baseUrl to ${saved} and run again, or remove the resource from the state with \`pulumi state delete\`.`,
      );
      assert.equal(emulator.requests.length, 0);
    });
  }

  it("of a number: gone only in the platform's own words, for some proxy's 404 says nothing of it", async () => {
    const emulator = await start();
    const run = newRun(emulator.url, emulator.token);
    const state = { ...states.number, endpoint: emulator.url };
    const gateways: FaultAction[] = [
      { kind: "html", status: 404 },
      { kind: "status", status: 404, body: { message: "no Route matched with those values" } },
      { kind: "status", status: 404, body: { error: "Not Found", status: 404, path: "/api/numbers" } },
      { kind: "status", status: 404, body: { error: "Not Found" } },
      { kind: "status", status: 404, body: { error: "number unknown", code: 7 } },
      { kind: "status", status: 404, body: { error: "number unknown" }, headers: { "Content-Type": "text/plain" } },
      { kind: "status", status: 404, body: { error: "gone" }, headers: { "Content-Type": "application/problem+json" } },
    ];
    for (const fault of gateways) {
      emulator.inject(fault);
      const message = await refusal(numberAssignment.delete(number, state, run));
      assert.match(message, /^AGP-033 [\s\S]*The resource stays in the state\./, JSON.stringify(fault));
    }
    assert.deepEqual(run.warnings, []);
    emulator.inject({ kind: "status", status: 404, body: { error: "no such number" } });
    await numberAssignment.delete(number, state, run);
    assert.deepEqual(run.warnings, [
      `AGP-062 NumberAssignment "support" (${number}): the platform does not know 1 number (404), so there is nothing to clear (${number}).`,
    ]);
  });
});
