import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { Emulator } from "../../emulator";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import { sendAll } from "../../provider/numbers/send";
import type { NumbersState } from "../../provider/numbers/state";
import type { NumbersInputs } from "../../provider/routing/group";
import type { Routing } from "../../provider/routing/routing";
import { endpointDiffers } from "../../provider/run/messages";
import { render, SavedError } from "../../provider/words/message";
import { emulatorForEach } from "../api/support";
import { noContent } from "../support/answers";
import { rejectionAs, rejectionOf } from "../support/rejected";
import { checkRows } from "../support/rows";
import { newRun } from "../support/session";
import { onStack, single } from "./groupSupport";

/**
 * Tests how NumberAssignment handles responses and what it saves. The last test uses the simulated engine. The others
 * call the provider's functions directly.
 */

const number = "+15551234567";

describe("NumberAssignment", () => {
  const start = emulatorForEach();
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await start();
  });
  const runOn = (options: object = {}) => newRun(emulator.url, emulator.token, { attempts: 1, ...options });
  const inputs = (overrides: Partial<NumbersInputs> = {}): NumbersInputs => ({
    number,
    workspaceId: 42,
    inboundAgents: { agent_a: 1 },
    endpoint: emulator.url,
    ...overrides,
  });
  /**
   * Returns the state that is saved after a failed request.
   * @param record the fields that the emulator overrides in the response's number records
   * @param request sends the request, which must fail because of those fields
   */
  async function stateAfterFailure(record: object, request: () => Promise<unknown>) {
    emulator.inject({ kind: "contradict", record: { ...record }, times: "always" });
    const { state } = await rejectionAs(SavedError, request());
    emulator.clearFaults();
    return state as NumbersState;
  }

  it("saves a number's declared inputs and platform IDs", async () => {
    const ids = { id: 7, phone_number_sid: "PN1", application_sid: "AP1" };
    emulator.inject({ kind: "contradict", record: { ...ids, base_number: number } });
    const { id, state } = await numberAssignment.create(inputs(), runOn());
    const { since, ...saved } = state;
    assert.match(since ?? "", /^20.*Z$/);
    const platformIds = { id: 7, phoneNumberSid: "PN1", applicationSid: "AP1" };
    assert.deepEqual([id, saved], [number, { ...inputs(), platformIds }]);
  });

  it("retains a number's platform IDs if a later response omits them", async () => {
    emulator.inject({ kind: "contradict", record: { id: 7, base_number: "+15550000000" } });
    const { id, state } = await numberAssignment.create(inputs(), runOn());
    emulator.inject(noContent());
    const updated = await numberAssignment.update(id, state, inputs({ isTimeRoutingEnabled: true }), runOn());
    assert.deepEqual([updated.platformIds?.id, updated.platformIds?.baseNumber], [7, "+15550000000"]);
  });

  const unsafeText = "\u001b[2J\u202ered\r\n";
  for (const { name, record, shown } of [
    {
      name: "the platform's import error message",
      record: { platform_import_error: true, platform_import_error_message: unsafeText },
      shown: "(platform_import_error): \\u{1b}[2J\\u{202e}red.",
    },
    {
      name: "a returned agent ID",
      record: { inbound_agents: [{ agent_id: unsafeText, weight: 1 }] },
      shown: " \\u{1b}[2J\\u{202e}red\\r\\n (weight 1).",
    },
  ]) {
    it(`escapes control characters in ${name}`, async () => {
      emulator.inject({ kind: "contradict", record });
      const error = await rejectionOf(numberAssignment.create(inputs(), runOn()));
      const [line = ""] = (error as Error).message.split("\n");
      assert.equal(line.slice(-shown.length), shown);
    });
  }

  const noAgents = { inbound_agents: [] };
  const contradictions: readonly {
    readonly name: string;
    readonly record: Record<string, unknown>;
    readonly settings?: object;
    readonly expected: string;
  }[] = [
    { name: "fails without retrying if the returned record shows no agents", record: noAgents, expected: "AGP-050" },
    {
      name: "fails without retrying if the response reports an import error",
      record: { platform_import_error: true },
      expected: "AGP-050",
    },
    {
      name: "warns but does not fail if the response shows a different workspace",
      record: { workspace_id: 43 },
      expected: "warning AGP-050",
    },
    {
      name: "warns about missing agents instead of failing if onMismatch is warn",
      record: noAgents,
      settings: { onMismatch: "warn" },
      expected: "warning AGP-050",
    },
  ];
  for (const { name, record, settings, expected } of contradictions) {
    it(name, async () => {
      const run = runOn({ attempts: 3, ...settings });
      emulator.inject({ kind: "contradict", record, times: "always" });
      const message = await numberAssignment.create(inputs(), run).then(
        () => `warning ${run.warnings.join()}`,
        (error: Error) => error.message,
      );
      assert.ok(message.startsWith(expected), message);
      assert.equal(emulator.requests.length, 1);
    });
  }

  /**
   * Sends a request that the platform refuses with this status, and returns the error code. The request sets the fields
   * in `routing` and clears a webhook URL.
   */
  const codeAfter = async (status: number, routing: Routing) => {
    emulator.inject({ kind: "status", status, body: { success: false, error: "no" } });
    const mayHave = [{ inboundWebhookUrl: "https://hooks.example.com/in" }];
    const options = { label: "it", run: runOn(), isRollback: false };
    const [result] = await sendAll([{ number, routing, mayHave }], options);
    return result?.cause?.code;
  };
  it("reports AGP-052 if the platform refuses to clear a field", () =>
    checkRows([200, 400, 422], String, async (status) =>
      assert.equal(await codeAfter(status, { workspaceId: 42 }), "AGP-052"),
    ));

  it("reports AGP-030 if the refused request also sets a new split", () =>
    checkRows([200, 400, 422], String, async (status) =>
      assert.equal(await codeAfter(status, { inboundAgents: { agent_a: 1 } }), "AGP-030"),
    ));

  it("reports AGP-030 if a request to clear a field gets a 409", async () =>
    assert.equal(await codeAfter(409, {}), "AGP-030"));

  it("reports AGP-033 if a request to clear a field gets a 404", async () =>
    assert.equal(await codeAfter(404, {}), "AGP-033"));

  const declaredRouting = { workspaceId: 42, inboundAgents: { agent_a: 1 } };

  it("saves the returned split if it differs from the declared one", async () => {
    const record = { inbound_agents: [{ agent_id: "agent_x", weight: 1 }] };
    const state = await stateAfterFailure(record, () => numberAssignment.create(inputs(), runOn()));
    // The declared split isn't overwritten. The returned split is saved separately, in `unapplied`.
    assert.deepEqual(state.inboundAgents, { agent_a: 1 });
    const applied = { workspaceId: 42, inboundAgents: { agent_x: 1 } };
    assert.deepEqual(state.unapplied, [{ numbers: `${number}\n`, reason: "different", applied }]);
  });

  it("saves both the old and new splits if the returned record lists no agents", async () => {
    const { state } = await numberAssignment.create(inputs(), runOn());
    const requested = { workspaceId: 42, inboundAgents: { agent_b: 1 } };
    const saved = await stateAfterFailure({ inbound_agents: [] }, () =>
      numberAssignment.update(number, state, inputs(requested), runOn()),
    );
    const entry = { numbers: `${number}\n`, reason: "different", applied: declaredRouting, maybe: [requested] };
    assert.deepEqual([saved.unapplied, saved.since], [[entry], undefined]);
  });

  it("keeps a field in the state if the platform does not clear it", async () => {
    const { state } = await numberAssignment.create(inputs({ outboundAgentId: "agent_o" }), runOn());
    const saved = await stateAfterFailure({ agent_id: "agent_o" }, () =>
      numberAssignment.update(number, state, inputs(), runOn()),
    );
    const maybe = [{ outboundAgentId: "agent_o" }];
    assert.deepEqual(saved.unapplied, [
      { numbers: `${number}\n`, reason: "different", applied: declaredRouting, maybe },
    ]);
  });

  const cutOff: readonly { readonly name: string; applied: Routing; requested: Routing; record: object }[] = [
    {
      name: "the outbound agent",
      applied: { outboundAgentId: "agent_o" },
      requested: { outboundAgentId: "agent_p" },
      record: { agent_id: "agent_p" },
    },
    {
      name: "the time routing setting",
      applied: { isTimeRoutingEnabled: false },
      requested: { isTimeRoutingEnabled: true },
      record: { is_time_routing_enabled: true },
    },
  ];
  for (const { name, applied, requested, record } of cutOff) {
    it(`keeps ${name} in the state after a response is cut off`, async () => {
      const { state } = await numberAssignment.create(inputs(applied), runOn());
      emulator.inject({ kind: "reset", inBody: true });
      const update = numberAssignment.update(number, state, inputs(requested), runOn());
      const error = await rejectionAs(SavedError, update);
      const saved = await stateAfterFailure(record, () =>
        numberAssignment.update(number, error.state as NumbersState, inputs(), runOn()),
      );
      const maybe = [requested, applied];
      assert.deepEqual(saved.unapplied, [
        { numbers: `${number}\n`, reason: "different", applied: declaredRouting, maybe },
      ]);
      const savedAgain = await stateAfterFailure(record, () =>
        numberAssignment.update(number, saved, inputs(), runOn()),
      );
      assert.deepEqual(savedAgain.unapplied, saved.unapplied);
    });
  }

  it("warns about an uncleared field instead of failing if onMismatch is warn", async () => {
    const { state } = await numberAssignment.create(inputs({ outboundAgentId: "agent_o" }), runOn());
    emulator.inject({ kind: "contradict", record: { agent_id: "agent_o" } });
    const run = runOn({ onMismatch: "warn" });
    const { unapplied } = await numberAssignment.update(number, state, inputs(), run);
    assert.equal(unapplied, undefined);
    assert.match(run.warnings.join(), /^AGP-050 .*outboundAgentId/);
  });

  it("saves a number's platform IDs even if the response shows a different split", async () => {
    const record = { id: 7, inbound_agents: [{ agent_id: "agent_x", weight: 1 }] };
    const state = await stateAfterFailure(record, () => numberAssignment.create(inputs(), runOn()));
    assert.equal(state.platformIds?.id, 7);
  });

  it("does not recheck the guards during an update", async () => {
    const { state } = await numberAssignment.create(inputs(), runOn());
    const news = inputs({ inboundAgents: { agent_b: 1 } });
    await numberAssignment.update(number, state, news, runOn({ maxShift: 1, freeze: "audit" }));
    assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_b: 1 });
  });

  it("uses the saved workspace and account to unassign a number", async () => {
    const { accountSid } = emulator;
    const { id, state } = await numberAssignment.create(inputs({ accountSid }), runOn());
    await numberAssignment.delete(id, state, runOn());
    assert.deepEqual(emulator.requests[1]?.body, { accountSid, workspaceId: 42, inboundAgents: [] });
  });
});

describe("NumberAssignment in a stack", () => {
  it("rejects a change of both the number and the base URL", () =>
    onStack({}, (stack) =>
      onStack({}, async (otherStack) => {
        const [oldUrl, newUrl] = [stack.emulator.url, otherStack.emulator.url];
        await stack.up([single("+15551230000", {}, "desk")]);
        stack.sent();
        stack.config = otherStack.config;
        const changedProgram = [single("+15551230001", {}, "desk")];
        const expected = render(endpointDiffers('NumberAssignment "desk" (+15551230001)', oldUrl, newUrl));
        for (const run of [await stack.preview(changedProgram), await stack.up(changedProgram)]) {
          assert.equal(run.failures.map(({ message }) => message).join(), expected);
        }
        assert.deepEqual([stack.sent(), otherStack.sent()], [[], []]);
      }),
    ));
});
