import assert from "node:assert/strict";
import { defaultProfile, type Emulator, type Profile, type Routing, type Switch, switches } from "../../emulator";
import { split } from "../../provider";
import { call } from "../emulator/support";
import { declare, type MiniStack, withMiniStack } from "../support/miniStack";
import { CHAT, VOICE } from "../support/posts";
import type { Properties } from "../support/providerCalls";
import { checkRows } from "../support/rows";

/**
 * Tests the provider on platforms that behave unusually where the API leaves the behavior open (see
 * docs/assumptions.md).
 */

const numbers = ["+15550000001", "+15550000002"];

interface Case {
  readonly switchName: Switch["name"];
  readonly title: string;
  readonly profile: Readonly<Partial<Profile>>;
}

const isLimited = (name: string) => name === "rateLimit" || name === "retryAfter";

/**
 * Returns a profile with this value for the switch. If the switch concerns rate limits, the profile also sets a limit
 * so low that even a short test exceeds it.
 */
const profileOf = (name: Switch["name"], value: unknown): Readonly<Partial<Profile>> => ({
  [name]: value,
  ...(isLimited(name) && { rateLimit: 2 }),
});

const cases: readonly Case[] = switches.flatMap(({ name, values }) =>
  values
    .filter((value) => value !== defaultProfile[name])
    .map((value) => ({ switchName: name, title: `${name}=${value}`, profile: profileOf(name, value) })),
);

/** Returns the settings for a platform that doesn't accept the provider's default value for clearing a field. */
const settingsFor = ({ title }: Case): Properties => {
  const clearWith = { "clearInbound=null": "null", "clearOthers=empty": "empty" }[title];
  return clearWith === undefined ? {} : { "agent-platform:clearWith": clearWith };
};

/** The switches that affect only POSTs, each with a description for the test's title. */
const POST_SWITCHES = {
  postResponse: "responses are incomplete",
  endChat: "ending a chat returns no body",
  endedChat: "a chat was already ended by hand",
} as const;

/**
 * Matches the cases in which assigning or clearing always fails. numberState.spec.ts and responses.spec.ts test such
 * failures.
 */
const alwaysFails = /success=false|clear\w+=none/;

/**
 * The switches that affect PUTs, each with a description for the test's title. Leaves out `importError`, whose
 * non-default values make every assignment fail, and `notClearing`, which has its own test.
 */
const PUT_SWITCHES: Readonly<
  Record<Exclude<Switch["name"], keyof typeof POST_SWITCHES | "importError" | "notClearing">, string>
