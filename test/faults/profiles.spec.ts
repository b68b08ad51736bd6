import assert from "node:assert/strict";
import { defaultProfile } from "../../emulator";
import { closeProviders, declare, type MiniStack, messagesOf, withMiniStack } from "../support/miniStack";
import type { Properties } from "../support/providerCalls";
import { type Case, cases, liveEachReading, numbers, unchanged, unhurried } from "./profileLives";

/** A group, in every run; profiles.long.spec.ts has more steps, and the single number. */
describe("a platform that reads the interface otherwise", () => {
  liveEachReading("numberGroup", "short");

  for (const one of cases.filter(({ title }) =>
    /chat|endChat|postStatuses|errorBody|extraFields|all of|voice|actor/i.test(title),
  )) {
    it(`adds a voice once and starts a chat once: ${one.title}`, () =>
      withMiniStack({ profile: { ...one.profile }, config: { ...unhurried, ...headers } }, (stack) =>
        livePosts(one, stack),
      ));
  }
});

const headers: Properties = {
  "agent-platform:actorTypeHeader": defaultProfile.actorTypeHeader,
  "agent-platform:workspaceContextHeader": defaultProfile.workspaceContextHeader,
};

const voice = declare("communityVoice", {
  workspaceId: 42,
  voiceProvider: "provider_a",
  providerVoiceId: "abc",
  voiceName: "Clara",
  publicUserId: "user",
  actorType: "tenant_admin",
});
const chat = declare("smsChat", {
  workspaceId: 42,
  agentId: "chat_agent_a",
  fromNumber: "+15559990000",
  toNumber: "+15560000001",
  metadata: { campaign: "spring" },
});

async function livePosts(one: Case, stack: MiniStack): Promise<void> {
  const { emulator, engine } = stack;
  for (const declaration of [voice, chat]) {
    const isVoice = declaration === voice;
    const made = await stack.up([declaration]);
    const shown = isVoice ? one.profile.voiceAnswer : one.profile.chatAnswer;
    if (shown === "withoutId") {
      // Something was made, and its id is not known: saved as unresolved, and never posted again.
      assert.equal(engine.state[0]?.outputs.unresolved, true);
      assert.equal(made.failures.length, 1);
    } else {
      assert.deepEqual(made.failures, []);
      assert.equal(engine.state[0]?.id, isVoice ? emulator.voices[0]?.voiceId : emulator.chats[0]?.chatId);
      await unchanged(stack, declaration);
    }
    await stack.up([declaration]);
    assert.equal(isVoice ? emulator.voices.length : emulator.chats.length, 1);
    assert.deepEqual((await stack.destroy()).failures, []);
    assert.deepEqual(engine.state, []);
    if (!isVoice && shown !== "withoutId") {
      assert.equal(emulator.chats[0]?.ended, true);
    }
  }
}

