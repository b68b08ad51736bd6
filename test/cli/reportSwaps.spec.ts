import assert from "node:assert/strict";
import { A, B, group, list, reportOf, single } from "./reportSteps";

describe("the report of numbers that change hands", () => {
  it("two assignments that swap their numbers", () => {
    assert.deepEqual(
      reportOf(
        single("replace", "a", { number: "+1", inboundAgents: A }, { number: "+2", inboundAgents: A }),
        single("replace", "b", { number: "+2", inboundAgents: B }, { number: "+1", inboundAgents: B }),
      ),
      {
        cards: [
          [
            "⚠ a changes its number: +1 → +2",
            "+2 is of this stack, declared as b until now: no moment without agents.",
            "1 number from b: agent_b@9 100 % → agent_a@1 100 %, 100 points.",
            "+1 goes to b, with the routing that is declared there.",
          ],
          [
            "⚠ b changes its number: +2 → +1",
            "+1 is of this stack, declared as a until now: no moment without agents.",
            "1 number from a: agent_a@1 100 % → agent_b@9 100 %, 100 points.",
            "+2 goes to a, with the routing that is declared there.",
          ],
        ],
        stops: [
          "replace: a: +1 → +2",
          "replace: b: +2 → +1",
          "shift: 1 number from b to a: 100 percentage points",
          "shift: 1 number from a to b: 100 percentage points",
        ],
        onMerge: "2 PUTs.",
      },
    );
  });

  it("an assignment whose old number joins a group", () => {
    assert.deepEqual(
      reportOf(
        single("replace", "a", { number: "+1", inboundAgents: A }, { number: "+2", inboundAgents: A }),
        group(
          "update",
          "emea",
          { numbers: list("+5"), inboundAgents: B },
          { numbers: list("+1", "+5"), inboundAgents: B },
        ),
      ),
      {
        cards: [
          [
            "⚠ a changes its number: +1 → +2",
            "The routing that +2 has today is overwritten, and cannot be read back.",
            "+1 goes to emea, with the routing that is declared there.",
          ],
          [
            "1 number joins emea (1 → 2) and gets its routing (agent_b@9 100 %) at once",
            "1 number of this stack moves here: no moment without agents.",
            "1 number from a: agent_a@1 100 % → agent_b@9 100 %, 100 points.",
          ],
        ],
        stops: ["replace: a: +1 → +2", "shift: 1 number from a to emea: 100 percentage points"],
        onMerge: "2 PUTs.",
      },
    );
  });

  it("an assignment that changes its number, with a fallback for the old one", () => {
    assert.deepEqual(
      reportOf(
        single(
          "replace",
          "a",
          { number: "+1", inboundAgents: A, onDelete: { inboundAgents: B } },
          { number: "+2", inboundAgents: A },
        ),
      ),
      {
        cards: [
          [
            "⚠ a changes its number: +1 → +2",
            "The routing that +2 has today is overwritten, and cannot be read back.",
            "+1 switches to its onDelete routing, agent_b@9 100 %.",
          ],
        ],
        stops: ["replace: a: +1 → +2"],
        onMerge: "2 PUTs.",
      },
    );
  });

  it("the fallback of a number without agents is sent all the same", () => {
    assert.deepEqual(
      reportOf(single("delete", "a", { number: "+1", inboundAgents: {}, onDelete: { inboundAgents: B } })),
      {
        cards: [
          [
            "⚠ +1 (a) switches to its onDelete routing",
            "Now: no agents. After: the onDelete routing, agent_b@9 100 %.",
            "To keep the agents, set the resource option retainOnDelete: true and merge that first. To move to another stack, do the same, then declare it there.",
          ],
        ],
        stops: ["delete: +1 (a): switches to its onDelete routing"],
        onMerge: "1 PUT.",
      },
    );
  });

  it("two numbers sent again are not named as one", () => {
    assert.deepEqual(
      reportOf(
        single(
          "update",
          "a",
          { number: "+1", inboundAgents: A, unapplied: { reason: "unknown", applied: { inboundAgents: A } } },
          { number: "+1", inboundAgents: A },
        ),
        single(
          "update",
          "b",
          { number: "+2", inboundAgents: B, unapplied: { reason: "unknown", applied: { inboundAgents: B } } },
          { number: "+2", inboundAgents: B },
        ),
      ),
      {
        cards: [
          [
            "Sent again: 2 numbers",
            "⚠ 2 of 2 numbers were not applied in an earlier run (the outcome of the request was not known), and are sent again.",
          ],
        ],
        stops: [],
        onMerge: "2 PUTs.",
      },
    );
  });

  it("a number leaves a group with its own outbound agent", () => {
    assert.deepEqual(
      reportOf(
        single("create", "two", undefined, { number: "+2", inboundAgents: A }),
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A, overrides: { "+2": { outboundAgentId: "agent_n" } } },
          { numbers: list("+1"), inboundAgents: A },
        ),
      ),
      {
        cards: [["Outbound agent on +2 (two): agent_n → none", "Declared as emea until now, as two from now on."]],
        stops: [],
        onMerge: "2 PUTs (1 to clear something, with up to 3 requests each).",
      },
    );
  });
});