> = {
  omittedFields: "a PUT clears omitted fields",
  clearInbound: "inbound agents can be cleared in only one way",
  clearOthers: "an outbound agent can be cleared in only one way",
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

/** Returns the weight to declare for a percentage. */
function weightFor({ switchName, profile }: Case, percent: number): number {
  if (switchName === "responseWeights") {
    // The platform scales weights in its responses, so declare weights that differ from the scaled ones.
    return percent + 0.4;
  }
  return profile.weights === "sum1" ? percent / 100 : percent;
}

/** Whether to declare versions. On a platform that adds the latest version itself, agents are declared without them. */
const hasVersions = ({ profile }: Case): boolean => profile.agentVersion !== "latest";

const inbound = (testCase: Case, first: number) => ({
  [hasVersions(testCase) ? "agent_a@1" : "agent_a"]: weightFor(testCase, first),
  [hasVersions(testCase) ? "agent_a@2" : "agent_b"]: weightFor(testCase, 100 - first),
});

/** Returns the arguments other than the split, and the routing that they should result in. */
function restOf({ switchName }: Case): {
  readonly args: Properties;
  readonly expected: Omit<Routing, "inboundAgents">;
} {
  const rest = { inboundWebhookUrl: "https://hooks.invalid/in", isTimeRoutingEnabled: true };
  const single = { ...rest, outboundAgentId: "agent_o", outboundAgentVersion: 3 };
  const outboundAgents = [
    { agent_id: "agent_o", agent_version: 3, weight: 60 },
    { agent_id: "agent_p", weight: 40 },
  ];
  return switchName === "outboundAgents"
    ? {
        args: { ...rest, extraFields: { outboundAgents } },
        expected: { ...rest, outboundAgents: { "agent_o@3": 60, agent_p: 40 } },
      }
    : { args: single, expected: single };
}

function assigned({ emulator }: MiniStack, number: string): Routing | undefined {
  const { isTimeRoutingEnabled, ...others } = emulator.routing(number) ?? { inboundAgents: {} };
  // With `clearWith` set to `empty`, the provider clears this field by sending `false`. Treat that as not set.
  return isTimeRoutingEnabled === true ? { ...others, isTimeRoutingEnabled } : others;
}

const group = (args: Properties) => declare("numberGroup", { numbers: [...numbers], workspaceId: 42, ...args });

/**
 * Updates the group. Asserts that its numbers have the expected routing, and that no diff remains, even after a
 * refresh. Returns the statuses of the responses.
 */
async function apply(stack: MiniStack, args: Properties, expected: Routing): Promise<number[]> {
  const declaration = group(args);
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

/**
 * Assigns a group's numbers, changes and clears their fields, unassigns all agents, and destroys the group. Returns the
 * statuses of all responses before the destroy.
 */
async function checkNumbers(testCase: Case, stack: MiniStack): Promise<ReadonlySet<number>> {
  const { args, expected } = restOf(testCase);
  if (testCase.switchName === "unknownAgents") {
    const { failures } = await stack.up([group({ ...args, inboundAgents: { agent_missing: 1 } })]);
    assert.equal(failures.length, 1, "the failures of a group with an unknown agent");
  }
  const statuses = [
    await apply(
      stack,
      { ...args, inboundAgents: split(inbound(testCase, 90)) },
      { ...expected, inboundAgents: inbound(testCase, 90) },
    ),
    await apply(
      stack,
      { ...args, inboundAgents: split(inbound(testCase, 70)) },
      { ...expected, inboundAgents: inbound(testCase, 70) },
    ),
    await apply(stack, { inboundAgents: split(inbound(testCase, 50)) }, { inboundAgents: inbound(testCase, 50) }),
    await apply(stack, { inboundAgents: [] }, { inboundAgents: {} }),
    await apply(stack, { inboundAgents: split(inbound(testCase, 50)) }, { inboundAgents: inbound(testCase, 50) }),
  ];
  assert.deepEqual((await stack.destroy()).failures, []);
  assert.deepEqual([assigned(stack, numbers[0] ?? "")?.inboundAgents, stack.engine.state], [{}, []]);
  return new Set(statuses.flat());
}

const voice = declare("communityVoice", VOICE);
const chat = declare("smsChat", CHAT);

/** Ends every chat without the provider, as a person could in the platform's web application. */
async function endManually(emulator: Emulator): Promise<void> {
  for (const { chatId } of emulator.chats) {
    const { status } = await call(emulator, "POST", `/api/chats/${chatId}/end`, { workspaceId: CHAT.workspaceId });
    assert.equal(status, 200, "the chat could not be ended manually");
  }
}

async function checkPosts({ switchName, profile }: Case, { emulator, engine, up, destroy }: MiniStack): Promise<void> {
  const hasId = profile.postResponse !== "withoutId";
  for (const declaration of [voice, chat]) {
    const { failures } = await up([declaration]);
    const [saved] = engine.state;
    const posted = declaration === voice ? emulator.voices : emulator.chats;
    // The platform has created the voice or chat. If the response doesn't contain the ID, the resource is saved as
    // unresolved, and the next run doesn't repeat the POST.
    assert.deepEqual([failures.length, saved?.outputs.unresolved], hasId ? [0, undefined] : [1, true]);
    await up([declaration]);
    assert.equal(posted.length, 1);
    if (hasId) {
      assert.ok(
        Object.values(posted[0] ?? {}).includes(saved?.id),
        `the platform has no voice or chat with the ID ${saved?.id}`,
      );
    }
    if (switchName === "endedChat") {
      await endManually(emulator);
    }
    assert.deepEqual((await destroy()).failures, []);
    assert.deepEqual(engine.state, []);
  }
  assert.equal(emulator.chats[0]?.ended, hasId);
}

describe("the provider on an unusual platform", () => {
  const casesOf = (name: string) =>
    cases.filter(({ switchName, title }) => switchName === name && !alwaysFails.test(title));

  for (const [name, condition] of Object.entries(PUT_SWITCHES)) {
    it(`assigns numbers and shows no diff if ${condition}`, () =>
      checkRows(
        casesOf(name),
        ({ title }) => title,
        (testCase) =>
          withMiniStack({ profile: testCase.profile, config: settingsFor(testCase) }, async (stack) => {
            const statuses = await checkNumbers(testCase, stack);
            assert.equal(statuses.has(429), isLimited(name), [...statuses].join());
          }),
      ));
  }

  it("reports AGP-052 if the platform ignores a value sent to clear a field", () =>
    withMiniStack({ profile: { notClearing: "ignored", clearInbound: "null" } }, async (stack) => {
      const agents = { agent_a: 1 };
      await apply(stack, { inboundAgents: agents }, { inboundAgents: agents });
      const [failure] = (await stack.up([group({ inboundAgents: [] })])).failures;
      assert.match(failure?.message ?? "", /AGP-052/);
      assert.deepEqual(assigned(stack, numbers[0] ?? ""), { inboundAgents: agents });
      stack.config = { ...stack.config, "agent-platform:clearWith": "null" };
      await apply(stack, { inboundAgents: [] }, { inboundAgents: {} });
    }));

  for (const [name, condition] of Object.entries(POST_SWITCHES)) {
    it(`posts a voice and a chat only once if ${condition}`, () =>
      checkRows(
        casesOf(name),
        ({ title }) => title,
        (testCase) => withMiniStack({ profile: testCase.profile }, (stack) => checkPosts(testCase, stack)),
      ));
  }
});
