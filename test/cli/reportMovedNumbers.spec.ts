import { A, ALL_AT_ONCE, B, group, KEEP_IT, line, list, NO_GUARDS, of, single, told } from "./reportSteps";

const BOUND = { inboundWebhookUrl: "https://hooks.example/x", outboundAgentId: "agent_o" };

describe("the report of numbers that move from one resource to another", () => {
  told(
    "an assignment into a group with another agent: the step counts, and what only it bound is cleared",
    group("update", "emea", of(B, "+5"), of(B, "+2", "+5")),
    single("delete", "two", { number: "+2", inboundAgents: A, ...BOUND }),
  )`
    1 number joins emea (1 → 2) and gets its routing (agent_b@9 100 %) at once
    - 1 number of this stack moves here: no moment without agents.
    - 1 number from two: agent_a@1 100 % → agent_b@9 100 %, 100 points; outbound agent agent_o → none; webhook https://hooks.example/x → none.
    stops: shift: 1 number from two to emea: 100 percentage points
    sends: 2 PUTs, 1 of which clears something, in up to 3 requests.
  `;

  told(
    "from group to group",
    group("update", "emea", of(A, "+1", "+2"), of(A, "+1")),
    group("update", "apac", of(B, "+5"), of(B, "+2", "+5")),
  )`
    1 number joins apac (1 → 2) and gets its routing (agent_b@9 100 %) at once
    - 1 number of this stack moves here: no moment without agents.
    - 1 number from emea: agent_a@1 100 % → agent_b@9 100 %, 100 points.
    stops: shift: 1 number from emea to apac: 100 percentage points
    sends: 1 PUT.
  `;

  const labelled = (numbers: string) => ({ numbers, inboundAgents: A });

  told(
    "out of a group with labels: what is left of the group is not told as a change of its own",
    group("replace", "emea", labelled("+1\tone\n+2\ttwo\n"), labelled("+2\ttwo\n")),
    single("create", "vip", undefined, line("+1", A)),
  )`
    Renamed, keeps its agents: +1 (vip)
    - Declared as emea until now, as vip from now on.
    sends: 1 PUT.
  `;

  told(
    "out of a group in which another label changes",
    group("replace", "emea", labelled("+1\tone\n+2\ttwo\n"), labelled("+2\tTwo\n")),
    single("create", "vip", undefined, line("+1", A)),
  )`
    Renamed, keeps its agents: +1 (vip)
    - Declared as emea until now, as vip from now on.
    1 number (emea): recorded, nothing is sent
    - Labels change. They are shown, but never sent.
    sends: 1 PUT.
  `;

  told(
    "into a component, under the same name",
    single("create", "one", undefined, line("+1", A), { parent: "acme:Office" }),
    single("delete", "one", line("+1", A)),
  )`
    Moved in the program, keeps its agents: +1 (one)
    - The name stays; the parent or the type is another one.
    sends: 1 PUT.
  `;

  told(
    "two assignments into a new group: nothing is taken over",
    group("create", "all", undefined, of(B, "+1", "+2")),
    single("delete", "one", line("+1", A)),
    single("delete", "two", line("+2", A)),
  )`
    agent_b@9 joins 2 numbers (all) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - Declared as one, two until now, as all from now on; the provider cannot check maxShift together with a new name, but this report does.
    - ${NO_GUARDS}
    stops: shift: 2 numbers (all): 100 percentage points
    sends: 2 PUTs.
  `;

  told(
    "two groups into a new one, each from its own split",
    group("create", "all", undefined, of(B, "+1", "+2")),
    group("delete", "x", of(A, "+1")),
    group("delete", "y", of(B, "+2")),
  )`
    agent_b@9 joins 1 number (all) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - Declared as x until now, as all from now on; the provider cannot check maxShift together with a new name, but this report does.
    - ${NO_GUARDS}
    Renamed, keeps its agents: 1 number (all)
    - Declared as y until now, as all from now on.
    stops: shift: 1 number (all): 100 percentage points
    sends: 2 PUTs.
  `;

  told(
    "a renamed group with one number more: that one alone is taken over",
    group("create", "new", undefined, of(A, "+1", "+2", "+3")),
    group("delete", "old", { numbers: list("+1", "+2"), inboundAgents: A, ...BOUND }),
  )`
    First assignment overwrites 1 number (new) with agent_a@1 100 %
    - Overwritten: the routing that this number has today. It cannot be read back: write down the values of the platform's web application before you merge.
    - Not declared: outboundAgentId, inboundWebhookUrl, isTimeRoutingEnabled. The API does not specify whether a PUT keeps or clears them.
    - ${NO_GUARDS}
    Outbound agent and webhook change on 2 numbers (new)
    - Declared as old until now, as new from now on.
    sends: 5 PUTs, 2 of which clear something, in up to 3 requests each.
  `;

  told(
    "into a group that binds no agent any more",
    group("update", "emea", of(B, "+5"), of({}, "+2", "+5")),
    group("update", "apac", of(A, "+2", "+6"), of(A, "+6")),
  )`
    ⚠ 1 number joins emea (1 → 2) and gets its routing (no agents) at once
    - 1 number of this stack moves here: no moment without agents.
    - 1 number from apac: agent_a@1 100 % → no agents, 100 points.
    ⚠ No inbound agents left on 1 number (emea): agent_b@9 100 % → none
    - The API does not specify what happens to calls in progress.
    - The API does not specify what callers hear then.
    - Moves 100 percentage points of traffic.
    - ${NO_GUARDS}
    stops: delete: 1 number from apac to emea: no inbound agents left
    stops: delete: 1 number (emea): no inbound agents left
    stops: shift: 1 number from apac to emea: 100 percentage points
    stops: shift: 1 number (emea): 100 percentage points
    sends: 2 PUTs, 1 of which clears something, in up to 3 requests.
  `;

  told(
    "a number that an earlier run did not reach moves: it is not sent again where it was",
    group("update", "emea", of(B, "+5"), of(B, "+2", "+5")),
    group(
      "update",
      "apac",
      {
        numbers: list("+2", "+6"),
        inboundAgents: A,
        unapplied: [{ numbers: list("+2"), reason: "not sent", applied: { inboundAgents: A } }],
      },
      of(A, "+6"),
    ),
  )`
    1 number joins emea (1 → 2) and gets its routing (agent_b@9 100 %) at once
    - 1 number of this stack moves here: no moment without agents.
    - 1 number from apac: agent_a@1 100 % → agent_b@9 100 %, 100 points.
    stops: shift: 1 number from apac to emea: 100 percentage points
    stops: unresolved: 1 number from apac to emea: the split before is not applied everywhere, and a new one is declared
    sends: 1 PUT.
  `;

  told(
    "a renamed number with retainOnDelete: nobody clears what only the old name bound",
    single("create", "new", undefined, line("+1", A)),
    single("delete", "old", { number: "+1", inboundAgents: A, ...BOUND }, undefined, { retainOnDelete: true }),
  )`
    Outbound agent and webhook change on +1 (new)
    - Declared as old until now, as new from now on.
    sends: 1 PUT.
  `;

  told(
    "a renamed group is a PUT for each of its numbers",
    group("create", "new", undefined, of(A, "+1", "+2", "+3")),
    group("delete", "old", of(A, "+1", "+2", "+3")),
  )`
    Renamed, keeps its agents: 3 numbers (new)
    - Declared as old until now, as new from now on.
    sends: 3 PUTs.
  `;
});

