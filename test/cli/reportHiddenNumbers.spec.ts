import {
  A,
  ALL_AT_ONCE,
  B,
  group,
  KEEP_IT,
  line,
  NO_AGENTS,
  NO_GUARDS,
  of,
  SECRET,
  single,
  told,
  UNKNOWN,
} from "./reportSteps";

describe("the report of masked numbers", () => {
  told("a masked number that is deleted is one number", single("delete", "support", line(SECRET, A)))`
    ⚠ 1 number loses its agents: a masked number (support)
    - ${NO_AGENTS}
    - ${KEEP_IT}
    stops: delete: a masked number (support): loses its agents
    sends: at least 1 PUT that clears something, in up to 3 requests.
  `;

  told(
    "masked numbers of a group that is deleted are not 0 numbers",
    group("delete", "emea", { ...of(A), numbers: SECRET }),
  )`
    ⚠ Numbers lose their agents: group emea (numbers masked)
    - ${NO_AGENTS}
    - ${KEEP_IT}
    stops: delete: group emea (numbers masked): lose their agents
    sends: at least 1 PUT that clears something, in up to 3 requests.
  `;

  told(
    "a masked number made anew: nothing says that the old one keeps what it has",
    single("replace", "support", line(SECRET, A), line(SECRET, B)),
  )`
    ⚠ support is replaced, and may change its number: a masked number → a masked number
    - If it is another number, the routing of that one is overwritten, and the old one loses its agents. The API does not specify what callers hear then.
    stops: delete: a masked number (support): loses its agents, if its number is another one afterwards
    stops: replace: support: a masked number → a masked number
    stops: shift: support: 100 percentage points
    sends: at least 1 PUT.
  `;

  told(
    "masked numbers of a group before and after",
    group("update", "emea", { ...of(A), numbers: SECRET }, { ...of(A), numbers: SECRET }),
  )`
    Sent again: group emea (numbers masked)
    - A masked value may have changed. A preview shows neither which nor how.
    sends: at least 1 PUT.
  `;

  told(
    "a masked number that is shown from now on: another one would be a replacement",
    single("update", "support", line(SECRET, A), line("+1", B)),
  )`
    agent_b@9 joins +1 (support) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - ${NO_GUARDS}
    stops: shift: +1 (support): 100 percentage points
    sends: 1 PUT.
  `;

  told(
    "a group of masked numbers that is replaced: some may leave, and nobody sees which",
    group("replace", "emea", { ...of(A), numbers: SECRET }, { ...of(A), numbers: SECRET }),
  )`
    ⚠ emea may change its numbers (hidden numbers now): which numbers leave is not known
    - Now: agent_a@1 100 %.
    - Its numbers are masked. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.
    Sent again: group emea (numbers masked)
    stops: delete: emea: which numbers leave is not known
    sends: at least 1 PUT.
  `;
});

