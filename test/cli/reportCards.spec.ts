import assert from "node:assert/strict";
import { blockingGates, readGates } from "../../cli/report/gates";
import { toPlain, valueText } from "../../cli/report/text";
import { A, chat, line, previewOf, reportOf, run, type SyntheticStep, single, UNKNOWN, voice } from "./reportSteps";
import { judged } from "./reportTexts";

/** What gates judge of each change, and what it sends. The words are in `testdata/report`. */

const hello = { toNumber: "+1", workspaceId: 1, sendKey: "1", agentId: "chat_agent_a", fromNumber: "+3" };
const again = { ...hello, sendKey: "2" };
const nova = { workspaceId: 1, voiceName: "Nova", voiceProvider: "labs", providerVoiceId: "v-1" };

describe("a value in a table", () => {
  it("of a map is its keys alone", () => assert.doesNotMatch(toPlain(valueText({ key: "hush" })), /hush/));

  it("of a list is its first items", () => {
    const value = toPlain(valueText(["a1", "b2", "c3", "d4", "e5", "f6"]));
    assert.deepEqual(
      ["a1", "e5", "f6"].map((item) => value.includes(item)),
      [true, true, false],
      value,
    );
  });
});

/** The cases of each page: the cards, the gates that they do not pass, and the requests. */
const ROWS: {
  readonly [File in Parameters<typeof judged>[0]]: Readonly<
    Record<string, readonly [cards: readonly string[], blocking: readonly string[], sends: string]>
  >;
} = {
  "text-posts": {
    "a voice is added again, and stays when its resource goes": [["again", "end"], ["voice", "end"], "1 voices"],
    "tells which chats are sent again, end and continue": [
      ["smsAgain", "smsAgain", "end"],
      ["sms", "end"],
      "2 messages, 2 ends",
    ],
    "tells that a renamed chat is sent again, with its alias": [
      ["smsAgain", "smsAgain", "end", "end"],
      ["sms", "end"],
      "2 messages, 1 ends",
    ],
    "tells what is adopted, forgotten and recorded without a request": [
      ["again", "end", "quiet", "quiet"],
      ["end"],
      "1 ends",
    ],
    "unresolved: not sent again, sent once more, adopted, forgotten": [
      ["unresolved", "unresolved", "smsAgain", "quiet"],
      ["sms", "unresolved"],
      "1 messages",
    ],
    "a new base URL, a chat that is removed, and one that stays": [
      ["fails", "end", "end"],
      ["end", "fails"],
      "nothing",
    ],
    "an SMS is in the headline, beside what is more important": [
      ["unresolved", "removal", "smsAgain", "again", "message"],
      ["delete", "sms", "voice", "unresolved"],
      "at least 1 puts, 1 voices, 2 messages, 1 ends",
    ],
    "free-form values of a chat are named by their keys": [["smsAgain", "message"], ["sms"], "2 messages, 1 ends"],
    "tells a change of retainOnDelete, which sends nothing": [["quiet", "quiet"], [], "nothing"],
  },
  "text-moves": {
    "out of a group, without a card for what is left": [["routing"], [], "1 puts"],
    "to a resource that unassigns its agents, as a loss": [["removal"], ["delete", "shift"], "at least 1 puts"],
    "two resources into a new group, beside a new number": [
      ["atOnce", "first", "routing"],
      ["create", "shift"],
      "at least 3 puts",
    ],
  },
  "text-earlier-runs": {
    "a number that got nothing of its group is not lost": [
      ["removal", "first"],
      ["create", "delete"],
      "at least 2 puts",
    ],
    "a step is judged from what callers have or may have": [["atOnce", "split"], ["shift", "unresolved"], "2 puts"],
    "a step from a state that the preview masks has no size": [["split"], ["shift", "unresolved"], "1 puts"],
    "a pending delete without the group's own step names no numbers": [["removal"], ["delete"], "at least nothing"],
    "a pending delete beside its unchanged group counts its numbers": [["removal"], ["delete"], "at least 1 puts"],
  },
  "text-numbers": {
    "a group made again sends to each of its numbers": [["routing"], ["replace"], "at least 2 puts"],
    "a number that leaves a group with retainOnDelete keeps its agents": [["quiet"], ["delete"], "nothing"],
    "what only a retained resource had set stays": [["routing", "routing", "routing"], [], "at least 3 puts"],
    "an extension in another workspace is another number": [
      ["removal", "first", "routing"],
      ["create", "delete"],
      "at least 3 puts",
    ],
    "a new base URL, and a number that is removed": [["fails", "elsewhere"], ["create", "fails"], "1 puts"],
    "a number on its way to another platform": [["elsewhere", "quiet"], ["create", "delete"], "1 puts"],
    "a number that is known after apply may be another one": [
      ["removal", "atOnce"],
      ["create", "delete", "replace", "shift"],
      "at least nothing",
    ],
    "a secret webhook may be another one: every number is sent": [["routing"], [], "2 puts"],
    "a null rollout and masked inputs are no change": [
      ["removal", "first", "routing"],
      ["create", "delete"],
      "at least 3 puts",
    ],
    "numbers that leave two groups, which are told in one card": [["removal"], ["delete"], "at least 3 puts"],
    "a request that is only sent again has nothing to undo": [["routing", "routing"], [], "2 puts"],
    "labels and triggers": [["routing", "quiet"], [], "1 puts"],
    "an empty split, a first split, and weights with the same percentages": [
      ["removal", "split", "split", "routing"],
      ["delete", "shift"],
      "4 puts",
    ],
  },
  "text-rollouts": {
    "a step, and the command that goes back": [["split"], [], "1 puts"],
    "a step without steps": [["split"], ["shift"], "1 puts"],
    "a step, and who else has the agent": [["split"], [], "1 puts"],
    "an agent starts": [["split"], [], "1 puts"],
    "an agent starts beside another stable one": [["split"], [], "1 puts"],
    "an abort": [["abort"], [], "1 puts"],
    "an abort by hand, with steps": [["abort"], [], "1 puts"],
    "an abort by hand, without steps": [["abort"], [], "1 puts"],
    "an abort of an agent that has no calls": [["abort"], [], "1 puts"],
    "an abort of a step that no number got": [["abort"], [], "1 puts"],
    "an abort of a step that a number may have": [["abort"], [], "1 puts"],
    "an abort to a third agent": [["abort"], [], "1 puts"],
    "an abort of numbers with different splits": [["abort", "abort", "abort"], [], "3 puts"],
    "an abort beside a removal": [["removal", "abort"], ["delete"], "at least 2 puts"],
    "an aborted agent starts again": [["restart"], [], "1 puts"],
    "an aborted agent starts again before the abort was applied": [["restart"], ["shift"], "1 puts"],
    "the step after a restart": [["split"], ["shift"], "1 puts"],
    "a step that a number refused": [["split"], [], "1 puts"],
    "a restart that a number refused": [["restart"], [], "1 puts"],
    "an abort that a number refused": [["abort"], [], "1 puts"],
    "another field that a number refused": [["routing"], [], "1 puts"],
  },
  "text-guards": {
    "a renamed group loses numbers": [["guard", "removal", "routing"], ["delete", "guard"], "at least 8 puts"],
    "a renamed group loses numbers, with the guards bypassed": [
      ["guard", "removal", "routing"],
      ["delete"],
      "at least 8 puts",
    ],
    "a removed group whose stack is shown in part": [["guard", "removal"], ["delete", "guard"], "at least 8 puts"],
    "a new name with a new split": [["guard", "atOnce"], ["shift", "guard"], "1 puts"],
    "a new name and a skipped step": [["guard", "split"], ["shift", "guard"], "1 puts"],
    "made again with a new split": [["guard", "atOnce"], ["replace", "shift", "guard"], "1 puts"],
  },
  "text-failed": {
    "the engine refuses a delete": [["removal"], ["delete"], "at least 1 puts"],
    "two guards refuse a resource": [["removal"], ["delete"], "at least 1 puts"],
    "a setting with backquotes is refused": [[], [], "nothing"],
    "thirteen resources are refused": [[], [], "nothing"],
    "the program has thrown": [[], [], "nothing"],
  },
};

for (const [file, cases] of Object.entries(ROWS) as [keyof typeof ROWS, (typeof ROWS)["text-posts"]][]) {
  describe(`the cards and gates of ${file}`, () => {
    for (const [title, [cards, blocking, sends]] of Object.entries(cases)) {
      it(title, () => assert.deepEqual(judged(file, title), { cards, blocking, sends }));
    }
  });
}

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
