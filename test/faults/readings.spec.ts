import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { chooseProxy, type ProxyServer } from "../../provider/client/proxy";
import type { Reply } from "../../provider/client/transport";
import { render } from "../../provider/core/messages";
import { type Handler, handlerFor } from "../../provider/edge/handler";
import { dynamicHandler } from "../../provider/pulumi/dynamicHandler";
import { communityVoice } from "../../provider/resources/communityVoice";
import type { Session } from "../../provider/resources/lifecycle";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { smsChat } from "../../provider/resources/smsChat";
import { clientFor, withEnvironment } from "../client/support";
import { chat, voice } from "../resources/inputs";
import { urnOf } from "../support/providerCalls";
import { newRun } from "../support/session";
import { FAULTS } from "./faults";

/** What README.md in this folder shows as the message of a fault is what the fault makes of it. */

const url = "https://platform.example.com";
const accessToken = "an-access-token";
const number = "+15551234567";
const inputs = {
  __urn: urnOf("numberAssignment", "support"),
  number,
  workspaceId: 42,
  inboundAgents: { agent_a: 1 },
  endpoint: url,
};

type Run = Session & { warnings: string[] };

/** A run whose every request is answered by this. */
function answeredBy(reply: Reply, proxy?: ProxyServer): Run {
  const client = clientFor({ url, token: accessToken }, { transport: () => async () => reply, proxy });
  return { ...newRun(url, accessToken), client: () => client };
}

const nothing = (code: string, reached: "nowhere" | "tcp" | "open", timedOut = false): Reply => ({
  came: "nothing",
  reached,
  timedOut,
  code,
});

type Answer = Extract<Reply, { came: "response" }>;

function answer(
  status: number,
  body: unknown,
  more: Partial<Answer["headers"]> = {},
  end: Answer["body"] = "whole",
): Reply {
  const headers = {
    retryAfter: [],
    date: undefined,
    location: undefined,
    contentType: "application/json",
    requestId: undefined,
  };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { came: "response", status, headers: { ...headers, ...more }, bytes: Buffer.from(text), body: end };
}

/** The same, through a proxy. */
const proxied = (reply: Partial<Extract<Reply, { came: "nothing" }>>, post = false) => {
  const env = { HTTPS_PROXY: "http://user:password@proxy.example.com:3128" };
  const { proxy } = withEnvironment(env, () => chooseProxy(url));
  const run = answeredBy({ came: "nothing", reached: "nowhere", timedOut: false, code: "", ...reply }, proxy);
  return () => told(run, async () => (post ? smsChat.create(chat, run) : numberAssignment.create(inputs, run)));
};

const record = (more: object) => ({ numbers: [{ number, ...more }] });
const bound = (id: string) => ({ inbound_agents: [{ agent_id: id, weight: 1 }] });
const no = { error: "no, thank you" };

/** The error of the call, or the warnings that it leaves. */
async function told(run: Run, call: (run: Run) => Promise<unknown>): Promise<string> {
  const error = await call(run).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return error?.message ?? run.warnings.join("\n");
}

const create = (reply: Reply) => () => told(answeredBy(reply), (run) => numberAssignment.create(inputs, run));
const remove = (reply: Reply) => () => told(answeredBy(reply), (run) => numberAssignment.delete(number, inputs, run));

const open = () => ({ session: newRun(url, accessToken) });
const numbers = handlerFor(numberAssignment, open, () => undefined);
const voices = handlerFor(communityVoice, open, () => undefined);

/** What check says of arguments. */
const refused = (handler: Handler, args: Record<string, unknown>) => async () => reasonsOf(handler.check({}, args));
const reasonsOf = (checked: ReturnType<Handler["check"]>): string =>
  "reasons" in checked ? checked.reasons.join("\n") : "";

/** What check says of settings. */
const settings = (config: Readonly<Record<string, string>>) => async () => {
  const handler = dynamicHandler(numberAssignment) as Required<pulumi.dynamic.ResourceProvider>;
  const get = (key: string) => ({ "agent-platform:baseUrl": url, ...config })[key];
  void handler.configure({ config: { get, require: get } as pulumi.dynamic.Config });
  const { failures = [] } = await handler.check({}, inputs);
  return failures.map(({ reason }) => reason).join("\n");
};

async function withProxy(): Promise<string> {
  const before = process.env.HTTPS_PROXY;
  process.env.HTTPS_PROXY = "socks5://user:password@proxy.example.com";
  try {
    return await told(newRun(url, accessToken) as Run, async (run) => run.client());
  } finally {
    if (before === undefined) {
      delete process.env.HTTPS_PROXY;
    } else {
      process.env.HTTPS_PROXY = before;
    }
  }
}

async function declaredTwice(): Promise<string> {
  const session = newRun(url, accessToken);
  const handler = handlerFor(
    numberAssignment,
    () => ({ session }),
    () => undefined,
  );
  const declare = (name: string) =>
    reasonsOf(handler.check({}, { __urn: urnOf("numberAssignment", name), number, inboundAgents: [] }));
  return declare("a") + declare("b");
}

