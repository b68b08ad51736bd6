import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { Fault } from "../../emulator";
import { MAX_BODY_BYTES } from "../../provider/api/http";
import { loginPage, redirect } from "../support/answers";
import type { Declaration, Run } from "../support/miniEngine";
import { declare, type MiniStack, withMiniStack } from "../support/miniStack";
import { assertNoToken, echoesOf, TOKEN } from "../support/platformStack";

/** A secret argument: in no text that anybody reads. */
const HUSH = 'hush/4f+1c="&';

/** Everything in which a platform, or a proxy in its place, may hand the token back. */
const echo = echoesOf(TOKEN);
const headerSafe = echo.replace(/[^\x20-\x7e]/g, "");
/** What a server repeats of a request. */
const sent = `${HUSH} ${encodeURIComponent(HUSH)} ${JSON.stringify(HUSH)}`;
const faults: readonly Fault[] = [
  ...[{ error: sent }, { detail: [{ msg: "no", input: { note: HUSH } }] }, { got: { note: HUSH } }].map(
    (body): Fault => ({ kind: "status", status: 422, body }),
  ),
  { kind: "contradict", record: { platform_import_error: true, platform_import_error_message: sent } },
  { kind: "reset", inBody: true },
  { kind: "status", status: 200, body: '{"success": tru' },
  { kind: "status", status: 200, body: " ".repeat(2 * MAX_BODY_BYTES) },
  ...[200, 400, 401, 500].map(
    (status): Fault => ({ kind: "status", status, body: { error: echo, message: echo, success: false } }),
  ),
  { kind: "status", status: 400, body: echo, headers: { "content-type": "text/plain", "x-request-id": TOKEN } },
  { kind: "status", status: 400, body: { error: { message: echo } }, headers: { "content-type": `text/${TOKEN}` } },
  { kind: "status", status: 429, headers: { "retry-after": "9999", "x-request-id": headerSafe } },
  redirect(`https://${encodeURIComponent("tok")}.example/${TOKEN}`),
  loginPage(200, `<h1>${echo}</h1>`),
  { kind: "contradict", record: { platform_import_error: true, platform_import_error_message: echo } },
  { kind: "contradict", record: { inbound_agents: [{ agent_id: echo, weight: 1 }], number: echo } },
  { kind: "contradict", patch: { [TOKEN]: echo, numbers: [{ [TOKEN]: 1, weight: echo }] } },
];

describe("what a run with faults leaves behind", () => {
  let lived: Promise<Lived> | undefined;
  const livedThrough = () => {
    lived ??= liveThroughFaults();
    return lived;
  };
  it("holds no token, in whatever form the platform echoes it", async () => {
    const { said, states } = await livedThrough();
    for (const text of said) {
      assertNoToken(text, "a message");
    }
    for (const text of states) {
      assertNoToken(text, "the state");
    }
  });

  it("holds no secret argument in a message, a warning or a log", async () => {
    const { said } = await livedThrough();
    for (const text of said) {
      assert.ok(!formsOf(HUSH).some((form) => text.includes(form)), text);
    }
  });
});

describe("a delete that is refused in words which are cut in the middle of what was sent before", () => {
  const saved = "https://hooks.example.com/hush";
  for (const [name, index, args] of [
    ["a webhook", 0, { inboundWebhookUrl: saved }],
    ["a note to a chat", 3, { metadata: { note: saved } }],
  ] as const) {
    it(`shows no beginning of it: ${name}`, () =>
      withMiniStack({}, async ({ emulator, up, destroy }) => {
        const declaration = declarations[index] as Declaration;
        await up([{ ...declaration, args: { ...declaration.args, ...args } }]);
        const error = `${"x".repeat(480)} ${saved}`;
        emulator.inject({ kind: "status", status: 422, body: { error }, times: "always" });
        const [failure] = (await destroy()).failures;
        assert.match(failure?.message ?? "", /x{480} (?!https)/);
      }));
  }
});

const webhook = (key: string) => `https://hooks.example.com/?key=${encodeURIComponent(key)}`;
const declarations: readonly Declaration[] = [
  declare("numberAssignment", {
    number: "4001",
    inboundAgents: [{ agentId: "agent_a", weight: 1 }],
    inboundWebhookUrl: webhook(HUSH),
    extraFields: { note: HUSH },
    triggers: [HUSH],
  }),
  declare("numberGroup", {
    numbers: { "4002": "London" },
    inboundWebhookUrl: webhook(HUSH),
    extraFields: { note: HUSH },
  }),
  declare("communityVoice", {
    workspaceId: 42,
    voiceProvider: HUSH,
    providerVoiceId: HUSH,
    voiceName: "Nova",
    publicUserId: HUSH,
  }),
  declare("smsChat", {
    workspaceId: 42,
    agentId: "chat_agent_a",
    fromNumber: "+15550000001",
    toNumber: "+15550000002",
    metadata: { note: HUSH },
    serviceDynamicVariables: { [HUSH]: HUSH },
  }),
];

interface Lived {
  /** Messages and warnings. */
  readonly said: ReadonlySet<string>;
  readonly states: ReadonlySet<string>;
}

/** Create, update, refresh and destroy of every kind under every fault, through the handlers. */
async function liveThroughFaults(): Promise<Lived> {
  const [said, states] = [new Set<string>(), new Set<string>()];
  const config = { "agent-platform:accessToken": TOKEN, "agent-platform:requestTimeout": 1 };
  const all = declarations.map((declaration) => ({ ...declaration, name: declaration.kind }));
  const edited = all.map((one) => ({ ...one, args: { ...one.args, ...changed(one) } }));
  for (const fault of faults) {
    await withMiniStack({ token: TOKEN, config }, async ({ emulator, up, refresh, destroy, engine }: MiniStack) => {
      const keep = ({ failures, said: warnings }: Run) => {
        for (const text of [warnings, ...failures.map(({ message }) => message)]) {
          said.add(text);
        }
        for (const text of everyText(engine.state)) {
          states.add(text);
        }
      };
      const always = { ...fault, times: "always" as const };
      emulator.inject(always);
      keep(await up(all, { continueOnError: true }));
      emulator.clearFaults();
      keep(await up(all, { continueOnError: true }));
      emulator.inject(always);
      keep(await up(edited, { continueOnError: true }));
      keep(await refresh({ continueOnError: true }));
      keep(await destroy({ continueOnError: true }));
    });
  }
  assert.ok(said.size > faults.length, `${said.size} messages`);
  return { said, states };
}

const changed = ({ kind }: Declaration): Record<string, unknown> =>
  kind === "numberAssignment" || kind === "numberGroup" ? { inboundWebhookUrl: webhook(`${HUSH}2`) } : {};

const formsOf = (secret: string): string[] => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];

/** As it is printed, inspected to the last corner, and written as JSON. */
function everyText(value: unknown): string[] {
  const shown = inspect(value, {
    depth: 20,
    showHidden: true,
    getters: true,
    maxStringLength: null,
    maxArrayLength: null,
  });
  const printed = value instanceof Error ? [value.message, String(value.stack), String(value)] : [];
  return [shown, JSON.stringify(value), ...printed];
}
