import { answered, type Fault, quiet, rejectedPut, says, unknownPut } from "./fault";

const faults = "test/client/faults.spec.ts";
const answers = "test/client/answers.spec.ts";
const messages = "test/resources/messages.spec.ts";
const rateLimit = "test/client/rateLimit.spec.ts";
const again = (kind: string) => `faults a PUT is sent again after ${kind}`;
const notAgain = (kind: string) => `faults … is not sent again after ${kind}`;
const never = (status: number) => `faults nothing is sent again after status {"status":${status}}`;
const refused = (code: string) => `a number that the platform refuses reads ${code}`;
const quoted = '"<its words>"…';

/** The status of the answer, and a body that is none. */
export const ANSWERS: readonly Fault[] = [
  {
    id: 9,
    fault: "The body is complete and unusable: no JSON, nested 20,000 deep, 100 MB, a gzip bomb, another charset",
    read: unknownPut(answered(200, "not JSON, <n> bytes, content-type application/json…")),
    heldBy: {
      [faults]: ["invalidJson", "deepJson", "huge", 'gzipBomb {"bytes":2000000}', "wrongCharset"].flatMap((kind) => [
        again(kind),
        notAgain(kind),
      ]),
      [answers]: [
        "answers bom is no fault",
        "answers an answer that cannot be decompressed is unusable, one in any encoding of HTTP is not",
      ],
    },
  },
  {
    id: 10,
    fault: "A page of HTML with status 200: a login page, a captive portal",
    read: unknownPut(answered(200, "not JSON, <n> bytes, content-type text/html…")),
    heldBy: {
      [faults]: [again("html"), notAgain("html")],
      [answers]: ["answers any 2xx ends a chat, but a page of someone else's does not (4.4, F10)"],
    },
  },
  {
    id: 11,
    fault: "`success: false` with status 200",
    read: rejectedPut("AGP-030", 200, quoted),
    heldBy: {
      [answers]: ["answers success: false is a refusal with the platform's words (F11)"],
      "test/faults/profiles.spec.ts": [
        "a platform that refuses, or cannot be understood is quoted, and nothing is saved: success=false",
      ],
    },
  },
  {
    id: 12,
    fault: "No `success` in the answer, or null",
    read: quiet("Nothing: it is applied where the rest fits."),
    heldBy: {
      "test/faults/profiles.spec.ts": [
        "a platform that reads the interface otherwise has every number as declared, and no perpetual diff: row 5, success=absent",
        "a platform that reads the interface otherwise has every number as declared, and no perpetual diff: row 5, success=null",
      ],
    },
  },
  {
    id: 13,
    fault: "Another 2xx than the documented one",
    read: quiet("Nothing: any 2xx with a body that fits is applied. A POST without an id: row 14."),
    heldBy: {
      [answers]: [
        "answers … is a success like any other 2xx (F13)",
        "answers a POST answered without an id is unknown, and its words are shown",
      ],
    },
  },
  {
    id: 14,
    fault: "204, or an empty body",
    read: says(
      'AGP-053 NumberAssignment "<name>" (<number>): applied but not verified: the response lists no agents (shown once per run).',
    ),
    heldBy: {
      [answers]: [
        "answers 204 without a body: applied for a PUT and for the end of a chat, unknown for a POST that makes something (F14)",
      ],
      [messages]: ["a number whose answer differs warns AGP-053 once a run, and AGP-054 with the paths"],
    },
  },
  {
    id: 15,
    fault: "1xx: 100, 103, and a 101 that nobody asked for",
    read: unknownPut("<host> returned 101 (switching protocols), which was not asked for …"),
    heldBy: {
      [answers]: ["answers continue100 is no fault", "answers earlyHints103 is no fault"],
      [faults]: [again("switching101"), notAgain("switching101")],
    },
  },
  {
    id: 16,
    fault:
      "A redirect: to the same host, to another, to http, in a circle (a POST has an unknown outcome then: row 66)",
    read: rejectedPut("AGP-037", 302, "<host> redirects to elsewhere.example, which is not followed…"),
    heldBy: {
      [faults]: ["faults nothing is sent again after redirect …"],
      "test/faults/wire.spec.ts": ["on the wire a redirect is never followed: the other server sees no request"],
    },
  },
  {
    id: 17,
    fault: "304",
    read: rejectedPut("AGP-037", 304, "<host> returned 304 (not modified), which was not asked for…"),
    heldBy: { [faults]: ['faults nothing is sent again after redirect {"status":304}'] },
  },
  {
    id: 66,
    fault: "Any 3xx after a POST, 303 above all: it may lead to what the POST has made",
    read: says(
      'AGP-042 SmsChat "<name>": create: outcome unknown; the platform returned 303 to POST /api/chats/outbound-sms: <host> redirects to elsewhere.example, which is not followed…\n  The chat to <number> may have been started in workspace <n>: a message may have been sent. It will not be retried automatically…',
    ),
    heldBy: {
      [faults]: ['faults nothing is sent again after redirect {"status":303,…'],
      "test/faults/rows.long.spec.ts": ["every fault at every call is told, kept and recovered from: start a chat"],
    },
  },
  {
    id: 18,
    fault: "400 or 422",
    read: rejectedPut("AGP-030", 422, quoted),
    heldBy: { [faults]: [never(400), never(422)], [messages]: [refused("AGP-030")] },
  },
  {
    id: 19,
    fault: "401",
    read: rejectedPut("AGP-031", 401, '"<its words>"…\n  <base URL> rejected the token from <where>…'),
    heldBy: {
      [faults]: [never(401)],
      [messages]: [refused("AGP-031")],
      "test/engine/settings.spec.ts": [
        "settings through the real engine saved in the state hold the old token, encrypted; the environment's wins, and a 401 says which one it was; bad ones leave nothing unconfigured",
      ],
    },
  },
  {
    id: 20,
    fault: "403",
    read: rejectedPut("AGP-032", 403, '"<its words>"…\n  Check that the token is allowed to edit workspace <n>…'),
    heldBy: { [faults]: [never(403)], [messages]: [refused("AGP-032")] },
  },
  {
    id: 21,
    fault: "404: the number is not in the workspace, or not any more",
    read: rejectedPut("AGP-033", 404, quoted),
    heldBy: {
      [faults]: [never(404)],
      [messages]: [refused("AGP-033")],
      "test/faults/recovery.spec.ts": [
        "a number that the platform no longer knows stays in the state, and its update is refused",
      ],
    },
  },
  {
    id: 67,
    fault: "A gateway in front of the platform answers the clearing of a number with a 404 of its own",
    read: says(
      'AGP-033 NumberAssignment "<name>" (<number>): delete rejected: the platform returned 404 to PUT /api/numbers/{number}/agent: "<its words>"…\n  The resource stays in the state.…',
    ),
    heldBy: {
      "test/faults/places.spec.ts": [
        "a delete of a number: gone only in the platform's own words, for some proxy's 404 says nothing of it",
      ],
      "test/client/body.spec.ts": ["platformWords …"],
    },
  },
  {
    id: 22,
    fault: "405, 406, 410, 411, 413, 415, 451",
    read: rejectedPut("AGP-030", 413, quoted),
    heldBy: {
      [faults]: [
        ...[405, 406, 410, 411, 413, 415, 451].map(never),
        'faults nothing is sent again after status {"status":413,"headers":{"Retry-After":"1"}}',
      ],
    },
  },
  {
    id: 23,
    fault: "408",
    read: unknownPut(answered(408, quoted)),
    heldBy: { [faults]: [again('status {"status":408}'), notAgain('status {"status":408}')] },
  },
  {
    id: 24,
    fault: "409, 423, 425",
    read: rejectedPut("AGP-030", 409, quoted),
    heldBy: { [faults]: [never(409), never(423), never(425)] },
  },
  {
    id: 25,
    fault: "429 without Retry-After",
    read: rejectedPut("AGP-034", 429, quoted),
    heldBy: {
      [rateLimit]: [
        "rate limits every operation is sent again after 429, no Retry-After: backoff (F25, F26)",
        "rate limits 429 for ever ends with the deadline, after few requests, whatever Retry-After says",
      ],
    },
  },
  {
    id: 26,
    fault: "429 or 503 with a Retry-After: seconds, a date, nonsense, an hour, two of them",
    read: rejectedPut("AGP-034", 429, '"<its words>"…\n  Rerun in 3600 s.'),
    heldBy: {
      [rateLimit]: [
        "rate limits every operation is sent again after 429, … (F25, F26)",
        "rate limits a pause of … is not waited for: it is said, and nothing else is sent (F26)",
        "rate limits a PUT waits as long as a 503 asks for, a POST is not sent again (F26)",
      ],
      "test/client/retry.spec.ts": ["parseRetryAfter …"],
    },
  },
  {
    id: 27,
    fault: "5xx",
    read: unknownPut(answered(503, quoted)),
    heldBy: {
      [faults]: [
        ...[500, 502, 503, 504, 520, 524].map((status) => again(`status {"status":${status}}`)),
        never(501),
        never(505),
      ],
      [messages]: ["a POST of which nobody knows reads AGP-042 for a chat"],
    },
  },
  {
    id: 28,
    fault: "The platform acts, and answers 500",
    read: says(
      'AGP-042 SmsChat "<name>": create: outcome unknown; the platform returned 500 to POST /api/chats/outbound-sms…\n  The chat to <number> may have been started in workspace <n>: a message may have been sent. It will not be retried automatically…',
    ),
    heldBy: {
      [faults]: [again("appliedBut500"), notAgain("appliedBut500")],
      "test/engine/unresolved.spec.ts": [
        "a POST whose outcome nobody knows is saved, told in each run, never sent again by itself, and resolved by adopt or one retry",
      ],
    },
  },
];
