import assert from "node:assert/strict";
import { defaultProfile, type Profile, profiles, type Routing } from "../../emulator";
import { closeProviders, declare, type MiniStack, messagesOf, withMiniStack } from "../support/miniStack";
import type { Properties } from "../support/providerCalls";

/** Silences of the interface (docs/assumptions.md), read in every other way: the provider is right whichever it is, or says what to do. */

const numbers = ["+15550000001", "+15550000002"];

interface Case {
  readonly title: string;
  readonly profile: Readonly<Partial<Profile>>;
}

const cases: readonly Case[] = Object.entries(profiles)
  .map(([title, profile]) => ({ title, profile }))
  .filter(({ title }) => !Object.entries(defaultProfile).some(([name, value]) => title === `${name}=${value}`));

/** Readings under which no assignment can come out as declared; each has a test of its own below. */
const refusing = /success=false|importError=true/;

/** A platform that wants the sum to be 1 gets it in such weights; all others take any. */
const weight = ({ profile }: Case, percent: number): number => (profile.weights === "sum1" ? percent / 100 : percent);

const split = (one: Case, first: number): Properties[] => [
  { agentId: "agent_a", agentVersion: 1, weight: weight(one, first) },
  { agentId: "agent_a", agentVersion: 2, weight: weight(one, 100 - first) },
];

const inbound = (one: Case, first: number) => ({
  "agent_a@1": weight(one, first),
  "agent_a@2": weight(one, 100 - first),
});

function bound({ emulator }: MiniStack, number: string): Routing | undefined {
  const { isTimeRoutingEnabled, ...others } = emulator.routing(number) ?? { inboundAgents: {} };
  // `false` is one way to tell a platform that time routing is gone.
  return isTimeRoutingEnabled === true ? { ...others, isTimeRoutingEnabled } : others;
}

/** The numbers are as declared, and there is no perpetual diff: neither at once nor after a refresh is there anything to do. */
async function applied(stack: MiniStack, args: Properties, expected: Routing): Promise<void> {
  const declaration = declare("numberGroup", { numbers: [...numbers], workspaceId: 42, ...args });
  assert.deepEqual((await stack.up([declaration])).failures, []);
  for (const number of numbers) {
    assert.deepEqual(bound(stack, number), expected);
  }
  stack.emulator.clearRequests();
  const same = [{ op: "same", name: declaration.name }];
  assert.deepEqual((await stack.preview([declaration])).steps, same);
  await stack.refresh();
  assert.deepEqual((await stack.up([declaration])).steps, same);
  assert.equal(stack.emulator.requests.length, 0);
}

/** Everything is declared, then changed and cleared in one step, and at last unassigned. */
async function liveNumbers(one: Case, stack: MiniStack): Promise<void> {
  const rest = { outboundAgentId: "agent_o", outboundAgentVersion: 3, inboundWebhookUrl: "https://hooks.invalid/in" };
  const whole = { ...rest, isTimeRoutingEnabled: true };
  await applied(stack, { ...whole, inboundAgents: split(one, 90) }, { ...whole, inboundAgents: inbound(one, 90) });
  await applied(stack, { inboundAgents: split(one, 50) }, { inboundAgents: inbound(one, 50) });
  await applied(stack, { inboundAgents: [] }, { inboundAgents: {} });
  await applied(stack, { inboundAgents: split(one, 50) }, { inboundAgents: inbound(one, 50) });
  assert.deepEqual((await stack.destroy()).failures, []);
  assert.deepEqual([bound(stack, numbers[0] ?? "")?.inboundAgents, stack.engine.state], [{}, []]);
}

const voice = declare("communityVoice", {
  workspaceId: 42,
  voiceProvider: "provider_a",
  providerVoiceId: "abc",
  voiceName: "Clara",
  publicUserId: "user",
});
const chat = declare("smsChat", {
  workspaceId: 42,
  agentId: "chat_agent_a",
  fromNumber: "+15559990000",
  toNumber: "+15560000001",
});

async function livePosts({ profile }: Case, { emulator, engine, up, destroy }: MiniStack): Promise<void> {
  const isNamed = profile.postAnswer !== "withoutId";
  for (const declaration of [voice, chat]) {
    const { failures } = await up([declaration]);
    const [saved] = engine.state;
    const posted = declaration === voice ? emulator.voices : emulator.chats;
    // Something was made. If its id is not known, it is saved as unresolved, and never posted again.
    assert.deepEqual([failures.length, saved?.outputs.unresolved], isNamed ? [0, undefined] : [1, true]);
    await up([declaration]);
    assert.equal(posted.length, 1);
    if (isNamed) {
      assert.ok(Object.values(posted[0] ?? {}).includes(saved?.id));
    }
    assert.deepEqual((await destroy()).failures, []);
    assert.deepEqual(engine.state, []);
  }
  assert.equal(emulator.chats[0]?.ended, isNamed);
}

