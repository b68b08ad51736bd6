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
import { checkRows } from "../support/rows";
import { assignment, chat, clientFor, clientForEach, facts, NUMBER, SEND, voice } from "./support";

describe("handling of 2xx responses", () => {
  const start = clientForEach();

  const statuses = [200, 201, 202, 203, 206, 207, 226, 299];

  it("accepts any 2xx status as a success", () =>
    checkRows(statuses, String, async (status) => {
      const { emulator, client } = await start();
      emulator.inject({ kind: "status", status, body: { success: true } });
      assert.equal(facts(await client.assignNumber(assignment)), `applied: ${status}`);
    }));

  it("reports the request as rejected if a 2xx response describes an error", () =>
    checkRows(statuses, String, async (status) => {
      const { emulator, client } = await start();
      emulator.inject({ kind: "status", status, body: { status: "error", message: "no such agent\u0007" } });
      assert.equal(
        facts(await client.assignNumber(assignment)),
        `rejected, refused: ${status}, 1 attempt: 127.0.0.1:${emulator.port} "no such agent\\u{7}"`,
      );
    }));

  interface Row {
    readonly operation: keyof Api;
    readonly body: unknown;
    /**
     * The facts that the failure must name if the response is unusable, including the platform's error. If left out,
     * the response must count as a success.
     */
    readonly unusable?: string;
    readonly status?: number;
  }
  const tables: Readonly<Record<string, readonly Row[]>> = {
    "accepts a response with the ID of a new voice or chat": [
      { operation: "addCommunityVoice", body: { voiceId: "v" } },
      { operation: "createSmsChat", body: { chatId: "c" } },
      { operation: "createSmsChat", body: { chatId: "a/b" } },
    ],
    "reports an unknown outcome if the response has no valid voice ID": [
      { operation: "addCommunityVoice", body: undefined, status: 204, unusable: "" },
      { operation: "addCommunityVoice", body: { error: "library full" }, unusable: 'voiceId "library full"' },
      { operation: "addCommunityVoice", body: { voiceId: 7 }, unusable: "voiceId" },
      { operation: "addCommunityVoice", body: { voiceId: "" }, unusable: "voiceId" },
      { operation: "addCommunityVoice", body: { voiceId: null }, unusable: "voiceId" },
    ],
    "reports an unknown outcome if the response has no valid chat ID": [
      { operation: "createSmsChat", body: undefined, status: 204, unusable: "" },
      { operation: "createSmsChat", body: { error: "library full" }, unusable: 'chatId "library full"' },
      { operation: "createSmsChat", body: { chatId: ".." }, unusable: "chatId" },
    ],
    "accepts an empty or null response to a PUT": [
      { operation: "assignNumber", body: undefined, status: 204 },
      { operation: "assignNumber", body: "null" },
    ],
    "reports an unknown outcome if a PUT returns a list or a string": [
      { operation: "assignNumber", body: [], unusable: "JSON" },
      { operation: "assignNumber", body: '"ok"', unusable: 'JSON "ok"' },
    ],
    "accepts an empty, text or JSON response when ending a chat": [
      undefined,
      {},
      "OK",
      [],
      null,
      { chatId: "c", status: "failed" },
    ].map((body) => ({
      operation: "endChat" as const,
      body,
    })),
  };
  for (const [title, rows] of Object.entries(tables)) {
    it(title, () =>
      checkRows(
        rows,
        ({ operation, body }) => `${operation}, ${JSON.stringify(body)}`,
        async ({ operation, body, unusable, status = 200 }) => {
          const { emulator, client } = await start({ attempts: 1 });
          emulator.inject({ kind: "status", status, body });
          const expected =
            unusable === undefined ? `applied: ${status}` : `unknown, unusable: ${status}, 1 attempt: ${unusable}`;
          assert.equal(facts(await SEND[operation](client)), expected);
          assert.deepEqual(
            [emulator.requests.length, emulator.requests[0]?.chatId],
            [1, operation === "endChat" ? "a/b" : undefined],
          );
        },
      ),
    );
  }

  it("reports an unknown outcome if ending a chat returns an HTML page", async () => {
    const { emulator, client } = await start({ attempts: 1 });
    emulator.inject(loginPage());
    assert.equal(facts(await SEND.endChat(client)), "unknown, unusable: 200, 1 attempt: JSON 51 text/html");
    assert.deepEqual([emulator.requests.length, emulator.requests[0]?.chatId], [1, "a/b"]);
  });

  for (const { name, body, quoted } of [
    {
      name: "quotes the platform's error if a chat could not be ended",
      body: { success: false, error: "busy" },
      quoted: ' "busy"',
    },
    {
      name: "reports that a chat was not ended if the response contains an error",
      body: { error: "busy" },
      quoted: ' "busy"',
    },
    {
      name: "does not quote the transcript of a chat that could not be ended",
      body: { success: false, transcript: "secret" },
      quoted: "",
    },
  ]) {
    it(name, async () => {
      const { emulator, client } = await start();
      emulator.inject({ kind: "status", status: 200, body });
      assert.equal(
        facts(await SEND.endChat(client)),
        `rejected, refused: 200, 1 attempt: 127.0.0.1:${emulator.port}${quoted}`,
      );
    });
  }
});

