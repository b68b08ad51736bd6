import assert from "node:assert/strict";
import fc from "fast-check";
import { communityVoice } from "../../provider/resources/communityVoice";
import { type Lifecycle, ResourceError } from "../../provider/resources/lifecycle";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { numberGroup } from "../../provider/resources/numberGroup";
import { smsChat } from "../../provider/resources/smsChat";
import { newRun } from "../support/session";

const number = "+15550000001";
describe("a state that a hand has edited", () => {
  const url = "http://127.0.0.1:9";
  const endpoint = url;
  const place = { endpoint };
  const kinds: readonly [string, Lifecycle<never, never>, Record<string, unknown>][] = [
    [
      "NumberAssignment",
      numberAssignment as unknown as Lifecycle<never, never>,
      {
        number,
        workspaceId: 42,
        inboundAgents: { "agent_a@1": 90, "agent_a@2": 10 },
        previousInboundAgents: { agent_a: 1 },
        outboundAgentId: "agent_o",
        inboundWebhookUrl: "https://hooks.example.com/in",
        triggers: ["a"],
        extraFields: { a: 1 },
        platformIds: { id: 1 },
        unapplied: [
          {
            numbers: `${number}\n`,
            reason: "unknown",
            applied: { inboundAgents: { agent_a: 1 } },
            maybe: [{ outboundAgentId: "agent_p" }],
          },
        ],
        previous: { outboundAgents: ["agent_p"] },
        ...place,
      },
    ],
    [
      "NumberGroup",
      numberGroup as unknown as Lifecycle<never, never>,
      {
        numbers: `${number}\tLondon\n+15550000002\n`,
        inboundAgents: { "agent_a@1": 1 },
        unapplied: [
          { numbers: `${number}\n`, reason: "unknown", applied: { inboundAgents: { agent_b: 1 } }, maybe: [{}] },
        ],
        previous: { joined: `${number}\n` },
        ...place,
      },
    ],
    [
      "CommunityVoice",
      communityVoice as unknown as Lifecycle<never, never>,
      { workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", voiceName: "Nova", publicUserId: "u", ...place },
    ],
    [
      "SmsChat",
      smsChat as unknown as Lifecycle<never, never>,
      {
        workspaceId: 42,
        agentId: "chat_agent_a",
        fromNumber: number,
        toNumber: "+15550009999",
        metadata: {},
        ...place,
      },
    ],
  ];

  /** Whatever a hand can do to one field. */
  const edits = fc.oneof(
    fc.constant(undefined),
    fc.constantFrom(
      "",
      "text",
      0,
      5,
      -1,
      true,
      [],
      {},
      ["x"],
      { a: "70" },
      { "agent_a@1": "70" },
      { "": {} },
      { toString: {} },
    ),
    fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
  );

  it("is refused where it does not say what numbers hold", () => {
    const lost = (
      kind: string,
    ) => `AGP-080 ${kind} "id": the saved state cannot be read: unapplied is missing or of the wrong type.
  Was it edited manually? Restore it with \`pulumi stack import\`. If you cannot, forget the resource with \`pulumi state delete\`: the next \`pulumi up\` creates it again, which for a chat sends an SMS.`;
    for (const [kind, lifecycle, unapplied] of [
      ["NumberAssignment", numberAssignment, "unknown"],
      ["NumberAssignment", numberAssignment, [{ numbers: number, reason: "lost" }]],
      ["NumberAssignment", numberAssignment, [{ numbers: number, reason: "unknown", maybe: { inboundAgents: ["a"] } }]],
      ["NumberGroup", numberGroup, [{ reason: "unknown", numbers: [number] }]],
    ] as const) {
      assert.throws(() => lifecycle.readState({ number, numbers: `${number}\n`, unapplied, ...place }, "id"), {
        name: "ResourceError",
        message: lost(kind),
      });
    }
  });

  for (const [kind, lifecycle, state] of kinds) {
    it(`is read, or refused in one sentence: ${kind}`, async () => {
      const { settings } = newRun(url, "an-access-token");
      const fields = Object.keys(state);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...fields), edits, async (field, value) => {
          const edited = Object.fromEntries(
            Object.entries({ ...state, [field]: value }).filter(([, item]) => item !== undefined),
          );
          const session = newRun(url, "an-access-token", { attempts: 1, requestTimeout: 1 });
          const news = state as never;
          // Nobody listens there: what is sent ends in one sentence as well.
          for (const call of [
            async () => lifecycle.diff("id", lifecycle.readState(edited, "id"), news, settings),
            async () => lifecycle.update("id", lifecycle.readState(edited, "id"), news, session),
            async () => lifecycle.delete("id", lifecycle.readState(edited, "id"), session),
          ]) {
            const error = await call().then(
              () => undefined,
              (thrown: unknown) => thrown,
            );
            if (error === undefined) {
              continue;
            }
            assert.ok(error instanceof ResourceError, `${field}: ${JSON.stringify(value)}: ${(error as Error).stack}`);
          }
        }),
        { numRuns: 100 },
      );
    });
  }
});