describe("the report of numbers that are swapped, replaced or sent again", () => {
  told(
    "two assignments that swap their numbers",
    single("replace", "a", line("+1", A), line("+2", A)),
    single("replace", "b", line("+2", B), line("+1", B)),
  )`
    ⚠ a changes its number: +1 → +2
    - +2 is of this stack, declared as b until now: no moment without agents.
    - 1 number from b: agent_b@9 100 % → agent_a@1 100 %, 100 points.
    - +1 goes to b, with the routing that is declared there.
    ⚠ b changes its number: +2 → +1
    - +1 is of this stack, declared as a until now: no moment without agents.
    - 1 number from a: agent_a@1 100 % → agent_b@9 100 %, 100 points.
    - +2 goes to a, with the routing that is declared there.
    stops: replace: a: +1 → +2
    stops: replace: b: +2 → +1
    stops: shift: 1 number from b to a: 100 percentage points
    stops: shift: 1 number from a to b: 100 percentage points
    sends: 2 PUTs.
  `;

  told(
    "an assignment whose old number joins a group",
    single("replace", "a", line("+1", A), line("+2", A)),
    group("update", "emea", of(B, "+5"), of(B, "+1", "+5")),
  )`
    ⚠ a changes its number: +1 → +2
    - The routing that +2 has today is overwritten, and cannot be read back.
    - +1 goes to emea, with the routing that is declared there.
    1 number joins emea (1 → 2) and gets its routing (agent_b@9 100 %) at once
    - 1 number of this stack moves here: no moment without agents.
    - 1 number from a: agent_a@1 100 % → agent_b@9 100 %, 100 points.
    stops: replace: a: +1 → +2
    stops: shift: 1 number from a to emea: 100 percentage points
    sends: 2 PUTs.
  `;

  told(
    "an assignment that changes its number, with a fallback for the old one",
    single("replace", "a", { number: "+1", inboundAgents: A, onDelete: { inboundAgents: B } }, line("+2", A)),
  )`
    ⚠ a changes its number: +1 → +2
    - The routing that +2 has today is overwritten, and cannot be read back.
    - +1 switches to its onDelete routing, agent_b@9 100 %.
    stops: delete: +1 (a): switches to its onDelete routing
    stops: replace: a: +1 → +2
    sends: 2 PUTs.
  `;

  told(
    "the fallback of a number without agents is sent all the same",
    single("delete", "a", { number: "+1", inboundAgents: {}, onDelete: { inboundAgents: B } }),
  )`
    ⚠ +1 (a) switches to its onDelete routing
    - Now: no agents. After: the onDelete routing, agent_b@9 100 %.
    - ${KEEP_IT}
    stops: delete: +1 (a): switches to its onDelete routing
    sends: 1 PUT.
  `;

  told(
    "two numbers sent again are not named as one",
    single(
      "update",
      "a",
      {
        number: "+1",
        inboundAgents: A,
        unapplied: [{ numbers: "+1\n", reason: "unknown", applied: { inboundAgents: A } }],
      },
      line("+1", A),
    ),
    single(
      "update",
      "b",
      {
        number: "+2",
        inboundAgents: B,
        unapplied: [{ numbers: "+2\n", reason: "unknown", applied: { inboundAgents: B } }],
      },
      line("+2", B),
    ),
  )`
    Sent again: 2 numbers
    - ⚠ 2 of 2 numbers were not applied in an earlier run (the outcome of the request was not known), and are sent again.
    sends: 2 PUTs.
  `;
});
