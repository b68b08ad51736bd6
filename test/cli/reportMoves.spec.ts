import assert from "node:assert/strict";
import { A, B, group, list, reportOf, single } from "./reportSteps";

const BOUND = { inboundWebhookUrl: "https://hooks.example/x", outboundAgentId: "agent_o" };

describe("the report of numbers that move inside the stack", () => {
  it("an assignment into a group with another agent: the step counts, and what only it bound is cleared", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+5"), inboundAgents: B },
          { numbers: list("+2", "+5"), inboundAgents: B },
        ),
        single("delete", "two", { number: "+2", inboundAgents: A, ...BOUND }),
      ),
      {
        cards: [
          [
            "1 number joins emea (1 → 2) and gets its routing (agent_b@9 100 %) at once",
            "1 number of this stack moves here: no moment without agents.",
            "1 number from two: agent_a@1 100 % → agent_b@9 100 %, 100 points; outbound agent agent_o → none; webhook https://hooks.example/x → none.",
          ],
        ],
        stops: ["shift: 1 number from two to emea: 100 percentage points"],
        onMerge: "2 PUTs (1 to clear something, with up to 3 requests each).",
      },
    );
  });

  it("from group to group", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A },
          { numbers: list("+1"), inboundAgents: A },
        ),
        group(
          "update",
          "apac",
          { numbers: list("+5"), inboundAgents: B },
          { numbers: list("+2", "+5"), inboundAgents: B },
        ),
      ),
      {
        cards: [
          [
            "1 number joins apac (1 → 2) and gets its routing (agent_b@9 100 %) at once",
            "1 number of this stack moves here: no moment without agents.",
            "1 number from emea: agent_a@1 100 % → agent_b@9 100 %, 100 points.",
          ],
        ],
        stops: ["shift: 1 number from emea to apac: 100 percentage points"],
        onMerge: "1 PUT.",
      },
    );
  });

  it("out of a group with labels: what is left of the group is not told as a change of its own", () => {
    const of = (numbers: string, inboundAgents = A) => ({ numbers, inboundAgents });
    const { cards } = reportOf(
      group("replace", "emea", of("+1\tone\n+2\ttwo\n"), of("+2\ttwo\n")),
      single("create", "vip", undefined, { number: "+1", inboundAgents: A }),
    );
    assert.deepEqual(cards, [
      ["Renamed, keeps its agents: +1 (vip)", "Declared as emea until now, as vip from now on."],
    ]);
    const labelled = group("replace", "emea", of("+1\tone\n+2\ttwo\n"), of("+2\tTwo\n"));
    assert.deepEqual(reportOf(labelled, single("create", "vip", undefined, { number: "+1", inboundAgents: A })).cards, [
      ["Renamed, keeps its agents: +1 (vip)", "Declared as emea until now, as vip from now on."],
      ["1 number (emea): recorded, nothing is sent", "Labels change. They are shown, but never sent."],
    ]);
  });

  it("into a component, under the same name", () => {
    const one = { number: "+1", inboundAgents: A };
    const { cards } = reportOf(
      single("create", "one", undefined, one, { parent: "acme:Office" }),
      single("delete", "one", one),
    );
    assert.deepEqual(cards, [
      ["Moved in the program, keeps its agents: +1 (one)", "The name stays; the parent or the type is another one."],
    ]);
  });

  it("to another provider of the same platform: another account, not another platform", () => {
    const at = (providerName?: string) => ({ number: "+1", inboundAgents: A, ...(providerName && { providerName }) });
    assert.deepEqual(reportOf(single("update", "one", at(), at("second"))).cards, [
      [
        '+1 (one): to another account, https://platform.example (provider "second")',
        'Moves from https://platform.example to https://platform.example (provider "second"). The routing at https://platform.example is unchanged; remove it there if unwanted.',
      ],
    ]);
  });

  it("two assignments into a new group: nothing is taken over", () => {
    assert.deepEqual(
      reportOf(
        group("create", "all", undefined, { numbers: list("+1", "+2"), inboundAgents: B }),
        single("delete", "one", { number: "+1", inboundAgents: A }),
        single("delete", "two", { number: "+2", inboundAgents: A }),
      ),
      {
        cards: [
          [
            "agent_b@9 joins 2 numbers (all) at 100 %; agent_a@1 leaves",
            "A new agent gets every call at once.",
            "The API does not specify what happens to calls in progress.",
            "Moves 100 percentage points of traffic.",
            "Declared as one, two until now, as all from now on; the provider cannot check maxShift together with a new name, but this report does.",
            "Guards: none configured for this split.",
          ],
        ],
        stops: ["shift: 2 numbers (all): 100 percentage points"],
        onMerge: "2 PUTs.",
      },
    );
  });

  it("two groups into a new one, each from its own split", () => {
    assert.deepEqual(
      reportOf(
        group("create", "all", undefined, { numbers: list("+1", "+2"), inboundAgents: B }),
        group("delete", "x", { numbers: list("+1"), inboundAgents: A }),
        group("delete", "y", { numbers: list("+2"), inboundAgents: B }),
      ),
      {
        cards: [
          [
            "agent_b@9 joins 1 number (all) at 100 %; agent_a@1 leaves",
            "A new agent gets every call at once.",
            "The API does not specify what happens to calls in progress.",
            "Moves 100 percentage points of traffic.",
            "Declared as x until now, as all from now on; the provider cannot check maxShift together with a new name, but this report does.",
            "Guards: none configured for this split.",
          ],
          ["Renamed, keeps its agents: 1 number (all)", "Declared as y until now, as all from now on."],
        ],
        stops: ["shift: 1 number (all): 100 percentage points"],
        onMerge: "2 PUTs.",
      },
    );
  });

  it("a renamed group with one number more: that one alone is taken over", () => {
    assert.deepEqual(
      reportOf(
        group("create", "new", undefined, { numbers: list("+1", "+2", "+3"), inboundAgents: A }),
        group("delete", "old", { numbers: list("+1", "+2"), inboundAgents: A, ...BOUND }),
      ),
      {
        cards: [
          [
            "First assignment of 1 number (new): agent_a@1 100 %",
            "Overwritten: the routing that this number has today. It cannot be read back: write down the values of the platform's web application before you merge.",
            "Not declared: outboundAgentId, inboundWebhookUrl, isTimeRoutingEnabled. The API does not specify whether a PUT keeps or clears them.",
            "Guards: none configured for this split.",
          ],
          ["Outbound agent and webhook change on 2 numbers (new)", "Declared as old until now, as new from now on."],
        ],
        stops: [],
        onMerge: "5 PUTs (2 to clear something, with up to 3 requests each).",
      },
    );
  });

  it("into a group that binds no agent any more", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+5"), inboundAgents: B },
          { numbers: list("+2", "+5"), inboundAgents: {} },
        ),
        group(
          "update",
          "apac",
          { numbers: list("+2", "+6"), inboundAgents: A },
          { numbers: list("+6"), inboundAgents: A },
        ),
      ),
      {
        cards: [
          [
            "⚠ 1 number joins emea (1 → 2) and gets its routing (no agents) at once",
            "1 number of this stack moves here: no moment without agents.",
            "1 number from apac: agent_a@1 100 % → no agents, 100 points.",
          ],
          [
            "⚠ No inbound agents left on 1 number (emea): agent_b@9 100 % → none",
            "The API does not specify what happens to calls in progress.",
            "The API does not specify what callers hear then.",
            "Moves 100 percentage points of traffic.",
            "Guards: none configured for this split.",
          ],
        ],
        stops: [
          "delete: 1 number from apac to emea: no inbound agents left",
          "delete: 1 number (emea): no inbound agents left",
          "shift: 1 number from apac to emea: 100 percentage points",
          "shift: 1 number (emea): 100 percentage points",
        ],
        onMerge: "2 PUTs (1 to clear something, with up to 3 requests each).",
      },
    );
  });

  it("a number that an earlier run did not reach moves: it is not sent again where it was", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+5"), inboundAgents: B },
          { numbers: list("+2", "+5"), inboundAgents: B },
        ),
        group(
          "update",
          "apac",
          {
            numbers: list("+2", "+6"),
            inboundAgents: A,
            unapplied: [{ numbers: list("+2"), reason: "not sent", applied: { inboundAgents: A } }],
          },
          { numbers: list("+6"), inboundAgents: A },
        ),
      ),
      {
        cards: [
          [
            "1 number joins emea (1 → 2) and gets its routing (agent_b@9 100 %) at once",
            "1 number of this stack moves here: no moment without agents.",
            "1 number from apac: agent_a@1 100 % → agent_b@9 100 %, 100 points.",
          ],
        ],
        stops: ["shift: 1 number from apac to emea: 100 percentage points"],
        onMerge: "1 PUT.",
      },
    );
  });

  it("a renamed number with retainOnDelete: nobody clears what only the old name bound", () => {
    assert.deepEqual(
      reportOf(
        single("create", "new", undefined, { number: "+1", inboundAgents: A }),
        single("delete", "old", { number: "+1", inboundAgents: A, ...BOUND }, undefined, { retainOnDelete: true }),
      ),
      {
        cards: [["Outbound agent and webhook change on +1 (new)", "Declared as old until now, as new from now on."]],
        stops: [],
        onMerge: "1 PUT.",
      },
    );
  });

  it("a renamed group is a PUT for each of its numbers", () => {
    assert.deepEqual(
      reportOf(
        group("create", "new", undefined, { numbers: list("+1", "+2", "+3"), inboundAgents: A }),
        group("delete", "old", { numbers: list("+1", "+2", "+3"), inboundAgents: A }),
      ),
      {
        cards: [["Renamed, keeps its agents: 3 numbers (new)", "Declared as old until now, as new from now on."]],
        stops: [],
        onMerge: "3 PUTs.",
      },
    );
  });
});
