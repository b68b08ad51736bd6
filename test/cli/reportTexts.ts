import assert from "node:assert/strict";
import { UsageError } from "../../cli/errors";
import { readPreview } from "../../cli/pulumi/preview";
import { buildReview } from "../../cli/report/between";
import { blockingGates, readGates } from "../../cli/report/gates";
import { reviewToMarkdown, toMarkdown } from "../../cli/report/markdown";
import type { Report } from "../../cli/report/report";
import {
  A,
  B,
  chat,
  group,
  line,
  list,
  of,
  previewOf,
  reportOf,
  type SyntheticStep,
  single,
  stackPreview,
  UNKNOWN,
  voice,
} from "./reportSteps";

/**
 * Cases for reports on synthetic previews, which need no engine. The wording is in `testdata/report`, and
 * `npm run goldens` regenerates it.
 */

interface SyntheticCase {
  readonly page: () => string;
  /** The report on a single stack. */
  readonly report: () => Report;
}

type Cases<Of = SyntheticCase> = Readonly<Record<string, Of>>;

const EVERY_GATE = readGates("create,delete,replace,shift=25,sms,voice,end,unresolved");

/** Replaces the digest in a page with `…`. Other tests check the digest. */
const withoutDigest = (page: string) => page.replace(/`[\da-f]{12}`/g, "`…`");

/**
 * Returns a case for the report on a preview with these steps.
 * @param config the stack's config. By default, it lets 100 numbers lose their agents, so that no guard interferes.
 * @param more other properties of the preview
 */
function page(
  steps: readonly SyntheticStep[],
  config: object = { "agent-platform:maxRemove": "100" },
  more: object = {},
): SyntheticCase {
  const report = () => reportOf(steps, { config, ...more });
  return { report, page: () => withoutDigest(toMarkdown(report(), { gates: EVERY_GATE })) };
}

/** Returns the card families, blocking gates and request counts in a case's report. */
export function summaryOf(file: keyof typeof SINGLE_STACK_CASES, title: string) {
  const report = SINGLE_STACK_CASES[file][title]?.report();
  assert.ok(report, `${file} has no case "${title}"`);
  const blocking = blockingGates(EVERY_GATE, report).map(({ gate }) => gate.condition);
  const { isAtLeast, ...counts } = report.requests;
  const sent = Object.entries(counts).filter(([, count]) => count > 0);
  const sends = `${isAtLeast ? "at least " : ""}${sent.map(([kind, count]) => `${count} ${kind}`).join(", ") || "nothing"}`;
  return { cards: report.cards.map(({ family }) => family), blocking, sends };
}

const OTHER_FIELDS = { inboundWebhookUrl: "https://hooks.example/x", outboundAgentId: "agent_o" };
/** Returns the `unapplied` property of a saved state. It lists numbers that an earlier run may not have updated. */
const unappliedNumbers = (numbers: string, reason: string, applied?: object, maybe?: object) => ({
  unapplied: [{ numbers, reason, ...(applied && { applied }), ...(maybe && { maybe }) }],
});

const hello = { toNumber: "+1", workspaceId: 1, sendKey: "1", agentId: "chat_agent_a", fromNumber: "+3" };
const helloAgain = { ...hello, sendKey: "2" };
const nova = { workspaceId: 1, voiceName: "Nova", voiceProvider: "labs", providerVoiceId: "v-1" };

const OTHER_PLATFORM = { endpoint: "https://other.example" };
const FREE_FORM = { serviceDynamicVariables: { caller: "hush" }, metadata: { order: "hush" } };

