import assert from "node:assert/strict";
import {
  A,
  ALL_AT_ONCE,
  B,
  group,
  KEEP_IT,
  line,
  list,
  modelOf,
  NO_AGENTS,
  NO_GUARDS,
  of,
  SECRET,
  single,
  told,
} from "./reportSteps";

describe("the report of numbers that an earlier run did not apply, and of removed numbers", () => {
  told(
    "a number that never got anything is not cleared",
    group(
      "replace",
      "emea",
      {
        numbers: list("+1", "+2", "+3"),
        inboundAgents: A,
        unapplied: [{ numbers: list("+2"), reason: "rejected" }],
      },
      of(A, "+1"),
    ),
  )`
    ⚠ 1 number loses its agents: +3 (leaves emea)
    - ${NO_AGENTS}
    - ${KEEP_IT}
    stops: delete: 1 number of emea: loses its agents
    sends: 1 PUT that clears something, in up to 3 requests.
  `;

  told(
    "the delete of a group clears no number that never got anything",
    group("delete", "emea", {
      numbers: list("+1", "+2"),
      inboundAgents: A,
      unapplied: [{ numbers: list("+2"), reason: "rejected" }],
    }),
  )`
    ⚠ 1 number (emea) loses its agents
    - ${NO_AGENTS}
    - ${KEEP_IT}
    stops: delete: 1 number (emea): loses its agents
    sends: 1 PUT that clears something, in up to 3 requests.
  `;

  told(
    "a number that never got anything of its group is taken over elsewhere",
    group("delete", "emea", {
      numbers: list("+2"),
      inboundAgents: A,
      unapplied: [{ numbers: list("+2"), reason: "rejected" }],
    }),
    single("create", "two", undefined, line("+2", B)),
  )`
    First assignment overwrites +2 (two) with agent_b@9 100 %
    - Overwritten: the routing that this number has today. It cannot be read back: write down the values of the platform's web application before you merge.
    - Not declared: outboundAgentId, inboundWebhookUrl, isTimeRoutingEnabled. The API does not specify whether a PUT keeps or clears them.
    - ${NO_GUARDS}
    sends: 1 PUT.
  `;

  told(
    "one that was rejected moves: the step is that from what it holds",
    group(
      "update",
      "emea",
      {
        numbers: list("+1", "+2"),
        inboundAgents: A,
        unapplied: [{ numbers: list("+2"), reason: "rejected", applied: { inboundAgents: B } }],
      },
      of(A, "+1"),
    ),
    single("create", "two", undefined, line("+2", A)),
  )`
    agent_a@1 joins +2 (two) at 100 %; agent_b@9 leaves
    - ${ALL_AT_ONCE}
    - Declared as emea until now, as two from now on; the provider cannot check maxShift together with a new name, but this report does.
    - ⚠ 1 of 1 number was not applied in an earlier run (the API rejected it), and is sent again.
    - ${NO_GUARDS}
    stops: shift: +2 (two): 100 percentage points
    sends: 1 PUT.
  `;

  told(
    "the delete of a group clears what an earlier routing may have left, masked or not",
    group("delete", "emea", {
      numbers: list("+1"),
      inboundAgents: {},
      unapplied: [{ numbers: list("+1"), reason: "unknown", applied: SECRET }],
    }),
  )`
    ⚠ 1 number (emea) loses its agents
    - Now: a masked split. After: no agents. The API does not specify what callers hear then.
    - An earlier run applied this only in part, so some numbers may still have their earlier routing.
    - ${KEEP_IT}
    stops: delete: 1 number (emea): loses its agents
    sends: 1 PUT that clears something, in up to 3 requests.
  `;

  const leftover = group("delete-replaced", "emea", of(A, "+1", "+2", "+9"));
  told(
    "a pending delete of an earlier run: which numbers it clears is not shown without the group's own step",
    leftover,
  )`
    ⚠ Numbers that left emea in an earlier run lose their agents now: that run ended before it cleared them
    - Of 3 numbers, each that the program no longer declares is cleared. A preview cannot tell which; npx pulumi-agent-platform show <number> can.
    stops: delete: emea: numbers that left it in an earlier run
    sends: the number of PUTs is known only after apply.
  `;

  told(
    "a pending delete beside the unchanged group, as the engine's events show it",
    group("same", "emea", of(A, "+1", "+2"), of(A, "+1", "+2")),
    leftover,
  )`
    ⚠ 1 number (emea) loses its agents
    - ${NO_AGENTS}
    - ${KEEP_IT}
    stops: delete: 1 number (emea): loses its agents
    sends: 1 PUT that clears something, in up to 3 requests.
  `;

  told(
    "a pending delete beside a replacement of the same group, which has the same id: each is told",
    leftover,
    group("replace", "emea", of(A, "+1", "+2"), of(A, "+1")),
  )`
    ⚠ 1 number loses its agents: +2 (leaves emea)
    - ${NO_AGENTS}
    - ${KEEP_IT}
    ⚠ 2 numbers (emea) lose their agents
    - ${NO_AGENTS}
    - ${KEEP_IT}
    stops: delete: 1 number of emea: loses its agents
    stops: delete: 2 numbers (emea): lose their agents
    sends: 3 PUTs that clear something, in up to 3 requests each.
  `;

  told(
    "a pending delete of a number that is declared elsewhere clears nothing",
    group("update", "emea", of(A, "+1", "+2"), of(B, "+1", "+2")),
    leftover,
    single("create", "nine", undefined, line("+9", A)),
  )`
    agent_b@9 joins 2 numbers (emea) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - ${NO_GUARDS}
    Renamed, keeps its agents: +9 (nine)
    - Declared as emea until now, as nine from now on.
    stops: shift: 2 numbers (emea): 100 percentage points
    sends: 3 PUTs.
  `;

  const neverGot = group(
    "update",
    "emea",
    {
      ...of({ "agent_a@1": 20, "agent_b@9": 80 }, "+1", "+2"),
      unapplied: [{ numbers: list("+1", "+2"), reason: "unknown", applied: { inboundAgents: A } }],
    },
    of(B, "+1", "+2"),
  );

  told("a step is judged from what was applied last, not from a split that no number got", neverGot)`
    agent_b@9 joins 2 numbers (emea) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - ⚠ 2 of 2 numbers were not applied in an earlier run (the outcome of the request was not known), and are sent again.
    - ${NO_GUARDS}
    stops: shift: 2 numbers (emea): 100 percentage points
    stops: unresolved: 2 numbers (emea): the split before is not applied everywhere, and a new one is declared
    sends: 2 PUTs.
  `;

  it("a table begins with what was applied last, not with a split that no number got", () => {
    const rows = modelOf([neverGot]).cards.flatMap(({ agents }) => agents?.rows ?? []);
    assert.deepEqual(
      rows.map(({ agent, before, after }) => [agent, before, after]),
      [
        ["agent_a@1", 100, undefined],
        ["agent_b@9", undefined, 100],
      ],
    );
  });

  told(
    "a step is judged from what a request of unknown outcome may have left, too",
    group(
      "update",
      "emea",
      {
        ...of({ "agent_a@1": 40, "agent_b@9": 60 }, "+1"),
        unapplied: [
          {
            numbers: list("+1"),
            reason: "unknown",
            applied: { inboundAgents: { "agent_a@1": 60, "agent_b@9": 40 } },
            maybe: { inboundAgents: { "agent_a@1": 40, "agent_b@9": 60 } },
          },
        ],
      },
      of({ "agent_a@1": 80, "agent_b@9": 20 }, "+1"),
    ),
  )`
    Traffic split on 1 number (emea): agent_a@1 60 % → 80 %
    - Moves 40 percentage points of traffic.
    - ⚠ 1 of 1 number was not applied in an earlier run (the outcome of the request was not known), and is sent again.
    - ${NO_GUARDS}
    stops: shift: 1 number (emea): 40 percentage points
    stops: unresolved: 1 number (emea): the split before is not applied everywhere, and a new one is declared
    sends: 1 PUT.
  `;

  told(
    "of a group that is partly applied, the step of those that are farthest behind counts",
    group(
      "update",
      "emea",
      {
        ...of({ "agent_a@1": 60, "agent_b@9": 40 }, "+1", "+2"),
        unapplied: [{ numbers: list("+2"), reason: "rejected", applied: { inboundAgents: A } }],
      },
      of({ "agent_a@1": 40, "agent_b@9": 60 }, "+1", "+2"),
    ),
  )`
    Traffic split on 2 numbers (emea): agent_b@9 40 % → 60 %
    - Moves 60 percentage points of traffic.
    - ⚠ 1 of 2 numbers was not applied in an earlier run (the API rejected it), and is sent again.
    - ${NO_GUARDS}
    stops: shift: 2 numbers (emea): 60 percentage points
    stops: unresolved: 2 numbers (emea): the split before is not applied everywhere, and a new one is declared
    sends: 2 PUTs.
  `;

  told(
    "numbers that leave, with a fallback: the one that was declared until now",
    group(
      "replace",
      "emea",
      { numbers: list("+1", "+2"), inboundAgents: A, onDelete: { inboundAgents: B } },
      of(A, "+1"),
    ),
  )`
    ⚠ 1 number of emea switches to its onDelete routing
    - After: the onDelete routing, agent_b@9 100 %.
    - ${KEEP_IT}
    Settings of 1 number (emea): recorded, nothing is sent
    stops: delete: 1 number of emea: switches to its onDelete routing
    sends: 1 PUT.
  `;

  told(
    "a number that leaves a group on its way to another platform is forgotten, not cleared",
    group("update", "emea", of(A, "+1", "+2"), {
      numbers: list("+1"),
      inboundAgents: A,
      endpoint: "https://other.example",
    }),
  )`
    1 number (emea): to another platform, https://other.example
    - Moves from https://platform.example to https://other.example. The routing at https://platform.example is unchanged; remove it there if unwanted.
    Forgotten, keeps its agents: 1 number of emea
    stops: delete: 1 number of emea: forgotten by this stack
    sends: 1 PUT.
  `;
});
