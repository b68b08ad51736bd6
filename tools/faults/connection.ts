import { answered, type Fault, quiet, unknownPut, unsentPut } from "./fault";

const faults = "test/client/faults.spec.ts";
const connection = "test/client/connection.spec.ts";
const unusable = (kind: string) => [
  `faults a PUT is sent again after ${kind}`,
  `faults … is not sent again after ${kind}`,
];

/** Between here and the platform. */
export const CONNECTION: readonly Fault[] = [
  {
    id: 1,
    fault: "The connection is refused",
    read: unsentPut("AGP-035", "connection refused by <host> …"),
    heldBy: {
      [connection]: [
        "connections a refused connection is tried four times, by a POST as well, and nothing was sent (F1)",
        "connections a POST is sent once the server is there again",
      ],
      "test/faults/timing.spec.ts": [
        "the time to a message is below a second after the last attempt: connection refused",
      ],
    },
  },
  {
    id: 2,
    fault: "The host's name is unknown, or the name server does not answer",
    read: unsentPut("AGP-035", "no address is known for <host> …"),
    heldBy: {
      "test/client/exchange.spec.ts": [
        "an exchange tries an unknown host twice (F2), one that cannot be looked up now four times",
      ],
      [connection]: ['judgeSilence {"code":"ENOTFOUND"}', 'judgeSilence {"code":"EAI_AGAIN"}'],
    },
  },
  {
    id: 3,
    fault: "A black hole: no connection comes about, or nothing is ever answered",
    read: unsentPut("AGP-035", "no connection to <host> within 30 s …"),
    heldBy: {
      "test/client/exchange.spec.ts": ["an exchange is over within the deadline in a black hole (F3)"],
      [connection]: [
        "connections a server that takes connections and says nothing in TLS has been sent nothing (F3)",
        "connections keeps the deadline over all attempts, the last one included",
      ],
      "test/faults/timing.spec.ts": ["the time to a message is within the deadline: black hole"],
    },
  },
  {
    id: 4,
    fault: "TLS: expired, for another host, self-signed, an unknown authority, none at all",
    read: unsentPut("AGP-036", "no trusted connection to <host>: its certificate has expired …"),
    heldBy: {
      [connection]: [
        "connections sends nothing, and tries once, with … (F4)",
        "connections trusts what NODE_EXTRA_CA_CERTS names, for the host and the time that it is for, whatever NODE_TLS_REJECT_UNAUTHORIZED says (F4)",
      ],
    },
  },
  {
    id: 5,
    fault: "The connection is reset: before the request, after it, within the answer",
    read: unknownPut("<host> closed the connection before it answered (ECONNRESET) …"),
    heldBy: {
      [faults]: [
        ...unusable("resetAfterRequest"),
        ...unusable("resetInHeaders"),
        ...unusable("resetInBody"),
        "faults a PUT has an unknown outcome after every time resetBeforeRequest",
      ],
      [connection]: ['judgeSilence {"reached":"tcp","code":"ECONNRESET"}'],
      "test/engine/unresolved.spec.ts": [
        "a POST whose outcome nobody knows is saved, told in each run, never sent again by itself, and settled by adopt or one retry",
      ],
    },
  },
  {
    id: 6,
    fault: "The answer does not begin in time",
    read: unknownPut("no answer from <host> within 30 s …"),
    heldBy: { [faults]: [...unusable('slowHeaders {"ms":3000}'), ...unusable("silence")] },
  },
  {
    id: 7,
    fault: "The answer drips, a byte at a time",
    read: unknownPut(answered(200, "the answer of <host> was not complete within 30 s…")),
    heldBy: { [faults]: unusable('drip {"ms":100}') },
  },
  {
    id: 8,
    fault: "The answer is cut short",
    read: unknownPut(answered(200, "<host> closed the connection within its answer, after <n> bytes…")),
    heldBy: { [faults]: [...unusable("truncated"), ...unusable("chunkedCut")] },
  },
  {
    id: 64,
    fault: "The server closes a kept connection just as a request is sent on it",
    read: quiet("Nothing: a PUT is sent again; each POST has a connection of its own, so it cannot meet this."),
    heldBy: {
      "test/client/answers.spec.ts": [
        "answers a PUT meets a connection that the server has closed, and is sent again (F64)",
      ],
      [connection]: ["connections PUTs share connections, each POST has its own"],
    },
  },
];