const causes: Readonly<Record<number, () => Promise<string>>> = {
  1: create(nothing("ECONNREFUSED", "nowhere")),
  2: create(nothing("ENOTFOUND", "nowhere")),
  3: create(nothing("", "nowhere", true)),
  4: create(nothing("CERT_HAS_EXPIRED", "tcp")),
  5: create(nothing("ECONNRESET", "open")),
  6: create(nothing("", "open", true)),
  7: create(answer(200, "{", {}, "timedOut")),
  8: create(answer(200, "{", {}, "cut")),
  9: create(answer(200, "{")),
  10: create(answer(200, "<html>", { contentType: "text/html" })),
  11: create(answer(200, { success: false, message: "no, thank you" })),
  14: create(answer(204, "")),
  15: create(nothing("ERR_SWITCHED_PROTOCOLS", "open")),
  16: create(answer(302, "", { location: "https://elsewhere.example/login" })),
  17: create(answer(304, "")),
  18: create(answer(422, no)),
  19: create(answer(401, no)),
  20: create(answer(403, no)),
  21: create(answer(404, no)),
  22: create(answer(413, no)),
  23: create(answer(408, no)),
  24: create(answer(409, no)),
  25: create(answer(429, no)),
  26: create(answer(429, no, { retryAfter: ["3600"] })),
  27: create(answer(503, no)),
  28: () => told(answeredBy(answer(500, no)), (run) => smsChat.create(chat, run)),
  34: create(answer(200, record({ inbound_agents: [] }))),
  35: create(answer(200, { numbers: [{ number: "1" }, { number: "2" }] })),
  36: create(answer(200, { ...record(bound("agent_a")), assignment: bound("agent_b") })),
  38: create(answer(200, record({ platform_import_error: true, platform_import_error_message: "no such carrier" }))),
  40: create(answer(200, record({ id: "one", is_time_routing_enabled: "yes", ...bound("agent_a") }))),
  41: create(
    answer(
      200,
      JSON.stringify(record(bound("agent_a"))).replace(
        "}]}]",
        '}],"inbound_agents":[{"agent_id":"agent_b","weight":1}]}]',
      ),
    ),
  ),
  42: create(answer(422, { error: `echo ${accessToken} \u001b[31m` })),
  44: declaredTwice,
  46: create(answer(200, record(bound("agent_before")))),
  47: withProxy,
  48: settings({ "agent-platform:baseUrl": "http://platform.example.com" }),
  49: settings({ "agent-platform:accessToken": "Bearer abc" }),
  50: refused(numbers, { __urn: inputs.__urn, number: "+1 555 123" }),
  51: refused(voices, { ...voice, voiceName: "Nova\u0000" }),
  52: refused(voices, { ...voice, providerScope: "a\r\nb: c" }),
  53: refused(numbers, {
    __urn: inputs.__urn,
    number,
    inboundAgents: [
      { agentId: "agent_a", weight: 1 },
      { agentId: "agent_b", weight: -1 },
    ],
  }),
  54: remove(answer(200, record(bound("agent_a")))),
  58: async () => told(answeredBy(answer(200, {})), async () => numberAssignment.readState({ number }, number)),
  61: () => told(answeredBy(answer(410, no)), (run) => smsChat.delete("chat_1", { ...chat, endpoint: url }, run)),
  68: proxied({ proxyStatus: 407 }),
  69: proxied({ proxyStatus: 502 }),
  70: proxied({ code: "ECONNREFUSED" }),
  71: proxied({ timedOut: true }),
  72: proxied({ code: "ECONNRESET", reached: "open" }, true),
  73: proxied({ code: "SELF_SIGNED_CERT_IN_CHAIN", reached: "tcp" }),
  67: remove(answer(404, { error: "Not Found", path: "/api/numbers" })),
  66: () =>
    told(answeredBy(answer(303, "", { location: "https://elsewhere.example/chats/1" })), (run) =>
      smsChat.create(chat, run),
    ),
  62: remove(nothing("ECONNREFUSED", "nowhere")),
  63: create(nothing("EMFILE", "nowhere")),
  65: async () => {
    const olds = { ...chat, endpoint: url, unresolved: true as const };
    const plan = smsChat.diff("unresolved-1", olds, chat, newRun(url, accessToken).settings);
    return smsChat.explain("unresolved-1", olds, chat, plan).map(render).join("\n");
  },
};

/** `<…>` is any text within a line, `…` is any text at all. */
function patternOf(says: string): RegExp {
  const parts = says.split(/(<[^<>]*>|…)/);
  const pattern = parts.map((part) => {
    if (part === "…") {
      return "[^]*";
    }
    return /^<[^<>]*>$/.test(part) ? ".+?" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${pattern.join("")}$`);
}

describe("what is read of a fault", () => {
  for (const { id, fault, read } of FAULTS) {
    if ("quiet" in read) {
      continue;
    }
    it(`${id}: ${fault}`, async () => {
      assert.match((await causes[id]?.()) ?? "no cause is given in this test", patternOf(read.says));
    });
  }

  it("is shown for no other fault", () => {
    const said = FAULTS.filter(({ read }) => "says" in read).map(({ id }) => String(id));
    assert.deepEqual(Object.keys(causes).sort(), said.sort());
  });
});
