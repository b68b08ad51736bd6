import assert from "node:assert/strict";
import { blockingGates, readGates } from "../../cli/report/gates";
import { toPlain, valueText } from "../../cli/report/text";
import { checkRows } from "../support/rows";
import {
  A,
  B,
  chat,
  group,
  line,
  list,
  previewOf,
  reportOf,
  run,
  type SyntheticStep,
  single,
  UNKNOWN,
  voice,
} from "./reportSteps";
import { summaryOf, TOPICS } from "./reportTexts";

/**
 * Checks the cards, blocking gates and request counts in reports on synthetic previews. The wording of the reports is
 * in `testdata/report`.
 */

const hello = { toNumber: "+1", workspaceId: 1, sendKey: "1", agentId: "chat_agent_a", fromNumber: "+3" };
const helloAgain = { ...hello, sendKey: "2" };
const nova = { workspaceId: 1, voiceName: "Nova", voiceProvider: "labs", providerVoiceId: "v-1" };

describe("valueText", () => {
  it("hides the values of a map", () => assert.doesNotMatch(toPlain(valueText({ key: "hush" })), /hush/));

  it("shows only the first five items of a long list", () => {
    const value = toPlain(valueText(["a1", "b2", "c3", "d4", "e5", "f6"]));
    assert.deepEqual(
      ["a1", "e5", "f6"].map((item) => value.includes(item)),
      [true, true, false],
      value,
    );
  });
});

