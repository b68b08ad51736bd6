import assert from "node:assert/strict";
import { A, B, group, list, reportOf, SECRET, single } from "./reportSteps";

const BOUND = { inboundWebhookUrl: "https://hooks.example/x", outboundAgentId: "agent_o" };

describe("the report of what is made anew, or emptied", () => {
  it("a group made anew sends to each of its numbers", () => {
    assert.deepEqual(
      reportOf(
        group(
          "replace",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A },
          { numbers: list("+1", "+2"), inboundAgents: A },
        ),
      ),
      {
        cards: [
          [
            "⚠ emea is replaced: 2 numbers are assigned again",
            "The new group sends its routing to all of its numbers, then the old one clears those that nothing declares any more.",
          ],
        ],
        stops: ["replace: emea: replaced"],
        onMerge: "2 PUTs.",
      },
    );
  });

  it("a group that numbers leave is a replacement for the engine alone: joins, leaves and a change in place", () => {
    assert.deepEqual(
      reportOf(
        group(
          "replace",
          "emea",
          { numbers: list("+1", "+2", "+3"), inboundAgents: A, ...BOUND },
          { numbers: list("+1", "+4"), inboundAgents: B },
        ),
      ),
      {
        cards: [
          [
            "⚠ 2 numbers lose their agents: they leave emea (3 → 2)",
            "After: no agents. The API does not specify what callers hear then.",
            "To keep the agents, set the resource option retainOnDelete: true and merge that first. To move to another stack, do the same, then declare it there.",
          ],
          [
            "agent_b@9 joins 1 number (emea) at 100 %; agent_a@1 leaves",
            "A new agent gets every call at once.",
            "The API does not specify what happens to calls in progress.",
            "Moves 100 percentage points of traffic.",
            "Guards: none configured for this split.",
          ],
          [
            "1 number joins emea (3 → 2) and gets its routing (agent_b@9 100 %) at once",
            "Overwritten: the routing that this number has today. It cannot be read back: write down the values of the platform's web application before you merge.",
            "Not declared: outboundAgentId, inboundWebhookUrl, isTimeRoutingEnabled. The API does not specify whether a PUT keeps or clears them.",
          ],
        ],
        stops: ["delete: 2 numbers of emea: lose their agents", "shift: 1 number (emea): 100 percentage points"],
        onMerge: "4 PUTs (3 to clear something, with up to 3 requests each).",
      },
    );
  });

  it("with retainOnDelete what leaves a group keeps its agents, and nothing is sent", () => {
    assert.deepEqual(
      reportOf(
        group(
          "replace",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A },
          { numbers: list("+1"), inboundAgents: A },
          { retainOnDelete: true },
        ),
      ),
      {
        cards: [
          [
            "Forgotten, keeps its agents: 1 number of emea",
            "Nothing is sent, because of retainOnDelete. No Pulumi state records them afterwards.",
          ],
        ],
        stops: ["delete: 1 number of emea: forgotten by this stack"],
        onMerge: "0 PUTs.",
      },
    );
  });

  it("a group made anew with the same numbers, because a person wants it", () => {
    const values = { numbers: list("+1", "+2"), inboundAgents: A };
    assert.deepEqual(reportOf(group("replace", "emea", values, values)), {
      cards: [
        [
          "⚠ emea is replaced: 2 numbers are assigned again",
          "The new group sends its routing to all of its numbers, then the old one clears those that nothing declares any more.",
        ],
      ],
      stops: ["replace: emea: replaced"],
      onMerge: "2 PUTs.",
    });
  });

  it("a number made anew with another split and fewer bindings", () => {
    assert.deepEqual(
      reportOf(
        single("replace", "support", { number: "+1", inboundAgents: A, ...BOUND }, { number: "+1", inboundAgents: B }),
      ),
      {
        cards: [["support is replaced: +1 is assigned again"]],
        stops: ["replace: support: +1 → +1", "shift: +1 (support): 100 percentage points"],
        onMerge: "2 PUTs (1 to clear something, with up to 3 requests each).",
      },
    );
  });

  it("an empty split where none was managed is no agent any more", () => {
    assert.deepEqual(
      reportOf(
        single(
          "update",
          "support",
          { number: "+1", outboundAgentId: "agent_o" },
          { number: "+1", outboundAgentId: "agent_o", inboundAgents: {} },
        ),
      ),
      {
        cards: [
          [
            "⚠ No inbound agents left on +1 (support): inbound agents not managed → none",
            "Unchanged: outbound agent; it is sent again with each PUT.",
          ],
        ],
        stops: [
          "delete: +1 (support): no inbound agents left",
          "shift: +1 (support): the size of the change is not known",
        ],
        onMerge: "1 PUT.",
      },
    );
  });

  it("an empty split where the one before is masked is no agent any more", () => {
    assert.deepEqual(
      reportOf(
        single(
          "update",
          "support",
          { number: "+1", inboundAgents: { agent_a: SECRET } },
          { number: "+1", inboundAgents: {} },
        ),
      ),
      {
        cards: [["⚠ No inbound agents left on +1 (support): a masked split → none"]],
        stops: [
          "delete: +1 (support): no inbound agents left",
          "shift: +1 (support): the size of the change is not known",
        ],
        onMerge: "1 PUT (1 to clear something, with up to 3 requests each).",
      },
    );
  });

  it("an empty split that stays empty takes nothing from anybody", () => {
    assert.deepEqual(
      reportOf(
        single(
          "update",
          "support",
          { number: "+1", inboundAgents: {} },
          { number: "+1", inboundAgents: {}, maxShift: 10 },
        ),
      ),
      {
        cards: [["Settings of +1 (support): recorded, nothing is sent"]],
        stops: [],
        onMerge: "0 PUTs.",
      },
    );
  });
});