const POSTS: Cases = {
  "a replaced voice is added again, and a deleted one stays": page([
    voice("replace", "nova", nova, { ...nova, providerVoiceId: "v-2" }),
    voice("delete", "ada", { ...nova, voiceName: "Ada" }),
  ]),
  "replaced chats are sent again, and end or continue": page([
    chat("replace", "a", hello, helloAgain, { id: "chat_1" }),
    chat("replace", "b", hello, { ...hello, toNumber: UNKNOWN }, { retainOnDelete: true, id: "chat_2" }),
    chat("delete-replaced", "a", hello, undefined, { id: "chat_0" }),
  ]),
  "renamed chats are sent again, and the report names the missing alias": page([
    chat("create", "new", undefined, hello),
    chat("delete", "old", hello),
    chat("create", "same", undefined, { ...hello, toNumber: "+2" }, { parent: "acme:Office" }),
    chat("delete", "same", { ...hello, toNumber: "+2" }, undefined, { retainOnDelete: true }),
  ]),
  "chats are adopted, forgotten or recorded without an SMS": page([
    chat("replace", "a", hello, { ...helloAgain, adopt: "chat_77" }, { id: "chat_1" }),
    chat("create", "b", undefined, { ...hello, adopt: "chat_2" }),
    chat("delete", "c", hello, undefined, { id: "chat_2" }),
    chat("update", "d", { ...hello, metadata: { x: "1" } }, { ...hello, metadata: { x: "2" } }),
  ]),
  "unresolved chats are kept, retried, adopted or forgotten": page([
    chat("update", "a", { ...hello, unresolved: true }, hello, { id: "unresolved-1" }),
    chat("replace", "b", { ...hello, unresolved: true }, { ...hello, retryUnresolved: "unresolved-2" }),
    chat("replace", "c", { ...hello, unresolved: true }, { ...hello, adopt: "chat_3" }),
    chat("delete", "d", { ...hello, unresolved: true }),
  ]),
  "an unresolved chat is retried or adopted with other arguments, or keeps its own": page([
    chat("replace", "a", { ...hello, unresolved: true }, { ...hello, toNumber: "+2", retryUnresolved: "unresolved-1" }),
    chat("replace", "b", { ...hello, unresolved: true }, { ...hello, toNumber: "+2", adopt: "chat_3" }),
    chat("update", "c", { ...hello, unresolved: true }, { ...hello, toNumber: "+2" }, { id: "unresolved-3" }),
  ]),
  "the base URL changes while one chat is deleted and another stays": page(
    [
      chat("delete", "gone", hello, undefined, { id: "chat_1" }),
      chat("delete", "kept", hello, undefined, { id: "chat_2", retainOnDelete: true }),
      chat("same", "stays", hello, hello, { id: "chat_3" }),
      voice("delete", "nova", nova),
    ],
    { "agent-platform:baseUrl": "https://other.example" },
  ),
  "the headline always names an SMS": page([
    voice("replace", "nova", nova, { ...nova, providerVoiceId: "v-2" }),
    chat("update", "d", { ...hello, unresolved: true }, hello),
    single("delete", "one", line("+5", A)),
    chat("create", "new", undefined, { ...hello, toNumber: "+3" }),
    chat("replace", "a", hello, helloAgain),
  ]),
  "free-form chat fields show only their keys": page([
    chat("create", "a", undefined, { ...hello, ...FREE_FORM }),
    chat("replace", "b", hello, { ...helloAgain, ...FREE_FORM }),
  ]),
  "changing retainOnDelete sends nothing": page([
    single("same", "line", line("+1", A), line("+1", A), { retainsNow: true }),
    chat("same", "hello", hello, hello, { retainOnDelete: true }),
  ]),
};

const MOVES: Cases = {
  "a number moves out of a group, which gets no card of its own": page([
    group(
      "replace",
      "emea",
      { numbers: "+1\tone\n+2\ttwo\n", inboundAgents: A },
      { numbers: "+2\ttwo\n", inboundAgents: A },
    ),
    single("create", "vip", undefined, line("+1", A)),
  ]),
  "a number moves to a resource without agents and loses its own": page([
    single("create", "closed", undefined, line("+1", {})),
    single("delete", "vip", line("+1", A)),
  ]),
  "two resources move into a new group together with a new number": page([
    group("create", "all", undefined, of(B, "+1", "+2", "+3")),
    single("delete", "one", { ...line("+1", A), ...OTHER_FIELDS }),
    single("delete", "two", line("+2", B)),
  ]),
};

