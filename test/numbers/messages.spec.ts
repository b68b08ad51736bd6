import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { TOKEN_SOURCES } from "../../provider/config/settings";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import { numbersFailed } from "../../provider/numbers/messages";
import { smsChat } from "../../provider/posts/kinds";
import type { NumbersInputs } from "../../provider/routing/group";
import { routingOf } from "../../provider/routing/routing";
import { Run } from "../../provider/run/run";
import { SavedError } from "../../provider/words/message";
import { noContent } from "../support/answers";
import { codesOf, failureOf, refusal, TOKEN } from "../support/failures";
import { chat } from "../support/posts";
import { urnOf } from "../support/providerCalls";
import { checkRows } from "../support/rows";
import { newRun } from "../support/session";

/** Tests the error codes and the facts in messages. The full wording is in test/words/testdata/messages.txt. */

const NUMBER = "+15551234567";

let emulator: Emulator;

const numberInputs = (overrides: Partial<NumbersInputs> = {}): NumbersInputs => ({
  __urn: urnOf("numberAssignment", "support"),
  number: NUMBER,
  workspaceId: 42,
  inboundAgents: { "agent_a@1": 90, "agent_a@2": 10 },
  endpoint: emulator.url,
  ...overrides,
});
const run = (options: object = {}) => newRun(emulator.url, TOKEN, { attempts: 1, ...options });

