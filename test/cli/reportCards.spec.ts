import assert from "node:assert/strict";
import { blockingGates, readGates } from "../../cli/report/gates";
import { toMarkdown } from "../../cli/report/markdown";
import { toPlain, valueText } from "../../cli/report/text";
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
  run,
  type SyntheticStep,
  single,
  UNKNOWN,
  voice,
} from "./reportSteps";

/** What reviewers read of each change. */

describe("a value in a table", () => {
  it("shows a list's items, and of a map the keys alone", () => {
    const said = [undefined, "a", 1, true, ["emea", "vip"], [], ["a", "b", "c", "d", "e", "f"], { key: "secret" }];
    assert.deepEqual(
      said.map((value) => toPlain(valueText(value))),
      ["none", "a", "1", "true", "emea, vip", "none", "a, b, c, d, e and 1 more", "keys key"],
    );
  });
});

/** What the documentation's pipelines are given, and what was not applied in an earlier run. */
const GATES = readGates("delete,end,replace,sms,voice,shift=25,unresolved");

/** Every sentence of the cards, what stops the gate, and what is sent. */
function textOf(steps: readonly SyntheticStep[]): string {
  const report = reportOf(steps, { config: { "agent-platform:maxRemove": "100" } });
  const stops = blockingGates(GATES, report).flatMap(({ facts }) => facts);
  return [
    ...report.cards.flatMap(({ title, notes = [] }) => [toPlain(title), ...notes.map((note) => `- ${toPlain(note)}`)]),
    ...stops.map(({ condition, text }) => `stops: ${condition}: ${toPlain(text)}`),
    toPlain(report.foot[0] ?? []).replace(/^On merge: (.*) This preview sent nothing\.$/, "sends: $1"),
  ].join("\n");
}

/** The report of these steps says exactly this. How the lines are indented does not matter. */
const told =
  (title: string, steps: readonly SyntheticStep[]) =>
  ([expected = ""]: TemplateStringsArray) =>
    it(title, () => assert.equal(textOf(steps), expected.trim().replace(/\n +/g, "\n")));

const BOUND = { inboundWebhookUrl: "https://hooks.example/x", outboundAgentId: "agent_o" };
/** What an earlier run did not apply. */
const missed = (numbers: string, reason: string, applied?: object, maybe?: object) => ({
  unapplied: [{ numbers, reason, ...(applied && { applied }), ...(maybe && { maybe }) }],
});

const hello = { toNumber: "+1", workspaceId: 1, sendKey: "1", agentId: "chat_agent_a", fromNumber: "+3" };
const again = { ...hello, sendKey: "2" };
const nova = { workspaceId: 1, voiceName: "Nova", voiceProvider: "labs", providerVoiceId: "v-1" };