const split = (percent: number) => ({ "agent_a@1": percent, "agent_b@9": 100 - percent });
const pendingDelete = group("delete-replaced", "emea", of(A, "+1", "+2", "+9"));
const EARLIER: Cases = {
  "a number that never received the group's routing is not lost": page([
    group("replace", "emea", { ...of(A, "+1", "+2", "+3"), ...unappliedNumbers(list("+2"), "rejected") }, of(A, "+1")),
    single("create", "two", undefined, line("+2", B)),
  ]),
  "a shift is measured from the splits that callers may have": page([
    single(
      "update",
      "a",
      { ...line("+1", B), ...unappliedNumbers(list("+1"), "rejected", { inboundAgents: A }) },
      line("+1", B),
    ),
    group(
      "update",
      "emea",
      {
        ...of(split(40), "+2"),
        ...unappliedNumbers(list("+2"), "unknown", { inboundAgents: split(60) }, { inboundAgents: split(40) }),
      },
      of(split(80), "+2"),
    ),
  ]),
  "a shift from a masked state has an unknown size": page([
    single("update", "a", { ...line("+1", A), unapplied: "[secret]" }, line("+1", B)),
  ]),
  "a new split over a missing one and a resent split have a card each": page([
    single(
      "update",
      "again",
      { ...line("+1", B), ...unappliedNumbers(list("+1"), "rejected", { inboundAgents: A }) },
      line("+1", B),
    ),
    single(
      "update",
      "open",
      { ...line("+2", split(40)), ...unappliedNumbers(list("+2"), "rejected", { inboundAgents: A }) },
      line("+2", B),
    ),
  ]),
  "a pending delete of secret numbers and its changed group have a card each": page([
    group("delete-replaced", "emea", { numbers: "[secret]", inboundAgents: A }),
    group("update", "emea", { numbers: "[secret]", inboundAgents: B }, { numbers: "[secret]", inboundAgents: B }),
  ]),
  "a pending delete without a step for its group names no numbers": page([pendingDelete]),
  "a pending delete with its unchanged group counts its numbers": page([
    group("same", "emea", of(A, "+1", "+2"), of(A, "+1", "+2")),
    pendingDelete,
  ]),
};

const webhookAndExtras = { inboundWebhookUrl: "https://hooks.example/x", extraFields: { x: 1, y: 2 } };
const REPLACED: Cases = {
  "replacing a group sends to each of its numbers": page([
    group("replace", "emea", { ...of(A, "+1", "+2"), ...OTHER_FIELDS }, of(A, "+1", "+2")),
  ]),
  "a number that leaves a retained group keeps its agents": page([
    group("replace", "emea", of(A, "+1", "+2"), of(A, "+2"), { retainOnDelete: true }),
  ]),
  "fields that only a retained resource set are not cleared": page([
    group("replace", "emea", { ...of(A, "+1", "+2"), ...OTHER_FIELDS, ...webhookAndExtras }, of(A, "+2"), {
      retainOnDelete: true,
    }),
    single("create", "one", undefined, { ...line("+1", A), extraFields: { y: 2 } }),
    single("delete", "old", { ...line("+3", A), ...OTHER_FIELDS, outboundAgentVersion: 7 }, undefined, {
      retainOnDelete: true,
    }),
    single("create", "new", undefined, { ...line("+3", A), outboundAgentId: "agent_n" }),
  ]),
  "the same extension in another workspace is a different number": page([
    single("delete", "one", { ...line("4001", A), workspaceId: 1 }),
    single("create", "two", undefined, { ...line("4001", A), workspaceId: 2 }),
    single("delete", "three", { ...line("4002", A), workspaceId: 1 }),
    single("create", "four", undefined, line("4002", A)),
  ]),
  "the base URL changes while a number is deleted": page(
    [
      single("delete", "one", line("+1", A)),
      single("update", "two", line("+2", A), { ...line("+2", A), ...OTHER_PLATFORM }),
    ],
    {},
  ),
  "a group moves to another platform and drops a number": page([
    group("update", "emea", of(A, "+1", "+2"), { ...of(A, "+1"), endpoint: "https://other.example" }),
  ]),
  "a number known only after apply may be a different number": page([
    single("update", "support", line("+1", A), line(String(UNKNOWN), B)),
  ]),
  "a masked webhook may have changed, so every number is sent": page([
    group(
      "update",
      "emea",
      { ...of(A, "+1", "+2"), inboundWebhookUrl: "[secret]" },
      { ...of(A, "+1", "+2"), inboundWebhookUrl: "[secret]" },
    ),
  ]),
  "a null rollout and masked inputs do not count as changes": page([
    single(
      "update",
      "a",
      { ...line("+1", A), rollout: null },
      { ...line("+1", A), rollout: null, triggers: ["again"] },
    ),
    group("update", "emea", of(A, "+2", "+3"), { ...of(A, "+3", "+4"), unapplied: "[secret]" }),
  ]),
  "numbers that leave two groups share a card": page([
    group("replace", "emea", of(A, "+1", "+2"), of(A, "+1")),
    group("replace", "apac", of(A, "+3", "+4", "+5"), of(A, "+3")),
  ]),
  "a request that is only sent again has nothing to undo": page([
    single(
      "update",
      "two",
      { ...line("+2", A), ...unappliedNumbers(list("+2"), "unknown", { inboundAgents: A }) },
      line("+2", A),
    ),
    single("update", "one", { ...line("+1", A), triggers: { a: "1" } }, { ...line("+1", A), triggers: { a: "2" } }),
  ]),
  "labels are recorded and triggers send again": page([
    group("update", "emea", { numbers: "+1\tone\n", inboundAgents: A }, { numbers: "+1\tOne\n", inboundAgents: A }),
    single("update", "two", line("+2", A), { ...line("+2", A), triggers: ["again"] }),
  ]),
  "an empty split, a first split, and weights with the same percentages": page([
    single("update", "a", { number: "+1" }, line("+1", {})),
    single("update", "b", line("+2", {}), { ...line("+2", {}), outboundAgentId: "agent_o" }),
    single("update", "c", line("+3", { ...A, "agent_b@9": 100 }), line("+3", { "agent_a@1": 1, "agent_b@9": 1 })),
    single("update", "d", line("+4", {}), line("+4", A)),
  ]),
};

