import { A, B, group, line, list, of, single, told, UNKNOWN } from "./reportSteps";

const BOUND = { inboundWebhookUrl: "https://hooks.example/x", outboundAgentId: "agent_o" };
/** What an earlier run did not apply. */
const missed = (numbers: string, reason: string, applied?: object, maybe?: object) => ({
  unapplied: [{ numbers, reason, ...(applied && { applied }), ...(maybe && { maybe }) }],
});

describe("the report of numbers that move from one resource to another", () => {
  told("into a group with another agent: the step counts, and what only the old one bound is cleared", [
    group("update", "emea", of(B, "+5"), of(B, "+2", "+5")),
    single("delete", "two", { number: "+2", inboundAgents: A, ...BOUND }),
  ])`
    ⚠ Traffic on 1 number (emea): agent_b@9 none → 100 %, agent_a@1 100 % → none, all calls at once
    - Moves 100 percentage points of traffic.
    - Declared as two until now, as emea from now on: no moment without agents.
    stops: shift: 1 number (emea): 100 percentage points
    sends: at least 1 PUT.
  `;

  told("out of a group: what is left of the group is not told as a change of its own", [
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

  told("two resources into a new group, with a number that is new to the stack", [
    group("create", "all", undefined, of(B, "+1", "+2", "+3")),
    single("delete", "one", line("+1", A)),
    single("delete", "two", line("+2", B)),
  ])`
    ⚠ Traffic on 1 number (all): agent_b@9 none → 100 %, agent_a@1 100 % → none, all calls at once
    - Moves 100 percentage points of traffic.
    - Declared as one until now, as all from now on: no moment without agents.
    First assignment overwrites 1 number (all) with agent_b@9 100 %
    Renamed, keeps its agents: 1 number (all)
    - Declared as two until now, as all from now on: no moment without agents.
    stops: shift: 1 number (all): 100 percentage points
    sends: 3 PUTs.
  `;

  told("two assignments that swap their numbers", [
    single("replace", "a", line("+1", A), line("+2", A)),
    single("replace", "b", line("+2", B), line("+1", B)),
  ])`
    ⚠ Traffic on +1 (b): agent_b@9 none → 100 %, agent_a@1 100 % → none, all calls at once
    - Moves 100 percentage points of traffic.
    - Declared as a until now, as b from now on: no moment without agents.
    ⚠ Traffic on +2 (a): agent_a@1 none → 100 %, agent_b@9 100 % → none, all calls at once
    - Moves 100 percentage points of traffic.
    - Declared as b until now, as a from now on: no moment without agents.
    stops: replace: b: +2 → +1
    stops: replace: a: +1 → +2
    stops: shift: +1 (b): 100 percentage points
    stops: shift: +2 (a): 100 percentage points
    sends: 2 PUTs.
  `;
});

describe("the report of numbers that an earlier run did not apply", () => {
  told("a number that never got anything of its group is not cleared, and is assigned for the first time elsewhere", [
    group("replace", "emea", { ...of(A, "+1", "+2", "+3"), ...missed(list("+2"), "rejected") }, of(A, "+1")),
    single("create", "two", undefined, line("+2", B)),
  ])`
    ⚠ 1 number (emea) loses its agents
    - Now: agent_a@1 100 %. The API does not specify what callers hear afterwards.
    - To keep the agents, set the resource option retainOnDelete: true and merge that first.
    First assignment overwrites +2 (two) with agent_b@9 100 %
    stops: delete: 1 number (emea): loses its agents
    sends: at least 2 PUTs.
  `;

  told("a step is judged from what was applied last, not from a split that no number got", [
    group(
      "update",
      "emea",
      {
        ...of({ "agent_a@1": 20, "agent_b@9": 80 }, "+1", "+2"),
        ...missed(list("+1", "+2"), "unknown", { inboundAgents: A }),
      },
      of(B, "+1", "+2"),
    ),
  ])`
    ⚠ Traffic on 2 numbers (emea): agent_b@9 none → 100 %, agent_a@1 100 % → none, all calls at once
    - Moves 100 percentage points of traffic.
    - 2 numbers not applied in an earlier run (the outcome of the request was not known), so they are sent again.
    stops: shift: 2 numbers (emea): 100 percentage points
    stops: unresolved: 2 numbers (emea): the split before is not applied everywhere, and a new one is declared
    sends: 2 PUTs.
  `;

  told("a step is judged from what a request of unknown outcome may have left, too", [
    group(
      "update",
      "emea",
      {
        ...of({ "agent_a@1": 40, "agent_b@9": 60 }, "+1"),
        ...missed(
          list("+1"),
          "unknown",
          { inboundAgents: { "agent_a@1": 60, "agent_b@9": 40 } },
          { inboundAgents: { "agent_a@1": 40, "agent_b@9": 60 } },
        ),
      },
      of({ "agent_a@1": 80, "agent_b@9": 20 }, "+1"),
    ),
  ])`
    Traffic on 1 number (emea): agent_a@1 60 % → 80 %
    - Moves 40 percentage points of traffic.
    - 1 number not applied in an earlier run (the outcome of the request was not known), so it is sent again.
    stops: shift: 1 number (emea): 40 percentage points
    stops: unresolved: 1 number (emea): the split before is not applied everywhere, and a new one is declared
    sends: 1 PUT.
  `;

  told("what an earlier run may have left, which the preview masks, is of unknown size", [
    single("update", "a", { ...line("+1", A), unapplied: "[secret]" }, line("+1", B)),
  ])`
    Traffic on +1 (a): a split that is not known yet → agent_b@9 100 %
    - not applied in an earlier run (the outcome of the request was not known), so it is sent again.
    stops: shift: +1 (a): the size of the change is not known
    stops: unresolved: +1 (a): the split before is not applied everywhere, and a new one is declared
    sends: 1 PUT.
  `;

  const leftover = group("delete-replaced", "emea", of(A, "+1", "+2", "+9"));
  told("a pending delete: which numbers it clears is not shown without the group's own step", [leftover])`
    ⚠ Numbers of emea may lose their agents: which ones is known only in the run
    - Now: agent_a@1 100 %.
    stops: delete: emea: which numbers leave is not known
    sends: the number of PUTs is known only after apply.
  `;

  told("a pending delete beside the unchanged group, as the engine's events show it", [
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
  told("a group made anew sends to each of its numbers", [
    group("replace", "emea", { ...of(A, "+1", "+2"), ...BOUND }, of(A, "+1", "+2")),
  ])`
    On 2 numbers (emea): outbound agent agent_o → none · webhook https://hooks.example/x → none
    - The resource is made anew, so every number is sent.
    stops: replace: emea: replaced
    sends: at least 2 PUTs.
  `;

  told("with retainOnDelete what leaves a group keeps its agents, and nothing is sent", [
    group("replace", "emea", of(A, "+1", "+2"), of(A, "+2"), { retainOnDelete: true }),
  ])`
    Forgotten, nothing is sent: 1 number (emea)
    - Callers keep what they have (agent_a@1 100 %), and no stack manages it any more.
    stops: delete: 1 number (emea): forgotten by this stack
    sends: 0 PUTs.
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

  told("a number that is known after apply may be another one, together with a new split", [
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

  told("labels and triggers", [
    group("update", "emea", { numbers: "+1\tone\n", inboundAgents: A }, { numbers: "+1\tOne\n", inboundAgents: A }),
    single("update", "two", line("+2", A), { ...line("+2", A), triggers: ["again"] }),
  ])`
    Sent again: +2 (two)
    - Sent again because triggers changed: this overwrites changes made in the web application.
    Recorded, nothing is sent: 1 number (emea)
    sends: 1 PUT.
  `;

  told("an empty split, and one that stays empty", [
    single("update", "a", { number: "+1" }, line("+1", {})),
    single("update", "b", line("+2", {}), { ...line("+2", {}), outboundAgentId: "agent_o" }),
  ])`
    ⚠ No inbound agents left on +1 (a): agents not managed here → none
    On +2 (b): outbound agent none → agent_o
    stops: delete: +1 (a): no inbound agents left
    stops: shift: +1 (a): the size of the change is not known
    sends: 2 PUTs.
  `;

  told("other weights with the same percentages, and first agents", [
    single(
      "update",
      "b",
      line("+2", { "agent_a@1": 1, "agent_b@9": 1 }),
      line("+2", { "agent_a@1": 2, "agent_b@9": 2 }),
    ),
    single("update", "c", line("+3", {}), line("+3", A)),
  ])`
    Other weights with the same percentages on +2 (b)
    - Moves 0 percentage points of traffic.
    Traffic on +3 (c): no agents → agent_a@1 100 %
    - Moves 0 percentage points of traffic.
    sends: 2 PUTs.
  `;
});
