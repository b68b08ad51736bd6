import {
  A,
  ALL_AT_ONCE,
  B,
  group,
  KEEP_IT,
  line,
  list,
  NO_AGENTS,
  NO_GUARDS,
  of,
  SECRET,
  single,
  told,
} from "./reportSteps";

const BOUND = { inboundWebhookUrl: "https://hooks.example/x", outboundAgentId: "agent_o" };

describe("the report of what is replaced, or emptied", () => {
  told(
    "a group made anew sends to each of its numbers",
    group("replace", "emea", of(A, "+1", "+2"), of(A, "+1", "+2")),
  )`
    ⚠ emea is replaced: 2 numbers are assigned again
    - The new group sends its routing to all of its numbers, then the old one clears those that nothing declares any more.
    stops: replace: emea: replaced
    sends: 2 PUTs.
  `;

  told(
    "a group that numbers leave is a replacement for the engine alone: joins, leaves and a change in place",
    group("replace", "emea", { numbers: list("+1", "+2", "+3"), inboundAgents: A, ...BOUND }, of(B, "+1", "+4")),
  )`
    ⚠ 2 numbers lose their agents: they leave emea (3 → 2)
    - ${NO_AGENTS}
    - ${KEEP_IT}
    agent_b@9 joins 1 number (emea) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - ${NO_GUARDS}
    1 number joins emea (3 → 2) and gets its routing (agent_b@9 100 %) at once, which overwrites the number
    - Overwritten: the routing that this number has today. It cannot be read back: write down the values of the platform's web application before you merge.
    - Not declared: outboundAgentId, inboundWebhookUrl, isTimeRoutingEnabled. The API does not specify whether a PUT keeps or clears them.
    stops: delete: 2 numbers of emea: lose their agents
    stops: shift: 1 number (emea): 100 percentage points
    sends: 4 PUTs, 3 of which clear something, in up to 3 requests each.
  `;

  told(
    "with retainOnDelete what leaves a group keeps its agents, and nothing is sent",
    group("replace", "emea", of(A, "+1", "+2"), of(A, "+1"), { retainOnDelete: true }),
  )`
    Forgotten, keeps its agents: 1 number of emea
    - Nothing is sent, because of retainOnDelete. No Pulumi state records them afterwards.
    stops: delete: 1 number of emea: forgotten by this stack
    sends: 0 PUTs.
  `;

  told(
    "a number made anew with another split and fewer bindings",
    single("replace", "support", { number: "+1", inboundAgents: A, ...BOUND }, line("+1", B)),
  )`
    support is replaced: +1 is assigned again
    stops: replace: support: +1 → +1
    stops: shift: +1 (support): 100 percentage points
    sends: 2 PUTs, 1 of which clears something, in up to 3 requests.
  `;

  told(
    "an empty split if none was managed is no agent any more",
    single(
      "update",
      "support",
      { number: "+1", outboundAgentId: "agent_o" },
      { number: "+1", outboundAgentId: "agent_o", inboundAgents: {} },
    ),
  )`
    ⚠ No inbound agents left on +1 (support): inbound agents not managed → none
    - Unchanged: outbound agent; it is sent again with each PUT.
    stops: delete: +1 (support): no inbound agents left
    stops: shift: +1 (support): the size of the change is not known
    sends: 1 PUT.
  `;

  told(
    "an empty split if the one before is masked is no agent any more",
    single("update", "support", { number: "+1", inboundAgents: { agent_a: SECRET } }, line("+1", {})),
  )`
    ⚠ No inbound agents left on +1 (support): a masked split → none
    stops: delete: +1 (support): no inbound agents left
    stops: shift: +1 (support): the size of the change is not known
    sends: 1 PUT that clears something, in up to 3 requests.
  `;

  told(
    "an empty split that stays empty takes nothing from anybody",
    single("update", "support", line("+1", {}), { number: "+1", inboundAgents: {}, maxShift: 10 }),
  )`
    Settings of +1 (support): recorded, nothing is sent
    sends: 0 PUTs.
  `;
});