// --- rollouts

interface Rollout {
  readonly name?: string;
  readonly aborted?: object;
  readonly stable: string;
  readonly candidate?: string;
  readonly percent?: number;
}

const front = (percent: number, stable = "agent_a@1", candidate = "agent_a@2") => ({
  name: "front",
  stable,
  candidate,
  percent,
});
const abortedAt = (at: string) => ({
  name: "front",
  stable: "agent_a@1",
  aborted: { agent: "agent_a@2", percent: 50, at },
});
const inboundAgents = ({ stable, candidate = "", percent = 0 }: Rollout) =>
  Object.fromEntries(Object.entries({ [stable]: 100 - percent, [candidate]: percent }).filter(([, part]) => part > 0));
const at = (rollout: Rollout, number = "+1") => ({ number, rollout, inboundAgents: inboundAgents(rollout) });
const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };
const rollout = (before: Rollout, after: Rollout, config: object = STEPS, state: object = {}) =>
  page([single("update", "support", { ...at(before), ...state }, at(after))], config);
const abort = abortedAt("2026-11-23T09:02:00.000Z");
const earlierAbort = { agent: "agent_a@2", percent: 50, at: "2026-11-23T07:04:00.000Z" };
const aborted = { ...front(0), aborted: earlierAbort };
const rejected = (declared: Rollout, applied: Rollout, more: object = {}, reason = "rejected") =>
  rollout(declared, declared, STEPS, {
    unapplied: [{ numbers: "+1\n", reason, applied: { inboundAgents: inboundAgents(applied) }, ...more }],
  });
const unresolvedStep = (more: object = {}) => ({
  unapplied: [{ numbers: "+1\n", reason: "unknown", applied: { inboundAgents: inboundAgents(front(1)) }, ...more }],
});
const unchanged = (name: string, more: object) => {
  const values = { inboundAgents: { "agent_a@1": 100 }, ...more };
  return single("same", name, values, values);
};
const abortToThirdAgent = {
  name: "front",
  stable: "agent_night@4",
  candidate: "agent_a@2",
  percent: 0,
  aborted: { agent: "agent_a@1", percent: 100, at: "2026-11-23T09:02:00.000Z", to: "agent_night@4" },
};

