import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import type { Cause, Failure, Hint, PlatformAccess } from "../../provider/api/failure";
import { validate } from "../../provider/base/arguments";
import type { SettingKey } from "../../provider/config/keys";
import { POSTED_KINDS, type PostedKind, type ResourceKind } from "../../provider/config/kinds";
import { noSuchSettings, secretSettings, wrongSettings as settingsAreWrong } from "../../provider/config/messages";
import { readSettings, TOKEN_SOURCES, type TokenSource } from "../../provider/config/settings";
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
import type { Mismatch, Unproven, Verdict } from "../../provider/numbers/verify";
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
import { assertSameText } from "../support/golden";
import { settings as inputSettings } from "../support/inputs";
import { LIFECYCLES } from "../support/lifecycles";
import { VOICE } from "../support/posts";

/** Every message that the code can make, on one page. A function, a cause or a reason without an example does not compile. */

const WHO = 'NumberAssignment "support" (+15551230001)';
const CHAT = 'SmsChat "reminder"';
/** The label of a voice or chat. */
const labelFor = (kind: PostedKind): string => (kind === "SmsChat" ? CHAT : 'CommunityVoice "nova"');
const URN = "urn:pulumi:prod::phones::pulumi-nodejs:dynamic/agent-platform:NumberAssignment::support";
const NUMBERS = Array.from({ length: 12 }, (_, index) => `+1555123${1000 + index}`);
const SOURCE: TokenSource = "config";
const target: PlatformAccess = { endpoint: "https://platform.example.com/v1", tokenSource: SOURCE };
const settings = { endpoint: target.endpoint };

/** Each hint, with a cause for which it is given. */
const HINTS: { readonly [Why in Hint["why"]]: Cause } = {
  elsewhere: "redirected",
  inTheWay: "notFound",
  clearing: "refused",
  clearingAlone: "refused",
};
const CAUSES: { readonly [Name in Cause]: string } = {
  refused: "",
  unauthenticated: "",
  forbidden: "",
  notFound: "",
  rateLimited: "",
  redirected: "platform.example.com redirects to https://platform.example.com/v2, but redirects are not followed",
  unreachable: "could not connect to platform.example.com:443 (ECONNREFUSED)",
  proxy: "the proxy proxy.example.com:3128 returned 502 for CONNECT platform.example.com:443",
  tls: "could not establish a trusted connection to platform.example.com:443 (CERT_HAS_EXPIRED)",
  serverError: "",
  noResponse: "platform.example.com:443 closed the connection before it responded (ECONNRESET)",
  unusable: "the response has no id",
};
const keys = <Key extends string>(of: Readonly<Record<Key, unknown>>) => Object.keys(of) as Key[];

/** The status and the message of a response with each cause. Other causes have no response. */
const RESPONSES: { readonly [Name in Cause]?: { readonly status: number; readonly message?: string } } = {
  refused: { status: 422, message: "agent_front@13 is not in this workspace" },
  unauthenticated: { status: 401, message: "the token has expired" },
  forbidden: { status: 403, message: "the workspace is read-only for this user" },
  notFound: { status: 404, message: "no such number" },
  rateLimited: { status: 429, message: "too many requests" },
  redirected: { status: 308 },
  serverError: { status: 503, message: "temporarily unavailable" },
  unusable: { status: 200 },
};
const PUT = "PUT /api/numbers/{number}/agent";
/** Each cause once, and each hint once. */
const failures: Failure[] = [
  ...keys(CAUSES).map((cause) => ({ cause, why: undefined })),
  ...keys(HINTS).map((why) => ({ cause: HINTS[why], why })),
].map(({ cause, why }): Failure => {
  const { status, message } = RESPONSES[cause] ?? {};
  return {
    outcome: "rejected",
    cause,
    retry: false,
    exchange: { operation: PUT, status, requestId: "r-1", attempts: 4, elapsedMs: 1234 },
    platformMessage: message,
    detail: CAUSES[cause],
    isPlatformError: message !== undefined,
    hint: why && { why, address: "https://platform.example.com/v2" },
    retryAfterMs: why === undefined && cause === "rateLimited" ? 120_000 : undefined,
  };
});