describe("reportsFailure", () => {
  const tables: Readonly<Record<string, { readonly isFailed: boolean; readonly bodies: readonly unknown[] }>> = {
    "detects `success: false`": {
      isFailed: true,
      bodies: [{ success: false }, { success: false, numbers: [{}] }, { success: "false" }],
    },
    "detects an `error` field": {
      isFailed: true,
      bodies: [
        { error: "no such number" },
        { error: { message: "no such agent" } },
        { error: "no such agent", numbers: [] },
      ],
    },
    "detects a list or map of errors": {
      isFailed: true,
      bodies: [
        { errors: [{ message: "no such agent" }] },
        { errors: ["no such agent"], success: null },
        { errors: { number: "unknown" } },
      ],
    },
    "detects an error status": {
      isFailed: true,
      bodies: [
        { status: "error", message: "no such agent" },
        { status: "FAILED" },
        { status: "failure", data: null },
        { status: "error", assignment: {} },
      ],
    },
    "ignores an error if `success` is true": {
      isFailed: false,
      bodies: [
        { error: "warning", success: true },
        { status: "error", success: true },
      ],
    },
    "ignores an error if the body contains a number record or an assignment": {
      isFailed: false,
      bodies: [
        { error: "warning", numbers: [{}] },
        { status: "error", assignment: { agent_id: "agent_a" } },
        { errors: [{ message: "another" }], numbers: [{}] },
      ],
    },
    "finds no failure in a body without an error": {
      isFailed: false,
      bodies: [{ status: 200 }, { status: "ok", errors: [], error: "" }, {}, [], null],
    },
  };
  for (const [title, { isFailed, bodies }] of Object.entries(tables)) {
    it(title, () => checkRows(bodies, JSON.stringify, (body) => assert.equal(reportsFailure(body), isFailed)));
  }
});

