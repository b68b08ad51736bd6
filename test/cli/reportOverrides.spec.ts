import { A, ALL_AT_ONCE, B, group, KEEP_IT, list, NO_AGENTS, NO_GUARDS, of, told, UNKNOWN } from "./reportSteps";

describe("the report of what differs for single numbers of a group", () => {
  told(
    "is shown for a new group",
    group("create", "emea", undefined, {
      numbers: list("+1", "+2"),
      inboundAgents: A,
      outboundAgentId: "agent_o",
      overrides: { "+2": { outboundAgentId: "agent_n", inboundWebhookUrl: "https://hooks.example/x?key=k" } },
    }),
  )`
    First assignment overwrites 2 numbers (emea) with agent_a@1 100 %
    - Overwritten: the routing that these 2 numbers have today. It cannot be read back: write down the values of the platform's web application before you merge.
    - Not declared: inboundWebhookUrl (except for 1 number), isTimeRoutingEnabled. The API does not specify whether a PUT keeps or clears them.
    - +2: outboundAgentId agent_o → agent_n, inboundWebhookUrl none → https://hooks.example/x?…
    - ${NO_GUARDS}
    sends: 2 PUTs.
  `;

  told(
    "goes back to what the group has, not to nothing",
    group(
      "update",
      "emea",
      {
        numbers: list("+1", "+2"),
        inboundAgents: A,
        outboundAgentId: "agent_o",
        outboundAgentVersion: 3,
        overrides: { "+2": { outboundAgentId: "agent_n" } },
      },
      { numbers: list("+1", "+2"), inboundAgents: A, outboundAgentId: "agent_o", outboundAgentVersion: 3 },
    ),
  )`
    Differences of single numbers in emea
    - +2: outboundAgentId agent_n → agent_o, outboundAgentVersion none → 3
    sends: 1 PUT.
  `;

  told(
    "known only after apply: who leaves is known all the same",
    group(
      "update",
      "emea",
      { numbers: list("+1", "+2"), inboundAgents: A, overrides: { "+2": { outboundAgentId: "agent_n" } } },
      { numbers: list("+1"), inboundAgents: A, overrides: UNKNOWN },
    ),
  )`
    ⚠ 1 number loses its agents: +2 (leaves emea)
    - ${NO_AGENTS}
    - ${KEEP_IT}
    Differences of single numbers in emea
    - What differs for single numbers is known only after apply.
    stops: delete: 1 number of emea: loses its agents
    sends: at least 1 PUT that clears something, in up to 3 requests.
  `;

  told(
    "is shown for a number that joins",
    group(
      "update",
      "emea",
      { numbers: list("+1"), inboundAgents: A, outboundAgentId: "agent_o" },
      {
        numbers: list("+1", "+2"),
        inboundAgents: A,
        outboundAgentId: "agent_o",
        overrides: { "+2": { outboundAgentId: "agent_n" } },
      },
    ),
  )`
    1 number joins emea (1 → 2) and gets its routing (agent_a@1 100 %) at once, which overwrites the number
    - Overwritten: the routing that this number has today. It cannot be read back: write down the values of the platform's web application before you merge.
    - Not declared: inboundWebhookUrl, isTimeRoutingEnabled. The API does not specify whether a PUT keeps or clears them.
    - +2: outboundAgentId agent_o → agent_n
    sends: 1 PUT.
  `;

  told(
    "is said to be known after apply",
    group("update", "emea", of(A, "+1", "+2"), {
      numbers: list("+1", "+2"),
      inboundAgents: A,
      overrides: { "+2": UNKNOWN },
    }),
  )`
    Differences of single numbers in emea
    - +2: known after apply
    sends: 1 PUT.
  `;

  const Hook = "https://hooks.example/x";
  const own = { inboundAgents: A, numbers: list("+1", "+2", "+3"), overrides: { "+2": { inboundWebhookUrl: Hook } } };

  told(
    "names who keeps a webhook, if that of the group goes",
    group("update", "emea", { ...own, inboundWebhookUrl: "https://hooks.example/all" }, own),
  )`
    Webhook on 3 numbers (emea): https://hooks.example/all → none
    - 1 number keeps its own webhook: +2. The others have none afterwards.
    sends: 3 PUTs that clear something, in up to 3 requests each.
  `;

  told(
    "names who keeps a webhook, if the group gets one",
    group("update", "emea", own, { ...own, inboundWebhookUrl: "https://hooks.example/all" }),
  )`
    Webhook on 3 numbers (emea): none → https://hooks.example/all
    - 1 number keeps its own webhook: +2.
    sends: 3 PUTs.
  `;

  told("says whose webhook is sent again beside a split", group("update", "emea", own, { ...own, inboundAgents: B }))`
    agent_b@9 joins 3 numbers (emea) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - Unchanged: webhook of 1 number; it is sent again with each PUT.
    - ${NO_GUARDS}
    stops: shift: 3 numbers (emea): 100 percentage points
    sends: 3 PUTs.
  `;

  told(
    "does not say that a number that joins gets its webhook again",
    group(
      "update",
      "emea",
      { ...own, numbers: list("+1"), overrides: {} },
      { ...own, inboundAgents: B, numbers: list("+1", "+2") },
    ),
  )`
    agent_b@9 joins 1 number (emea) at 100 %; agent_a@1 leaves
    - ${ALL_AT_ONCE}
    - ${NO_GUARDS}
    1 number joins emea (1 → 2) and gets its routing (agent_b@9 100 %) at once, which overwrites the number
    - Overwritten: the routing that this number has today. It cannot be read back: write down the values of the platform's web application before you merge.
    - Not declared: outboundAgentId, inboundWebhookUrl (except for 1 number), isTimeRoutingEnabled. The API does not specify whether a PUT keeps or clears them.
    - +2: inboundWebhookUrl none → https://hooks.example/x
    stops: shift: 1 number (emea): 100 percentage points
    sends: 2 PUTs.
  `;

  told(
    "tells a version of its own apart from the agent of the group, which changes",
    group(
      "update",
      "emea",
      {
        ...own,
        outboundAgentId: "agent_o",
        overrides: { "+2": { outboundAgentVersion: 7 }, "+3": { outboundAgentId: "agent_n" } },
      },
      {
        ...own,
        outboundAgentId: "agent_p",
        overrides: { "+2": { outboundAgentVersion: 7 }, "+3": { outboundAgentId: "agent_n" } },
      },
    ),
  )`
    Outbound agent on 3 numbers (emea): agent_o → agent_p
    - 1 number keeps its own outbound agent: +3.
    - +2: outboundAgentId agent_o → agent_p
    sends: 3 PUTs.
  `;

  told(
    "names who still has a webhook that an earlier run was to remove",
    group(
      "update",
      "emea",
      {
        ...of(A, "+1", "+2"),
        unapplied: [
          { numbers: list("+2"), reason: "rejected", applied: { inboundAgents: A, inboundWebhookUrl: Hook } },
        ],
      },
      of(A, "+1", "+2"),
    ),
  )`
    Sent again: 1 number (emea)
    - ⚠ 1 of 2 numbers was not applied in an earlier run (the API rejected it), and is sent again.
    - inboundWebhookUrl is removed now from 1 number that an earlier run may have left it on: +2.
    sends: 1 PUT.
  `;
});
