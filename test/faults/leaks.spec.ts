import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { Fault } from "../../emulator";
import { MAX_BODY_BYTES } from "../../provider/api/http";
import { loginPage, redirect } from "../support/answers";
import { ENCODERS } from "../support/encoders";
import type { Declaration, Run } from "../support/miniEngine";
import { declare, type MiniStack, withMiniStack } from "../support/miniStack";
import { TOKEN } from "../support/platformStack";

/** A secret argument. It differs from its own form in JSON, in a URL and in a page. */
const HUSH = 'hush/4f+1c="&';

const SECRETS = { "the access token": TOKEN, "a webhook": webhook(HUSH), "metadata and extra fields": HUSH };

/** The platform's words about a request, in which a secret stands as one of these writes it. */
const REASON = (secret: string): string => `The value '${secret}' is not reachable.`;

/** Where a server can repeat what it was sent. Each makes the faults of a whole run from a text of the server's. */
const PLACES: Readonly<Record<string, (said: string) => Fault>> = {
  "a 400 with an error message": (said) => ({ kind: "status", status: 400, body: { error: said } }),
  "a 422 with errors grouped by field": (said) => ({
    kind: "status",
    status: 422,
    body: { errors: { inboundWebhookUrl: [said] } },
  }),
  "a 422 with unknown fields": (said) => ({
    kind: "status",
    status: 422,
    body: { got: { note: said }, [said]: 1 },
  }),
  "a plain-text 422": (said) => ({
    kind: "status",
    status: 422,
    body: said,
    headers: { "content-type": "text/plain" },
  }),
  "a 500 with truncated JSON": (said) => ({ kind: "status", status: 500, body: `{"error": "${said}` }),
  "a 503 with a message": (said) => ({ kind: "status", status: 503, body: { message: said } }),
  "a 200 with `success: false`": (said) => ({
    kind: "status",
    status: 200,
    body: { success: false, error: said, message: said },
  }),
  "an import error": (said) => ({
    kind: "contradict",
    record: { platform_import_error: true, platform_import_error_message: said },
  }),
  "an agent ID": (said) => ({
    kind: "contradict",
    record: { inbound_agents: [{ agent_id: said, weight: 1 }] },
  }),
  "a redirect URL": (said) => redirect(`https://${encodeURIComponent(said)}.example/${said.replace(/[^!-~]/g, "")}`),
};

/** Every way to write a secret is tried on the function that withholds it; here it is about each place. */
const WRITERS = [
  "unencoded",
  "encoded by PHP's json_encode",
  "encoded by .NET's System.Text.Json",
  "form-encoded",
  "encoded by PHP's htmlspecialchars",
];

const TRIALS = WRITERS.flatMap((writer) =>
  Object.entries(SECRETS).map(([name, secret]) => ({
    where: `${name}, ${writer}`,
    said: ENCODERS[writer]?.(secret) ?? "",
  })),
);

describe("the provider", () => {
  for (const [place, faultOf] of Object.entries(PLACES)) {
    it(`does not leak secrets echoed in ${place}`, async () => {
      for (const { where, said } of TRIALS) {
        const { texts, reasons, states } = await lifeUnder(faultOf(REASON(said)));
        assertHidden([...texts, ...reasons], SECRETS, where);
        assertHidden(states, { "the access token": TOKEN }, where);
      }
    });
  }

  it("prints the server's error message if it contains no secrets", async () => {
    for (const place of ["a 400 with an error message", "a 422 with errors grouped by field", "a plain-text 422"]) {
      const { texts } = await lifeUnder((PLACES[place] as (said: string) => Fault)("weights must sum to 100%"));
      assert.match([...texts].join("\n"), /weights must sum to 100%/, place);
    }
  });
});

describe("the provider's output", () => {
  const headerSafe = encodeURIComponent(TOKEN);
  const rows: Readonly<Record<string, Fault>> = {
    "a media type contains it": {
      kind: "status",
      status: 400,
      body: "no",
      headers: { "content-type": `text/${headerSafe}` },
    },
    "a request ID contains it": {
      kind: "status",
      status: 429,
      headers: { "retry-after": "9999", "x-request-id": headerSafe },
    },
    "a login page contains it": loginPage(200, `<h1>${TOKEN}</h1>`),
    "a response's fields contain it": {
      kind: "contradict",
      patch: { [TOKEN]: TOKEN, numbers: [{ [TOKEN]: 1, weight: TOKEN }] },
    },
    "a response is cut off": { kind: "reset", inBody: true },
    "a response is too large": { kind: "status", status: 200, body: " ".repeat(2 * MAX_BODY_BYTES) },
  };
  for (const [name, fault] of Object.entries(rows)) {
    it(`does not leak the token if ${name}`, async () => {
      const { texts, states } = await lifeUnder(fault);
      assertHidden([...texts, ...states], { "the access token": TOKEN }, name);
    });
  }
});

describe("a rejected delete", () => {
  const saved = "https://hooks.example.com/hush";
  for (const [name, index, args] of [
    ["a webhook URL", 0, { inboundWebhookUrl: saved }],
    ["a chat's note", 3, { metadata: { note: saved } }],
  ] as const) {
    it(`redacts ${name} even if the error message truncates it`, () =>
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

function webhook(key: string): string {
  return `https://hooks.example.com/?key=${encodeURIComponent(key)}`;
}
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
  readonly texts: ReadonlySet<string>;
  /** What the state keeps of a request that was not applied. */
  readonly reasons: ReadonlySet<string>;
  /** The whole state. Arguments stand in it: it is the engine that encrypts them. */
  readonly states: ReadonlySet<string>;
}

/** Create, update, refresh and destroy of every kind under a fault, through the handlers. */
async function lifeUnder(fault: Fault): Promise<Lived> {
  const [texts, reasons, states] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const config = { "agent-platform:accessToken": TOKEN, "agent-platform:requestTimeout": 1 };
  const all = declarations.map((declaration) => ({ ...declaration, name: declaration.kind }));
  const edited = all.map((one) => ({ ...one, args: { ...one.args, ...changed(one) } }));
  await withMiniStack({ token: TOKEN, config }, async ({ emulator, up, refresh, destroy, engine }: MiniStack) => {
    const keep = ({ failures, said: warnings }: Run) => {
      for (const text of [warnings, ...failures.map(({ message }) => message)]) {
        texts.add(text);
      }
      for (const { outputs, initErrors } of engine.state) {
        reasons.add(JSON.stringify([outputs.unresolved, initErrors]));
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
  return { texts, reasons, states };
}

const changed = ({ kind }: Declaration): Record<string, unknown> =>
  kind === "numberAssignment" || kind === "numberGroup" ? { inboundWebhookUrl: webhook(`${HUSH}2`) } : {};

/** Looks for each secret in every spelling that an encoder gives it. */
function assertHidden(texts: Iterable<string>, secrets: Readonly<Record<string, string>>, where: string): void {
  for (const text of texts) {
    for (const [name, secret] of Object.entries(secrets)) {
      const encoder = Object.entries(ENCODERS).find(([, encode]) => text.includes(encode(secret)));
      assert.equal(encoder, undefined, `${where}: ${name} stands in\n${text}`);
    }
  }
}

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