describe("the provider", () => {
  beforeEach(async () => {
    emulator = await startEmulator({ token: TOKEN });
  });
  afterEach(() => emulator.close());

  it("reports AGP-030 if the platform rejects an assignment", async () => {
    emulator.inject(refusal(422, "weights must sum to 1"));
    const failure = await failureOf(numberAssignment.create(numberInputs(), run()));
    assert.equal(failure.code, "AGP-030");
    assert.equal(failure instanceof SavedError, false, "the error saves the state");
    for (const fact of ["support", NUMBER, "422", "weights must sum to 1", "emulator-0"]) {
      assert.ok(failure.message.includes(fact), `${fact} is missing in: ${failure.message}`);
    }
  });

  it("reports AGP-040 if the connection is lost before the response", async () => {
    emulator.inject({ kind: "reset", applied: false });
    const failure = await failureOf(numberAssignment.create(numberInputs(), run()), SavedError);
    assert.equal(failure.code, "AGP-040");
    assert.ok(failure.message.includes("ECONNRESET"), failure.message);
  });

  it("reports AGP-050 if the response shows no agents", async () => {
    emulator.inject({ kind: "contradict", patch: { assignment: undefined }, record: { inbound_agents: [] } });
    const failure = await failureOf(numberAssignment.create(numberInputs(), run()), SavedError);
    assert.equal(failure.code, "AGP-050");
    assert.ok(failure.message.includes("agent_a@1 (weight 90), agent_a@2 (weight 10)"), failure.message);
  });

  for (const { name, status, source, expected } of [
    {
      name: "suggests AGENT_PLATFORM_ACCESS_TOKEN if a destroy's saved token is rejected",
      status: 401,
      source: "config",
      expected: "AGENT_PLATFORM_ACCESS_TOKEN",
    },
    {
      name: "says that a token without permission came from the saved state",
      status: 403,
      source: "config",
      expected: TOKEN_SOURCES.state,
    },
    {
      name: "says that a rejected token came from the environment",
      status: 401,
      source: "environment",
      expected: TOKEN_SOURCES.environment,
    },
  ] as const) {
    it(name, async () => {
      const { id, state } = await numberAssignment.create(numberInputs(), run());
      const started = await smsChat.create(chat, run());
      emulator.inject(refusal(status));
      const { settings, world } = run();
      const destroy = new Run({ ...settings, tokenSource: source }, world);
      for (const request of [
        () => numberAssignment.delete(id, state, destroy),
        () => smsChat.delete(started.id, started.state, destroy),
      ]) {
        const { message } = await failureOf(request());
        assert.ok(message.includes(expected), `${expected} is missing in: ${message}`);
      }
    });
  }

  it("lists failures with different error codes separately", () => {
    const text = "the platform rejected the request";
    const failed = (["AGP-030", "AGP-052"] as const).map((code, index) => ({
      number: `400${index}`,
      became: "rejected" as const,
      cause: { code, text },
    }));
    const { lines } = numbersFailed("NumberGroup", failed, { count: 2, savedAs: "stays", isSingle: false });
    assert.deepEqual(
      lines.flatMap((line) => line.match(/AGP-\d+|\d{4}/g) ?? []),
      ["AGP-030", "4000", "AGP-052", "4001"],
    );
  });

  const record = { inbound_agents: [{ agent_id: "agent_a", agent_version: 1, weight: 1 }] };

  it("reports AGP-052 if the response to a delete still shows agents", async () => {
    const { id, state } = await numberAssignment.create(numberInputs(), run());
    emulator.inject({ kind: "contradict", record });
    assert.equal((await failureOf(numberAssignment.delete(id, state, run()))).code, "AGP-052");
  });

  const rows = [
    { name: "an import error", contradict: { record: { platform_import_error: true } } },
    {
      name: "only another number",
      contradict: { record: { number: "+15559990000", base_number: "+15559990000" } },
    },
  ];
  it("suggests onMismatch for a mismatched update but not for a mismatched delete", () =>
    checkRows(
      rows,
      ({ name }) => name,
      async ({ contradict }) => {
        const { id, state } = await numberAssignment.create(numberInputs(), run());
        const adviceOf = async (request: () => Promise<unknown>) => {
          emulator.inject({ kind: "contradict", ...contradict });
          const { code, message } = await failureOf(request());
          assert.equal(code, "AGP-050");
          return ["onMismatch", "pulumi state delete"].filter((advice) => message.includes(advice));
        };
        const update = await adviceOf(() =>
          numberAssignment.update(id, state, numberInputs({ inboundAgents: {} }), run()),
        );
        assert.deepEqual(update, ["onMismatch"], "after an update");
        const deleted = await adviceOf(() => numberAssignment.delete(id, state, run()));
        assert.deepEqual(deleted, ["pulumi state delete"], "after a delete");
      },
    ));

  it("does not report a number as missing if the response shows different agents", async () => {
    const { id, state } = await numberAssignment.create(numberInputs({ outboundAgentId: "agent_out" }), run());
    const renamed = numberInputs({ __urn: urnOf("numberAssignment", "renamed") });
    const session = run();
    session.noteDeclared(String(renamed.__urn), { numbers: [NUMBER], routing: routingOf(renamed) });
    await numberAssignment.create(renamed, session);
    emulator.inject({ kind: "contradict", record: { inbound_agents: [{ agent_id: "agent_b", weight: 1 }] } });
    const { code, message } = await failureOf(numberAssignment.delete(id, state, session));
    assert.equal(code, "AGP-050");
    const advice = ["onMismatch", "does not show it", "triggers", "pulumi state delete"];
    assert.deepEqual(
      advice.filter((part) => message.includes(part)),
      ["triggers", "pulumi state delete"],
      message,
    );
  });

  it("reports AGP-052 if the response to an update still shows removed agents", async () => {
    const { id, state } = await numberAssignment.create(numberInputs(), run());
    emulator.inject({ kind: "contradict", record });
    const change = numberAssignment.update(id, state, numberInputs({ inboundAgents: {} }), run({ clearWith: "null" }));
    assert.equal((await failureOf(change, SavedError)).code, "AGP-052");
  });

  it("warns only once for each kind of unverifiable response", async () => {
    const session = run();
    const createTwo = async () => {
      await numberAssignment.create(numberInputs(), session);
      await numberAssignment.create(numberInputs({ number: "4002" }), session);
    };
    emulator.inject({ ...noContent(), times: 2 });
    await createTwo();
    const body = { numbers: [{ number: NUMBER, inbound_agents: [] }] };
    emulator.inject({ kind: "status", status: 202, body, times: 2 });
    await createTwo();
    const versionless = [90, 10].map((weight) => ({ agent_id: "agent_a", weight }));
    emulator.inject({
      kind: "contradict",
      record: { inbound_agents: versionless },
      patch: { assignment: null },
      times: 2,
    });
    await createTwo();
    assert.deepEqual(codesOf(session.warnings), ["AGP-053", "AGP-053", "AGP-053"]);
    assert.equal(new Set(session.warnings).size, 3, "the three warnings give different reasons");
  });

  const freeze = { freeze: "cut-over until Monday" };

  it("refuses to delete a number or a chat during a freeze", async () => {
    const assigned = await numberAssignment.create(numberInputs(), run());
    const { id, state } = await smsChat.create(chat, run());
    emulator.clearRequests();
    for (const refused of [
      numberAssignment.delete(assigned.id, assigned.state, run(freeze)),
      smsChat.delete(id, state, run(freeze)),
    ]) {
      const { code, message } = await failureOf(refused);
      assert.equal(code, "AGP-025");
      assert.ok(message.includes(freeze.freeze), message);
    }
    assert.equal(emulator.requests.length, 0);
  });

  it("deletes a number without agents even during a freeze", async () => {
    const { id, state } = await numberAssignment.create(numberInputs({ inboundAgents: {} }), run());
    emulator.clearRequests();
    await numberAssignment.delete(id, state, run(freeze));
    assert.equal(emulator.requests.length, 0);
  });
});
