import assert from "node:assert/strict";
import fc from "fast-check";
import { addCommunityVoice } from "../../provider/api/addCommunityVoice";
import { numberResponse } from "../../provider/api/assignNumber";
import { isErrorOfInterface, parseBody } from "../../provider/api/body";
import { createSmsChat } from "../../provider/api/createSmsChat";
import type { Api } from "../../provider/api/exchange";
import type { Outcome } from "../../provider/api/failure";
import { reportsFailure } from "../../provider/api/response";
import { loginPage } from "../support/answers";
import { namedIn, withheld } from "../support/named";
import { startRawServer } from "../support/rawServer";
import { assignment, chat, clientFor, clientForEach, facts, NUMBER, SEND, voice } from "./support";

describe("a response with a success status", () => {
  const start = clientForEach();

  for (const status of [200, 201, 202, 203, 206, 207, 226, 299]) {
    it(`treats status ${status} as a successful PUT`, async () => {
      const { emulator, client } = await start();
      emulator.inject({ kind: "status", status, body: { success: true } });
      assert.equal(facts(await client.assignNumber(assignment)), `applied: ${status}`);
    });

    it(`treats status ${status} as a rejection if the body reports a failure`, async () => {
      const { emulator, client } = await start();
      emulator.inject({ kind: "status", status, body: { status: "error", message: "no such agent\u0007" } });
      assert.equal(
        facts(await client.assignNumber(assignment)),
        `rejected, refused: ${status}, 1 attempt: 127.0.0.1:${emulator.port} "no such agent\\u{7}"`,
      );
    });
  }

  /** What a success says, and what the reason why it is unusable names; without that, the request is applied. */
  const rows: readonly {
    readonly to: keyof Api;
    readonly body: unknown;
    readonly name?: string;
    readonly unusable?: string;
    readonly status?: number;
  }[] = [
    { to: "addCommunityVoice", body: { voiceId: "v" } },
    { to: "createSmsChat", body: { chatId: "c" } },
    { to: "assignNumber", body: undefined, status: 204 },
    { to: "assignNumber", body: "null" },
    { to: "assignNumber", body: [], unusable: "JSON" },
    { to: "assignNumber", body: '"ok"', unusable: 'JSON "ok"' },
    { to: "addCommunityVoice", body: undefined, status: 204, unusable: "" },
    {
      to: "addCommunityVoice",
      body: { error: "library full" },
      unusable: 'voiceId "library full"',
    },
    { to: "addCommunityVoice", body: { voiceId: 7 }, unusable: "voiceId" },
    { to: "addCommunityVoice", body: { voiceId: "" }, unusable: "voiceId" },
    { to: "addCommunityVoice", body: { voiceId: null }, unusable: "voiceId" },
    { to: "createSmsChat", body: undefined, status: 204, unusable: "" },
    { to: "createSmsChat", body: { error: "library full" }, unusable: 'chatId "library full"' },
    { to: "createSmsChat", body: { chatId: "a/b" } },
    { to: "createSmsChat", body: { chatId: ".." }, unusable: "chatId" },
    ...[undefined, {}, "OK", [], null, { chatId: "c", status: "failed" }].map((body) => ({
      to: "endChat" as const,
      body,
    })),
    { to: "endChat", body: loginPage().body, name: "an HTML page", unusable: "JSON 51 text/html" },
  ];
  for (const { to, body, name, unusable, status = 200 } of rows) {
    const shown = typeof body === "string" ? body : (JSON.stringify(body) ?? "an empty body");
    const verdict = unusable === undefined ? "accepts" : "rejects";
    it(`${verdict} ${name ?? shown} as a response to ${to}`, async () => {
      const { emulator, client } = await start({ attempts: 1 });
      const headers = unusable?.endsWith("html") ? { "Content-Type": "text/html" } : {};
      emulator.inject({ kind: "status", status, body, headers });
      const expected =
        unusable === undefined ? `applied: ${status}` : `unknown, unusable: ${status}, 1 attempt: ${unusable}`;
      assert.equal(facts(await SEND[to](client)), expected);
      assert.deepEqual(
        [emulator.requests.length, emulator.requests[0]?.chatId],
        [1, to === "endChat" ? "a/b" : undefined],
      );
    });
  }

  for (const { name, body, words } of [
    { name: "and quotes the platform's error message", body: { success: false, error: "busy" }, words: ' "busy"' },
    { name: "if the body contains only an error", body: { error: "busy" }, words: ' "busy"' },
    { name: "but does not quote the transcript", body: { success: false, transcript: "secret" }, words: "" },
  ]) {
    it(`reports that a chat was not ended ${name}`, async () => {
      const { emulator, client } = await start();
      emulator.inject({ kind: "status", status: 200, body });
      assert.equal(
        facts(await SEND.endChat(client)),
        `rejected, refused: 200, 1 attempt: 127.0.0.1:${emulator.port}${words}`,
      );
    });
  }

  const judged: readonly { readonly name: string; readonly body: unknown; readonly isFailed: boolean }[] = [
    { name: "success: false", body: { success: false }, isFailed: true },
    { name: "success: false next to a record", body: { success: false, numbers: [{}] }, isFailed: true },
    { name: 'success: "false"', body: { success: "false" }, isFailed: true },
    { name: "an error", body: { error: "no such number" }, isFailed: true },
    { name: "an error that is an object", body: { error: { message: "no such agent" } }, isFailed: true },
    { name: "an error next to success: true", body: { error: "warning", success: true }, isFailed: false },
    { name: "an error next to a record", body: { error: "warning", numbers: [{}] }, isFailed: false },
    { name: "an error next to an empty list", body: { error: "no such agent", numbers: [] }, isFailed: true },
    { name: "status: error", body: { status: "error", message: "no such agent" }, isFailed: true },
    { name: "status: FAILED", body: { status: "FAILED" }, isFailed: true },
    { name: "status: failure next to data: null", body: { status: "failure", data: null }, isFailed: true },
    { name: "status: error next to success: true", body: { status: "error", success: true }, isFailed: false },
    {
      name: "status: error next to an assignment",
      body: { status: "error", assignment: { agent_id: "agent_a" } },
      isFailed: false,
    },
    { name: "status: error next to an empty assignment", body: { status: "error", assignment: {} }, isFailed: true },
    { name: "a numeric status", body: { status: 200 }, isFailed: false },
    { name: "a list of error objects", body: { errors: [{ message: "no such agent" }] }, isFailed: true },
    { name: "a list of error strings", body: { errors: ["no such agent"], success: null }, isFailed: true },
    { name: "a map of errors", body: { errors: { number: "unknown" } }, isFailed: true },
    {
      name: "a list of errors next to a record",
      body: { errors: [{ message: "another" }], numbers: [{}] },
      isFailed: false,
    },
    { name: "a body with an empty error", body: { status: "ok", errors: [], error: "" }, isFailed: false },
    { name: "an empty object", body: {}, isFailed: false },
    { name: "an empty list", body: [], isFailed: false },
    { name: "null", body: null, isFailed: false },
  ];
  for (const { name, body, isFailed } of judged) {
    it(`${isFailed ? "treats" : "does not treat"} ${name} as a failure`, () =>
      assert.equal(reportsFailure(body), isFailed));
  }

  for (const [name, bytes, expected] of [
    [
      "it cannot be decompressed",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip",
      "200, 1 attempt: application/json",
    ],
    ["it is not valid HTTP", "\u0000\u0001 not HTTP at all\r\n\r\n", "no response, 1 attempt: H HTTP"],
  ] as const) {
    it(`rejects a response as unusable if ${name}`, async () => {
      const server = await startRawServer((socket) => socket.end(bytes));
      try {
        const outcome = await clientFor(server).addCommunityVoice(voice);
        assert.equal(facts(outcome).replace(/127\.0\.0\.1:\d+/, "H"), `unknown, unusable: ${expected}`);
        assert.equal(server.requests.length, 1);
      } finally {
        await server.close();
      }
    });
  }
});

