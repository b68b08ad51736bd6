import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { addCommunityVoice } from "../../provider/api/addCommunityVoice";
import { assignNumber, type NumberResponse } from "../../provider/api/assignNumber";
import { classify } from "../../provider/api/attempt";
import { createSmsChat } from "../../provider/api/createSmsChat";
import { endChat } from "../../provider/api/endChat";
import { type Cause, causeText, type Failure, type Hint, type PlatformAccess } from "../../provider/api/failure";
import { chooseProxy } from "../../provider/api/http";
import type { Call } from "../../provider/api/operation";
import { validate } from "../../provider/base/arguments";
import { MISSING } from "../../provider/base/engine";
import { withhold } from "../../provider/base/secrets";
import type { HttpReply, HttpResponse, NoResponse, ReplyHeaders } from "../../provider/base/world";
import type { SettingKey } from "../../provider/config/keys";
import { POSTED_KINDS, type PostedKind, type ResourceKind } from "../../provider/config/kinds";
import { noSuchSettings, secretSettings, wrongSettings as settingsAreWrong } from "../../provider/config/messages";
import { readSettings, TOKEN_SOURCES, type TokenSource } from "../../provider/config/settings";
import { marksOf } from "../../provider/engine/marks";
import {
  checkedElsewhere,
  declaredTwice,
  deletedFirst,
  explicitProviderRefused,
  firstAssignment,
  guardsOfProject,
  optionReadsNothing,
  refreshReadsNothing,
  secretRefused,
  unknownProgram,
} from "../../provider/engine/messages";
import { dynamicProvider } from "../../provider/engine/provider";
import {
  agentsMissing,
  agentsTwice,
  causeOfFailure,
  causeOfVerdict,
  declaredElsewhere,
  differsIn,
  notKnown,
  numbersFailed,
  type SavedAs,
  unconfirmed,
  unverified,
} from "../../provider/numbers/messages";
import type { FailedNumber, FailureCause } from "../../provider/numbers/result";
import { sendAll } from "../../provider/numbers/send";
import { type Mismatch, type Unproven, type Verdict, verify } from "../../provider/numbers/verify";
import { communityVoice } from "../../provider/posts/kinds";
import {
  adoptedElsewhere,
  adoptsItself,
  alreadyEnded,
  createFailed,
  endFailed,
  staysOnPlatform,
  twoResolutions,
  unresolvedForgotten,
  workspaceMissing,
} from "../../provider/posts/messages";
import { resolveRollout } from "../../provider/routing/rollout";
import type { Assignment } from "../../provider/routing/routing";
import type { Split } from "../../provider/routing/split";
import {
  clientRefused,
  endpointDiffers,
  invalid,
  notInAbort,
  postponed,
  RUN_FAILED,
  reasonMessage,
  settingRefused,
  stillUnresolved,
  tokenMissing,
  UNAPPLIED,
  unreadableState,
} from "../../provider/run/messages";
import type { Reason, UnappliedReason } from "../../provider/run/plan";
import type { Lifecycle } from "../../provider/run/resource";
import { guardsBypassed, type StepProblem, type Violation, violated } from "../../provider/run/violation";
import { CODES, type Code, remedyOf } from "../../provider/words/codes";
import {
  helpHint,
  labelOf,
  type Message,
  messageOf,
  ResourceError,
  render,
  shortList,
} from "../../provider/words/message";
import { hastyRuntime } from "../api/support";
import { withEnvironment } from "../support/environment";
import { assertSameText } from "../support/golden";
import { settings as inputSettings } from "../support/inputs";
import { LIFECYCLES } from "../support/lifecycles";
import { POSTED_ARGS, CHAT as SMS, VOICE } from "../support/posts";
import { response, silence } from "../support/replies";
import { newRun } from "../support/session";

/**
 * Compares all of the provider's messages with a golden file. This file compiles only if it has an example for every
 * message function, failure cause and plan reason.
 */