/** The outcome of a request that fails for this cause. */
function outcomeOf({ cause }: Failure): Failure["outcome"] {
  if (cause === "unreachable" || cause === "proxy" || cause === "tls") {
    return "not sent";
  }
  return ["redirected", "serverError", "noResponse", "unusable"].includes(cause) ? "unknown" : "rejected";
}

const failureOf = (failure: Failure, operation: string): Failure => ({
  ...failure,
  outcome: outcomeOf(failure),
  exchange: { ...failure.exchange, operation },
});

/** A POST clears no fields. */
const failuresOfPosts = failures.filter(({ hint }) => hint?.why !== "clearing" && hint?.why !== "clearingAlone");

const REASONS = keys(UNAPPLIED);
const SAVED: Readonly<Record<SavedAs, 1>> = { saved: 1, nothing: 1, untouched: 1, stays: 1, leftover: 1 };
const failed = (
  became: UnappliedReason,
  cause: (number: string) => FailureCause = () => ({ text: "the platform returned 422 for PUT /api/numbers" }),
): FailedNumber[] => NUMBERS.map((number) => ({ number, became, cause: cause(number) }));

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
  return reason.why === "chatRecorded" ? CHAT : WHO;
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

/** Values that break each rule of a setting. */
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
    { front: { stable: "agent_front@12", promote: { minSoak: "1 day" } } },
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

/** Arguments that break the rules of their fields. */
const wrongArguments: { readonly [Kind in ResourceKind]: object[] } = {
  NumberAssignment: [
    {},
    { number: 5 },
    { number: "+1 555 123 4567", inboundAgents: [], outboundAgentVersion: 1, isTimeRoutingEnabled: "x", since: 1 },
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
    ...[[], "x", ["4001", "4001"], { "4001": 7 }, Array(1000).fill("+"), Array.from(Array(10_001).keys(), String)].map(
      (numbers) => ({ numbers, inboundAgents: {} }),
    ),
  ],
  CommunityVoice: [{}, { voiceName: "" }],
  SmsChat: [{}, { toNumber: "5551234567", agentId: "agent_a", metadata: 1, adopt: ".." }],
};
const names = ["frnt", "toString", {}].flatMap((name) =>
  [{ front: { stable: "agent_front@12" }, night: { stable: "agent_night@4" } }, {}].flatMap(
    (all) => resolveRollout(name, undefined, all).problem ?? [],
  ),
);
const problems = keys(wrongArguments).flatMap((kind) =>
  wrongArguments[kind].flatMap((args) => validate(LIFECYCLES[kind].schema, args).problems),
);

const MISMATCHES: Readonly<Record<Mismatch["field"], readonly [asked: string, returned: string]>> = {
  inboundAgents: ["agent_front@12 (weight 90), agent_front@13 (weight 10)", "no agents"],
  number: ["this number", "only other numbers"],
  platformImportError: ["an import without error", "agent_front@13 was deleted"],
};
const FITTING: Verdict = { mismatches: [], notCleared: [], otherDifferences: [], proof: "proven" };
const verdicts: Verdict[] = [
  ...keys(MISMATCHES).map((field) => {
    const [asked, returned] = MISMATCHES[field];
    const mismatch = { field, asked, returned };
    return { ...FITTING, mismatches: [mismatch] };
  }),
  { ...FITTING, notCleared: ["inboundAgents"] },
];
const UNPROVEN: { readonly [Why in Unproven]: true } = { "no agents": true, "no versions": true, later: true };

/** Every module that makes messages. */
type All = typeof import("../../provider/config/messages") &
  typeof import("../../provider/run/violation") &
  typeof import("../../provider/run/messages") &
  typeof import("../../provider/numbers/messages") &
  typeof import("../../provider/posts/messages") &
  typeof import("../../provider/engine/messages");
