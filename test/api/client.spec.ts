import assert from "node:assert/strict";
import fc from "fast-check";
import { version } from "../../package.json";
import { assignNumber } from "../../provider/api/assignNumber";
import { InvalidRequestError } from "../../provider/api/operation";
import type { Routing } from "../../provider/routing/routing";
import { toAgents } from "../../provider/routing/split";
import { anyText } from "../support/characters";
import { everyField } from "../support/everyField";
import { namedIn } from "../support/named";
import { rejectionAs } from "../support/rejected";
import { assignment, chat, clientForEach, facts, NUMBER, voice } from "./support";

describe("the API client", () => {
  const start = clientForEach();

  it("assigns a number with a single PUT", async () => {
    const { emulator, client } = await start();
    const outcome = await client.assignNumber(assignment);
    assert.equal(outcome.failure, undefined);
    assert.deepEqual(
      [outcome.status, outcome.response?.numbers?.[0]?.inboundAgents],
      [200, toAgents(assignment.routing.inboundAgents ?? {})],
    );
    const [request, ...others] = emulator.requests;
    assert.deepEqual([request?.method, request?.path, others], ["PUT", "/api/numbers/%2B15551234567/agent", []]);
    assert.equal(
      request?.rawBody,
      '{"workspaceId":42,"inboundAgents":[{"agent_id":"agent_a","agent_version":12,"weight":70},{"agent_id":"agent_b","weight":30}]}',
    );
    const { "accept-encoding": __, ...headers } = request?.headers ?? {};
    assert.deepEqual(headers, {
      accept: "application/json",
      connection: "keep-alive",
      "content-length": "125",
      "content-type": "application/json",
      host: `127.0.0.1:${emulator.port}`,
      "user-agent": `pulumi-agent-platform/${version}`,
    });
    assert.equal(request?.authorized, true);
  });

  it("sends a single POST for each voice or chat operation", async () => {
    const { emulator, client } = await start();
    const added = await client.addCommunityVoice(voice);
    const started = await client.createSmsChat(chat);
    assert.ok(added.failure === undefined, `adding the voice failed: ${added.failure?.detail}`);
    assert.ok(started.failure === undefined, `starting the chat failed: ${started.failure?.detail}`);
    const chatId = started.response?.chatId ?? "";
    assert.equal(facts(await client.endChat({ chatId, workspaceId: 42 })), "applied: 200");
    assert.deepEqual(
      [added.response?.name, started.response?.status, emulator.chats.map(({ ended }) => ended)],
      ["Ann", "open", [true]],
    );
    assert.deepEqual(
      emulator.requests.map(({ method, path, status }) => [method, path, status]),
      [
        ["POST", "/api/voices/community", 200],
        ["POST", "/api/chats/outbound-sms", 201],
        ["POST", `/api/chats/${chatId}/end`, 200],
      ],
    );
    assert.deepEqual(emulator.requests.at(-1)?.body, { workspaceId: 42 });
  });

  it("sends a voice's context fields in the headers named by voiceHeaders", async () => {
    const { emulator, client } = await start({
      voiceHeaders: { actorType: "X-Actor", providerScope: "X-Scope", workspaceContext: "X-Context" },
    });
    await client.addCommunityVoice({
      ...voice,
      actorType: "platform_admin",
      providerScope: "scope 1",
      workspaceContext: "42",
    });
    await client.addCommunityVoice(voice);
    const sent = emulator.requests.map(({ headers }) => [headers["x-actor"], headers["x-scope"], headers["x-context"]]);
    assert.deepEqual(sent, [
      ["platform_admin", "scope 1", "42"],
      [undefined, undefined, undefined],
    ]);
    assert.deepEqual(emulator.requests[0]?.body, voice);
  });

  it("sends no request if a number or chat ID is not a valid path segment", async () => {
    const { emulator, client } = await start();
    const invalid: [name: string, Promise<unknown>, string][] = [
      ["two dots", client.assignNumber({ ...assignment, number: ".." }), "/api/numbers/{number}/agent"],
      ["no number", client.assignNumber({ ...assignment, number: "" }), "/api/numbers/{number}/agent"],
      ["a dot", client.endChat({ chatId: ".", workspaceId: 42 }), "/api/chats/{chatId}/end"],
      ["half a character", client.endChat({ chatId: "a\nb\ud800", workspaceId: 42 }), "/api/chats/{chatId}/end"],
    ];
    for (const [name, attempt, template] of invalid) {
      const { message } = await rejectionAs(InvalidRequestError, attempt);
      assert.equal(namedIn(message), template, name);
    }
    assert.equal(emulator.requests.length, 0);
  });
});

describe("the body of an assignment request", () => {
  const { extraFields: _, ...declaredFields } = everyField(1);
  const rows: { name: string; routing: Routing; body: unknown }[] = [
    {
      name: "sends every declared field, even if its value is 0 or false",
      routing: {
        ...everyField(1),
        outboundAgentVersion: 0,
        inboundAgents: { "agent_a@12": 70, agent_b: 0 },
        extraFields: { outboundAgents: [{ x: 1 }], y: null },
      },
      body: {
        ...declaredFields,
        outboundAgentVersion: 0,
        inboundAgents: [
          { agent_id: "agent_a", agent_version: 12, weight: 70 },
          { agent_id: "agent_b", weight: 0 },
        ],
        outboundAgents: [{ x: 1 }],
        y: null,
      },
    },
    {
      name: "does not let extraFields set a field that has its own argument",
      routing: { inboundAgents: { agent_a: 1 }, extraFields: { inboundAgents: null, workspaceId: 7 } },
      body: { inboundAgents: [{ agent_id: "agent_a", weight: 1 }] },
    },
  ];
  for (const { name, routing, body } of rows) {
    it(name, () => {
      const call = assignNumber({ number: NUMBER, routing, mayHave: [] }, { baseUrl: "https://a.example" });
      assert.deepEqual(JSON.parse(call.body), body);
    });
  }
});

describe("building the request URL", () => {
  const urlAt = (baseUrl: string, number = "#1") => assignNumber({ number, routing: {}, mayHave: [] }, { baseUrl }).url;

  it("appends the API path to a base URL that has a path", () =>
    assert.equal(urlAt("https://a.example/v1").href, "https://a.example/v1/api/numbers/%231/agent"));

  it("rejects a base URL that contains `..`", () => {
    assert.throws(() => urlAt("https://a.example/x/.."), InvalidRequestError);
  });

  it("encodes any phone number as a single path segment or rejects it", () => {
    const numbers = fc.oneof(anyText(20), fc.string({ unit: fc.constantFrom(..."./\\%?#+ 12eE;:@&\u0000\u202e") }));
    fc.assert(
      fc.property(numbers, (number) => {
        let url: URL;
        try {
          url = urlAt("https://a.example", number);
        } catch (error) {
          assert.ok(error instanceof InvalidRequestError, `building the URL failed with: ${error}`);
          return;
        }
        assert.equal(url.pathname, `/api/numbers/${encodeURIComponent(number)}/agent`);
        assert.equal(url.search + url.hash, "");
      }),
      { numRuns: 2000 },
    );
  });
});
