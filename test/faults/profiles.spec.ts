import assert from "node:assert/strict";
import { defaultProfile, type Emulator, type Profile, type Routing, type Switch, switches } from "../../emulator";
import { declare, hurryingClock, type MiniStack, withMiniStack } from "../support/miniStack";
import { CHAT, VOICE } from "../support/posts";
import type { Properties } from "../support/providerCalls";
import { checkRows } from "../support/rows";

/** Silences of the interface (docs/assumptions.md), read in every other way: the provider is right whichever it is, or says what to do. */

const numbers = ["+15550000001", "+15550000002"];

interface Case {
  readonly switchName: Switch["name"];
  readonly title: string;
  readonly profile: Readonly<Partial<Profile>>;
}

const isLimited = (name: string) => name === "rateLimit" || name === "retryAfter";

/**
 * A platform with this reading, and with what makes it matter: a limit that the few requests of a life exceed, and
 * values that clear nothing.
 */
const profileOf = (name: Switch["name"], value: unknown): Readonly<Partial<Profile>> => ({
  [name]: value,
  ...(isLimited(name) && { rateLimit: 2 }),
  ...(name === "notClearing" && { clearInbound: "empty", clearOthers: "null" }),
});

const cases: readonly Case[] = switches.flatMap(({ name, values }) =>
  values
    .filter((value) => value !== defaultProfile[name])
    .map((value) => ({ switchName: name, title: `${name}=${value}`, profile: profileOf(name, value) })),
);

/** How this platform is told to clear a field, where the default doesn't do it. */
const settingsFor = ({ title }: Case): Properties => {
  const clearWith = { "clearInbound=null": "null", "clearOthers=empty": "empty" }[title];
  return clearWith === undefined ? {} : { "agent-platform:clearWith": clearWith };
};

/** Readings of the POSTs alone, and what they have in common. */
const OF_POSTS = {
  postResponse: "responses are incomplete",
  endChat: "ending a chat returns no body",
  endedChat: "a chat was already ended by hand",
} as const;

/** Readings under which no assignment can come out as declared: test/numbers/numberState.spec.ts and test/api/responses.spec.ts have them. */
const refusing = /success=false|importError=true|clear\w+=none/;

/** The readings of each switch for PUTs, but for those above. Those of `importError` are all refusing. */
const OF_PUTS: Readonly<Record<Exclude<Switch["name"], keyof typeof OF_POSTS | "importError">, string>> = {
  omittedFields: "a PUT clears omitted fields",
  clearInbound: "inbound agents can be cleared in only one way",
  clearOthers: "an outbound agent can be cleared in only one way",
  notClearing: "the platform ignores values that cannot clear fields",
  putStatus: "a PUT returns 202 or 204",
  success: "responses omit `success`",
  weights: "weights must add up to a fixed sum",
  responseWeights: "responses contain scaled weights",
  outboundAgents: "the platform supports `outboundAgents`",
  records: "responses contain unusual number records",
  agentVersion: "the platform requires or adds agent versions",
  unsetFields: "responses omit unset fields",
  rateLimit: "requests are rate limited",
  retryAfter: "a 429 has no Retry-After header",
  unknownAgents: "the platform rejects unknown agents",
};

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

function assigned({ emulator }: MiniStack, number: string): Routing | undefined {
  const { isTimeRoutingEnabled, ...others } = emulator.routing(number) ?? { inboundAgents: {} };
  // `false` is one way to tell a platform that there is no time routing.
  return isTimeRoutingEnabled === true ? { ...others, isTimeRoutingEnabled } : others;
}

/**
 * The numbers are as declared, and there is no perpetual diff: neither at once nor after a refresh is there anything to do.
 * Resolves with the statuses of the responses.
 */
async function applied(stack: MiniStack, args: Properties, expected: Routing): Promise<number[]> {
  const declaration = declare("numberGroup", { numbers: [...numbers], workspaceId: 42, ...args });
  assert.deepEqual((await stack.up([declaration])).failures, []);
  for (const number of numbers) {
    assert.deepEqual(assigned(stack, number), expected);
  }
  const statuses = stack.emulator.requests.map(({ status }) => status ?? 0);
  stack.emulator.clearRequests();
  const same = [{ op: "same", name: declaration.name }];
  assert.deepEqual((await stack.preview([declaration])).steps, same);
  await stack.refresh();
  assert.deepEqual((await stack.up([declaration])).steps, same);
  assert.equal(stack.emulator.requests.length, 0);
  return statuses;
}

