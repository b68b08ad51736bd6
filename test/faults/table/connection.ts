import { answered, type Fault, quiet, says, unknownPut, unsentPut } from "./fault";

const faults = "test/client/faults.spec.ts";
const connection = "test/client/connection.spec.ts";
const unusable = (kind: string) => [
  `faults a PUT is sent again after ${kind}`,
  `faults … is not sent again after ${kind}`,
];

const proxy = "test/client/throughProxy.spec.ts";
const unsent = (what: string) => `requests through a proxy are not sent, by a POST neither, where it ${what}`;
const CHECK_PROXY =
  "Check the proxy that HTTPS_PROXY names, with its user name and password. To reach the platform directly, add its host to NO_PROXY.";

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
      [connection]: ['classifySilence {"code":"ENOTFOUND"}', 'classifySilence {"code":"EAI_AGAIN"}'],
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
    read: unknownPut("<host> closed the connection before it responded (ECONNRESET) …"),
    heldBy: {
      [faults]: [
        ...unusable("resetAfterRequest"),
        ...unusable("resetInHeaders"),
        ...unusable("resetInBody"),
        "faults a PUT has an unknown outcome after every time resetBeforeRequest",
      ],
      [connection]: ['classifySilence {"reached":"tcp","code":"ECONNRESET"}'],
      "test/engine/unresolved.spec.ts": [
        "a POST whose outcome nobody knows is saved, told in each run, never sent again by itself, and resolved by adopt or one retry",
      ],
    },
  },
  {
    id: 6,
    fault: "The answer does not begin in time",
    read: unknownPut("no response from <host> within 30 s …"),
    heldBy: { [faults]: [...unusable('slowHeaders {"ms":3000}'), ...unusable("silence")] },
  },
  {
    id: 7,
    fault: "The answer drips, a byte at a time",
    read: unknownPut(answered(200, "the response from <host> was not complete within 30 s…")),
    heldBy: { [faults]: unusable('drip {"ms":100}') },
  },
  {
    id: 8,
    fault: "The answer is cut short",
    read: unknownPut(answered(200, "<host> closed the connection in the middle of its response, after <n> bytes…")),
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
  {
    id: 68,
    fault: "The proxy wants another user name or password (407), or forbids the host (403)",
    read: unsentPut(
      "AGP-038",
      `the proxy <host> returned 407 to CONNECT <host>: it does not accept the user name and password (PUT /api/numbers/{number}/agent)\n  1 attempt in 0.0 s.\n  <nothing is saved>\n  ${CHECK_PROXY}`,
    ),
    heldBy: { [proxy]: [unsent("wants another password (407)"), unsent("forbids the host (403)")] },
  },
  {
    id: 69,
    fault: "The proxy cannot reach the platform: 502, 503, 504",
    read: unsentPut("AGP-038", `the proxy <host> returned 502 to CONNECT <host> …\n  ${CHECK_PROXY}`),
    heldBy: { [proxy]: [unsent("cannot reach the platform (502)")] },
  },
  {
    id: 70,
    fault: "The proxy is not there, resets the connection, or ends it in the middle of its answer",
    read: unsentPut("AGP-038", `connection refused by the proxy <host> …\n  ${CHECK_PROXY}`),
    heldBy: {
      [proxy]: [
        unsent("resets the connection"),
        unsent("ends in the middle of its answer"),
        unsent("does not speak HTTP"),
        "requests through a proxy are not sent where it is slow, or is not there",
      ],
    },
  },
  {
    id: 71,
    fault: "The proxy is slow: no connection to the platform comes about in time",
    read: unsentPut("AGP-038", `the proxy <host> opened no connection to <host> within 30 s …\n  ${CHECK_PROXY}`),
    heldBy: { [proxy]: ["requests through a proxy are not sent where it is slow, or is not there"] },
  },
  {
    id: 72,
    fault: "The proxy closes the connection half-way, when the request has been sent",
    read: says(
      'AGP-042 SmsChat "<name>": create: outcome unknown; <host> (through the proxy <host>) closed the connection before it responded (ECONNRESET) (POST /api/chats/outbound-sms)…\n  The chat to <number> may have been started in workspace <n>: a message may have been sent. It will not be retried automatically…',
    ),
    heldBy: {
      [proxy]: [
        "requests through a proxy have an unknown outcome where it closes the tunnel half-way: a PUT is sent again, a POST is not",
      ],
    },
  },
  {
    id: 73,
    fault: "The proxy shows a certificate of the company's own authority, which this machine does not trust",
    read: unsentPut(
      "AGP-036",
      "no trusted connection to <host> (through the proxy <host>): its certificate is signed by an unknown authority (set NODE_EXTRA_CA_CERTS for a private one) …",
    ),
    heldBy: {
      [proxy]: [
        "requests through a proxy trust an authority of the company's own by NODE_EXTRA_CA_CERTS alone, and read the environment by themselves",
      ],
    },
  },
];