type Makers = {
  [Name in keyof All]: All[Name] extends (...args: never[]) => Message | Message[] ? Name : never;
}[keyof All];

const EXAMPLES: { readonly [Name in Makers]: () => Message[] } = {
  // What is wrong with arguments and settings.
  invalid: () => [
    ...[...names, ...problems].map(invalid),
    // An admin without a context, and a header without a name.
    ...communityVoice.check(undefined, { ...VOICE, actorType: "platform_admin" }, inputSettings).failures,
  ],
  settingRefused: () => wrongSettings.map(settingRefused),
  wrongSettings: () => [settingsAreWrong(wrongSettings.flatMap(({ key, text }) => (key ? [text] : [])))],
  secretRefused: () => [secretRefused(WHO, ["inboundAgents"])],
  secretSettings: () => [secretSettings(["rollouts", "workspaceId"])],
  workspaceMissing: () => [workspaceMissing()],
  tokenMissing: () => keys(TOKEN_SOURCES).map((tokenSource) => tokenMissing({ tokenSource })),
  explicitProviderRefused: () => [explicitProviderRefused("other")],
  clientRefused: () => [
    clientRefused("The proxy address in HTTPS_PROXY or ALL_PROXY cannot be used. Write it as http://host:port."),
  ],
  declaredTwice: () => ["4001", "+15551230001"].map((one) => declaredTwice(one, [WHO, 'NumberGroup "emea"'])),
  noSuchSettings: () =>
    [undefined, "agent-platform:maxShift"].map((meant) => noSuchSettings([{ key: "agent-platform:maxShft", meant }])),
  guardsOfProject: () => [guardsOfProject("phones", ["maxShift", "steps"])],
  twoResolutions: () => [twoResolutions()],
  adoptsItself: () => [
    adoptsItself(labelFor("CommunityVoice"), "CommunityVoice", ["voiceName", "voiceProvider"], "voice-1"),
    adoptsItself(labelFor("SmsChat"), "SmsChat", ["toNumber"], "chat-1"),
  ],
  optionReadsNothing: () =>
    (["import", "id"] as const).flatMap((option) =>
      keys(LIFECYCLES).map((kind) => optionReadsNothing(labelOf(kind, "a"), kind, option, "id-1")),
    ),
  // What the guards refuse.
  violated: () =>
    Object.values(GUARDS)
      .flat()
      .flatMap((one) => violated(WHO, [one])),
  guardsBypassed: () => [guardsBypassed(WHO, "incident 4711", Object.values(GUARDS).flat())],
  // Why a run does what the change does not show.
  reasonMessage: () =>
    Object.values(WHY)
      .flat()
      .map((one) => reasonMessage(labelOfReason(one), one)),
  firstAssignment: () => [firstAssignment()],
  stillUnresolved: () => uncertainPosts.map((it) => stillUnresolved(it, labelFor(it.kind), "unresolved-1")),
  unresolvedForgotten: () => uncertainPosts.map((it) => unresolvedForgotten(it, labelFor(it.kind))),
  refreshReadsNothing: () => keys(LIFECYCLES).map(refreshReadsNothing),
  // What became of requests.
  numbersFailed: () =>
    keys(SAVED).flatMap((savedAs) => {
      const isFirst = savedAs === "saved";
      const made = (some: FailedNumber[], isSingle: boolean) =>
        numbersFailed(WHO, isSingle ? some.slice(0, 1) : some, { count: some.length + 8, savedAs, isSingle });
      const ofFailures = failures
        .slice(0, isFirst ? undefined : 1)
        .map((failure) => failureOf(failure, PUT))
        .flatMap((failure) => failed(failure.outcome, (number) => causeOfFailure(failure, number, target)));
      return [
        ...ofFailures.map((one) => made([one], true)),
        ...verdicts
          .flatMap((verdict) => failed("different", () => causeOfVerdict(verdict)))
          .map((one) => made([one], true)),
        ...[RUN_FAILED, unconfirmed(URN)].map((text) =>
          made(
            failed("not sent", () => ({ text })),
            false,
          ),
        ),
        made([...failed("not sent"), ...failed("rejected"), ...failed("unknown")], false),
      ];
    }),
  createFailed: () =>
    failuresOfPosts.flatMap((failure) =>
      uncertainPosts.map((post) => {
        const operation = post.kind === "SmsChat" ? "POST /api/chats/outbound-sms" : "POST /api/voices/community";
        return createFailed(labelFor(post.kind), failureOf(failure, operation), target, post, "unresolved-1");
      }),
    ),
  endFailed: () =>
    failuresOfPosts.flatMap((failure) =>
      keys(TOKEN_SOURCES)
        .slice(0, failure.cause === "unauthenticated" ? undefined : 1)
        .map((tokenSource) => {
          const access = { ...target, tokenSource };
          return endFailed(CHAT, failureOf(failure, "POST /api/chats/{chatId}/end"), access, "chat-1");
        }),
    ),
  agentsMissing: () => [agentsMissing([])],
  agentsTwice: () => [agentsTwice()],
  differsIn: () => [differsIn(WHO, ["workspaceId", "inboundWebhookUrl"])],
  unverified: () => keys(UNPROVEN).map(unverified),
  endpointDiffers: () => [endpointDiffers(WHO, "https://one.example", settings.endpoint)],
  declaredElsewhere: () => [NUMBERS, ["4001"]].map((some) => declaredElsewhere(WHO, some)),
  notKnown: () => [NUMBERS, ["4001"]].map((some) => notKnown(WHO, some)),
  postponed: () => [postponed(WHO, RUN_FAILED)],
  checkedElsewhere: () => [checkedElsewhere(WHO)],
  notInAbort: () => [notInAbort(WHO, "create"), notInAbort(WHO, "delete")],
  deletedFirst: () => [deletedFirst(WHO)],
  unknownProgram: () => [unknownProgram("is not the folder with which this run began", "/tmp/agp-1000")],
  unreadableState: () => [["number"], ["endpoint", "number"]].map((some) => unreadableState(WHO, some)),
  staysOnPlatform: () => uncertainPosts.map((it) => staysOnPlatform(it, labelFor(it.kind))),
  alreadyEnded: () => [alreadyEnded(CHAT, "chat-1", 410)],
  adoptedElsewhere: () => [adoptedElsewhere("chat", CHAT, "chat-1")],
};

