import assert from "node:assert/strict";
import { defaultProfile, type Profile, profiles, type Routing, type Switch, switches } from "../../emulator";
import type { Declaration } from "../support/miniEngine";
import { createProviders, type Providers } from "../support/miniEngineProviders";
import { closeProviders, declare, type MiniStack, messagesOf, withMiniStack } from "../support/miniStack";
import type { Properties } from "../support/providerProcess";

/** Every silence of the interface, read in every other way (docs/assumptions.md): the provider is right whichever it is, or says what to do. */

const numbers = ["+15550000001", "+15550000002"] as const;
const accountSid = "5d3a8c1e-0f7b-4b62-9a55-6a1f0c2b7d90";
const unhurried: Properties = {
  "agent-platform:attempts": 4,
  "agent-platform:requestTimeout": 10,
  "agent-platform:deadline": 30,
};

interface Case {
  readonly title: string;
  readonly profile: Readonly<Partial<Profile>>;
}

const named = (name: string): Readonly<Partial<Profile>> => profiles[name as keyof typeof profiles];
const cases: readonly Case[] = [
  ...switches.flatMap(({ name, row, section, values }: Switch) =>
    values
      .filter((value) => value !== defaultProfile[name])
      .map((value) => {
        const silence = row === undefined ? `section ${section}` : `row ${row}`;
        return { title: `${silence}, ${name}=${value}`, profile: named(`${name}=${value}`) };
      }),
  ),
  ...["default", "strict", "terse", "legacy"].map((name) => ({ title: `all of "${name}"`, profile: named(name) })),
];

/** Readings under which no assignment can come out as declared; each has a test of its own below. */
const refusing = /success=false\b(?!On)|importError=true|tokenExpiresAfter=1|unknownNumbers=404/;
const staysBound = ({ profile }: Case): boolean => profile.defaultAgentAfterClear === "stays";

/** A platform that wants the sum to be 1 gets it in such weights; all others take any. */
const weight = ({ profile }: Case, percent: number): number => (profile.weights === "sum1" ? percent / 100 : percent);

const split = (one: Case, first: number, second: number): Properties[] => [
  { agentId: "agent_a", agentVersion: 1, weight: weight(one, first) },
  { agentId: "agent_a", agentVersion: 2, weight: weight(one, second) },
];

/** Account and workspace are declared, so that a platform which asks for them has them; but for one that answers with others. */
const scope = ({ profile }: Case): Properties =>
  profile.answerAccount === "different" ? {} : { accountSid, workspaceId: 42 };

const rest = { outboundAgentId: "agent_o", outboundAgentVersion: 3, inboundWebhookUrl: "https://hooks.invalid/in" };

function bound(stack: MiniStack, number: string): Routing | undefined {
  const held = stack.emulator.routing(number);
  // `false` is one way to tell a platform that time routing is gone.
  if (held?.isTimeRoutingEnabled !== false) {
    return held;
  }
  const { isTimeRoutingEnabled: _, ...others } = held;
  return others;
}

async function applied(stack: MiniStack, declaration: Declaration, expected: Routing): Promise<void> {
  assert.deepEqual((await stack.up([declaration])).failures, []);
  const declared = declaration.kind === "numberGroup" ? numbers : numbers.slice(0, 1);
  for (const number of declared) {
    assert.deepEqual(bound(stack, number), expected);
  }
  await unchanged(stack, declaration);
}

/** No perpetual diff: neither at once nor after a refresh is there anything to do. */
async function unchanged({ up, preview, refresh, emulator }: MiniStack, declaration: Declaration): Promise<void> {
  emulator.clearRequests();
  const same = [{ op: "same", name: declaration.name }];
  assert.deepEqual((await preview([declaration])).steps, same);
  assert.deepEqual((await up([declaration])).steps, same);
  await refresh();
  assert.deepEqual((await up([declaration])).steps, same);
  assert.equal(emulator.requests.length, 0);
}

function numberKinds(one: Case): readonly ((args: Properties) => Declaration)[] {
  return [
    (args) => declare("numberAssignment", { number: numbers[0], ...scope(one), ...args }),
    (args) => declare("numberGroup", { numbers: [...numbers], ...scope(one), ...args }),
  ];
}

const inbound = (one: Case, first: number, second: number) => ({
  "agent_a@1": weight(one, first),
  "agent_a@2": weight(one, second),
});