const ROLLOUTS: Cases = {
  "a step, with the command to go back": rollout(front(10), front(50)),
  "a return to a lower step": rollout(front(50), front(10)),
  "a move into a rollout that has not started": rollout(front(10), { ...front(0), name: "back" }),
  "a move into a rollout at a higher percentage": rollout(front(10), { ...front(50), name: "back" }),
  "a number joins a rollout that was aborted": page(
    [
      single("update", "support", { number: "+1", inboundAgents: { "agent_a@1": 100 } }, at(aborted)),
      single("same", "desk", at(aborted, "+2"), at(aborted, "+2")),
    ],
    STEPS,
  ),
  "a number joins a rollout that is under way": page(
    [
      single("update", "support", { number: "+1", inboundAgents: { "agent_a@1": 100 } }, at(front(50))),
      single("same", "desk", at(front(50), "+2"), at(front(50), "+2")),
    ],
    STEPS,
  ),
  "a number starts a rollout": page(
    [single("update", "support", { number: "+1", inboundAgents: { "agent_a@1": 100 } }, at(front(1)))],
    STEPS,
  ),
  "a percentage change without configured steps": rollout(front(10), front(50), {}),
  "a step, with other resources that use the agent": page(
    [
      single("update", "support", at(front(10)), at(front(50))),
      unchanged("byHand", { number: "+2", inboundAgents: { "agent_a@1": 60, "agent_a@2": 40 } }),
      unchanged("outbound", { number: "+3", outboundAgentId: "agent_a", outboundAgentVersion: 2 }),
      unchanged("without", { number: "+4", inboundAgents: { "agent_a@1": 100, "agent_a@2": 0 } }),
    ],
    STEPS,
  ),
  "a candidate starts": rollout(front(0), front(1)),
  "a candidate starts with a new stable agent": rollout(front(100), front(1, "agent_a@2", "agent_a@3")),
  "an abort": rollout(front(50), abort),
  "a manual abort with configured steps": rollout(front(50), front(0)),
  "a manual abort without configured steps": rollout(front(50), front(0), {}),
  "an abort of an agent without calls": rollout(abortedAt("2026-11-20T09:02:00.000Z"), abort),
  "an abort of a step that reached no number": rollout(front(10), abort, STEPS, unresolvedStep()),
  "an abort of a step that may have reached a number": rollout(
    front(10),
    abort,
    STEPS,
    unresolvedStep({ maybe: { inboundAgents: inboundAgents(front(10)) } }),
  ),
  "an abort to a third agent": rollout(front(0), abortToThirdAgent, {
    ...STEPS,
    "agent-platform:approvedAgents": '["agent_night@4"]',
  }),
  "an abort of numbers with different splits": page(
    [front(50), front(10), front(0)].map((before, index) =>
      single("update", String(index), at(before, `+${index}`), at(abort, `+${index}`)),
    ),
    STEPS,
  ),
  "an abort together with a removal": page(
    [
      single("update", "support", at(front(50)), at(abort)),
      single("delete", "desk", { number: "+2", inboundAgents: { "agent_a@1": 100 } }),
    ],
    STEPS,
  ),
  "an aborted agent starts again": rollout(aborted, { ...front(10), aborted: earlierAbort }, {}),
  "an aborted agent starts again before the abort was applied": rollout(
    front(50),
    { ...front(10), aborted: earlierAbort },
    {},
  ),
  "the step after a restart": rollout(
    { ...front(10), aborted: earlierAbort },
    { ...front(50), aborted: earlierAbort },
    {},
  ),
  "a step that the platform rejected for a number": rejected(front(10), front(1)),
  "a restart that the platform rejected for a number": rejected({ ...front(1), aborted: earlierAbort }, front(0)),
  "an abort that the platform rejected for a number": rejected(aborted, front(50)),
  "a number that rejected an abort is forgotten": page(
    [
      single(
        "delete",
        "support",
        { ...at(aborted), ...unappliedNumbers("+1\n", "rejected", { inboundAgents: inboundAgents(front(50)) }) },
        undefined,
        { retainOnDelete: true },
      ),
    ],
    STEPS,
  ),
  "another field that the platform rejected for a number": rejected(front(10), front(10)),
};

// --- guards that check the whole change