describe("a platform that refuses, or cannot be understood", () => {
  after(closeProviders);

  const declaration = declare("numberAssignment", {
    number: numbers[0],
    inboundAgents: [{ agentId: "agent_a", weight: 100 }],
    outboundAgentId: "agent_o",
  });
  const refusals: readonly { profile: string; message: string }[] = [
    {
      profile: "success=false",
      message: `AGP-030 NumberAssignment "it" (+15550000001): create rejected: the platform returned 200 to PUT /api/numbers/{number}/agent: "assignment not possible"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Fix the problem reported above, then rerun.`,
    },
    {
      profile: "requiredFields=accountSid",
      message: `AGP-030 NumberAssignment "it" (+15550000001): create rejected: the platform returned 400 to PUT /api/numbers/{number}/agent: "accountSid is required"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Fix the problem reported above, then rerun.`,
    },
    {
      profile: "agentVersion=required",
      message: `AGP-030 NumberAssignment "it" (+15550000001): create rejected: the platform returned 400 to PUT /api/numbers/{number}/agent: "inboundAgents[0].agent_version is required"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Fix the problem reported above, then rerun.`,
    },
    {
      profile: "weights=sum1",
      message: `AGP-030 NumberAssignment "it" (+15550000001): create rejected: the platform returned 422 to PUT /api/numbers/{number}/agent: "inboundAgents: weights must sum to 1"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Fix the problem reported above, then rerun.`,
    },
    {
      profile: "unknownNumbers=404",
      message: `AGP-033 NumberAssignment "it" (+15550000001): create rejected: the platform returned 404 to PUT /api/numbers/{number}/agent: "number +15550000001 not found"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Check the number or id, the workspace and the base URL (http://127.0.0.1:8080).`,
    },
  ];

  for (const { profile, message } of refusals) {
    it(`is quoted, and nothing is saved: ${profile}`, () =>
      withMiniStack({ profile, config: unhurried }, async ({ up, engine, emulator }) => {
        assert.deepEqual(messagesOf(await up([declaration])), [message]);
        assert.deepEqual(engine.state, []);
        assert.equal(emulator.requests.length, 1);
      }));
  }

  for (const [profile, words] of [
    ["importError=true", "an error without a message"],
    ["importError=trueWithMessage", "the number could not be imported"],
  ] as const) {
    it(`has its import error told, and what it applied saved: ${profile}`, () =>
      withMiniStack({ profile, config: unhurried }, async ({ up, engine, emulator }) => {
        assert.deepEqual(messagesOf(await up([declaration])), [
          `AGP-051 NumberAssignment "it" (+15550000001): the platform reports an import error: ${words}.
  Saved with what the platform returned; the next \`pulumi up\` sends it again. If this difference is expected, set agent-platform:onMismatch to warn.`,
        ]);
        assert.equal(engine.state[0]?.id, numbers[0]);
        assert.deepEqual(emulator.routing(numbers[0])?.inboundAgents, { agent_a: 100 });
        const warned = await up([declaration], { config: { "agent-platform:onMismatch": "warn" } });
        assert.deepEqual(warned.failures, []);
        emulator.clearRequests();
        await up([declaration]);
        assert.equal(emulator.requests.length, 0);
      }));
  }

  it("tells a token that expires between two calls from one that never was, and goes on with the next one: row 28", () =>
    withMiniStack({ profile: "tokenExpiresAfter=1", config: unhurried }, async ({ up, engine, emulator }) => {
      await up([declaration]);
      const changed = {
        ...declaration,
        args: { ...declaration.args, inboundAgents: [{ agentId: "agent_b", weight: 1 }] },
      };
      assert.deepEqual(messagesOf(await up([changed])), [
        `AGP-031 NumberAssignment "it" (+15550000001): update rejected: the platform returned 401 to PUT /api/numbers/{number}/agent: "the access token has expired"
  1 attempt in 0.0 s, request id emulator-1.
  The number keeps its routing (agent_a 100).
  http://127.0.0.1:8080 rejected the token from agent-platform:accessToken (stack config). Create a new one in the platform's profile settings, set it and rerun. refresh and destroy may use an older saved token: set AGENT_PLATFORM_ACCESS_TOKEN for those.`,
      ]);
      const { accountSid: account } = emulator.account();
      emulator.addToken("tok-next", { accountSid: account });
      const mended = await up([changed], { config: { "agent-platform:accessToken": "tok-next" } });
      assert.deepEqual(mended.failures, []);
      assert.deepEqual(engine.state[0]?.outputs.inboundAgents, { agent_b: 1 });
    }));

  it("names account and workspace where the answer is of others than were declared: row 41", () =>
    withMiniStack({ profile: "answerAccount=different", config: unhurried }, async ({ up }) => {
      const scoped = { ...declaration, args: { ...declaration.args, workspaceId: 42 } };
      const run = await up([scoped]);
      assert.match([run.said, ...messagesOf(run)].join("\n"), /differs from the request in workspaceId\./);
    }));

  it("keeps showing the outbound agent that was removed: said once more in each run, until the operator decides: row 38", () =>
    withMiniStack({ profile: "defaultAgentAfterClear=stays", config: unhurried }, async ({ up, emulator }) => {
      await up([declaration]);
      const { outboundAgentId: _, ...args } = declaration.args;
      const run = await up([{ ...declaration, args }]);
      assert.deepEqual(emulator.routing(numbers[0]), { inboundAgents: { agent_a: 100 } });
      assert.deepEqual(messagesOf(run), []);
    }));
});