describe("unreadable responses", () => {
  for (const [name, bytes, expected] of [
    [
      "reports an unknown outcome if the response cannot be decompressed",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip",
      "200, 1 attempt: application/json",
    ],
    [
      "reports an unknown outcome if the response is not valid HTTP",
      "\u0000\u0001 not HTTP at all\r\n\r\n",
      "no response, 1 attempt: H HTTP",
    ],
  ] as const) {
    it(name, async () => {
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

const platformMessageIn = (outcome: Outcome<unknown>): string | undefined => {
  assert.equal(outcome.failure?.outcome, "rejected");
  return outcome.failure.platformMessage;
};

const errorText = "version 99 does not exist";

describe("error messages from the platform", () => {
  const start = clientForEach();

  it("truncates long messages, escapes control characters and redacts the access token", async () => {
    const { emulator, client } = await start();
    const bodies: [unknown, string | undefined][] = [
      [{ error: "\u001b[31mred" }, "\\u{1b}[31mred"],
      [{ error: `echo ${emulator.token}` }, "echo [the access token]"],
      [{ error: "x".repeat(10_000_000) }, undefined],
      [{ error: "x".repeat(1000) }, `${"x".repeat(499)}…`],
    ];
    for (const [body, expected] of bodies) {
      emulator.inject({ kind: "status", status: 422, body });
      assert.equal(platformMessageIn(await client.assignNumber(assignment)), expected);
    }
  });

  it("distinguishes platform errors from gateway errors", () => {
    for (const [json, isPlatformError] of [
      [{ error: "no" }, true],
      [{ error: "number not found" }, true],
      [{ error: "no", status: 404, path: "/api/numbers/1/agent" }, false],
      [{ error: "Not Found" }, false],
      [{ error: "no Route matched with those values" }, false],
      [{ error: "" }, false],
      [{ message: "why" }, false],
      [["no"], false],
    ] as const) {
      assert.equal(isErrorOfInterface(json), isPlatformError, JSON.stringify(json));
    }
  });

  const problemJson = "application/problem+json";
  /** Bodies and the messages extracted from them. The expected message is `errorText`, unless `expected` is set. */
  const rows: { name: string; body: unknown; expected?: string | undefined; type?: string }[] = [
    { name: "extracts the message from the `error` field", body: { error: errorText } },
    { name: "extracts the message from a JSON string", body: JSON.stringify(errorText) },
    {
      name: "extracts the message from a JSON list of strings",
      body: [errorText, "and no"],
      expected: `${errorText}; and no`,
    },
    { name: "extracts the message from the `message` field", body: { message: errorText } },
    { name: "extracts the message from the `detail` field", body: { detail: errorText } },
    { name: "extracts the message from an object in `error`", body: { error: { message: errorText, code: 7 } } },
    {
      name: "combines the `error` and `message` fields",
      body: { statusCode: 422, message: [errorText], error: "Unprocessable Entity" },
      expected: `Unprocessable Entity; ${errorText}`,
    },
    {
      name: "extracts the message from a problem+json body",
      body: { type: "about:blank", title: "No", detail: errorText },
      type: problemJson,
    },
    {
      name: "extracts the message from a list of error strings",
      body: { errors: [errorText, "no"] },
      expected: `${errorText}; no`,
    },
    {
      name: "shows field names if the errors are grouped by field",
      body: { errors: { weight: [errorText, "no"], number: "no" } },
      expected: `weight: ${errorText}, no; number: no`,
    },
    {
      name: "extracts the message from a list of error objects",
      body: { errors: [{ status: "422", detail: errorText, source: { pointer: "/data" } }] },
    },
    { name: "shows a repeated message only once", body: { error: errorText, errors: [{ message: errorText }] } },
    {
      name: "shows the names and values of unknown fields",
      body: { detail: [{ loc: ["body", 0], msg: errorText }] },
      expected: `loc: body, 0; msg: ${errorText}`,
    },
    {
      name: "truncates a long value of an unknown field",
      body: { outcome: "x".repeat(500) },
      expected: `outcome: ${"x".repeat(490)}…`,
    },
    { name: "extracts the message from plain text", body: `${errorText}\n`, type: "text/plain" },
    {
      name: "shows an XML response unchanged",
      body: `<Error><Message>${errorText}</Message></Error>`,
      expected: `<Error><Message>${errorText}</Message></Error>`,
      type: "application/xml",
    },
  ];
  /** Bodies without a message that the client could show. */
  const withoutMessage: typeof rows = [
    { name: "an empty object", body: {} },
    { name: "an empty list", body: [] },
    { name: "a blank string", body: '" "' },
    { name: "an HTML page", body: `<!doctype html><title>Blocked</title><p>${errorText}`, type: "text/html" },
    { name: "an HTML page sent as JSON", body: `<html><p>${errorText}</p></html>` },
  ];
  const check = async ({ body, expected, type = "application/json" }: (typeof rows)[number]) => {
    const { emulator, client } = await start();
    emulator.inject({ kind: "status", status: 422, body, headers: { "Content-Type": type } });
    assert.equal(platformMessageIn(await client.assignNumber(assignment)), expected);
  };
  for (const row of rows) {
    it(row.name, () => check({ expected: errorText, ...row }));
  }

  it("extracts no message from an empty JSON value or an HTML page", () =>
    checkRows(withoutMessage, ({ name }) => name, check));

  it("redacts a request value even after a very long value", async () => {
    const { emulator, client } = await start();
    const [note, code] = ["x".repeat(3980), "SECRETVALUE123456"];
    const error = `rejected ${note} ${code}`;
    for (const body of [error, { error }]) {
      emulator.inject({ kind: "status", status: 400, body });
      const outcome = await client.createSmsChat({ ...chat, metadata: { note }, serviceDynamicVariables: { code } });
      assert.equal(platformMessageIn(outcome), "rejected [metadata] [serviceDynamicVariables]");
    }
  });

  const url = "https://hooks.example.com/services/T0/hush-hush?key=open-sesame&pin=4711";

  it("withholds an error message that contains a URL-encoded request value", async () => {
    const { emulator, client } = await start();
    const error = `?url=${encodeURIComponent(url)}`;
    for (const body of [{ error }, { message: [error] }, JSON.stringify(error)]) {
      emulator.inject({ kind: "status", status: 422, body });
      const routing = { ...assignment.routing, inboundWebhookUrl: url };
      const message = platformMessageIn(await client.assignNumber({ ...assignment, routing }));
      assert.match(message ?? "", withheld("inboundWebhookUrl"));
    }
  });

  it("replaces request values in an error message with their field names", async () => {
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
    for (const [send, error, expected] of rows) {
      for (const body of [{ error }, { message: [error], input: routing }, error]) {
        emulator.inject({ kind: "status", status: 422, body: typeof body === "string" ? JSON.stringify(body) : body });
        assert.equal(platformMessageIn(await send()), expected);
      }
    }
    for (const [send, secrets] of [
      [put, ["hush-hush", "sesame", "between us"]],
      [post, ["000123", "first name", "123456"]],
    ] as const) {
      for (const body of [{ got: routing }, { request: sms }, [routing, sms]]) {
        emulator.inject({ kind: "status", status: 422, body });
        const message = platformMessageIn(await send());
        assert.deepEqual(
          secrets.filter((secret) => message?.includes(secret)),
          [],
          message,
        );
      }
    }
  });
});

describe("hints for failed requests", () => {
  const start = clientForEach();
  const page = { body: "<title>Blocked</title>", headers: { "Content-Type": "text/html" } };
  const hints: readonly {
    readonly name: string;
    readonly status: number;
    reply: object;
    readonly why?: string | undefined;
  }[] = [
    { name: "gives no hint for a 404 with a platform error", status: 404, reply: { body: { error: errorText } } },
    {
      name: "gives no hint if a JSON error message is labeled as HTML",
      status: 422,
      reply: { ...page, body: { error: errorText } },
    },
    { name: "gives no hint for a 422 with an empty body", status: 422, reply: { body: undefined } },
    { name: "blames a proxy or gateway for an HTML page", status: 403, reply: page, why: "inTheWay" },
    {
      name: "blames a proxy or gateway for an HTML page without a content type",
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
      name: "blames a proxy or gateway for a 404 without a platform error",
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
});

describe("redirect errors", () => {
  const start = clientForEach();
  const redacted = "https://[the access token].example";
  interface Row {
    /**
     * The Location header. `H` stands for the request's host, `P` for its path, `TOKEN` for the access token, and
     * `ENCODED` for the percent-encoded access token.
     */
    readonly location: string | undefined;
    /** The failure's detail must name the request's host, then these facts. Defaults to `address`. */
    readonly names?: string;
    /** The address that the failure's hint suggests, if any. */
    readonly address?: string;
  }
  const tables: Readonly<Record<string, readonly Row[]>> = {
    "shows only the target's origin after a redirect to another origin": [
      { location: "https://H/P", address: "https://H" },
      { location: "https://user:pass@api.example.com:8443/P#x", address: "https://api.example.com:8443" },
      { location: "//api.example.com/P?token=abc", address: "http://api.example.com" },
      { location: "https://other.example/TOKEN", address: "https://other.example" },
    ],
    "does not suggest a new address after a redirect to the same origin": [
      { location: "P/" },
      { location: "/login?next=%2F" },
      { location: "http://H/v2/P" },
    ],
    "redacts the access token in a redirect's host name": [
      { location: "https://TOKEN.example/P", names: redacted },
      { location: "https://ENCODED.example/P", names: redacted },
    ],
    "reports the status of a redirect without a usable Location header": [
      { location: "", names: "307" },
      { location: "mailto:help@example.com", names: "307" },
      { location: "http://[", names: "307" },
      { location: undefined, names: "307" },
    ],
  };
  const check = async ({ location, names, address }: Row) => {
    const { emulator, client } = await start();
    const host = `127.0.0.1:${emulator.port}`;
    const expand = (template: string) =>
      template
        .replace(/\bH\b/, host)
        .replace(/\/?\bP\b/, `/api/numbers/${encodeURIComponent(NUMBER)}/agent`)
        .replace("TOKEN", emulator.token)
        .replace(
          "ENCODED",
          emulator.token.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
        );
    const headers: Record<string, string> = location === undefined ? {} : { location: expand(location) };
    emulator.inject({ kind: "status", status: 307, body: undefined, headers });
    const outcome = await client.assignNumber(assignment);
    assert.ok(outcome.failure !== undefined, "expected the request to fail");
    assert.equal(outcome.failure.outcome, "unknown");
    const { detail, hint } = outcome.failure;
    assert.equal(namedIn(detail), [host, names ?? expand(address ?? "")].join(" ").trim());
    const expected = address === undefined ? undefined : { why: "elsewhere", address: expand(address) };
    assert.deepEqual(hint, expected);
  };
  for (const [title, rows] of Object.entries(tables)) {
    it(title, () => checkRows(rows, ({ location }) => location ?? "no location", check));
  }
});

describe("parseBody", () => {
  const json = "application/json";
  /**
   * Creates the expected result for an unreadable body. `detail` contains only facts, because `parsed` drops all other
   * words from the actual detail (see `namedIn`).
   */
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
      name: "accepts JSON with a byte order mark",
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
      name: "rejects deeply nested JSON",
      bytes: nested(50_000),
      type: undefined,
      expected: unreadable("JSON 100001"),
    },
  ];
  for (const { name, bytes, type, expected } of rows) {
    it(name, () => assert.deepEqual(parsed(parseBody(Buffer.from(bytes), type, "")), expected));
  }

  it("drops or replaces values that the Pulumi engine cannot save", () => {
    const text = String.raw`{"half \ud83d":["half \ud83d", 1e999], "signed":{"4dabf18193072939515e22adb298388d":"x"},
      "unknown":["04da6b54-80e4-46f7-96ec-b56ff0331ba9", "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"], "list":[{"__proto__":{"b":2},"kept":3}]}`;
    assert.deepEqual(parseBody(Buffer.from(text), json, ""), {
      form: "json",
      value: { "half \ufffd": ["half \ufffd", null], signed: {}, unknown: ["", ""], list: [{ kept: 3 }] },
    });
  });
});

/** Parses the response to an assignment. The JSON round trip drops fields that are undefined. */
const parseNumberResponse = (json: unknown): unknown => JSON.parse(JSON.stringify(numberResponse.parse(json)));
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
    const parsed = {
      ...Object.fromEntries(Object.entries(record).map(([name, value]) => [camelCase(name), value])),
      inboundAgents: [{ agentId: "agent_b", weight: 0.3 }],
    };
    const assigned = { workspace_id: 42, inbound_agents: null, other: 1 };
    assert.deepEqual(parseNumberResponse({ success: true, message: null, numbers: [record], assignment: assigned }), {
      success: true,
      message: null,
      numbers: [parsed],
      assignment: { workspaceId: 42, inboundAgents: null },
    });
  });

  const rows: { name: string; json: unknown; expected: object }[] = [
    {
      name: "ignores a workspace ID that is a string",
      json: { assignment: { workspace_id: "42", agent_id: "agent_o" } },
      expected: { assignment: { agentId: "agent_o" } },
    },
    {
      name: "ignores unknown fields of an assignment",
      json: { assignment: { id: "assignment_1", number: 5, agent_id: "agent_o" } },
      expected: { assignment: { agentId: "agent_o" } },
    },
    {
      name: "ignores an ID that is too large",
      json: { numbers: [{ id: 2 ** 53, number: "1" }] },
      expected: { numbers: [{ number: "1" }] },
    },
    {
      name: "ignores an agent version that is a string",
      json: { assignment: { inbound_agents: [{ agent_id: "agent_a", agent_version: "12", weight: 1 }] } },
      expected: { assignment: { inboundAgents: [{ agentId: "agent_a", weight: 1 }] } },
    },
    {
      name: "ignores a list of agents without numeric weights",
      json: { assignment: { inbound_agents: [{ agent_id: "a", weight: "70" }, { agent_id: "b" }], agent_id: "o" } },
      expected: { assignment: { agentId: "o" } },
    },
    {
      name: "ignores a list of agents with an impossible weight",
      json: {
        assignment: {
          inbound_agents: [{ agent_id: "a", weight: 1e308 }],
          outbound_agents: [{ agent_id: "a", weight: -1 }],
        },
      },
      expected: { assignment: {} },
    },
    {
      name: "ignores a list of numbers with an invalid entry",
      json: { numbers: [{ number: "1" }, 7], assignment: { agent_id: "agent_o" } },
      expected: { assignment: { agentId: "agent_o" } },
    },
  ];
  for (const { name, json, expected } of rows) {
    it(name, () => assert.deepEqual(parseNumberResponse(json), expected));
  }

  it("rejects any body that is not a JSON object", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const isAccepted = numberResponse.safeParse(json).success;
        assert.equal(isAccepted, typeof json === "object" && json !== null && !Array.isArray(json));
      }),
    );
  });
});

describe("responses to POSTs", () => {
  it("ignores malformed fields in a new voice's record", () => {
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

  it("ignores malformed fields in a new chat's record", () => {
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