describe("the report of voices and chats", () => {
  told("a voice is added again, and stays when its resource goes", [
    voice("replace", "nova", nova, { ...nova, providerVoiceId: "v-2" }),
    voice("delete", "ada", { ...nova, voiceName: "Ada" }),
  ])`
    ⚠ Adds a voice again: Nova (nova)
    - The current voice nova stays: the API cannot delete it.
    Forgets the voice Ada (ada)
    - The voice stays: the API cannot delete it. Nothing is sent.
    stops: end: Forgets the voice Ada (ada)
    stops: voice: ⚠ Adds a voice again: Nova (nova)
    sends: 1 new voice.
  `;

  told("tells which chats are sent again, end and continue", [
    chat("replace", "a", hello, again, { id: "chat_1" }),
    chat("replace", "b", hello, { ...hello, toNumber: UNKNOWN }, { retainOnDelete: true, id: "chat_2" }),
    chat("delete-replaced", "a", hello, undefined, { id: "chat_0" }),
  ])`
    ⚠ Sends an SMS again: +1 (a)
    - The current chat chat_1 ends after the new one has started.
    ⚠ Sends an SMS again: known after apply (b)
    - The current chat chat_2 continues: retainOnDelete.
    Ends the chat +1 (a)
    stops: end: Ends the chat +1 (a)
    stops: sms: ⚠ Sends an SMS again: +1 (a)
    stops: sms: ⚠ Sends an SMS again: known after apply (b)
    sends: 2 SMS, 2 chats ended.
  `;

  told("tells that a renamed chat is sent again, with its alias", [
    chat("create", "new", undefined, hello),
    chat("delete", "old", hello),
    chat("create", "same", undefined, { ...hello, toNumber: "+2" }, { parent: "acme:Office" }),
    chat("delete", "same", { ...hello, toNumber: "+2" }, undefined, { retainOnDelete: true }),
  ])`
    ⚠ Renamed, so it sends an SMS again: +1 (new)
    - To send nothing, write aliases: [{ name: "old" }] on new, with the old parent if that changes too.
    ⚠ Renamed, so it sends an SMS again: +2 (same)
    - To send nothing, write aliases: [{ name: "same" }] on same, with the old parent if that changes too.
    Ends the chat +1 (old)
    Forgets the chat +2 (same)
    - The chat continues: retainOnDelete. Nothing is sent.
    stops: end: Ends the chat +1 (old)
    stops: end: Forgets the chat +2 (same)
    stops: sms: ⚠ Renamed, so it sends an SMS again: +1 (new)
    stops: sms: ⚠ Renamed, so it sends an SMS again: +2 (same)
    sends: 2 SMS, 1 chat ended.
  `;

  told("tells what is adopted, forgotten and recorded without a request", [
    chat("replace", "a", hello, { ...again, adopt: "chat_77" }, { id: "chat_1" }),
    chat("create", "b", undefined, { ...hello, adopt: "chat_2" }),
    chat("delete", "c", hello, undefined, { id: "chat_2" }),
    chat("update", "d", { ...hello, metadata: { x: "1" } }, { ...hello, metadata: { x: "2" } }),
  ])`
    ⚠ Adopts chat_77 instead, nothing is sent: the chat +1 (a)
    - The current chat chat_1 ends after the new one has started.
    Forgets the chat +1 (c)
    - The chat continues: another resource of the program has it. Nothing is sent.
    Adopts chat_2, nothing is sent: the chat +1 (b)
    Recorded, not sent: metadata of the chat +1 (d)
    stops: end: ⚠ Adopts chat_77 instead, nothing is sent: the chat +1 (a)
    stops: end: Forgets the chat +1 (c)
    sends: 1 chat ended.
  `;

  told("unresolved: not sent again, sent once more, adopted, forgotten", [
    chat("update", "a", { ...hello, unresolved: true }, hello, { id: "unresolved-1" }),
    chat("replace", "b", { ...hello, unresolved: true }, { ...hello, retryUnresolved: "unresolved-2" }),
    chat("replace", "c", { ...hello, unresolved: true }, { ...hello, adopt: "chat_3" }),
    chat("delete", "d", { ...hello, unresolved: true }),
  ])`
    ⚠ Unresolved since an earlier run: the chat +1 (a) may or may not be in workspace 1
    - This pull request does not send it again.
    - Look for it in the web application. Then set one of: adopt: "<chatId>" if it exists, retryUnresolved: "unresolved-1" if it does not (sends once).
    ⚠ Unresolved since an earlier run: the chat +1 (d) may or may not be in workspace 1
    - It is removed from the state without being resolved: look for it in the web application.
    ⚠ Resolves the chat +1 (b): sent once more, as retryUnresolved allows
    Resolves the chat +1 (c): adopts chat_3, nothing is sent
    stops: sms: ⚠ Resolves the chat +1 (b): sent once more, as retryUnresolved allows
    stops: unresolved: ⚠ Unresolved since an earlier run: the chat +1 (a) may or may not be in workspace 1
    stops: unresolved: ⚠ Unresolved since an earlier run: the chat +1 (d) may or may not be in workspace 1
    sends: 1 SMS.
  `;

  it("says of one more attempt what a revert cannot take back", () => {
    const retried = chat("replace", "b", { ...hello, unresolved: true }, { ...hello, retryUnresolved: "unresolved-2" });
    assert.match(
      toPlain(reportOf([retried]).foot[1] ?? []),
      /^Undo: a revert ends the new chat, but its SMS has been sent/,
    );
  });

  it("names an SMS in the headline, whatever else the run does", () => {
    const others = [
      voice("replace", "nova", nova, { ...nova, providerVoiceId: "v-2" }),
      chat("delete", "c", { ...hello, toNumber: "+2" }),
    ];
    const headline = (...steps: SyntheticStep[]) => toPlain(reportOf(steps).headline);
    const resent = chat("replace", "a", hello, again);
    assert.equal(
      headline(resent, ...others),
      "⚠ Sends an SMS again: +1 (a) · ⚠ Adds a voice again: Nova (nova) · Ends the chat +2 (c)",
    );
    const lost = single("delete", "one", line("+5", A));
    const retried = chat("replace", "b", { ...hello, unresolved: true }, { ...hello, retryUnresolved: "unresolved-2" });
    const open = chat("update", "d", { ...hello, unresolved: true }, hello);
    assert.equal(
      headline(...others, retried, resent, open, lost),
      "⚠ Unresolved since an earlier run: the chat +1 (d) may or may not be in workspace 1 · ⚠ +5 (one) loses its agents · ⚠ Sends 2 SMS again and 2 more",
    );
    // Three kinds of changes are more important than a new chat.
    const fresh = chat("create", "new", undefined, { ...hello, toNumber: "+3" });
    assert.equal(
      headline(...others.slice(0, 1), open, lost, fresh),
      "⚠ Unresolved since an earlier run: the chat +1 (d) may or may not be in workspace 1 · ⚠ +5 (one) loses its agents · ⚠ Sends an SMS: +3 (new) and 1 more",
    );
  });

  it("shows a chat's sender, and its variables by name alone", () => {
    const wanted = { ...hello, serviceDynamicVariables: { caller: "hush" }, metadata: { order: "hush" } };
    for (const step of [
      chat("create", "a", undefined, wanted),
      chat("replace", "a", hello, { ...wanted, sendKey: "2" }),
    ]) {
      const text = toMarkdown(reportOf([step]));
      const [, rows = ""] = /^With (.*)$/m.exec(text) ?? [];
      for (const row of ["agentId `chat_agent_a`", "fromNumber `+3`", "keys `caller`"]) {
        assert.ok(rows.includes(row), rows);
      }
      assert.doesNotMatch(text, /hush/);
    }
  });

  told("tells a change of retainOnDelete, which sends nothing", [
    single("same", "line", line("+1", A), line("+1", A), { retainsNow: true }),
    chat("same", "hello", hello, hello, { retainOnDelete: true }),
  ])`
    retainOnDelete is set on line: recorded, nothing is sent
    - From the next run on, a delete of them sends nothing.
    retainOnDelete is taken away from hello: recorded, nothing is sent
    - From the next run on, a delete of them clears numbers and ends chats.
    sends: 0 PUTs.
  `;
});

