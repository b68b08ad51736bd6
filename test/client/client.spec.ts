import assert from "node:assert/strict";
import { version } from "../../package.json";
import { InvalidRequestError } from "../../provider/client/path";
import { assignment, chat, clientFor, clientForEach, NUMBER, voice } from "./support";

describe("the client", () => {
  const start = clientForEach();

  it("assigns a number by one PUT", async () => {
    const { emulator, client } = await start();
    const outcome = await client.assignNumber(assignment);
    assert.ok(outcome.outcome === "applied");
    assert.deepEqual(outcome.issues, []);
    assert.deepEqual(outcome.answer?.numbers?.[0]?.inboundAgents, assignment.inboundAgents);
    const { operation, status, attempts, requestId } = outcome.exchange;
    assert.deepEqual(
      { operation, status, attempts, requestId },
      { operation: "PUT /api/numbers/{number}/agent", status: 200, attempts: 1, requestId: "emulator-0" },
    );
    assert.equal(emulator.requests.length, 1);
    const [request] = emulator.requests;
    assert.equal(request?.method, "PUT");
    assert.equal(request?.path, "/api/numbers/%2B15551234567/agent");
    assert.equal(
      request?.rawBody,
      '{"workspaceId":42,"inboundAgents":[{"agent_id":"agent_a","agent_version":12,"weight":70},{"agent_id":"agent_b","weight":30}]}',
    );
    const {
      accept,
      connection,
      host,
      "content-type": type,
      "user-agent": agent,
      "content-length": length,
    } = request?.headers ?? {};
    assert.deepEqual(
      { accept, connection, host, type, agent, length },
      {
        accept: "application/json",
        connection: "keep-alive",
        host: `127.0.0.1:${emulator.port}`,
        type: "application/json",
        agent: `pulumi-agent-platform/${version}`,
        length: "125",
      },
    );
    assert.equal(request?.authorized, true);
  });

  it("adds a voice, starts a chat and ends it by one POST each", async () => {
    const { emulator, client } = await start();
    const added = await client.addCommunityVoice(voice);
    const started = await client.createSmsChat({ ...chat, metadata: { a: 1 }, serviceDynamicVariables: { b: "2" } });
    assert.ok(added.outcome === "applied" && started.outcome === "applied");
    const chatId = started.answer?.chatId ?? "";
    const ended = await client.endChat({ chatId, workspaceId: 42 });
    assert.ok(ended.outcome === "applied");
    assert.deepEqual([added.answer?.name, started.answer?.status, ended.answer?.status], ["Ann", "open", "completed"]);
    assert.deepEqual([added.exchange.status, started.exchange.status, ended.exchange.status], [200, 201, 200]);
    assert.deepEqual(
      emulator.requests.map(({ method, path, body }) => ({ method, path, body })),
      [
        { method: "POST", path: "/api/voices/community", body: { ...voice } },
        {
          method: "POST",
          path: "/api/chats/outbound-sms",
          body: {
            workspaceId: 42,
            agent_id: "chat_agent_a",
            from_number: NUMBER,
            to_number: "+15557654321",
            metadata: { a: 1 },
            service_dynamic_variables: { b: "2" },
          },
        },
        { method: "POST", path: `/api/chats/${chatId}/end`, body: { workspaceId: 42 } },
      ],
    );
    const agents = emulator.requests.map(({ headers }) => headers["user-agent"]);
    assert.deepEqual(agents, Array(3).fill(`pulumi-agent-platform/${version}`));
  });

  it("keeps a path of the base URL in front of its own", async () => {
    const { emulator } = await start();
    await clientFor({ ...emulator, url: `${emulator.url}/tenant/a` }).assignNumber(assignment);
    assert.equal(emulator.requests[0]?.path, "/tenant/a/api/numbers/%2B15551234567/agent");
  });

  it("sends a voice's context in the headers that the options name", async () => {
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

  it("refuses what cannot be sent as it is, and sends nothing", async () => {
    const { emulator, client } = await start({ voiceHeaders: { providerScope: "X-Scope" } });
    const refused: [Promise<unknown>, string][] = [
      [client.assignNumber({ number: ".." }), 'number is "..", which would lead to another path: nothing was sent.'],
      [client.assignNumber({ ...assignment, number: "" }), "number is empty: nothing was sent."],
      [
        client.endChat({ chatId: "a\nb", workspaceId: 42 }),
        "chatId contains a control or invisible character, or half a character: nothing was sent.",
      ],
      [
        client.addCommunityVoice({ ...voice, actorType: "end_user" }),
        "actorType is set, but voiceHeaders.actorType is not: set it to the name of the header. Nothing was sent.",
      ],
      [
        client.addCommunityVoice({ ...voice, providerScope: "a\r\nb: c" }),
        "providerScope cannot be a header: it must be one line of visible ASCII. Nothing was sent.",
      ],
      [
        client.assignNumber({ ...assignment, workspaceId: Number.NaN }),
        "workspaceId is NaN, which JSON cannot express: nothing was sent.",
      ],
    ];
    for (const [work, message] of refused) {
      await assert.rejects(work, new InvalidRequestError(message));
    }
    assert.equal(emulator.requests.length, 0);
  });
});