/** Everything is declared, then changed and cleared in one step, and at last unassigned. Resolves with all statuses. */
async function liveNumbers(one: Case, stack: MiniStack): Promise<ReadonlySet<number>> {
  const rest = { outboundAgentId: "agent_o", outboundAgentVersion: 3, inboundWebhookUrl: "https://hooks.invalid/in" };
  const whole = { ...rest, isTimeRoutingEnabled: true };
  const statuses = [
    await applied(stack, { ...whole, inboundAgents: split(one, 90) }, { ...whole, inboundAgents: inbound(one, 90) }),
    await applied(stack, { inboundAgents: split(one, 50) }, { inboundAgents: inbound(one, 50) }),
    await applied(stack, { inboundAgents: [] }, { inboundAgents: {} }),
    await applied(stack, { inboundAgents: split(one, 50) }, { inboundAgents: inbound(one, 50) }),
  ];
  assert.deepEqual((await stack.destroy()).failures, []);
  assert.deepEqual([assigned(stack, numbers[0] ?? "")?.inboundAgents, stack.engine.state], [{}, []]);
  return new Set(statuses.flat());
}

const voice = declare("communityVoice", VOICE);
const chat = declare("smsChat", CHAT);

/** Ends every chat, as a person may do in the platform's own interface. */
async function endByHand({ chats, token, url }: Emulator): Promise<void> {
  for (const { chatId } of chats) {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const body = JSON.stringify({ workspaceId: CHAT.workspaceId });
    const { ok } = await fetch(`${url}/api/chats/${chatId}/end`, { method: "POST", headers, body });
    assert.equal(ok, true, "the chat is ended by hand");
  }
}

async function livePosts({ switchName, profile }: Case, { emulator, engine, up, destroy }: MiniStack): Promise<void> {
  const isNamed = profile.postResponse !== "withoutId";
  for (const declaration of [voice, chat]) {
    const { failures } = await up([declaration]);
    const [saved] = engine.state;
    const posted = declaration === voice ? emulator.voices : emulator.chats;
    // Something was made. If its id is not known, it is saved as unresolved, and never posted again.
    assert.deepEqual([failures.length, saved?.outputs.unresolved], isNamed ? [0, undefined] : [1, true]);
    await up([declaration]);
    assert.equal(posted.length, 1);
    if (isNamed) {
      assert.ok(
        Object.values(posted[0] ?? {}).includes(saved?.id),
        `the platform has nothing with the id ${saved?.id}`,
      );
    }
    if (switchName === "endedChat") {
      await endByHand(emulator);
    }
    assert.deepEqual((await destroy()).failures, []);
    assert.deepEqual(engine.state, []);
  }
  assert.equal(emulator.chats[0]?.ended, isNamed);
}

describe("the provider on an unusual platform", () => {
  const casesOf = (name: string) => cases.filter((one) => one.switchName === name && !refusing.test(one.title));

  for (const [name, condition] of Object.entries(OF_PUTS)) {
    it(`assigns numbers and shows no diff if ${condition}`, () =>
      checkRows(
        casesOf(name),
        ({ title }) => title,
        (one) =>
          withMiniStack(
            { profile: one.profile, config: settingsFor(one), attempts: 4, clock: hurryingClock(200) },
            async (stack) => {
              const statuses = await liveNumbers(one, stack);
              assert.equal(statuses.has(429), isLimited(name), [...statuses].join());
            },
          ),
      ));
  }

  for (const [name, condition] of Object.entries(OF_POSTS)) {
    it(`posts a voice and a chat only once if ${condition}`, () =>
      checkRows(
        casesOf(name),
        ({ title }) => title,
        (one) => withMiniStack({ profile: one.profile }, (stack) => livePosts(one, stack)),
      ));
  }
});