const LABEL = 'NumberAssignment "support" (+15551230001)';
const CHAT_LABEL = 'SmsChat "reminder"';
/** Returns the label of a voice or chat. */
const labelFor = (kind: PostedKind): string => (kind === "SmsChat" ? CHAT_LABEL : 'CommunityVoice "nova"');
const URN = "urn:pulumi:prod::phones::pulumi-nodejs:dynamic/agent-platform:NumberAssignment::support";
const NUMBERS = Array.from({ length: 12 }, (_, index) => `+1555123${1000 + index}`);
const SOURCE: TokenSource = "config";
const target: PlatformAccess = { endpoint: "https://platform.example.com/v1", tokenSource: SOURCE };
const settings = { endpoint: target.endpoint };

const keys = <Key extends string>(record: Readonly<Record<Key, unknown>>) => Object.keys(record) as Key[];

const PLATFORM = { baseUrl: "https://platform.example.com/v1" };
const NUMBER = "+15551230001";
const AGENTS = { "agent_front@12": 90, "agent_front@13": 10 };

const PUT = assignNumber({ number: NUMBER, routing: {}, mayHave: [] }, PLATFORM);
const END = endChat({ chatId: "chat-1", workspaceId: 42 }, PLATFORM);
const POSTS: { readonly [Kind in PostedKind]: Call<unknown> } = {
  CommunityVoice: addCommunityVoice({ ...VOICE, workspaceId: 42 }, PLATFORM),
  SmsChat: createSmsChat({ ...SMS, workspaceId: 42 }, PLATFORM),
};

const PROXY = "proxy.example.com:3128";
const error = (status: number, text: string, retryAfter?: string): HttpReply =>
  response(status, JSON.stringify({ error: text }), retryAfter);
const redirect = (location: string): HttpReply => withHeaders(response(308), { location });
const htmlPage = (status: number): HttpReply =>
  withHeaders(response(status, "<html></html>"), { contentType: "text/html" });

