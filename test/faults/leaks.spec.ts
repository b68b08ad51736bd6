import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { Fault } from "../../emulator";
import { MAX_BODY_BYTES } from "../../provider/api/http";
import { loginPage, redirect } from "../support/answers";
import { ENCODERS } from "../support/encoders";
import type { Declaration, Run } from "../support/miniEngine";
import { declare, type MiniStack, withMiniStack } from "../support/miniStack";
import { TOKEN } from "../support/platformStack";

/** A secret that is encoded differently in JSON, in URLs and in HTML. */
const SECRET_VALUE = 'hush/4f+1c="&';

const SECRETS = {
  "the access token": TOKEN,
  "a webhook": webhook(SECRET_VALUE),
  "metadata and extra fields": SECRET_VALUE,
};

/** Returns a platform error message that quotes the secret. */
const messageQuoting = (secret: string): string => `The value '${secret}' is not reachable.`;

/** The places where a server can echo a secret. Each function returns a fault that echoes the string in that place. */
const PLACES: Readonly<Record<string, (echo: string) => Fault>> = {
  "a 400 with an error message": (echo) => ({ kind: "status", status: 400, body: { error: echo } }),
  "a 422 with errors grouped by field": (echo) => ({
    kind: "status",
    status: 422,
    body: { errors: { inboundWebhookUrl: [echo] } },
  }),
  "a 422 with unknown fields": (echo) => ({
    kind: "status",
    status: 422,
    body: { got: { note: echo }, [echo]: 1 },
  }),
  "a plain-text 422": (echo) => ({
    kind: "status",
    status: 422,
    body: echo,
    headers: { "Content-Type": "text/plain" },
  }),
  "a 500 with truncated JSON": (echo) => ({ kind: "status", status: 500, body: `{"error": "${echo}` }),
  "a 503 with a message": (echo) => ({ kind: "status", status: 503, body: { message: echo } }),
  "a 200 with `success: false`": (echo) => ({
    kind: "status",
    status: 200,
    body: { success: false, error: echo, message: echo },
  }),
  "an import error": (echo) => ({
    kind: "contradict",
    record: { platform_import_error: true, platform_import_error_message: echo },
  }),
  "an agent ID": (echo) => ({
    kind: "contradict",
    record: { inbound_agents: [{ agent_id: echo, weight: 1 }] },
  }),
  "a redirect URL": (echo) => redirect(`https://elsewhere.example/${echo.replace(/[^!-~]/g, "")}`),
};

/**
 * The encodings to test in each place. A few are enough, because test/base/secrets.spec.ts tests the redaction itself
 * with all of them.
 */
const ENCODINGS = [
  "unencoded",
  "encoded by PHP's json_encode",
  "encoded by .NET's System.Text.Json",
  "form-encoded",
  "encoded by PHP's htmlspecialchars",
];

const TRIALS = ENCODINGS.flatMap((encoding) =>
  Object.entries(SECRETS).map(([name, value]) => ({
    label: `${name}, ${encoding}`,
    secret: ENCODERS[encoding]?.(value) ?? "",
  })),
);

describe("the provider", () => {
  for (const [place, faultOf] of Object.entries(PLACES)) {
    it(`does not leak secrets echoed in ${place}`, async () => {
      for (const { label, secret } of TRIALS) {
        const { texts, reasons, states } = await observeUnder(faultOf(messageQuoting(secret)));
        assertHidden([...texts, ...reasons], SECRETS, label);
        assertHidden(states, { "the access token": TOKEN }, label);
      }
    });
  }

  it("prints the server's error message if it contains no secrets", async () => {
    for (const place of ["a 400 with an error message", "a 422 with errors grouped by field", "a plain-text 422"]) {
      const { texts } = await observeUnder((PLACES[place] as (echo: string) => Fault)("weights must sum to 100%"));
      assert.match([...texts].join("\n"), /weights must sum to 100%/, place);
    }
  });
});

describe("the provider's output", () => {
  const rows: Readonly<Record<string, Fault>> = {
    "a login page contains it": loginPage(200, `<h1>${TOKEN}</h1>`),
    "a response's fields contain it": {
      kind: "contradict",
      patch: { [TOKEN]: TOKEN, numbers: [{ [TOKEN]: 1, weight: TOKEN }], description: TOKEN, transcript: TOKEN },
      record: { phone_number_sid: TOKEN },
    },
    "a response is cut off": { kind: "reset", inBody: true },
    "a response is too large": { kind: "status", status: 200, body: TOKEN.repeat(MAX_BODY_BYTES / 10) },
  };
  for (const [name, fault] of Object.entries(rows)) {
    it(`does not leak the token if ${name}`, async () => {
      const { texts, states } = await observeUnder(fault);
      assertHidden([...texts, ...states], { "the access token": TOKEN }, name);
    });
  }

  it("does not leak the token if a media type contains it", async () => {
    // Unlike TOKEN, this token contains only characters that are valid in a media type.
    const token = "tok-6f1d.0c7e+2b9a";
    const headers = { "Content-Type": `text/${token}` };
    const { texts, states } = await observeUnder({ kind: "status", status: 400, body: " ", headers }, token);
    assert.match([...texts].join("\n"), /content-type text\/\[the access token\]/);
    assertHidden([...texts, ...states], { "the access token": token }, "a media type");
  });
});

