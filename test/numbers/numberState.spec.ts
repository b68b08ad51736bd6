import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { Emulator } from "../../emulator";
import { failureCode } from "../../provider/api/failure";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import { sendOne } from "../../provider/numbers/send";
import type { NumbersState } from "../../provider/numbers/state";
import type { Verdict } from "../../provider/numbers/verify";
import type { NumbersInputs } from "../../provider/routing/group";
import type { Routing } from "../../provider/routing/routing";
import { emulatorForEach } from "../api/support";
import { noContent } from "../support/answers";
import { urnOf } from "../support/providerCalls";
import { rejectionOf } from "../support/rejected";
import { newRun } from "../support/session";
import { onStack, savedBy, single } from "./groupSupport";

/** What a verdict says, in one line. */
function factsOf({ proof, record, mismatches, notCleared, others }: Verdict): string {
  const fields = [...mismatches.map(({ field }) => field), ...notCleared, ...others];
  const result = mismatches.length + notCleared.length === 0 ? "applied" : "different";
  return [result, proof, ...(record ? [`id ${record.id}`] : []), ...fields].join(", ");
}

/** What is saved of a number, and what the responses make of it: in one process, without the engine. */

const number = "+15551234567";
const always = "always";

describe("a number, sent", () => {
  const start = emulatorForEach();
  const runOn = (emulator: Emulator, more: object = {}) =>
    newRun(emulator.url, emulator.token, { attempts: 1, ...more });
  const inputsAt = (emulator: Emulator, more: Partial<NumbersInputs> = {}): NumbersInputs => ({
    number,
    workspaceId: 42,
    inboundAgents: { agent_a: 1 },
    endpoint: emulator.url,
    ...more,
  });

  it("is saved as its inputs, with ids of the platform", async () => {
    const emulator = await start();
    const run = runOn(emulator);
    const ids = { id: 7, phone_number_sid: "PN1", application_sid: "AP1" };
    emulator.inject({ kind: "contradict", record: { ...ids, base_number: number } });
    const { id, state } = await numberAssignment.create(inputsAt(emulator), run);
    assert.equal(id, number);
    const { since, ...saved } = state;
    assert.match(since ?? "", /^20.*Z$/);
    assert.deepEqual(saved, {
      ...inputsAt(emulator),
      platformIds: { id: 7, phoneNumberSid: "PN1", applicationSid: "AP1" },
    });
    // An extension names the number that it belongs to; what a response no longer shows stays known.
    emulator.inject({ kind: "contradict", record: { ...ids, id: null, base_number: "+15550000000" } });
    const moved = await numberAssignment.update(id, state, inputsAt(emulator, { inboundAgents: { agent_b: 1 } }), run);
    assert.deepEqual(moved.platformIds, { phoneNumberSid: "PN1", applicationSid: "AP1", baseNumber: "+15550000000" });
    assert.deepEqual(moved.previousInboundAgents, { agent_a: 1 });
    emulator.inject(noContent());
    const unseen = await numberAssignment.update(id, moved, inputsAt(emulator, { isTimeRoutingEnabled: true }), run);
    assert.deepEqual(unseen.platformIds, moved.platformIds);
    assert.deepEqual(unseen.previousInboundAgents, { agent_b: 1 });
  });

  it("is said in words that cannot drive a terminal", async () => {
    const emulator = await start();
    const evil = "\u001b[2J\u202ered\r\n";
    const said = async (record: object) => {
      emulator.inject({ kind: "contradict", record: { ...record }, times: 3 });
      const error = await rejectionOf(numberAssignment.create(inputsAt(emulator), runOn(emulator)));
      emulator.clearFaults();
      return (error as Error).message.split("\n")[0]?.replace(/^.*the response differs; /, "");
    };
    assert.deepEqual(
      [
        await said({ platform_import_error: true, platform_import_error_message: evil }),
        await said({ inbound_agents: [{ agent_id: evil, weight: 1 }] }),
      ],
      [
        "the platform reports an import error: \\u{1b}[2J\\u{202e}red.",
        "inboundAgents: sent agent_a 1, the platform returned \\u{1b}[2J\\u{202e}red\\r\\n 1.",
      ],
    );
  });

  const otherAgents = { inbound_agents: [] };
  const failedImport = { platform_import_error: true };
  const otherWorkspace = { workspace_id: 43 };
  const warn = { onMismatch: "warn" };
  const contradictions: readonly {
    readonly name: string;
    readonly record: Record<string, unknown>;
    readonly settings: object;
    readonly said: string;
  }[] = [
    { name: "other agents: an error", record: otherAgents, settings: {}, said: "AGP-050" },
    { name: "a failed import: an error", record: failedImport, settings: {}, said: "AGP-050" },
    { name: "another workspace: a warning", record: otherWorkspace, settings: {}, said: "warning AGP-050" },
    { name: "other agents, with onMismatch: a warning", record: otherAgents, settings: warn, said: "warning AGP-050" },
  ];
  for (const { name, record, settings, said } of contradictions) {
    it(`is sent once, and shows ${name}`, async () => {
      const emulator = await start();
      const run = runOn(emulator, settings);
      emulator.inject({ kind: "contradict", record, times: always });
      const text = await numberAssignment.create(inputsAt(emulator), run).then(
        () => `warning ${run.warnings.join()}`,
        (error: Error) => error.message,
      );
      assert.ok(text.startsWith(said), text);
      assert.equal(emulator.requests.length, 1);
    });
  }

  const split = { "agent_a@12": 90, "agent_a@13": 10 };
  const unversioned: { name: string; agents: object[] }[] = [
    { name: "leaves the versions out", agents: [90, 10].map((weight) => ({ agent_id: "agent_a", weight })) },
    {
      name: "has null for them",
      agents: [90, 10].map((weight) => ({ agent_id: "agent_a", agent_version: null, weight })),
    },
    {
      name: "has texts for them",
      agents: [90, 10].map((weight) => ({ agent_id: "agent_a", agent_version: "12", weight })),
    },
    { name: "has one entry for the agent", agents: [{ agent_id: "agent_a", weight: 100 }] },
  ];
  for (const { name, agents } of unversioned) {
    it(`is not verified if the response ${name}`, async () => {
      const emulator = await start();
      const run = runOn(emulator);
      const patch = (response: unknown) => ({ ...(response as object), assignment: { inbound_agents: agents } });
      emulator.inject({ kind: "contradict", record: { inbound_agents: agents }, patch, times: always });
      const { state } = await numberAssignment.create(inputsAt(emulator, { inboundAgents: split }), run);
      assert.deepEqual([state.unapplied, emulator.requests.length], [undefined, 1]);
      assert.match(run.warnings.join("\n"), /^AGP-053 applied but not verified: .* versions of the agents/m);
      assert.doesNotMatch(run.warnings.join("\n"), /AGP-050/);
    });
  }

  const webhook = "https://hooks.example.com/in";
  const agents = [{ agent_id: "agent_a", weight: 1 }];
  const asked = { number, id: 7, workspace_id: 42, inbound_agents: agents, inbound_webhook_url: null };

  /** What is known of a number after a response with this record: agent_a was asked for, and no webhook. */
  async function told(status: number, record: object): Promise<string> {
    const emulator = await start();
    const routing = { workspaceId: 42, inboundAgents: { agent_a: 1 } };
    emulator.inject({ kind: "status", status, body: { numbers: [{ ...asked, ...record }] }, times: always });
    const mayHave = { inboundWebhookUrl: webhook };
    const { verdict } = await sendOne("it", { number, routing, mayHave }, runOn(emulator));
    return factsOf(verdict ?? assert.fail());
  }

  const records: readonly { readonly name: string; readonly record: object; readonly says: string }[] = [
    { name: "what was asked for", record: {}, says: "applied, proven, id 7" },
    { name: "no webhook field", record: { inbound_webhook_url: undefined }, says: "applied, proven, id 7" },
    { name: "no agents", record: { inbound_agents: [] }, says: "different, no versions, id 7, inboundAgents" },
    {
      name: "the old webhook",
      record: { inbound_webhook_url: webhook },
      says: "different, proven, id 7, inboundWebhookUrl",
    },
    { name: "another workspace", record: { workspace_id: 43 }, says: "applied, proven, id 7, workspaceId" },
    { name: "another number", record: { number: "+15559999999" }, says: "different, no agents, number" },
  ];
  for (const { name, record, says } of records) {
    it(`is what a 200 shows: ${name}`, async () => assert.equal(await told(200, record), says));

    it(`is not verified after a 202 that shows ${name}`, async () =>
      assert.equal(await told(202, record), "applied, later"));
  }

  for (const status of [201, 203, 206, 207, 226]) {
    it(`is what a ${status} shows, as after a 200`, async () =>
      assert.equal(await told(status, { inbound_webhook_url: webhook }), "different, proven, id 7, inboundWebhookUrl"));
  }

  it("names clearWith if a request that clears is refused", async () => {
    const emulator = await start();
    const codeOf = async (status: number, routing: Routing) => {
      emulator.inject({ kind: "status", status, body: { success: false, error: "no" }, times: 1 });
      const assignment = { number, routing, mayHave: { inboundWebhookUrl: webhook } };
      const { failure } = await sendOne("it", assignment, runOn(emulator));
      return failure && failureCode(failure);
    };
    for (const status of [200, 400, 422]) {
      assert.equal(await codeOf(status, { workspaceId: 42 }), "AGP-052", String(status));
      assert.equal(await codeOf(status, { inboundAgents: { agent_a: 1 } }), "AGP-030", String(status));
    }
    assert.deepEqual([await codeOf(409, {}), await codeOf(404, {})], ["AGP-030", "AGP-033"]);
    assert.equal(emulator.requests.length, 8);
  });

  it("saves what the platform shows instead", async () => {
    const emulator = await start();
    const run = runOn(emulator);
    emulator.inject({
      kind: "contradict",
      record: { inbound_agents: [{ agent_id: "agent_x", weight: 1 }] },
      times: always,
    });
    const { state: different } = await savedBy<NumbersState>(numberAssignment.create(inputsAt(emulator), run));
    // What is wanted stays what the program asked for; what callers meet is saved apart from it.
    assert.deepEqual(different.inboundAgents, { agent_a: 1 });
    assert.deepEqual(different.unapplied, [
      { numbers: `${number}\n`, reason: "different", applied: { workspaceId: 42, inboundAgents: { agent_x: 1 } } },
    ]);
    emulator.clearFaults();

    // A response that shows no agents does not say which ones callers meet: those of before, or those that were asked for.
    const before = await numberAssignment.create(inputsAt(emulator), run);
    emulator.inject({ kind: "contradict", record: { inbound_agents: [] }, times: always });
    const asked = { workspaceId: 42, inboundAgents: { agent_b: 1 } };
    const { state: none } = await savedBy<NumbersState>(
      numberAssignment.update(number, before.state, inputsAt(emulator, asked), run),
    );
    assert.deepEqual(none.unapplied, [
      {
        numbers: `${number}\n`,
        reason: "different",
        applied: { workspaceId: 42, inboundAgents: { agent_a: 1 } },
        maybe: [asked],
      },
    ]);
    assert.equal(none.since, undefined);
    emulator.clearFaults();

    const { state } = await numberAssignment.create(inputsAt(emulator, { outboundAgentId: "agent_o" }), run);
    emulator.inject({ kind: "contradict", record: { agent_id: "agent_o" }, times: always });
    const { state: left } = await savedBy<NumbersState>(
      numberAssignment.update(number, state, inputsAt(emulator), run),
    );
    assert.equal(left.outboundAgentId, undefined);
    assert.deepEqual(left.unapplied, [
      {
        numbers: `${number}\n`,
        reason: "different",
        applied: { workspaceId: 42, inboundAgents: { agent_a: 1 } },
        maybe: [{ outboundAgentId: "agent_o" }],
      },
    ]);
  });

  it("is cleared in its own workspace and account", async () => {
    const emulator = await start();
    const run = runOn(emulator);
    const { accountSid } = emulator;
    // By then the program of another run, which does not declare it.
    const { id, state } = await numberAssignment.create(inputsAt(emulator, { accountSid }), runOn(emulator));
    await numberAssignment.delete(id, state, run);
    assert.deepEqual(emulator.requests[1]?.body, { accountSid, workspaceId: 42, inboundAgents: [] });
    await numberAssignment.delete(id, { number, workspaceId: 42, endpoint: emulator.url }, run);
    await numberAssignment.delete(id, { number, inboundAgents: {}, endpoint: emulator.url }, run);
    assert.equal(emulator.requests.length, 2);
  });
});

describe("a number whose base URL changes with it", () => {
  it("is refused, because nothing could clear the old one", () =>
    onStack({}, (stack) =>
      onStack({}, async (other) => {
        const [here, there] = [stack.emulator.url, other.emulator.url];
        await stack.up([single("+15551230000", {}, "desk")]);
        stack.sent();
        stack.config = other.config;
        const moved = [single("+15551230001", {}, "desk")];
        const text =
          `AGP-060 NumberAssignment "desk" (+15551230001): nothing was sent: the state was created against ${here}; the settings point to ${there}. ` +
          `Set agent-platform:baseUrl to ${here} and run again, or remove the resource from the state with \`pulumi state delete '${urnOf("numberAssignment", "desk")}'\`.`;
        for (const run of [await stack.preview(moved), await stack.up(moved)]) {
          assert.equal(run.failures.map(({ message }) => message).join(), text);
        }
        assert.deepEqual([stack.sent(), other.sent()], [[], []]);
      }),
    ));
});