const wordsIn = (outcome: Outcome<unknown>): string | undefined => {
  assert.equal(outcome.failure?.outcome, "rejected");
  return outcome.failure.platformMessage;
};

describe("the message in a failure response", () => {
  const start = clientForEach();

  it("shortens the message of a failure response and escapes control characters", async () => {
    const { emulator, client } = await start();
    const bodies: [unknown, string | undefined][] = [
      [{ error: "\u001b[31mred" }, "\\u{1b}[31mred"],
      [{ error: `echo ${emulator.token}` }, "echo [the access token]"],
      [{ error: "x".repeat(10_000_000) }, undefined],
      [{ error: "x".repeat(1000) }, `${"x".repeat(499)}…`],
    ];
    for (const [body, words] of bodies) {
      emulator.inject({ kind: "status", status: 422, body });
      assert.equal(wordsIn(await client.assignNumber(assignment)), words);
    }
  });

  it("attributes a message to the platform only if `error` is the body's only field", () => {
    for (const [json, isOwn] of [
      [{ error: "no" }, true],
      [{ error: "number not found" }, true],
      [{ error: "no", status: 404, path: "/api/numbers/1/agent" }, false],
      [{ error: "Not Found" }, false],
      [{ error: "no Route matched with those values" }, false],
      [{ error: "" }, false],
      [{ message: "why" }, false],
      [["no"], false],
    ] as const) {
      assert.equal(isErrorOfInterface(json), isOwn, JSON.stringify(json));
    }
  });

  const why = "version 99 does not exist";
  const problemJson = "application/problem+json";
  /** Without words of its own, a form shows `why`. */
  const rows: { name: string; body: unknown; words?: string | undefined; type?: string }[] = [
    { name: "the `error` field", body: { error: why } },
    { name: "a bare string", body: JSON.stringify(why) },
    { name: "a bare list", body: [why, "and no"], words: `${why}; and no` },
    { name: "the `message` field", body: { message: why } },
    { name: "the `detail` field", body: { detail: why } },
    { name: "an object in `error`", body: { error: { message: why, code: 7 } } },
    {
      name: "a list of messages next to the status",
      body: { statusCode: 422, message: [why], error: "Unprocessable Entity" },
      words: `Unprocessable Entity; ${why}`,
    },
    { name: "problem+json", body: { type: "about:blank", title: "No", detail: why }, type: problemJson },
    { name: "a list of error strings", body: { errors: [why, "no"] }, words: `${why}; no` },
    {
      name: "errors grouped by field",
      body: { errors: { weight: [why, "no"], number: "no" } },
      words: `weight: ${why}, no; number: no`,
    },
    {
      name: "a list of error objects",
      body: { errors: [{ status: "422", detail: why, source: { pointer: "/data" } }] },
    },
    { name: "a body that repeats it", body: { error: why, errors: [{ message: why }] } },
    {
      name: "an unknown structure",
      body: { detail: [{ loc: ["body", 0], msg: why }] },
      words: `loc: body, 0; msg: ${why}`,
    },
    {
      name: "an unknown field that is too long",
      body: { outcome: "x".repeat(500) },
      words: `outcome: ${"x".repeat(490)}…`,
    },
    { name: "plain text", body: `${why}\n`, type: "text/plain" },
    {
      name: "XML",
      body: `<Error><Message>${why}</Message></Error>`,
      words: `<Error><Message>${why}</Message></Error>`,
    },
  ];
  /** These say nothing that is shown. */
  const silent: { name: string; body: unknown; type?: string }[] = [
    { name: "an empty object", body: {} },
    { name: "an empty list", body: [] },
    { name: "a blank string", body: '" "' },
    { name: "an HTML page", body: `<!doctype html><title>Blocked</title><p>${why}`, type: "text/html" },
    { name: "an HTML page sent as JSON", body: `<html><p>${why}</p></html>` },
  ];
  for (const { name, body, words, type = "application/json" } of [
    ...rows.map((row) => ({ words: why, ...row })),
    ...silent.map((row) => ({ words: undefined, ...row })),
  ]) {
    it(`${words === undefined ? "extracts no message from" : "extracts the message from"} ${name}`, async () => {
      const { emulator, client } = await start();
      emulator.inject({ kind: "status", status: 422, body, headers: { "Content-Type": type } });
      assert.equal(wordsIn(await client.assignNumber(assignment)), words);
    });
  }

  const page = { body: "<title>Blocked</title>", headers: { "Content-Type": "text/html" } };
  const hints: readonly {
    readonly name: string;
    readonly status: number;
    reply: object;
    readonly why?: string | undefined;
  }[] = [
    { name: "gives no hint if there is an error message", status: 422, reply: { body: { error: why } } },
    { name: "gives no hint if the body is empty", status: 422, reply: { body: undefined } },
    { name: "suspects a proxy or gateway after an HTML page", status: 403, reply: page, why: "inTheWay" },
    {
      name: "suspects a proxy or gateway if an HTML page has no media type",
      status: 403,
      reply: { body: "<!DOCTYPE html>", headers: { "Content-Type": "" } },
      why: "inTheWay",
    },
    {
      name: "does not blame a proxy or gateway for a 429",
      status: 429,
      reply: { ...page, headers: { ...page.headers, "Retry-After": "120" } },
      why: undefined,
    },
    {
      name: "suspects a proxy or gateway after a 404 that the platform did not send",
      status: 404,
      reply: { body: { message: "no such route" } },
      why: "inTheWay",
    },
  ];
  for (const { name, status, reply, why } of hints) {
    it(name, async () => {
      const { emulator, client } = await start({ attempts: 1 });
      emulator.inject({ kind: "status", status, ...reply });
      assert.equal((await client.assignNumber(assignment)).failure?.hint?.why, why);
    });
  }

  for (const { name, body } of [
    { name: "a bare string", body: (text: string) => text },
    { name: "JSON", body: (error: string) => ({ error }) },
  ]) {
    it(`hides a request value that follows a long field in ${name}`, async () => {
      const { emulator, client } = await start();
      const [note, code] = ["x".repeat(3980), "SECRETVALUE123456"];
      emulator.inject({ kind: "status", status: 400, body: body(`rejected ${note} ${code}`) });
      const outcome = await client.createSmsChat({ ...chat, metadata: { note }, serviceDynamicVariables: { code } });
      assert.equal(wordsIn(outcome), "rejected [metadata] [serviceDynamicVariables]");
    });
  }

  const url = "https://hooks.example.com/services/T0/hush-hush?key=open-sesame&pin=4711";

  it("withholds a message that repeats a request value in another encoding", async () => {
    const { emulator, client } = await start();
    const error = `?url=${encodeURIComponent(url)}`;
    for (const body of [{ error }, { message: [error] }, JSON.stringify(error)]) {
      emulator.inject({ kind: "status", status: 422, body });
      const routing = { ...assignment.routing, inboundWebhookUrl: url };
      const said = wordsIn(await client.assignNumber({ ...assignment, routing }));
      assert.match(said ?? "", withheld("inboundWebhookUrl"));
    }
  });

  it("replaces request values in a message with their field names", async () => {
    const { emulator, client } = await start({ voiceHeaders: { providerScope: "x-scope" } });
    const routing = {
      ...assignment.routing,
      inboundWebhookUrl: url,
      extraFields: { note: "between us alone", like: "agent_b" },
    };
    const put = () => client.assignNumber({ ...assignment, routing });
    const sms = {
      ...chat,
      metadata: { crm: "case-000123" },
      serviceDynamicVariables: { "first name": "Ann", balance: 123_456 },
    };
    const post = () => client.createSmsChat(sms);
    const add = () => client.addCommunityVoice({ ...voice, publicUserId: "user-7781", providerScope: "scope-of-ours" });
    const rows: [() => Promise<Outcome<unknown>>, string, string][] = [
      [put, `cannot reach ${url}`, "cannot reach [inboundWebhookUrl]"],
      [put, `404 to ${url.slice(25)}`, "404 to [inboundWebhookUrl]"],
      [put, "key open-sesame", "key [inboundWebhookUrl]"],
      [
        put,
        "note (between us alone): agent_b@99 is no agent of workspace 42",
        "note ([note]): agent_b@99 is no agent of workspace 42",
      ],
      [
        post,
        "case-000123: first name has 123456, chat_agent_a is busy",
        "[metadata]: [serviceDynamicVariables] has [serviceDynamicVariables], chat_agent_a is busy",
      ],
      [post, `no SMS to ${chat.toNumber}`, "no SMS to [toNumber]"],
      [
        add,
        "user-7781 of scope-of-ours has no voice provider-voice",
        "[publicUserId] of [providerScope] has no voice [providerVoiceId]",
      ],
    ];
    for (const [send, error, words] of rows) {
      for (const body of [{ error }, { message: [error], input: routing }, error]) {
        emulator.inject({ kind: "status", status: 422, body: typeof body === "string" ? JSON.stringify(body) : body });
        assert.equal(wordsIn(await send()), words);
      }
    }
    for (const [send, secrets] of [
      [put, ["hush-hush", "sesame", "between us"]],
      [post, ["000123", "first name", "123456"]],
    ] as const) {
      for (const body of [{ got: routing }, { request: sms }, [routing, sms]]) {
        emulator.inject({ kind: "status", status: 422, body });
        const said = wordsIn(await send());
        assert.deepEqual(
          secrets.filter((secret) => said?.includes(secret)),
          [],
          said,
        );
      }
    }
  });
});