describe("a rejected delete", () => {
  const secretUrl = "https://hooks.example.com/hush";
  for (const [name, index, args] of [
    ["a webhook URL", 0, { inboundWebhookUrl: secretUrl }],
    ["a chat's note", 3, { metadata: { note: secretUrl } }],
  ] as const) {
    it(`redacts ${name} even if the error message truncates it`, () =>
      withMiniStack({}, async ({ emulator, up, destroy }) => {
        const declaration = declarations[index] as Declaration;
        await up([{ ...declaration, args: { ...declaration.args, ...args } }]);
        const error = `${"x".repeat(480)} ${secretUrl}`;
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
    inboundWebhookUrl: webhook(SECRET_VALUE),
    extraFields: { note: SECRET_VALUE },
    triggers: [SECRET_VALUE],
  }),
  declare("numberGroup", {
    numbers: { "4002": "London" },
    inboundAgents: [{ agentId: "agent_a", weight: 1 }],
    inboundWebhookUrl: webhook(SECRET_VALUE),
    extraFields: { note: SECRET_VALUE },
  }),
  declare("communityVoice", {
    workspaceId: 42,
    voiceProvider: SECRET_VALUE,
    providerVoiceId: SECRET_VALUE,
    voiceName: "Nova",
    publicUserId: SECRET_VALUE,
  }),
  declare("smsChat", {
    workspaceId: 42,
    agentId: "chat_agent_a",
    fromNumber: "+15550000001",
    toNumber: "+15550000002",
    metadata: { note: SECRET_VALUE },
    serviceDynamicVariables: { [SECRET_VALUE]: SECRET_VALUE },
  }),
];

interface Observed {
  /** The error messages and warnings that were printed. */
  readonly texts: ReadonlySet<string>;
  /** The parts of the state that describe failed requests: `unresolved` and the init errors. */
  readonly reasons: ReadonlySet<string>;
  /** The whole state. Its arguments are in plain text, because only the real engine encrypts secrets. */
  readonly states: ReadonlySet<string>;
}

/**
 * Creates, updates, refreshes and destroys a resource of each kind while the fault is active. Returns everything that
 * was printed or saved.
 */
async function observeUnder(fault: Fault, token = TOKEN): Promise<Observed> {
  const [texts, reasons, states] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const config = { "agent-platform:accessToken": token, "agent-platform:requestTimeout": 1 };
  const program = declarations.map((declaration) => ({ ...declaration, name: declaration.kind }));
  const edited = program.map((declaration) => ({
    ...declaration,
    args: { ...declaration.args, ...changed(declaration) },
  }));
  await withMiniStack({ token, config }, async ({ emulator, up, refresh, destroy, engine }: MiniStack) => {
    const record = ({ failures, said: warnings }: Run) => {
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
    const lastingFault = { ...fault, times: "always" as const };
    emulator.inject(lastingFault);
    record(await up(program, { continueOnError: true }));
    emulator.clearFaults();
    // Create all resources without the fault, so that the remaining runs have something to update and delete.
    const recovered = await up(program, { continueOnError: true });
    assert.deepEqual([recovered.failures, engine.state.length], [[], program.length]);
    record(recovered);
    emulator.inject(lastingFault);
    record(await up(edited, { continueOnError: true }));
    record(await refresh({ continueOnError: true }));
    record(await destroy({ continueOnError: true }));
  });
  return { texts, reasons, states };
}

/** Returns the arguments that change in the update. Voices and chats have none, because the API can't change them. */
const changed = ({ kind }: Declaration): Record<string, unknown> =>
  kind === "numberAssignment" || kind === "numberGroup" ? { inboundWebhookUrl: webhook(`${SECRET_VALUE}2`) } : {};

/** Asserts that none of the texts contains a secret in any of the encodings in `ENCODERS`. */
function assertHidden(texts: Iterable<string>, secrets: Readonly<Record<string, string>>, label: string): void {
  for (const text of texts) {
    for (const [name, secret] of Object.entries(secrets)) {
      const encoder = Object.entries(ENCODERS).find(([, encode]) => text.includes(encode(secret)));
      assert.equal(encoder, undefined, `${label}: ${name} was found in\n${text}`);
    }
  }
}

/**
 * Returns the value as JSON and as `inspect` shows it, including hidden properties. For an error, also returns the
 * message and the stack.
 */
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