describe("the report of numbers that move from one resource to another", () => {
  told("out of a group, without a card for what is left", [
    group(
      "replace",
      "emea",
      { numbers: "+1\tone\n+2\ttwo\n", inboundAgents: A },
      { numbers: "+2\ttwo\n", inboundAgents: A },
    ),
    single("create", "vip", undefined, line("+1", A)),
  ])`
    Renamed, keeps its agents: +1 (vip)
    - Declared as emea until now, as vip from now on: no moment without agents.
    sends: 1 PUT.
  `;

  told("to a resource that unassigns its agents, as a loss", [
    single("create", "closed", undefined, line("+1", {})),
    single("delete", "vip", line("+1", A)),
  ])`
    ⚠ No inbound agents left on +1 (closed): agent_a@1 100 % → none
    - Moves 100 percentage points of traffic.
    - Declared as vip until now, as closed from now on.
    stops: delete: +1 (closed): no inbound agents left
    stops: shift: +1 (closed): 100 percentage points
    sends: at least 1 PUT.
  `;

  told("two resources into a new group, beside a new number", [
    group("create", "all", undefined, of(B, "+1", "+2", "+3")),
    single("delete", "one", { ...line("+1", A), ...BOUND }),
    single("delete", "two", line("+2", B)),
  ])`
    ⚠ Traffic on 1 number (all): agent_b@9 none → 100 %, agent_a@1 100 % → none, all calls at once
    - Moves 100 percentage points of traffic.
    - Declared as one until now, as all from now on: no moment without agents.
    First assignment overwrites 1 number (all) with agent_b@9 100 %
    Renamed, keeps its agents: 1 number (all)
    - Declared as two until now, as all from now on: no moment without agents.
    stops: shift: 1 number (all): 100 percentage points
    sends: at least 3 PUTs.
  `;
});