describe("a redirect", () => {
  const start = clientForEach();
  // `H` is the host of the request, `P` its path.
  const hidden = "https://[the access token].example";
  /** What the detail names besides the host, which is the address if there is one. */
  const rows: { location: string | undefined; names?: string; address?: string; to?: string }[] = [
    { location: "https://H/P", address: "https://H" },
    { location: "https://user:pass@api.example.com:8443/P#x", address: "https://api.example.com:8443" },
    { location: "//api.example.com/P?token=abc", address: "http://api.example.com" },
    { location: "https://other.example/TOKEN", address: "https://other.example" },
    { location: "P/" },
    { location: "/login?next=%2F" },
    { location: "http://H/v2/P" },
    { location: "https://TOKEN.example/P", names: hidden },
    { location: "https://ENCODED.example/P", names: hidden },
    { location: "", names: "307", to: "to an empty location" },
    { location: "mailto:help@example.com", names: "307" },
    { location: "http://[", names: "307" },
    { location: undefined, names: "307", to: "without a location" },
  ];
  for (const { location, names, address, to = `to ${location}` } of rows) {
    it(`reports a redirect ${to} and does not follow it`, async () => {
      const { emulator, client } = await start();
      const host = `127.0.0.1:${emulator.port}`;
      const full = (text: string) =>
        text
          .replace(/\bH\b/, host)
          .replace(/\/?\bP\b/, `/api/numbers/${encodeURIComponent(NUMBER)}/agent`)
          .replace("TOKEN", emulator.token)
          .replace(
            "ENCODED",
            emulator.token.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`),
          );
      const headers: Record<string, string> = location === undefined ? {} : { location: full(location) };
      emulator.inject({ kind: "status", status: 307, body: undefined, headers });
      const outcome = await client.assignNumber(assignment);
      assert.ok(outcome.failure !== undefined, "the call was to fail");
      assert.equal(outcome.failure.outcome, "unknown");
      const { detail, hint } = outcome.failure;
      assert.equal(namedIn(detail), [host, names ?? full(address ?? "")].join(" ").trim());
      const expected = address === undefined ? undefined : { why: "elsewhere", address: full(address) };
      assert.deepEqual(hint, expected);
    });
  }
});

describe("parseBody", () => {
  const json = "application/json";
  /** `detail` is what the detail names. */
  const unreadable = (detail: string, isMarkup = false) => ({ form: "unreadable", detail, isMarkup }) as const;
  const parsed = (body: ReturnType<typeof parseBody>) =>
    body.form === "unreadable" ? { ...body, detail: namedIn(body.detail) } : body;
  const nested = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
  const rows: readonly {
    readonly name: string;
    readonly bytes: Uint8Array | string;
    readonly type: string | undefined;
    readonly expected: ReturnType<typeof parseBody>;
  }[] = [
    {
      name: "parses JSON after a byte order mark",
      bytes: '\ufeff{"a":1}',
      type: undefined,
      expected: { form: "json", value: { a: 1 } },
    },
    {
      name: "rejects an HTML page sent as JSON",
      bytes: " <html>",
      type: json,
      expected: unreadable("JSON 7 application/json", true),
    },
    {
      name: "rejects JSON encoded as Latin-1",
      bytes: Buffer.from('{"a":"é"}', "latin1"),
      type: json,
      expected: unreadable("UTF-8 9 application/json"),
    },
    {
      name: "rejects JSON that is nested too deeply",
      bytes: nested(50_000),
      type: undefined,
      expected: unreadable("JSON 100001"),
    },
  ];
  for (const { name, bytes, type, expected } of rows) {
    it(name, () => assert.deepEqual(parsed(parseBody(Buffer.from(bytes), type, "")), expected));
  }

  it("drops values that the engine cannot save, at any depth", () => {
    const text = String.raw`{"half \ud83d":["half \ud83d", 1e999], "signed":{"4dabf18193072939515e22adb298388d":"x"},
      "unknown":["04da6b54-80e4-46f7-96ec-b56ff0331ba9", "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"], "list":[{"__proto__":{"b":2},"kept":3}]}`;
    assert.deepEqual(parseBody(Buffer.from(text), json, ""), {
      form: "json",
      value: { "half \ufffd": ["half \ufffd", null], signed: {}, unknown: ["", ""], list: [{ kept: 3 }] },
    });
  });
});

/** Without fields that are undefined. */
const readNumbers = (json: unknown): unknown => JSON.parse(JSON.stringify(numberResponse.parse(json)));
const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

describe("the response to an assignment", () => {
  it("parses every field of a number record", () => {
    const record = {
      id: 1,
      number: "+1555",
      base_number: "+1555",
      account_sid: "sid",
      workspace_id: 42,
      agent_id: "agent_o",
      default_agent_id: "agent_d",
      inbound_agent_id: "agent_a",
      inbound_agents: [{ agent_id: "agent_b", agent_version: null, weight: 0.3, x: 1 }],
      outbound_agents: [],
      inbound_agent_version: 12,
      outbound_agent_version: null,
      application_sid: "app",
      phone_number_sid: "pn",
      inbound_webhook_url: "https://hook.example",
      is_time_routing_enabled: true,
      platform_import_error: false,
      platform_import_error_message: null,
    };
    const read = {
      ...Object.fromEntries(Object.entries(record).map(([name, value]) => [camelCase(name), value])),
      inboundAgents: [{ agentId: "agent_b", weight: 0.3 }],
    };
    const assigned = { workspace_id: 42, inbound_agents: null, other: 1 };
    assert.deepEqual(readNumbers({ success: true, message: null, numbers: [record], assignment: assigned }), {
      success: true,
      message: null,
      numbers: [read],
      assignment: { workspaceId: 42, inboundAgents: null },
    });
  });

  const rows: { name: string; json: unknown; expected: object }[] = [
    {
      name: "a string in place of a number",
      json: { assignment: { workspace_id: "42", agent_id: "agent_o" } },
      expected: { assignment: { agentId: "agent_o" } },
    },
    {
      name: "fields unknown to the assignment object",
      json: { assignment: { id: "assignment_1", number: 5, agent_id: "agent_o" } },
      expected: { assignment: { agentId: "agent_o" } },
    },
    {
      name: "a number beyond 2^53",
      json: { numbers: [{ id: 2 ** 53, number: "1" }] },
      expected: { numbers: [{ number: "1" }] },
    },
    {
      name: "a version that is a string",
      json: { assignment: { inbound_agents: [{ agent_id: "agent_a", agent_version: "12", weight: 1 }] } },
      expected: { assignment: { inboundAgents: [{ agentId: "agent_a", weight: 1 }] } },
    },
    {
      name: "a list whose weights are not numbers",
      json: { assignment: { inbound_agents: [{ agent_id: "a", weight: "70" }, { agent_id: "b" }], agent_id: "o" } },
      expected: { assignment: { agentId: "o" } },
    },
    {
      name: "a list with an impossible weight",
      json: {
        assignment: {
          inbound_agents: [{ agent_id: "a", weight: 1e308 }],
          outbound_agents: [{ agent_id: "a", weight: -1 }],
        },
      },
      expected: { assignment: {} },
    },
    {
      name: "a list with an entry that is not a record",
      json: { numbers: [{ number: "1" }, 7], assignment: { agent_id: "agent_o" } },
      expected: { assignment: { agentId: "agent_o" } },
    },
  ];
  for (const { name, json, expected } of rows) {
    it(`drops ${name} from an assignment response`, () => assert.deepEqual(readNumbers(json), expected));
  }

  it("rejects an assignment response that is not a JSON object", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const isRead = numberResponse.safeParse(json).success;
        assert.equal(isRead, typeof json === "object" && json !== null && !Array.isArray(json));
      }),
    );
  });
});

describe("the response to a POST", () => {
  it("drops a voice's malformed fields when parsing the response", () => {
    const dated = {
      voiceId: "v",
      tags: ["a"],
      createdAt: "2026-03-01T12:00:00",
      updatedAt: "2026-03-01T12:00:00.1+02:00",
    };
    const read = (value: object) =>
      JSON.parse(
        JSON.stringify(addCommunityVoice(voice, { baseUrl: "https://a.example" }).read({ form: "json", value })),
      );
    assert.deepEqual(read(dated), { response: dated });
    assert.deepEqual(read({ voiceId: "v", tags: ["a", 1], createdAt: "yesterday", updatedAt: 0 }), {
      response: { voiceId: "v" },
    });
  });

  it("drops a chat's malformed fields when parsing the response", () => {
    const shown = {
      chatId: "chat_1",
      agentId: "chat_agent_a",
      version: 7,
      status: "open",
      type: "web_chat",
      metadata: { any: { thing: [1] } },
      endedAt: null,
    };
    const value = {
      ...shown,
      messages: [{ content: "hi", name: null, tool_calls: [{ id: 1 }] }, {}, { content: 7 }],
      service_dynamic_variables: { first_name: "Ann" },
      overrideDynamicVariables: [],
    };
    assert.deepEqual(createSmsChat(chat, { baseUrl: "https://a.example" }).read({ form: "json", value }), {
      response: {
        ...shown,
        messages: [{ content: "hi", name: null, toolCalls: [{ id: 1 }] }, {}, {}],
        serviceDynamicVariables: { first_name: "Ann" },
      },
    });
  });
});