/** Each message once, by the function that makes it. Equal ones are one row. */
const page = (): string =>
  Object.entries(EXAMPLES)
    .map(([name, made]) => [`=== ${name}`, ...new Set(made().map((one) => render(one)))].join("\n\n"))
    .join("\n\n")
    .concat("\n");

const GOLDEN = join(__dirname, "testdata", "messages.txt");

describe("every message", () => {
  it("matches the golden file of all messages", () => {
    if (process.env.UPDATE_GOLDENS !== undefined) {
      writeFileSync(GOLDEN, page());
    }
    assertSameText(page(), readFileSync(GOLDEN, "utf8"));
  });

  it("says how many items a shortened list omits", () =>
    assert.equal(shortList(Array(1234).fill("+1"), 1), "+1 and 1,233 more"));

  it("ends an error with the command for its code's help only if the code asks for it, whatever the remedy says", () => {
    for (const remedy of ["Check the workspace.", "Rerun `pulumi up`."]) {
      const endingOf = (code: "AGP-041" | "AGP-074") =>
        new ResourceError(messageOf(code, WHO, "the request failed.", remedy)).message.split("\n").slice(1);
      assert.deepEqual([endingOf("AGP-041"), endingOf("AGP-074")], [[`  ${helpHint("AGP-041")}`], []], remedy);
    }
  });

  it("has a remedy for every error code, either one for the code or one for each case", () => {
    for (const code of Object.keys(CODES) as Code[]) {
      assert.equal(remedyOf(code) !== "" || "isByCase" in CODES[code], true, code);
    }
  });
});