describe("the report of numbers that an earlier run did not apply", () => {
  told("a number that got nothing of its group is not lost", [
    group("replace", "emea", { ...of(A, "+1", "+2", "+3"), ...missed(list("+2"), "rejected") }, of(A, "+1")),
    single("create", "two", undefined, line("+2", B)),
  ])`
    ⚠ 1 number (emea) loses its agents
    - 1 number of this group is no longer named.
    - Now: agent_a@1 100 %. The API does not specify what callers hear afterwards.
    - To keep the agents, set the resource option retainOnDelete: true and merge that first.
    First assignment overwrites +2 (two) with agent_b@9 100 %
    stops: delete: 1 number (emea): loses its agents
    sends: at least 2 PUTs.
  `;

  const split = (percent: number) => ({ "agent_a@1": percent, "agent_b@9": 100 - percent });
  told("a step is judged from what callers have or may have", [
    single("update", "a", { ...line("+1", B), ...missed(list("+1"), "rejected", { inboundAgents: A }) }, line("+1", B)),
    group(
      "update",
      "emea",
      {
        ...of(split(40), "+2"),
        ...missed(list("+2"), "unknown", { inboundAgents: split(60) }, { inboundAgents: split(40) }),
      },
      of(split(80), "+2"),
    ),
  ])`
    ⚠ Traffic on +1 (a): agent_b@9 none → 100 %, agent_a@1 100 % → none, all calls at once
    - Moves 100 percentage points of traffic.
    - 1 number not applied in an earlier run (the API rejected it).
    Traffic on 1 number (emea): agent_a@1 60 % → 80 %
    - Before, each number has one of these splits: (agent_a@1 60 %, agent_b@9 40 %), (agent_a@1 40 %, agent_b@9 60 %).
    - Moves 40 percentage points of traffic.
    - 1 number not applied in an earlier run (the outcome of the request was not known).
    stops: shift: +1 (a): 100 percentage points
    stops: shift: 1 number (emea): 40 percentage points
    stops: unresolved: 1 number (emea): the split before is not applied everywhere, and a new one is declared
    sends: 2 PUTs.
  `;

  told("a step from a state that the preview masks has no size", [
    single("update", "a", { ...line("+1", A), unapplied: "[secret]" }, line("+1", B)),
  ])`
    Traffic on +1 (a): a split that is not known yet → agent_b@9 100 %
    - 1 number not applied in an earlier run (the outcome of the request was not known).
    stops: shift: +1 (a): the size of the change is not known
    stops: unresolved: +1 (a): the split before is not applied everywhere, and a new one is declared
    sends: 1 PUT.
  `;

  const leftover = group("delete-replaced", "emea", of(A, "+1", "+2", "+9"));
  told("a pending delete without the group's own step names no numbers", [leftover])`
    ⚠ Numbers of emea may lose their agents: which ones is known only in the run
    - Now: agent_a@1 100 %.
    stops: delete: emea: which numbers leave is not known
    sends: the number of PUTs is known only after apply.
  `;

  told("a pending delete beside its unchanged group counts its numbers", [
    group("same", "emea", of(A, "+1", "+2"), of(A, "+1", "+2")),
    leftover,
  ])`
    ⚠ 1 number (emea) loses its agents
    - Now: agent_a@1 100 %. The API does not specify what callers hear afterwards.
    - To keep the agents, set the resource option retainOnDelete: true and merge that first.
    stops: delete: 1 number (emea): loses its agents
    sends: at least 1 PUT.
  `;
});