const numbers = Array.from({ length: 8 }, (_, index) => `+${100 + index}`);
const renamedGroup = [
  group("create", "new", undefined, of(A, ...numbers.slice(0, 3))),
  group("delete", "old", of(A, ...numbers)),
];
const maxShift = { "agent-platform:maxShift": "25" };
const renamed = (from: object, to: object) => [
  single("create", "new", undefined, { number: "+1", ...to }),
  single("delete", "old", { number: "+1", ...from }),
];
const bypassed = { diagnostics: [{ severity: "warning", message: "AGP-068 incident" }] };
const GUARDS: Cases = {
  "a renamed group loses numbers": page(renamedGroup, {}),
  "a renamed group loses numbers, with the guards bypassed": page(renamedGroup, {}, bypassed),
  "a group is deleted in a preview without unchanged resources": page(
    renamedGroup.slice(1),
    {},
    { changeSummary: { same: 9 } },
  ),
  "a renamed number gets a new split": page(renamed({ inboundAgents: A }, { inboundAgents: B }), maxShift),
  "a renamed number skips a step": page(
    renamed(
      { rollout: front(1), inboundAgents: inboundAgents(front(1)) },
      { rollout: front(100), inboundAgents: inboundAgents(front(100)) },
    ),
    STEPS,
  ),
  "a replaced group gets a new split": page([group("replace", "one", of(A, "+1"), of(B, "+1"))], maxShift),
};

// --- failed previews

const urnOf = (name: string) => `urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:NumberGroup::${name}`;
const deletedGroup = group("delete", "emea", of(A, "+1"));
const errors = (...diagnostics: readonly (readonly [name: string | undefined, message: string])[]) => ({
  diagnostics: diagnostics.map(([name, message]) => ({
    ...(name !== undefined && { urn: urnOf(name) }),
    severity: "error",
    message: `error: ${message}\n`,
  })),
});
/** The provider's messages are shortened here. `test/words/testdata/messages.txt` has their full wording. */
const FAILED: Cases = {
  "the engine refuses a delete": page(
    [deletedGroup],
    {},
    errors(
      [
        "emea",
        'Preview failed: resource "emea" cannot be deleted\nbecause it is protected. To unprotect the resource, remove the flag:',
      ],
      [undefined, "preview failed"],
    ),
  ),
  "two guards refuse a resource": page(
    [deletedGroup],
    {},
    errors(["emea", 'AGP-023 NumberGroup "emea": agent_frnot@12.\nAGP-021 NumberGroup "emea": 100 > 25.']),
  ),
  "a refused setting has backquotes in its message": page(
    [],
    {},
    errors([undefined, "AGP-015 agent-platform:rollouts.front: `percnt`."]),
  ),
  "thirteen resources are refused": page(
    [],
    {},
    errors(
      ...Array.from(
        { length: 13 },
        (_, index) => [`line-${index}`, `AGP-020 NumberGroup "line-${index}": 95.`] as const,
      ),
    ),
  ),
  "the program throws": page(
    [],
    {},
    errors([
      undefined,
      "Running program '/x' failed with an unhandled exception:\nError: no such\u001b[39m file\n    at main (/x:1:1)",
    ]),
  ),
};

// --- several stacks

type Stacks = Readonly<Record<string, readonly SyntheticStep[]>>;