async function liveNumbers(one: Case, stack: MiniStack, declaration: (args: Properties) => Declaration): Promise<void> {
  const whole = { inboundAgents: split(one, 90, 10), ...rest, isTimeRoutingEnabled: true };
  await applied(stack, declaration(whole), {
    inboundAgents: inbound(one, 90, 10),
    ...rest,
    isTimeRoutingEnabled: true,
  });
  const half = split(one, 50, 50);
  await applied(stack, declaration({ ...whole, inboundAgents: half }), {
    inboundAgents: inbound(one, 50, 50),
    ...rest,
    isTimeRoutingEnabled: true,
  });
  // Where an answer goes on showing the last outbound agent, its removal cannot be seen; that has a test of its own.
  const { inboundWebhookUrl: _, ...outbound } = rest;
  const left = staysBound(one) ? outbound : {};
  await applied(stack, declaration({ inboundAgents: half, ...left }), { inboundAgents: inbound(one, 50, 50), ...left });
  await applied(stack, declaration({ inboundAgents: [], ...left }), { inboundAgents: {}, ...left });
  await applied(stack, declaration({ inboundAgents: half, ...left }), { inboundAgents: inbound(one, 50, 50), ...left });
}

async function wholeLife(one: Case, providers?: Providers): Promise<void> {
  const options = { profile: { ...one.profile }, accountSid, config: unhurried };
  for (const declaration of numberKinds(one)) {
    await withMiniStack({ ...options, ...(providers && { providers }) }, async (stack) => {
      await liveNumbers(one, stack, declaration);
      if (staysBound(one)) {
        return;
      }
      assert.deepEqual((await stack.destroy()).failures, []);
      for (const number of numbers) {
        assert.deepEqual(bound(stack, number)?.inboundAgents ?? {}, {});
      }
      assert.deepEqual(stack.engine.state, []);
    });
  }
}

describe("a platform that reads the interface otherwise", () => {
  // An answer that may be stale is waited for: these are mostly waiting, so they are begun before the others.
  const begun = new Map<Case, Promise<void>>();
  before(() => {
    for (const one of cases.filter(({ profile }) => (profile.staleAnswers ?? 0) > 0)) {
      const providers = createProviders();
      const life = wholeLife(one, providers).finally(() => providers.close());
      life.catch(() => {});
      begun.set(one, life);
    }
  });
  after(closeProviders);

  for (const one of cases.filter(({ title }) => !refusing.test(title))) {
    it(`has every number as declared, and no perpetual diff: ${one.title}`, () => begun.get(one) ?? wholeLife(one));
  }

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
      // Something was made, and nobody knows what it is called: saved as unresolved, and never posted again.
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
      message: `AGP-030 NumberAssignment "+15550000001": create rejected: the platform returned 200 to PUT /api/numbers/{number}/agent: "assignment not possible"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Fix the problem reported above, then rerun.`,
    },
    {
      profile: "requiredFields=accountSid",
      message: `AGP-030 NumberAssignment "+15550000001": create rejected: the platform returned 400 to PUT /api/numbers/{number}/agent: "accountSid is required"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Fix the problem reported above, then rerun.`,
    },
    {
      profile: "agentVersion=required",
      message: `AGP-030 NumberAssignment "+15550000001": create rejected: the platform returned 400 to PUT /api/numbers/{number}/agent: "inboundAgents[0].agent_version is required"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Fix the problem reported above, then rerun.`,
    },
    {
      profile: "weights=sum1",
      message: `AGP-030 NumberAssignment "+15550000001": create rejected: the platform returned 422 to PUT /api/numbers/{number}/agent: "inboundAgents: weights must sum to 1"
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  Fix the problem reported above, then rerun.`,
    },
    {
      profile: "unknownNumbers=404",
      message: `AGP-033 NumberAssignment "+15550000001": create rejected: the platform returned 404 to PUT /api/numbers/{number}/agent: "number +15550000001 not found"
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
          `AGP-051 NumberAssignment "+15550000001": the platform reports an import error: ${words}.
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
        `AGP-031 NumberAssignment "+15550000001": update rejected: the platform returned 401 to PUT /api/numbers/{number}/agent: "the access token has expired"
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
      assert.match([run.said, ...messagesOf(run)].join("\n"), /workspaceId: sent 42, the platform returned 43/);
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