describe("the report of numbers that are replaced, sent again or known after apply", () => {
  it("has nothing to undo if a request is only sent again", () => {
    const sentAgain = (from: object, to: object) =>
      single("update", "two", { ...line("+2", A), ...from }, { ...line("+2", A), ...to });
    const undo = (...steps: SyntheticStep[]) =>
      reportOf(steps)
        .foot.map(toPlain)
        .filter((text) => text.startsWith("Undo"));
    const reassert = sentAgain({ triggers: { a: "1" } }, { triggers: { a: "2" } });
    assert.deepEqual(undo(reassert), []);
    assert.deepEqual(undo(sentAgain(missed(list("+2"), "unknown", { inboundAgents: A }), {})), []);
    const step = single("update", "one", line("+1", A), line("+1", B));
    assert.deepEqual(undo(reassert, step), ["Undo: revert this pull request."]);
  });

  told("a group made again sends to each of its numbers", [
    group("replace", "emea", { ...of(A, "+1", "+2"), ...BOUND }, of(A, "+1", "+2")),
  ])`
    On 2 numbers (emea): outbound agent agent_o → none · webhook https://hooks.example/x → none
    - The resource is made again, so every number is sent.
    stops: replace: emea: replaced
    sends: at least 2 PUTs.
  `;

  told("a number that leaves a group with retainOnDelete keeps its agents", [
    group("replace", "emea", of(A, "+1", "+2"), of(A, "+2"), { retainOnDelete: true }),
  ])`
    Forgotten, nothing is sent: 1 number (emea)
    - Callers keep what they have (agent_a@1 100 %), and no stack manages it any more.
    stops: delete: 1 number (emea): forgotten by this stack
    sends: 0 PUTs.
  `;

  const hooked = { inboundWebhookUrl: "https://hooks.example/x", extraFields: { x: 1, y: 2 } };
  told("what only a retained resource had set stays", [
    group("replace", "emea", { ...of(A, "+1", "+2"), ...BOUND, ...hooked }, of(A, "+2"), { retainOnDelete: true }),
    single("create", "one", undefined, { ...line("+1", A), extraFields: { y: 2 } }),
    single("delete", "old", { ...line("+3", A), ...BOUND, outboundAgentVersion: 7 }, undefined, {
      retainOnDelete: true,
    }),
    single("create", "new", undefined, { ...line("+3", A), outboundAgentId: "agent_n" }),
  ])`
    On +3 (new): outbound agent agent_o@7 → agent_n
    - Stays: webhook, because old has retainOnDelete.
    - Declared as old until now, as new from now on: no moment without agents.
    On 1 number (emea): outbound agent agent_o → none · webhook https://hooks.example/x → none and 1 more
    Renamed, keeps its agents: +1 (one)
    - Stays: outbound agent, webhook, extra fields, because emea has retainOnDelete.
    - Declared as emea until now, as one from now on: no moment without agents.
    sends: at least 3 PUTs.
  `;

  told("an extension in another workspace is another number", [
    single("delete", "one", { ...line("4001", A), workspaceId: 1 }),
    single("create", "two", undefined, { ...line("4001", A), workspaceId: 2 }),
    single("delete", "three", { ...line("4002", A), workspaceId: 1 }),
    single("create", "four", undefined, line("4002", A)),
  ])`
    ⚠ 4001 (one) loses its agents
    - Now: agent_a@1 100 %. The API does not specify what callers hear afterwards.
    - To keep the agents, set the resource option retainOnDelete: true and merge that first.
    First assignment overwrites 4001 (two) with agent_a@1 100 %
    On 4002 (four): workspace 1 → none
    - Declared as three until now, as four from now on: no moment without agents.
    stops: delete: 4001 (one): loses its agents
    sends: at least 3 PUTs.
  `;

  told("a number on its way to another platform", [
    group("update", "emea", of(A, "+1", "+2"), { ...of(A, "+1"), endpoint: "https://other.example" }),
  ])`
    ⚠ To another platform, https://other.example: 1 number (emea)
    - moves from https://platform.example to https://other.example. The routing at https://platform.example is unchanged; remove it there if unwanted.
    Forgotten, nothing is sent: 1 number (emea)
    - Callers keep what they have (agent_a@1 100 %), and no stack manages it any more.
    stops: delete: 1 number (emea): forgotten by this stack
    sends: 1 PUT.
  `;

  told("a number that is known after apply may be another one", [
    single("update", "support", line("+1", A), line(UNKNOWN, B)),
  ])`
    ⚠ Numbers of support may lose their agents: which ones is known only in the run
    - Now: agent_a@1 100 %. The routing of a new number is overwritten.
    ⚠ Traffic on +1 (support): agent_b@9 none → 100 %, agent_a@1 100 % → none, all calls at once
    - Moves 100 percentage points of traffic.
    stops: delete: support: which numbers leave is not known
    stops: replace: support: +1 → a number that is not known yet
    stops: shift: +1 (support): 100 percentage points
    sends: the number of PUTs is known only after apply.
  `;

  told("a secret webhook may be another one: every number is sent", [
    group(
      "update",
      "emea",
      { ...of(A, "+1", "+2"), inboundWebhookUrl: "[secret]" },
      { ...of(A, "+1", "+2"), inboundWebhookUrl: "[secret]" },
    ),
  ])`
    On 2 numbers (emea): webhook [secret] → known after apply
    sends: 2 PUTs.
  `;

  told("a null rollout and masked inputs are no change", [
    single(
      "update",
      "a",
      { ...line("+1", A), rollout: null },
      { ...line("+1", A), rollout: null, triggers: ["again"] },
    ),
    group("update", "emea", of(A, "+2", "+3"), { ...of(A, "+3", "+4"), unapplied: "[secret]" }),
  ])`
    ⚠ 1 number (emea) loses its agents
    - 1 number of this group is no longer named.
    - Now: agent_a@1 100 %. The API does not specify what callers hear afterwards.
    - To keep the agents, set the resource option retainOnDelete: true and merge that first.
    First assignment overwrites 1 number (emea) with agent_a@1 100 %
    Sent again: +1 (a)
    - Sent again because triggers changed: this overwrites changes made in the web application.
    stops: delete: 1 number (emea): loses its agents
    sends: at least 3 PUTs.
  `;

  told("numbers that leave two groups, which are told in one card", [
    group("replace", "emea", of(A, "+1", "+2"), of(A, "+1")),
    group("replace", "apac", of(A, "+3", "+4", "+5"), of(A, "+3")),
  ])`
    ⚠ 3 numbers lose their agents
    - 3 numbers of these groups are no longer named.
    - Now: agent_a@1 100 %. The API does not specify what callers hear afterwards.
    - To keep the agents, set the resource option retainOnDelete: true and merge that first.
    stops: delete: 3 numbers: lose their agents
    sends: at least 3 PUTs.
  `;

  told("labels and triggers", [
    group("update", "emea", { numbers: "+1\tone\n", inboundAgents: A }, { numbers: "+1\tOne\n", inboundAgents: A }),
    single("update", "two", line("+2", A), { ...line("+2", A), triggers: ["again"] }),
  ])`
    Sent again: +2 (two)
    - Sent again because triggers changed: this overwrites changes made in the web application.
    Recorded, nothing is sent: 1 number (emea)
    sends: 1 PUT.
  `;

  told("an empty split, a first split, and weights with the same percentages", [
    single("update", "a", { number: "+1" }, line("+1", {})),
    single("update", "b", line("+2", {}), { ...line("+2", {}), outboundAgentId: "agent_o" }),
    single("update", "c", line("+3", { ...A, "agent_b@9": 100 }), line("+3", { "agent_a@1": 1, "agent_b@9": 1 })),
    single("update", "d", line("+4", {}), line("+4", A)),
  ])`
    ⚠ No inbound agents left on +1 (a): agents not managed here → none
    Other weights with the same percentages on +3 (c)
    - Moves 0 percentage points of traffic.
    Traffic on +4 (d): no agents → agent_a@1 100 %
    - Moves 0 percentage points of traffic.
    On +2 (b): outbound agent none → agent_o
    stops: delete: +1 (a): no inbound agents left
    stops: shift: +1 (a): the size of the change is not known
    sends: 4 PUTs.
  `;
});