function review(
  stacks: Stacks,
  more: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Pick<SyntheticCase, "page"> {
  const previews = Object.entries(stacks).map(([stack, steps]) => ({
    file: `${stack}.json`,
    preview: readPreview(stackPreview(stack, steps, more[stack])),
  }));
  return { page: () => withoutDigest(reviewToMarkdown(buildReview(previews, EVERY_GATE), EVERY_GATE)) };
}
const joins = (number: string) => single("create", "leeds", undefined, line(number, B));
const leaves = (number: string, more: object = {}) => single("delete", "leeds", line(number, A), undefined, more);
const kept = (name: string) => single("same", name, line("+7", A), line("+7", A));
const STACKS: Cases<Pick<SyntheticCase, "page">> = {
  "nothing changes": review({ dev: [], prod: [] }),
  "a number moves straight to another stack": review({ dev: [leaves("+7")], prod: [joins("+7")] }),
  "numbers in a group move straight to another stack": review({
    dev: [group("replace", "emea", of(A, "+7", "+8", "+9"), of(A, "+9"))],
    prod: [group("update", "all", of(B, "+1", "+7"), of(B, "+1", "+7", "+8"))],
  }),
  "a number moves straight to another stack with the guards bypassed": review(
    { dev: [leaves("+7")], prod: [joins("+7")] },
    { dev: bypassed },
  ),
  "a number moves to another stack after retainOnDelete was applied": review({
    dev: [leaves("+7", { retainOnDelete: true })],
    prod: [joins("+7")],
  }),
  "numbers in a retained group move to another stack with a new split": review(
    {
      dev: [group("replace", "emea", of(A, "+7", "+8", "+9"), of(A, "+9"), { retainOnDelete: true })],
      prod: [group("update", "all", of(B, "+1"), of(B, "+1", "+7", "+8"))],
    },
    { prod: { config: maxShift } },
  ),
  "a number moves from a rollout into another stack's rollout of the same name": review({
    dev: [single("delete", "leeds", at(front(10), "+7"), undefined, { retainOnDelete: true })],
    prod: [
      single("create", "leeds", undefined, at(front(50), "+7")),
      single("same", "desk", at(front(50), "+2"), at(front(50), "+2")),
    ],
  }),
  "three stacks declare a number": review({ dev: [joins("+7")], canary: [kept("leeds")], prod: [joins("+7")] }),
  "some numbers cannot be compared": review(
    { dev: [leaves("+7")], canary: [], prod: [single("create", "late", undefined, line(String(UNKNOWN), A))] },
    { dev: { changeSummary: { same: 4 } } },
  ),
  "the preview of one stack failed": review(
    { dev: [leaves("+7")], canary: [] },
    { canary: errors([undefined, "AGP-023 no"]) },
  ),
};

// --- invalid input

/** Returns a preview in which one value is nested this many levels deep. */
export function nestedPreview(levels: number): string {
  const preview = previewOf([chat("create", "deep", undefined, { ...hello, metadata: "DEEP" })]);
  return preview.replace('"DEEP"', `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
}

/**
 * Returns a case whose `page` returns the message of the error that `read` throws. If the error isn't a UsageError, the
 * text includes its type.
 */
const refusal = (read: () => unknown): Pick<SyntheticCase, "page"> => ({
  page: () => {
    try {
      read();
    } catch (error) {
      return `${error instanceof UsageError ? error.message : String(error)}\n`;
    }
    return "nothing is refused\n";
  },
});
const emptyPreview = (file: string, stack: string, project = "test") => ({
  file,
  preview: readPreview(stackPreview(stack, []).replaceAll("::test::", `::${project}::`)),
});
const REFUSED: Cases<Pick<SyntheticCase, "page">> = {
  "an unknown condition": refusal(() => readGates("delete,shfit=25")),
  "a shift condition without a number": refusal(() => readGates("shift")),
  "an empty list of conditions": refusal(() => readGates("")),
  "an empty preview": refusal(() => readPreview("")),
  "input that is not a preview": refusal(() => readPreview("Previewing update (dev)", "dev.json: ")),
  "a preview with fewer steps than its summary counts": refusal(() =>
    readPreview('{"steps":[{"op":"update","urn":"u"}],"changeSummary":{"update":3}}'),
  ),
  "a value nested 5,000 levels deep": refusal(() => readPreview(nestedPreview(5000), "dev.json: ")),
  "two previews of one stack": refusal(() =>
    buildReview([emptyPreview("dev.json", "dev"), emptyPreview("again.json", "dev")], []),
  ),
  "previews of two projects": refusal(() =>
    buildReview([emptyPreview("dev.json", "dev"), emptyPreview("billing.json", "dev", "billing")], []),
  ),
};

const SINGLE_STACK_CASES = {
  "text-posts": POSTS,
  "text-moves": MOVES,
  "text-earlier-runs": EARLIER,
  "text-numbers": REPLACED,
  "text-rollouts": ROLLOUTS,
  "text-guards": GUARDS,
  "text-failed": FAILED,
} satisfies Cases<Cases>;

/** All cases, grouped by the name of their golden file in `testdata/report`. */
export const syntheticCases: Cases<Cases<Pick<SyntheticCase, "page">>> = {
  ...SINGLE_STACK_CASES,
  "text-stacks": STACKS,
  "text-refused": REFUSED,
};

/** What each golden file is about, for the titles of the tests. */
export const TOPICS: Readonly<Record<string, string>> = {
  "text-posts": "voices and chats",
  "text-moves": "moved numbers",
  "text-earlier-runs": "unfinished runs",
  "text-numbers": "changed numbers and groups",
  "text-rollouts": "rollout steps and aborts",
  "text-guards": "exceeded guards",
  "text-failed": "failed previews",
  "text-stacks": "several stacks",
  "text-refused": "rejected input",
};