/** The expected card families, blocking gates and request counts of each case, grouped by golden file. */
const ROWS: {
  readonly [File in Parameters<typeof summaryOf>[0]]: Readonly<
    Record<string, readonly [cards: readonly string[], blocking: readonly string[], sends: string]>
  >;
} = {
  "text-posts": {
    "a replaced voice is added again, and a deleted one stays": [["again", "end"], ["voice", "end"], "1 voices"],
    "replaced chats are sent again, and end or continue": [
      ["smsAgain", "smsAgain", "end"],
      ["sms", "end"],
      "2 messages, 2 ends",
    ],
    "renamed chats are sent again, and the report names the missing alias": [
      ["smsAgain", "smsAgain", "end", "end"],
      ["sms", "end"],
      "2 messages, 1 ends",
    ],
    "chats are adopted, forgotten or recorded without an SMS": [["again", "end", "quiet", "quiet"], ["end"], "1 ends"],
    "unresolved chats are kept, retried, adopted or forgotten": [
      ["unresolved", "unresolved", "smsAgain", "quiet"],
      ["sms", "unresolved"],
      "1 messages",
    ],
    "the base URL changes while one chat is deleted and another stays": [
      ["fails", "end", "end"],
      ["end", "fails"],
      "nothing",
    ],
    "the headline always names an SMS": [
      ["unresolved", "removal", "smsAgain", "again", "message"],
      ["delete", "sms", "voice", "unresolved"],
      "at least 1 puts, 1 voices, 2 messages, 1 ends",
    ],
    "free-form chat fields show only their keys": [["smsAgain", "message"], ["sms"], "2 messages, 1 ends"],
    "changing retainOnDelete sends nothing": [["quiet", "quiet"], [], "nothing"],
  },
  "text-moves": {
    "a number moves out of a group, which gets no card of its own": [["routing"], [], "1 puts"],
    "a number moves to a resource without agents and loses its own": [
      ["removal"],
      ["delete", "shift"],
      "at least 1 puts",
    ],
    "two resources move into a new group together with a new number": [
      ["atOnce", "first", "routing"],
      ["create", "shift"],
      "at least 3 puts",
    ],
  },
  "text-earlier-runs": {
    "a number that never received the group's routing is not lost": [
      ["removal", "first"],
      ["create", "delete"],
      "at least 2 puts",
    ],
    "a shift is measured from the splits that callers may have": [
      ["atOnce", "split"],
      ["shift", "unresolved"],
      "2 puts",
    ],
    "a shift from a masked state has an unknown size": [["split"], ["shift", "unresolved"], "1 puts"],
    "a new split over a missing one and a resent split have a card each": [
      ["atOnce", "atOnce"],
      ["shift", "unresolved"],
      "2 puts",
    ],
    "a pending delete of secret numbers and its changed group have a card each": [
      ["removal", "removal"],
      ["create", "delete"],
      "at least nothing",
    ],
    "a pending delete without a step for its group names no numbers": [["removal"], ["delete"], "at least nothing"],
    "a pending delete with its unchanged group counts its numbers": [["removal"], ["delete"], "at least 1 puts"],
  },
  "text-numbers": {
    "replacing a group sends to each of its numbers": [["routing"], ["replace"], "at least 2 puts"],
    "a number that leaves a retained group keeps its agents": [["quiet"], ["delete"], "nothing"],
    "fields that only a retained resource set are not cleared": [
      ["routing", "routing", "routing"],
      [],
      "at least 3 puts",
    ],
    "the same extension in another workspace is a different number": [
      ["removal", "first", "routing"],
      ["create", "delete"],
      "at least 3 puts",
    ],
    "the base URL changes while a number is deleted": [["fails", "elsewhere"], ["create", "fails"], "1 puts"],
    "a group moves to another platform and drops a number": [["elsewhere", "quiet"], ["create", "delete"], "1 puts"],
    "a number known only after apply may be a different number": [
      ["removal", "atOnce"],
      ["create", "delete", "replace", "shift"],
      "at least nothing",
    ],
    "a masked webhook may have changed, so every number is sent": [["routing"], [], "2 puts"],
    "a null rollout and masked inputs do not count as changes": [
      ["removal", "first", "routing"],
      ["create", "delete"],
      "at least 3 puts",
    ],
    "numbers that leave two groups share a card": [["removal"], ["delete"], "at least 3 puts"],
    "a request that is only sent again has nothing to undo": [["routing", "routing"], [], "2 puts"],
    "labels are recorded and triggers send again": [["routing", "quiet"], [], "1 puts"],
    "an empty split, a first split, and weights with the same percentages": [
      ["removal", "split", "split", "routing"],
      ["delete", "shift"],
      "4 puts",
    ],
  },
  "text-rollouts": {
    "a step, with the command to go back": [["split"], [], "1 puts"],
    "a percentage change without configured steps": [["split"], ["shift"], "1 puts"],
    "a step, with other resources that use the agent": [["split"], [], "1 puts"],
    "a candidate starts": [["split"], [], "1 puts"],
    "a candidate starts with a new stable agent": [["split"], [], "1 puts"],
    "an abort": [["abort"], [], "1 puts"],
    "a manual abort with configured steps": [["abort"], [], "1 puts"],
    "a manual abort without configured steps": [["abort"], [], "1 puts"],
    "an abort of an agent without calls": [["abort"], [], "1 puts"],
    "an abort of a step that reached no number": [["abort"], [], "1 puts"],
    "an abort of a step that may have reached a number": [["abort"], [], "1 puts"],
    "an abort to a third agent": [["abort"], [], "1 puts"],
    "an abort of numbers with different splits": [["abort", "abort", "abort"], [], "3 puts"],
    "an abort together with a removal": [["removal", "abort"], ["delete"], "at least 2 puts"],
    "an aborted agent starts again": [["restart"], [], "1 puts"],
    "an aborted agent starts again before the abort was applied": [["restart"], ["shift"], "1 puts"],
    "the step after a restart": [["split"], ["shift"], "1 puts"],
    "a step that the platform rejected for a number": [["split"], [], "1 puts"],
    "a restart that the platform rejected for a number": [["restart"], [], "1 puts"],
    "an abort that the platform rejected for a number": [["abort"], [], "1 puts"],
    "another field that the platform rejected for a number": [["routing"], [], "1 puts"],
  },
  "text-guards": {
    "a renamed group loses numbers": [["guard", "removal", "routing"], ["delete", "guard"], "at least 8 puts"],
    "a renamed group loses numbers, with the guards bypassed": [
      ["guard", "removal", "routing"],
      ["delete"],
      "at least 8 puts",
    ],
    "a group is deleted in a preview without unchanged resources": [
      ["guard", "removal"],
      ["delete", "guard"],
      "at least 8 puts",
    ],
    "a renamed number gets a new split": [["guard", "atOnce"], ["shift", "guard"], "1 puts"],
    "a renamed number skips a step": [["guard", "split"], ["shift", "guard"], "1 puts"],
    "a replaced group gets a new split": [["guard", "atOnce"], ["replace", "shift", "guard"], "1 puts"],
  },
  "text-failed": {
    "the engine refuses a delete": [["removal"], ["delete"], "at least 1 puts"],
    "two guards refuse a resource": [["removal"], ["delete"], "at least 1 puts"],
    "a refused setting has backquotes in its message": [[], [], "nothing"],
    "thirteen resources are refused": [[], [], "nothing"],
    "the program throws": [[], [], "nothing"],
  },
};