describe("a platform that reads the interface otherwise", () => {
  after(closeProviders);

  for (const one of cases.filter(({ title }) => !refusing.test(title))) {
    it(`has every number as declared, and no perpetual diff: ${one.title}`, () =>
      withMiniStack({ profile: one.profile }, (stack) => liveNumbers(one, stack)));
  }

  for (const one of cases.filter(({ title }) => /postAnswer|endChat|endedChat|^[a-z]+$/.test(title))) {
    it(`adds a voice once and starts a chat once: ${one.title}`, () =>
      withMiniStack({ profile: one.profile }, (stack) => livePosts(one, stack)));
  }
});

describe("a platform that refuses, or cannot be understood", () => {
  after(closeProviders);

  const declaration = declare("numberAssignment", {
    number: numbers[0],
    inboundAgents: [{ agentId: "agent_a", weight: 100 }],
    outboundAgentId: "agent_o",
  });

  for (const [profile, status, words] of [
    ["success=false", 200, "assignment not possible"],
    ["agentVersion=required", 400, "inboundAgents[0].agent_version is required"],
    ["weights=sum1", 422, "inboundAgents: weights must sum to 1"],
  ] as const) {
    it(`is quoted, and nothing is saved: ${profile}`, () =>
      withMiniStack({ profile }, async ({ up, engine, emulator }) => {
        assert.deepEqual(messagesOf(await up([declaration])), [
          `AGP-030 NumberAssignment "it" (+15550000001): create rejected: the platform returned ${status} to PUT /api/numbers/{number}/agent: "${words}"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Fix the problem reported above, then rerun.`,
        ]);
        assert.deepEqual([engine.state, emulator.requests.length], [[], 1]);
      }));
  }

  for (const [profile, words] of [
    ["importError=true", "an error without a message"],
    ["importError=trueWithMessage", "the number could not be imported"],
  ] as const) {
    it(`has its import error told, and what it applied saved: ${profile}`, () =>
      withMiniStack({ profile }, async ({ up, engine, emulator }) => {
        assert.deepEqual(messagesOf(await up([declaration])), [
          `AGP-050 NumberAssignment "it" (+15550000001): the platform reports an import error: ${words}.
  Saved with what the platform returned; the next \`pulumi up\` sends it again. If this difference is expected, set agent-platform:onMismatch to warn.`,
        ]);
        assert.equal(engine.state[0]?.id, numbers[0]);
        assert.deepEqual(emulator.routing(numbers[0] ?? "")?.inboundAgents, { agent_a: 100 });
        const warned = await up([declaration], { config: { "agent-platform:onMismatch": "warn" } });
        assert.deepEqual(warned.failures, []);
        emulator.clearRequests();
        await up([declaration]);
        assert.equal(emulator.requests.length, 0);
      }));
  }

  it("tells a token that is not valid any more, and goes on with the next one: row 28", () =>
    withMiniStack({}, async ({ up, engine, emulator }) => {
      await up([declaration]);
      emulator.revokeToken(emulator.token);
      emulator.addToken("tok-next");
      const changed = {
        ...declaration,
        args: { ...declaration.args, inboundAgents: [{ agentId: "agent_b", weight: 1 }] },
      };
      assert.deepEqual(messagesOf(await up([changed])), [
        `AGP-031 NumberAssignment "it" (+15550000001): update rejected: the platform returned 401 to PUT /api/numbers/{number}/agent: "the access token is not valid"
  1 attempt in 0.0 s, request id emulator-1.
  The number keeps its routing (agent_a 100).
  http://127.0.0.1:8080 rejected the token from agent-platform:accessToken (stack config). Create a new one in the platform's profile settings, set it and rerun. refresh and destroy may use an older saved token: set AGENT_PLATFORM_ACCESS_TOKEN for those.`,
      ]);
      const mended = await up([changed], { config: { "agent-platform:accessToken": "tok-next" } });
      assert.deepEqual(mended.failures, []);
      assert.deepEqual(engine.state[0]?.outputs.inboundAgents, { agent_b: 1 });
    }));

  it("names account and workspace if the response is of others than were declared: row 41", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      emulator.inject({ kind: "contradict", record: { workspace_id: 43 }, patch: { assignment: undefined }, times: 9 });
      const run = await up([{ ...declaration, args: { ...declaration.args, workspaceId: 42 } }]);
      assert.match([run.said, ...messagesOf(run)].join("\n"), /differs from the request in workspaceId\./);
    }));
});
