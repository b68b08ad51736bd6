import assert from "node:assert/strict";
import fc from "fast-check";
import type { ResourceKind } from "../../provider/config/kinds";
import type { Lifecycle } from "../../provider/run/resource";
import { ResourceError } from "../../provider/words/message";
import { emulatorForEach } from "../api/support";
import { LIFECYCLES } from "../support/lifecycles";
import { POSTED_ARGS } from "../support/posts";
import { newRun } from "../support/session";

describe("recovery from an edited state", () => {
  const start = emulatorForEach();
  const number = "+15550000001";
  const url = "http://127.0.0.1:9";
  const lifecycleOf = (kind: ResourceKind) => LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
  const unapplied = [
    {
      numbers: `${number}\n`,
      reason: "unknown",
      applied: { inboundAgents: { agent_b: 1 } },
      maybe: [{ outboundAgentId: "agent_p" }],
    },
  ];
  const states: Readonly<Record<ResourceKind, Readonly<Record<string, unknown>>>> = {
    NumberAssignment: {
      number,
      workspaceId: 42,
      inboundAgents: { "agent_a@1": 90, "agent_a@2": 10 },
      previousInboundAgents: { agent_a: 1 },
      inboundWebhookUrl: "https://hooks.example.com/in",
      triggers: ["a"],
      extraFields: { a: 1 },
      platformIds: { id: 1 },
      unapplied,
    },
    NumberGroup: { numbers: `${number}\tLondon\n+15550000002\n`, inboundAgents: { "agent_a@1": 1 }, unapplied },
    ...POSTED_ARGS,
  };

  /** Generates values that somebody could give a field by editing the state. */
  const edits = fc.oneof(
    fc.constantFrom(undefined, "", 0, -1, true, [], {}, ["x"], { a: "70" }, { "": {} }, { toString: {} }),
    fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
  );

  it("rejects a state with a malformed `unapplied` field", () => {
    for (const [kind, malformed] of [
      ["NumberAssignment", "unknown"],
      ["NumberAssignment", [{ numbers: number, reason: "lost" }]],
      ["NumberAssignment", [{ numbers: number, reason: "unknown", maybe: { inboundAgents: ["a"] } }]],
      ["NumberGroup", [{ reason: "unknown", numbers: [number] }]],
    ] as const) {
      const state = { number, numbers: `${number}\n`, unapplied: malformed, endpoint: url };
      assert.throws(() => lifecycleOf(kind).readState(state, "id"), {
        name: "ResourceError",
        code: "AGP-080",
      });
    }
  });

  for (const [kind, fields] of Object.entries(states) as [ResourceKind, (typeof states)[ResourceKind]][]) {
    it(`never crashes on a randomly edited ${kind} state`, async () => {
      const lifecycle = lifecycleOf(kind);
      const emulator = await start();
      const state = { ...fields, endpoint: emulator.url };
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...Object.keys(state)), edits, async (field, value) => {
          const edited = JSON.parse(JSON.stringify({ ...state, [field]: value })) as Record<string, unknown>;
          const run = newRun(emulator.url, emulator.token, { attempts: 1 });
          for (const call of [
            async () => lifecycle.diff("id", lifecycle.readState(edited, "id"), state, run.settings),
            async () => lifecycle.update("id", lifecycle.readState(edited, "id"), state, run),
            async () => lifecycle.delete("id", lifecycle.readState(edited, "id"), run),
          ]) {
            await call().catch((error: unknown) => {
              assert.ok(
                error instanceof ResourceError,
                `${field}: ${JSON.stringify(value)}: ${(error as Error).stack}`,
              );
            });
          }
        }),
        { numRuns: 100 },
      );
      // Most edited states can still be read, so some updates and deletes get far enough to send a request. For a
      // voice, neither of them ever sends one.
      assert.equal(emulator.requests.length > 0, kind !== "CommunityVoice");
    });
  }
});
