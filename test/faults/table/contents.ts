import { type Fault, quiet, rejectedPut, says } from "./fault";

const verify = "test/core/verify.spec.ts";
const profiles = "test/faults/profiles.spec.ts";
const messages = "test/resources/messages.spec.ts";
const everyNumber = (profile: string) =>
  `a platform that reads the interface otherwise has every number as declared, and no perpetual diff: ${profile}`;
const different =
  'AGP-050 NumberAssignment "<name>" (<number>): the response differs from the request: inboundAgents: sent <agents>, the platform returned';

/** What stands in the answer. */
export const CONTENTS: readonly Fault[] = [
  {
    id: 34,
    fault: "The answer contradicts the request: weights, agents, versions, webhook",
    read: says(`${different} no agent.…`),
    heldBy: {
      [verify]: ["inbound agents in the answer differ: …"],
      [messages]: ["a number whose answer differs reads AGP-050"],
      "test/resources/numberGroupFailures.spec.ts": [
        "NumberGroup when numbers fail compares the first answer before the rest is sent",
      ],
    },
  },
  {
    id: 35,
    fault: "The answer is of another number, of several, or of none",
    read: says(
      'AGP-050 NumberAssignment "<name>" (<number>): the response differs from the request: number: sent this number, the platform returned 2 records, none of them this number.…',
    ),
    heldBy: {
      [verify]: [
        "our record is …",
        "a record that comes twice is compared as a whole, each field once",
        "the rest of the answer is somebody else's where several records are none of ours",
      ],
      [profiles]: [everyNumber("row 11, records=…")],
    },
  },
  {
    id: 36,
    fault: "The two parts of the answer, `numbers` and `assignment`, disagree",
    read: says(`${different} <other agents>.…`),
    heldBy: {
      [verify]: ["inbound agents in the answer are named once where record and assignment contradict in the same way"],
    },
  },
  {
    id: 37,
    fault: "The platform normalises: scaled or rounded weights, another order, other formats, its own defaults",
    read: quiet("Nothing: percentages are compared, in any order, and an unchanged program stays without a change."),
    heldBy: {
      [verify]: [
        "inbound agents in the answer fit: …",
        "inbound agents in the answer may be rounded to whole percents where a percentage is not whole",
      ],
      [profiles]: [everyNumber("row 8, answerWeights=…"), everyNumber("row 9, answerOrder=…")],
    },
  },
  {
    id: 38,
    fault: "`platform_import_error` with status 200",
    read: says('AGP-051 NumberAssignment "<name>" (<number>): the platform reports an import error: <its words>.…'),
    heldBy: {
      [profiles]: [
        "a platform that refuses, or cannot be understood has its import error told, and what it applied saved: …",
      ],
    },
  },
  {
    id: 39,
    fault: "Fields that nobody knows, `__proto__` and `constructor` among them",
    read: quiet("Nothing: they are left out, of the state as well."),
    heldBy: {
      "test/client/wireAnswers.spec.ts": ["numberAnswerFromWire is not reached by __proto__ and constructor"],
      [profiles]: [everyNumber("row 34, extraFields=everywhere")],
    },
  },
  {
    id: 40,
    fault: "Fields of another type than the interface says",
    read: says(
      'AGP-054 NumberAssignment "<name>" (<number>): fields of the response were ignored, because they do not have the documented type: numbers[0].is_time_routing_enabled, numbers[0].id.',
    ),
    heldBy: {
      "test/client/wireAnswers.spec.ts": [
        "numberAnswerFromWire a text for a number is absent, not converted",
        "numberAnswerFromWire a number beyond 2^53",
        "numberAnswerFromWire reads any JSON or refuses it, and never invents a field",
      ],
      [messages]: ["a number whose answer differs warns AGP-053 once a run, and AGP-054 with the paths"],
    },
  },
  {
    id: 41,
    fault: "A key of the answer comes twice, or in another case",
    read: says(`${different} <other agents>.…`),
    heldBy: {
      "test/faults/wire.spec.ts": ["on the wire a key that comes twice counts as its last, in another case not at all"],
    },
  },
  {
    id: 42,
    fault: "The error's body is anything: text, a list, HTML, 10 MB, control characters, the token",
    read: rejectedPut("AGP-030", 422, '"echo [token] \\u{1b}[31m"…'),
    heldBy: {
      "test/client/answers.spec.ts": [
        "answers a large or broken error body does not change what its status says (F42)",
      ],
      "test/client/anyAnswer.spec.ts": [
        "any answer at all has one of three outcomes, and a text that is short, printable and without the token (property 15)",
      ],
      "test/faults/leaks.spec.ts": [
        "what a run with faults leaves behind holds no token, in whatever form the platform echoes it: …",
      ],
    },
  },
  {
    id: 46,
    fault: "The answer is stale: it shows the routing of before for a while",
    read: says(`${different} <other agents>.…`),
    heldBy: { [profiles]: [everyNumber("row 37, staleAnswers=…")] },
  },
];