function withHeaders(reply: HttpResponse, headers: Partial<ReplyHeaders>): HttpResponse {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** One reply for each cause of failure. */
const REPLIES: { readonly [Name in Cause]: HttpReply } = {
  refused: error(422, "agent_front@13 is not in this workspace"),
  unauthenticated: error(401, "the token has expired"),
  forbidden: error(403, "the workspace is read-only for this user"),
  notFound: error(404, "no such number"),
  rateLimited: error(429, "too many requests", "120"),
  redirected: redirect("/v2"),
  unreachable: silence("nowhere", "ECONNREFUSED"),
  proxy: { ...silence("nowhere", ""), proxyStatus: 502 },
  tls: silence("tcp", "CERT_HAS_EXPIRED"),
  serverError: error(503, "temporarily unavailable"),
  noResponse: silence("open", "ECONNRESET"),
  unusable: htmlPage(200),
};
/** For each hint, a reply that can cause a failure with that hint. */
const HINTS: { readonly [Why in Hint["why"]]: HttpReply } = {
  elsewhere: redirect("https://voice.example.com/v2"),
  inTheWay: response(404, '{"message":"no such number"}'),
  clearing: REPLIES.refused,
  clearingAlone: REPLIES.refused,
};

/** Returns the failure of a call whose last attempt received this reply. */
function failureAfter(reply: HttpReply, call: Call<unknown>, proxy?: string): Failure {
  const status = reply.came === "response" ? reply.status : undefined;
  const { failure } = classify(reply, call, {
    token: "",
    host: "platform.example.com:443",
    proxy,
    wallClockMs: 0,
    timeoutMs: 30_000,
    exchange: { operation: call.operation, status, requestId: "r-1", attempts: 4, elapsedMs: 1234 },
  });
  return failure ?? assert.fail(`${JSON.stringify(reply)} is not a failure of ${call.operation}`);
}

interface FailureExample {
  readonly why?: Hint["why"];
  readonly failureOf: (call: Call<unknown>) => Failure;
}

/** One failure for each cause and for each hint. */
const FAILED: readonly FailureExample[] = [
  ...keys(REPLIES).map((cause) => ({
    failureOf: (call: Call<unknown>) => failureAfter(REPLIES[cause], call, cause === "proxy" ? PROXY : undefined),
  })),
  ...keys(HINTS).map((why) => ({
    why,
    failureOf: (call: Call<unknown>) => {
      const failure = failureAfter(HINTS[why], call);
      return { ...failure, hint: { ...failure.hint, why } };
    },
  })),
];

/** Failures that a POST can have. A POST never clears a field, so it gets no hints about clearing. */
const FAILED_POSTS = FAILED.filter(({ why }) => why !== "clearing" && why !== "clearingAlone");

/**
 * The failures of a PUT. The last one is a retry that failed after an attempt that the platform may have carried out.
 * (A POST isn't retried in that case.)
 */
const failedPuts: readonly Failure[] = [
  ...FAILED.map(({ failureOf }) => failureOf(PUT)),
  {
    ...failureAfter(REPLIES.refused, PUT),
    outcome: "unknown",
    doubt: `502, ${failureAfter(response(502), PUT).detail}`,
  },
];

/** More replies that the provider treats as failures, each with the call that receives it. */
const OTHER_REPLIES: readonly (readonly [call: Call<unknown>, reply: HttpReply, proxy?: string])[] = [
  [PUT, cut(response(200), "tooLarge")],
  [PUT, cut(response(200), "undecodable")],
  [PUT, cut(response(200), "timedOut")],
  [PUT, cut(response(200), "cut")],
  [PUT, response(200, '{"success":false}')],
  [PUT, response(200, "[]")],
  [POSTS.CommunityVoice, response(200, "")],
  [POSTS.CommunityVoice, response(200, '{"message":"ok"}')],
  [POSTS.SmsChat, response(200, '{"chatId":".."}')],
  [PUT, { ...response(200), bytes: Buffer.from("é", "latin1") }],
  [PUT, htmlPage(502)],
  [PUT, response(308)],
  [PUT, late("open")],
  [PUT, late("nowhere")],
  [PUT, silence("open", "HPE_INVALID_CONSTANT")],
  [PUT, silence("open", "")],
  [PUT, silence("open", "ECONNRESET"), PROXY],
  [PUT, silence("nowhere", "ECONNREFUSED"), PROXY],
];

function cut(reply: HttpResponse, body: HttpResponse["body"]): HttpResponse {
  return { ...reply, body };
}

function late(reached: NoResponse["reached"]): NoResponse {
  return { ...silence(reached, ""), timedOut: true };
}

/**
 * Sends requests for 60 numbers. The first request gets the reply `first`, and all later ones get `others`.
 * @returns the reason why no request was sent for the last number
 */
async function notSent(first: HttpReply, others: HttpReply, isRollback = false): Promise<string> {
  let count = 0;
  const openTransport = () => async () => {
    count += 1;
    return count === 1 ? first : others;
  };
  const run = newRun(PLATFORM.baseUrl, "an-access-token", { attempts: 1 }, { clock: hastyRuntime(), openTransport });
  const assignments = Array.from({ length: 60 }, (_, index) => ({
    number: String(4000 + index),
    routing: { inboundAgents: AGENTS },
    mayHave: [],
  }));
  const results = await sendAll(assignments, { label: LABEL, run, isRollback });
  return results.at(-1)?.cause?.text ?? assert.fail("a request was sent for every number");
}

const REASONS = keys(UNAPPLIED);
const SAVED: Readonly<Record<SavedAs, 1>> = { saved: 1, nothing: 1, untouched: 1, stays: 1, leftover: 1 };
const failed = (
  became: UnappliedReason,
  cause: (number: string) => FailureCause = () => ({ text: "the platform returned 422 for PUT /api/numbers" }),
): FailedNumber[] => NUMBERS.map((number) => ({ number, became, cause: cause(number) }));

/** Returns how the provider describes a marks folder that it can't create, because the parent path is a file. */
function unusableFolder(): string {
  try {
    withEnvironment({ TMPDIR: __filename }, () => marksOf("127.0.0.1:1").hasFailed());
  } catch (error) {
    return /, which (.*?)\. /.exec((error as Error).message)?.[1] ?? String(error);
  }
  return assert.fail("the folder was accepted");
}

/** More distinct causes than fit in one message. */
const manyCauses = failed("rejected", (number) => ({ text: `the platform returned 422 for ${number}` }));

const uncertainPosts = POSTED_KINDS.map(
  (kind) =>
    ({ kind, name: kind === "SmsChat" ? "chat to +15557654321" : 'voice "Nova"', place: "workspace 42" }) as const,
);
const WHY: { readonly [Why in Reason["why"]]: Reason[] } = {
  unapplied: REASONS.map((reason, index) => ({
    why: "unapplied",
    count: index + 1,
    reasons: index === 0 ? [reason] : REASONS.slice(index - 1, index + 1),
  })),
  endpoint: [{ why: "endpoint", from: "https://one.example", to: "https://two.example" }],
  restart: [{ why: "restart", agent: "agent_front@13", at: "2026-01-31T09:02:11Z" }],
  membership: [
    { why: "membership", joins: NUMBERS, clears: ["4001", "4002"] },
    { why: "membership", joins: ["4001"], clears: [] },
    { why: "membership", joins: [], clears: ["4001"] },
  ],
  notMoved: [{ why: "notMoved", from: "https://one.example", to: "https://two.example" }],
  voiceAddedElsewhere: [{ why: "voiceAddedElsewhere", from: "https://one.example", to: "https://two.example" }],
  chatRecorded: [{ why: "chatRecorded", fields: ["metadata", "serviceDynamicVariables"] }],
  posts: POSTED_KINDS.flatMap((kind) =>
    [kind === "SmsChat" ? "+15557654321" : "Nova", undefined].map((name) => ({ why: "posts", kind, name }) as const),
  ),
  unresolved: uncertainPosts.map((post) => ({ why: "unresolved", post, id: "unresolved-1" })),
};
function labelOfReason(reason: Reason): string {
  if (reason.why === "posts" || reason.why === "unresolved") {
    return labelFor(reason.why === "posts" ? reason.kind : reason.post.kind);
  }
  return reason.why === "chatRecorded" ? CHAT_LABEL : LABEL;
}
const STEPS: { readonly [Why in StepProblem["why"]]: StepProblem[] } = {
  noStep: [{ why: "noStep", percent: 7, steps: [1, 10, 50, 100] }],
  skips: [{ why: "skips", from: 0, to: 100, skipped: [1, 10, 50] }],
  unconfirmed: [{ why: "unconfirmed", from: 10 }],
  notStable: [
    { why: "notStable", stable: "agent_front@12", percentages: { "agent_front@13": 99, "agent_front@14": 1 } },
  ],
};
const unapproved = [
  { agent: "agent_frnot@14", suggestion: "agent_front" },
  { agent: "agent_night@2", suggestion: undefined },
];
const [before, after] = [{ "agent_front@12": 100 }, { "agent_front@12": 40, "agent_front@13": 60 }];
const GUARDS: { readonly [Guard in Violation["guard"]]: Violation[] } = {
  weightTotal: [
    {
      guard: "weightTotal",
      path: "inboundAgents",
      split: { "agent_front@12": 40, "agent_front@13": 50 },
      sum: 90,
      total: 100,
    },
  ],
  maxShift: (["inboundAgents", "rollout.stable"] as const).map((path) => ({
    guard: "maxShift",
    path,
    shift: 60,
    max: 25,
    before,
    after,
  })),
  requireVersions: [{ guard: "requireVersions", path: "inboundAgents", agents: ["agent_front", "agent_night"] }],
  maxUnapproved: [unapproved, unapproved.slice(0, 1), unapproved.slice(1)].flatMap((agents) =>
    ["inboundAgents", "rollout.stable", "outboundAgentId"].map((path, index) => {
      const share = index === 2 ? undefined : { percentage: 100, from: 0, max: 10 };
      return { guard: "maxUnapproved" as const, path, agents, share };
    }),
  ),
  steps: Object.values(STEPS)
    .flat()
    .map((problem) => ({ guard: "steps", path: "rollout", name: "front", ...problem })),
  maxRemove: [
    { guard: "maxRemove", lost: NUMBERS, inRun: NUMBERS.length, max: 1 },
    { guard: "maxRemove", lost: ["4001"], inRun: 1, max: 0 },
  ],
  freeze: [{ guard: "freeze", reason: "incident 4711" }],
};

/** Invalid values for each setting. */
const WRONG: { readonly [Key in SettingKey]: unknown[] } = {
  baseUrl: [
    "api",
    "https://u:p@a.example",
    "http://a.example",
    "HTTPS://A.example:443",
    "https://a.example?x=1",
    undefined,
  ],
  accessToken: ["short"],
  workspaceId: ["x"],
  rollouts: [
    "front",
    { front: "agent_front@12" },
    { front: {} },
    { "1st": { stable: "agent_front@12" } },
    { front: { stable: "front", candidate: "agent_front@13", percent: "10%" } },
    { front: { stable: "agent_front@12", candidate: "agent_front@12" } },
    { front: { stable: "agent_front@12", percent: 1, since: 1, percant: 1 } },
    { front: { stable: "agent_front@12", candidate: "agent_front@13", percent: 1, aborted: { at: "now" } } },
    ...[{ minSoak: "1 day" }, { minSoak: 24 }, "24h"].map((promote) => ({
      front: { stable: "agent_front@12", promote },
    })),
    { front: { stable: "agent_front@12", candidate: "agent_front@13", percent: 1, aborted: { at: 5 } } },
    { front: { stable: "agent_front@12", aborted: "agent_front@13" } },
  ],
  clearWith: ["maybe"],
  onMismatch: ["maybe"],
  requestTimeout: [0],
  voiceHeaders: ["x", { actorType: "X: y" }, { actor: "x" }],
  weightTotal: [0, "x", 1e9 + 1],
  maxShift: ["lots"],
  steps: ["10", [], [1, 50], ["x", 100]],
  requireVersions: ["x"],
  approvedAgents: [["front@12"], "agents.yaml", { a: 1 }],
  maxUnapproved: [101],
  maxRemove: [-1, 1.5],
  freeze: ["", "a\u0000b"],
};
const wrongSettings = keys(WRONG).flatMap((key) =>
  WRONG[key].flatMap((value) => {
    const config: Record<string, unknown> = { baseUrl: "https://one.example", [key]: value };
    const read = readSettings({
      get: (name) => config[name],
      env: { AGENT_PLATFORM_BASE_URL: "https://two.example" },
    });
    return "problems" in read ? read.problems : [];
  }),
);

/** Invalid arguments for each kind of resource. */
const wrongArguments: { readonly [Kind in ResourceKind]: object[] } = {
  NumberAssignment: [
    {},
    { number: 5 },
    { number: "+1 555 123 4567", inboundAgents: [], outboundAgentVersion: 1, isTimeRoutingEnabled: "x", since: 1 },
    { number: "4001", inboundAgents: {}, "a secret": 1 },
    { number: "4001", inboundAgents: {}, workspaceId: MISSING, secretArguments: 1 },
    { number: "..", rollout: { a: 1 }, inboundAgents: {}, inboundWebhookUrl: "h.example", numbr: "x" },
    { number: "undefined", inboundAgents: [{ agentId: "front", weight: -1 }, 1], accountSid: "", workspaceId: "x" },
    { number: " 4001", inboundAgents: { "agent_a@": 1 }, extraFields: { workspaceId: 1, x: () => 1 }, triggers: [NaN] },
    {
      number: "+1555",
      inboundAgents: [1, 2].map(() => ({ agentId: "agent_a", weight: 0 })),
      outboundAgentId: "agent_",
    },
    { number: "tel:5551", inboundAgents: {}, outboundAgentId: "agent_a@3", outboundAgentVersion: 1.5 },
    { number: "\u202e", inboundAgents: {}, outboundAgentId: "agent_a b" },
    { number: "5551234567", inboundAgents: "agent_front", extraFields: { inboundAgents: [] }, outboundAgents: [] },
    { number: "1".repeat(257), inboundAgents: { "agent_a@1": 1e9 + 1 } },
    {
      number: "4001",
      inboundAgents: Array.from({ length: 101 }, (_, index) => ({ agentId: `agent_${index}`, weight: 1 })),
    },
  ],
  NumberGroup: [
    {},
    ...[
      [],
      "x",
      ["4001", "4001"],
      { "4001": 7 },
      { "4001": "a\u0000" },
      Array(1000).fill("+"),
      Array.from(Array(10_001).keys(), String),
    ].map((numbers) => ({ numbers, inboundAgents: {} })),
  ],
  CommunityVoice: [{}, { voiceName: "" }, { actorType: "admin", providerScope: "é" }],
  SmsChat: [
    {},
    { toNumber: "5551234567", agentId: "agent_a", metadata: 1, adopt: ".." },
    { metadata: { a: "x".repeat(65_536) } },
  ],
};
const rolloutProblems = ["frnt", "toString", {}].flatMap((name) =>
  [{ front: { stable: "agent_front@12" }, night: { stable: "agent_night@4" } }, {}].flatMap(
    (rollouts) => resolveRollout(name, undefined, rollouts).problem ?? [],
  ),
);
const argumentProblems = keys(wrongArguments).flatMap((kind) =>
  wrongArguments[kind].flatMap((args) => validate(LIFECYCLES[kind].schema, args).problems),
);

const record = (fields: object): NumberResponse => ({ numbers: [{ number: NUMBER, ...fields }] });
/** Responses that don't match the request, grouped by the kind of mismatch. */
const MISMATCHES: { readonly [Field in Mismatch["field"]]: readonly NumberResponse[] } = {
  inboundAgents: [record({ inboundAgents: [] })],
  number: [record({ number: "+15559999999" })],
  platformImportError: [
    record({ platformImportError: true, platformImportErrorMessage: "agent_front@13 was deleted" }),
    record({ platformImportError: true }),
  ],
};
const put = (inboundAgents: Split): Assignment => ({
  number: NUMBER,
  routing: { inboundAgents },
  mayHave: [{ inboundAgents: AGENTS }],
});
const verdicts: Verdict[] = [
  ...keys(MISMATCHES).flatMap((field) => MISMATCHES[field].map((shown) => verify(put(AGENTS), shown, 200))),
  verify(put({}), record({ inboundAgents: [{ agentId: "agent_front", weight: 1 }] }), 200),
];
const UNPROVEN: { readonly [Why in Unproven]: true } = { "no agents": true, "no versions": true, later: true };

/** The exports of every module that defines message functions. */
type MessageModules = typeof import("../../provider/config/messages") &
  typeof import("../../provider/run/violation") &
  typeof import("../../provider/run/messages") &
  typeof import("../../provider/numbers/messages") &
  typeof import("../../provider/posts/messages") &
  typeof import("../../provider/engine/messages");
type Makers = {
  [Name in keyof MessageModules]: MessageModules[Name] extends (...args: never[]) => Message | Message[] ? Name : never;
}[keyof MessageModules];

const EXAMPLES: { readonly [Name in Makers]: () => Message[] } = {
  // Invalid arguments and settings.
  invalid: () => [
    ...[...rolloutProblems, ...argumentProblems].map(invalid),
    // A voice with an admin actor type, but no workspace context. The settings don't name the actor type's header.
    ...communityVoice.check(undefined, { ...VOICE, actorType: "platform_admin" }, inputSettings).failures,
  ],
  settingRefused: () => wrongSettings.map(settingRefused),
  wrongSettings: () => [settingsAreWrong(wrongSettings.flatMap(({ key, text }) => (key ? [text] : [])))],
  secretRefused: () => [secretRefused(LABEL, ["inboundAgents"])],
  secretSettings: () => [secretSettings(["rollouts", "workspaceId"])],
  workspaceMissing: () => [workspaceMissing()],
  tokenMissing: () => keys(TOKEN_SOURCES).map((tokenSource) => tokenMissing({ tokenSource })),
  explicitProviderRefused: () => [explicitProviderRefused("other")],
  clientRefused: () => {
    const { problem } = withEnvironment({ HTTPS_PROXY: "socks5://a" }, () => chooseProxy(PLATFORM.baseUrl));
    return [clientRefused(problem ?? assert.fail("the proxy is accepted"))];
  },
  declaredTwice: () => ["4001", "+15551230001"].map((number) => declaredTwice(number, [LABEL, 'NumberGroup "emea"'])),
  noSuchSettings: () =>
    [undefined, "agent-platform:maxShift"]
      .map((meant) => [{ key: "agent-platform:maxShft", meant }])
      .flatMap((unknown) => [
        noSuchSettings(unknown),
        noSuchSettings([...unknown, { key: "agent-platform:x", meant: undefined }]),
      ]),
  guardsOfProject: () => [["maxShift"], ["maxShift", "steps"]].map((guards) => guardsOfProject("phones", guards)),
  twoResolutions: () => [twoResolutions()],
  adoptsItself: () => [
    adoptsItself(labelFor("CommunityVoice"), "CommunityVoice", ["voiceName", "voiceProvider"], "voice-1"),
    adoptsItself(labelFor("SmsChat"), "SmsChat", ["toNumber"], "chat-1"),
  ],
  optionReadsNothing: () =>
    (["import", "id"] as const).flatMap((option) =>
      keys(LIFECYCLES).map((kind) => optionReadsNothing(labelOf(kind, "a"), kind, option, "id-1")),
    ),
  // Guard violations.
  violated: () =>
    Object.values(GUARDS)
      .flat()
      .flatMap((violation) => violated(LABEL, [violation])),
  guardsBypassed: () => [guardsBypassed(LABEL, "incident 4711", Object.values(GUARDS).flat())],
  // Explanations of what a run does or doesn't do.
  reasonMessage: () =>
    Object.values(WHY)
      .flat()
      .map((reason) => reasonMessage(labelOfReason(reason), reason)),
  firstAssignment: () => [firstAssignment()],
  stillUnresolved: () => uncertainPosts.map((post) => stillUnresolved(post, labelFor(post.kind), "unresolved-1")),
  unresolvedForgotten: () => uncertainPosts.map((post) => unresolvedForgotten(post, labelFor(post.kind))),
  refreshReadsNothing: () => keys(LIFECYCLES).map(refreshReadsNothing),
  // The results of requests and deletes.
  numbersFailed: () =>
    keys(SAVED).flatMap((savedAs) => {
      const isFirst = savedAs === "saved";
      const messageFor = (numbers: FailedNumber[], isSingle: boolean) =>
        numbersFailed(LABEL, isSingle ? numbers.slice(0, 1) : numbers, {
          count: numbers.length + 8,
          savedAs,
          isSingle,
        });
      const numbersOfPuts = failedPuts
        .slice(0, isFirst ? undefined : 1)
        .flatMap((failure) => failed(failure.outcome, (number) => causeOfFailure(failure, number, target)));
      return [
        ...numbersOfPuts.map((number) => messageFor([number], true)),
        ...verdicts
          .flatMap((verdict) => failed("different", () => causeOfVerdict(verdict)))
          .map((number) => messageFor([number], true)),
        ...[RUN_FAILED, unconfirmed(URN)].map((text) =>
          messageFor(
            failed("not sent", () => ({ text })),
            false,
          ),
        ),
        messageFor([...failed("not sent"), ...failed("rejected"), ...failed("unknown")], false),
        ...(isFirst ? [messageFor(manyCauses, false)] : []),
      ];
    }),
  createFailed: () =>
    FAILED_POSTS.flatMap(({ failureOf }) =>
      uncertainPosts.map((post) =>
        createFailed(labelFor(post.kind), failureOf(POSTS[post.kind]), target, post, "unresolved-1"),
      ),
    ),
  endFailed: () =>
    FAILED_POSTS.map(({ failureOf }) => failureOf(END)).flatMap((failure) =>
      keys(TOKEN_SOURCES)
        .slice(0, failure.cause === "unauthenticated" ? undefined : 1)
        .map((tokenSource) => endFailed(CHAT_LABEL, failure, { ...target, tokenSource }, "chat-1")),
    ),
  agentsMissing: () => [agentsMissing([])],
  agentsTwice: () => [agentsTwice()],
  differsIn: () => [differsIn(LABEL, ["workspaceId", "inboundWebhookUrl"])],
  unverified: () => keys(UNPROVEN).map(unverified),
  endpointDiffers: () => [endpointDiffers(LABEL, "https://one.example", settings.endpoint)],
  declaredElsewhere: () => [NUMBERS, ["4001"]].map((numbers) => declaredElsewhere(LABEL, numbers)),
  notKnown: () => [NUMBERS, ["4001"]].map((numbers) => notKnown(LABEL, numbers)),
  postponed: () => [postponed(LABEL, RUN_FAILED)],
  checkedElsewhere: () => [checkedElsewhere(LABEL)],
  notInAbort: () => [notInAbort(LABEL, "create"), notInAbort(LABEL, "delete")],
  deletedFirst: () => [deletedFirst(LABEL)],
  unknownProgram: () => [unknownProgram(unusableFolder(), "/tmp/agp-1000")],
  unreadableState: () => [["number"], ["endpoint", "number"]].map((fields) => unreadableState(LABEL, fields)),
  staysOnPlatform: () => uncertainPosts.map((post) => staysOnPlatform(post, labelFor(post.kind))),
  alreadyEnded: () => [alreadyEnded(CHAT_LABEL, "chat-1", 410)],
  adoptedElsewhere: () => [adoptedElsewhere("chat", CHAT_LABEL, "chat-1")],
};

/** Message texts that none of the functions above produce. */
const PARTS: Readonly<Record<string, () => readonly string[] | Promise<readonly string[]>>> = {
  "why an attempt failed": () =>
    OTHER_REPLIES.map(([call, reply, proxy]) => causeText(failureAfter(reply, call, proxy))),
  "why a number got no request": () =>
    Promise.all([
      notSent(REPLIES.refused, REPLIES.refused),
      notSent(response(200), REPLIES.refused),
      notSent(response(200), REPLIES.noResponse, true),
    ]),
  "why no request was made": () => {
    try {
      return [assignNumber({ number: "..", routing: {}, mayHave: [] }, PLATFORM).url.href];
    } catch (error) {
      return [String(error)];
    }
  },
  "a chat without its URN": async () => {
    const provider = dynamicProvider(LIFECYCLES.SmsChat as unknown as Lifecycle<object, object>, () =>
      newRun(PLATFORM.baseUrl, "an-access-token"),
    );
    const { failures = [] } = await provider.check({}, { ...POSTED_ARGS.SmsChat });
    return failures.map(({ reason }) => reason);
  },
  "a text of the platform that repeats a secret": () => [withhold("a%2Fsecret", new Map([["a/secret", "metadata"]]))],
};

/** Returns the contents of the golden file: the messages of each function, without duplicates. */
async function page(): Promise<string> {
  const messages = Object.entries(EXAMPLES).map(([name, make]) => ({
    name,
    texts: make().map((message) => render(message)),
  }));
  const parts = Object.entries(PARTS).map(async ([name, make]) => ({ name, texts: await make() }));
  return [...messages, ...(await Promise.all(parts))]
    .map(({ name, texts }) => [`=== ${name}`, ...new Set(texts)].join("\n\n"))
    .join("\n\n")
    .concat("\n");
}

const GOLDEN = join(__dirname, "testdata", "messages.txt");

describe("message text", () => {
  it("matches the golden file messages.txt", async () => {
    const printed = await page();
    if (process.env.UPDATE_GOLDENS !== undefined) {
      writeFileSync(GOLDEN, printed);
    }
    assertSameText(printed, readFileSync(GOLDEN, "utf8"));
  });

  it("shows the number of items omitted from a shortened list", () =>
    assert.equal(shortList(Array(1234).fill("+1"), 1), "+1 and 1,233 more"));

  it("shows a help command for AGP-041, but not for AGP-074", () => {
    for (const remedy of ["Check the workspace.", "Rerun `pulumi up`."]) {
      const endingOf = (code: "AGP-041" | "AGP-074") =>
        new ResourceError(messageOf(code, LABEL, "the request failed.", remedy)).message.split("\n").slice(1);
      assert.deepEqual([endingOf("AGP-041"), endingOf("AGP-074")], [[`  ${helpHint("AGP-041")}`], []], remedy);
    }
  });

  it("offers a remedy for every error code", () => {
    for (const code of Object.keys(CODES) as Code[]) {
      assert.notEqual(remedyOf(code), "", code);
    }
  });
});