/** A preview that the engine or a guard ended, as the engine's document has it. */
describe("the report of a preview that failed", () => {
  const urnOf = (name: string) => `urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:NumberGroup::${name}`;
  const urn = urnOf("emea");
  const gone = group("delete", "emea", of(A, "+1"));
  const failed = (steps: readonly SyntheticStep[], diagnostics: readonly object[]): string =>
    toMarkdown(reportOf(steps, { diagnostics }));

  it("says once that a protected group cannot be deleted", () => {
    const why = "because it is protected. To unprotect the resource, remove the flag:";
    const message = `error: Preview failed: resource "emea" cannot be deleted\n${why}\n`;
    const ended = { severity: "error", message: "error: preview failed\n" };
    const page = failed([gone], [{ urn, severity: "error", message }, ended]);
    assert.deepEqual(page.split("\n").slice(2, 11), [
      `### ❌ \`dev\`: The preview failed: \`resource "emea" cannot be deleted because it is protected\``,
      "",
      "> **The preview failed: `emea`**",
      ">",
      `> \`resource "emea" cannot be deleted ${why}\``,
      "",
      "The preview stopped there, so this is not everything that the change would do.",
      "",
      "#### ⚠ 1 number (`emea`) loses its agents",
    ]);
  });

  it("does not say that a gate has passed", async () => {
    const diagnostics = [{ urn, severity: "error", message: "error: it is protected\n" }];
    const { code, stdout } = await run(["--fail-on", "replace"], previewOf([gone], { diagnostics }));
    assert.deepEqual([code, stdout.includes("The preview stopped there"), stdout.includes("passed")], [1, true, false]);
  });

  it("says in its headline what is refused", () => {
    const refusals: Readonly<Record<string, string>> = {
      'AGP-023 NumberGroup "emea": inboundAgents: agent_frnot@12 (did you mean agent_front@12?) is not approved; unapproved agents would receive 100 % (now 0 %, limit 10 %).\nAGP-021 NumberGroup "emea": moves 100 points.':
        '`NumberGroup "emea": inboundAgents: agent_frnot@12 (did you mean agent_front@12?) is not approved; unapproved agents would receive 100 % (now 0 %, limit 10 %)`',
      'AGP-002 NumberGroup "emea" (+1): inboundAgents was set and is now missing. Restore it.':
        '`NumberGroup "emea" (+1): inboundAgents was set and is now missing`',
      "AGP-015 agent-platform:rollouts.front has no argument `percnt`.":
        "`` agent-platform:rollouts.front has no argument `percnt` ``",
    };
    const headlineOf = (message: string) =>
      failed([gone], [{ urn, severity: "error", message: `error: ${message}\n` }]).split("\n")[2];
    for (const [message, headline] of Object.entries(refusals)) {
      assert.equal(headlineOf(message), `### ❌ \`dev\`: Refused, nothing is sent: ${headline}`);
    }
  });

  it("names every resource that is refused, in the headline or below", () => {
    const names = Array.from({ length: 13 }, (_, index) => `line-${index}`);
    const diagnostics = names.map((name) => ({
      urn: urnOf(name),
      severity: "error",
      message: `error: AGP-020 NumberGroup "${name}": the weights sum to 95. Change a weight.\n`,
    }));
    const page = failed([], diagnostics);
    assert.match(
      page,
      /^### ❌ Refused, nothing is sent: `NumberGroup "line-0": the weights sum to 95`; and 12 more errors$/m,
    );
    assert.equal(page.split("the weights sum to 95").length - 1, 2, "the first error alone is quoted");
    assert.deepEqual(
      names.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });

  it("says once what each of two guards refuses", () => {
    const [shift, approved] = ["AGP-021 NumberGroup: moves 50 points.", "AGP-023 NumberGroup: unapproved agents."];
    const page = failed(
      [],
      [
        { severity: "info#err", message: `error: ${shift}\n\n` },
        { severity: "info#err", message: `${approved}\n\n` },
        { urn, severity: "error", message: `error: ${shift}\n${approved}\n` },
      ],
    );
    assert.deepEqual([page.split(approved).length, page.split(shift).length], [2, 2], page);
  });
});

/** What the first four conditions are for numbers, `sms`, `voice` and `end` are for chats and voices: a label lifts some and no others. */
describe("the gates on voices and chats", () => {
  const retried = { ...hello, retryUnresolved: "unresolved-1" };
  const conditions = (...steps: readonly SyntheticStep[]) =>
    blockingGates(readGates("create,delete,replace,sms,voice,end"), reportOf(steps)).map(({ gate }) => gate.condition);
  const rows: Readonly<Record<string, readonly [steps: readonly SyntheticStep[], ...blocking: string[]]>> = {
    "a new chat": [[chat("create", "a", undefined, hello)], "sms"],
    "a chat that is sent again": [[chat("replace", "a", hello, again)], "sms"],
    "a chat to a number that is known after apply": [
      [chat("create", "a", undefined, { ...hello, toNumber: UNKNOWN })],
      "sms",
    ],
    "a renamed chat": [[chat("create", "b", undefined, hello), chat("delete", "a", hello)], "sms", "end"],
    "one more attempt": [
      [chat("replace", "a", { ...hello, unresolved: true }, retried, { id: "unresolved-1" })],
      "sms",
    ],
    "a chat that is adopted": [[chat("create", "a", undefined, { ...hello, adopt: "chat_1" })]],
    "a chat that takes another one's place": [[chat("replace", "a", hello, { ...again, adopt: "chat_1" })], "end"],
    "a chat that is ended": [[chat("delete", "a", hello)], "end"],
    "a chat that stays as it is": [[chat("same", "a", hello, hello)]],
    "metadata of a chat": [[chat("update", "a", hello, { ...hello, metadata: { x: 1 } })]],
    "a new voice": [[voice("create", "a", undefined, nova)], "voice"],
    "another voice": [[voice("replace", "a", nova, { ...nova, voiceName: "Vega" })], "voice"],
    "a voice that is forgotten": [[voice("delete", "a", nova)], "end"],
    "a number that loses its agents": [[single("delete", "a", line("+1", A))], "delete"],
  };
  for (const [what, [steps, ...blocking]] of Object.entries(rows)) {
    it(`${blocking.join(" and ") || "none"}: ${what}`, () => assert.deepEqual(conditions(...steps), blocking));
  }

  it("end the command with 1 for a new chat", async () => {
    const preview = previewOf([chat("create", "a", undefined, hello)]);
    assert.equal((await run(["--fail-on", "sms"], preview)).code, 1);
    assert.equal((await run(["--fail-on", "create,delete,replace,shift=25"], preview)).code, 0);
  });
});