describe("the report of numbers that become hidden, or are shown from now on", () => {
  told(
    "a number that becomes known after apply may be another one: its agents may go",
    single("update", "support", line("+1", A), line(UNKNOWN, A)),
  )`
    ⚠ support may change its number: +1 may lose its agents
    - Now: agent_a@1 100 %.
    - Its number is known only after apply. If it is another one, the routing of that one is overwritten, and +1 is cleared. The API does not specify what callers hear then.
    stops: delete: +1 (support): loses its agents, if its number is another one afterwards
    stops: replace: support: +1 → a number that is not known yet
    sends: the number of PUTs is known only after apply.
  `;

  told(
    "the same together with a new split: both are said",
    single("update", "support", line("+1", A), line(UNKNOWN, B)),
  )`
    ⚠ support may change its number: +1 may lose its agents
    - Now: agent_a@1 100 %.
    - Its number is known only after apply. If it is another one, the routing of that one is overwritten, and +1 is cleared. The API does not specify what callers hear then.
    agent_b@9 joins a number that is known after apply (support) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - ${NO_GUARDS}
    stops: delete: +1 (support): loses its agents, if its number is another one afterwards
    stops: replace: support: +1 → a number that is not known yet
    stops: shift: a number that is known after apply (support): 100 percentage points
    sends: at least 1 PUT.
  `;

  told(
    "a number that becomes masked, with retainOnDelete: the old one keeps its agents",
    single("update", "support", line("+1", A), line(SECRET, A), { retainOnDelete: true }),
  )`
    ⚠ support may change its number: +1 may be forgotten
    - Now: agent_a@1 100 %.
    - Its number is masked. If it is another one, the routing of that one is overwritten, and +1 keeps what it has. The API does not specify what callers hear then.
    stops: delete: +1 (support): forgotten by this stack, if its number is another one afterwards
    stops: replace: support: +1 → a number that is not known yet
    sends: the number of PUTs is known only after apply.
  `;

  told(
    "a number that becomes known after apply, with a fallback at delete",
    single(
      "update",
      "support",
      { number: "+1", inboundAgents: A, onDelete: { inboundAgents: B } },
      { number: UNKNOWN, inboundAgents: A, onDelete: { inboundAgents: B } },
    ),
  )`
    ⚠ support may change its number: +1 may switch to its onDelete routing
    - Now: agent_a@1 100 %.
    - Its number is known only after apply. If it is another one, the routing of that one is overwritten, and +1 switches to its onDelete routing. The API does not specify what callers hear then.
    stops: delete: +1 (support): switches to its onDelete routing, if its number is another one afterwards
    stops: replace: support: +1 → a number that is not known yet
    sends: the number of PUTs is known only after apply.
  `;

  told(
    "the numbers of a group that become known after apply, with retainOnDelete: those that leave keep their agents",
    group("update", "emea", of(A, "+1", "+2"), { ...of(A), numbers: UNKNOWN }, { retainOnDelete: true }),
  )`
    ⚠ emea may change its numbers (2 numbers now): which numbers leave is not known
    - Now: agent_a@1 100 %.
    - Its numbers are known only after apply. Each number that is not among them keeps what it has; the routing of each new one is overwritten. The API does not specify what callers hear then.
    stops: delete: emea: which numbers leave is not known
    sends: the number of PUTs is known only after apply.
  `;

  told(
    "the numbers of a group that become known after apply: the saved onDelete says what becomes of those that leave",
    group(
      "update",
      "emea",
      { ...of(A, "+1", "+2"), onDelete: { inboundAgents: B } },
      { ...of(A), numbers: UNKNOWN, onDelete: { inboundAgents: B } },
    ),
    group("update", "apac", of(A, "+3", "+4"), { ...of(A), numbers: UNKNOWN, onDelete: { inboundAgents: B } }),
  )`
    ⚠ apac may change its numbers (2 numbers now): which numbers leave is not known
    - Now: agent_a@1 100 %.
    - Its numbers are known only after apply. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.
    ⚠ emea may change its numbers (2 numbers now): which numbers leave is not known
    - Now: agent_a@1 100 %.
    - Its numbers are known only after apply. Each number that is not among them switches to its onDelete routing; the routing of each new one is overwritten. The API does not specify what callers hear then.
    May be sent again: group apac (numbers known after apply)
    stops: delete: apac: which numbers leave is not known
    stops: delete: emea: which numbers leave is not known
    sends: the number of PUTs is known only after apply.
  `;

  for (const op of ["update", "replace"]) {
    told(
      `the numbers of a group that become known after apply: which leave is not known (${op})`,
      group(op, "emea", of(A, "+1", "+2"), { ...of(A), numbers: UNKNOWN }),
    )`
      ⚠ emea may change its numbers (2 numbers now): which numbers leave is not known
      - Now: agent_a@1 100 %.
      - Its numbers are known only after apply. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.
      stops: delete: emea: which numbers leave is not known
      sends: the number of PUTs is known only after apply.
    `;
  }

  told(
    "the numbers of a group that become masked, with a new split: each is sent or cleared",
    group("update", "emea", of(A, "+1", "+2"), { ...of(B), numbers: SECRET }),
  )`
    ⚠ emea may change its numbers (2 numbers now): which numbers leave is not known
    - Now: agent_a@1 100 %.
    - Its numbers are masked. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.
    agent_b@9 joins group emea (numbers masked) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - ${NO_GUARDS}
    stops: delete: emea: which numbers leave is not known
    stops: shift: group emea (numbers masked): 100 percentage points
    sends: at least 2 PUTs.
  `;

  told(
    "masked numbers of a group that are shown from now on",
    group("update", "emea", { ...of(A), numbers: SECRET }, of(A, "+1")),
  )`
    ⚠ emea may change its numbers (hidden numbers now): which numbers leave is not known
    - Now: agent_a@1 100 %.
    - Its numbers are masked. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.
    stops: delete: emea: which numbers leave is not known
    sends: the number of PUTs is known only after apply.
  `;
});