describe("a report", () => {
  for (const [file, cases] of Object.entries(ROWS) as [keyof typeof ROWS, (typeof ROWS)["text-posts"]][]) {
    it(`shows cards, blocking gates and request counts for ${TOPICS[file]}`, () =>
      checkRows(
        Object.entries(cases),
        ([title]) => title,
        ([title, [cards, blocking, sends]]) => assert.deepEqual(summaryOf(file, title), { cards, blocking, sends }),
      ));
  }
});

/**
 * The conditions `sms`, `voice` and `end` are separate from those for numbers, so that a pull request label can allow
 * one kind of change without allowing the other.
 */
describe("CI gates", () => {
  it("lists the numbers that get a request", () => {
    const labelled = (label: string, ...numbers: string[]) => ({
      numbers: `+1\t${label}\n${list(...numbers)}`,
      inboundAgents: A,
    });
    assert.deepEqual(
      reportOf([
        group("update", "labelled", labelled("London", "+2"), labelled("Leeds", "+2", "+3")),
        single("create", "new", undefined, line("+4", A)),
        single("update", "changed", line("+5", A), line("+5", B)),
        single("delete", "cleared", line("+6", A)),
        single("delete", "retained", line("+7", A), undefined, { retainOnDelete: true }),
        single("delete", "old", line("+8", A)),
        single("create", "moved", undefined, line("+8", A)),
        single("same", "same", line("+9", A), line("+9", A)),
      ]).sentNumbers.sort(),
      ["+3", "+4", "+5", "+6", "+8"],
    );
  });

  const retried = { ...hello, retryUnresolved: "unresolved-1" };
  const conditions = (...steps: readonly SyntheticStep[]) =>
    blockingGates(readGates("create,delete,replace,shift=25,sms,voice,end,unresolved"), reportOf(steps)).map(
      ({ gate }) => gate.condition,
    );
  const rows: Readonly<Record<string, readonly [steps: readonly SyntheticStep[], ...blocking: string[]]>> = {
    "a new chat": [[chat("create", "a", undefined, hello)], "sms"],
    "resending a chat": [[chat("replace", "a", hello, helloAgain)], "sms"],
    "a chat to a number known only after apply": [
      [chat("create", "a", undefined, { ...hello, toNumber: UNKNOWN })],
      "sms",
    ],
    "a renamed chat": [[chat("create", "b", undefined, hello), chat("delete", "a", hello)], "sms", "end"],
    "retrying an unresolved chat": [
      [chat("replace", "a", { ...hello, unresolved: true }, retried, { id: "unresolved-1" })],
      "sms",
    ],
    "an adopted chat": [[chat("create", "a", undefined, { ...hello, adopt: "chat_1" })]],
    "replacing a chat with an adopted one": [[chat("replace", "a", hello, { ...helloAgain, adopt: "chat_1" })], "end"],
    "a deleted chat": [[chat("delete", "a", hello)], "end"],
    "an unchanged chat": [[chat("same", "a", hello, hello)]],
    "a change to a chat's metadata": [[chat("update", "a", hello, { ...hello, metadata: { x: 1 } })]],
    "a new voice": [[voice("create", "a", undefined, nova)], "voice"],
    "a replaced voice": [[voice("replace", "a", nova, { ...nova, voiceName: "Vega" })], "voice"],
    "a deleted voice": [[voice("delete", "a", nova)], "end"],
    "a number that loses its agents": [[single("delete", "a", line("+1", A))], "delete"],
  };
  for (const [name, [steps, ...blocking]] of Object.entries(rows)) {
    const blockers = [
      "every gate allows",
      `the ${blocking[0]} gate blocks`,
      `the ${blocking.join(" and ")} gates block`,
    ];
    it(`${blockers[blocking.length]} ${name}`, () => assert.deepEqual(conditions(...steps), blocking));
  }
});

describe("report --fail-on", () => {
  it("exits with 1 for a new chat only if the sms gate is set", async () => {
    const preview = previewOf([chat("create", "a", undefined, hello)]);
    assert.equal((await run(["--fail-on", "sms"], preview)).code, 1);
    assert.equal((await run(["--fail-on", "create,delete,replace,shift=25,voice,end,unresolved"], preview)).code, 0);
  });
});
