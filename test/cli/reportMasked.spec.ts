import assert from "node:assert/strict";
import { A, B, group, reportOf, SECRET, single } from "./reportSteps";

describe("the report of masked numbers", () => {
  it("a masked number that is deleted is one number", () => {
    assert.deepEqual(reportOf(single("delete", "support", { number: SECRET, inboundAgents: A })), {
      cards: [
        [
          "⚠ 1 number loses its agents: a masked number (support)",
          "After: no agents. The API does not specify what callers hear then.",
          "To keep the agents, set the resource option retainOnDelete: true and merge that first. To move to another stack, do the same, then declare it there.",
        ],
      ],
      stops: ["delete: a masked number (support): loses its agents"],
      onMerge: "at least 1 PUT (1 to clear something, with up to 3 requests each).",
    });
  });

  it("masked numbers of a group that is deleted are not 0 numbers", () => {
    assert.deepEqual(reportOf(group("delete", "emea", { numbers: SECRET, inboundAgents: A })), {
      cards: [
        [
          "⚠ Numbers lose their agents: group emea (numbers masked)",
          "After: no agents. The API does not specify what callers hear then.",
          "To keep the agents, set the resource option retainOnDelete: true and merge that first. To move to another stack, do the same, then declare it there.",
        ],
      ],
      stops: ["delete: group emea (numbers masked): lose their agents"],
      onMerge: "at least 1 PUT (1 to clear something, with up to 3 requests each).",
    });
  });

  it("a masked number made anew: nothing says that the old one keeps what it has", () => {
    assert.deepEqual(
      reportOf(
        single("replace", "support", { number: SECRET, inboundAgents: A }, { number: SECRET, inboundAgents: B }),
      ),
      {
        cards: [
          [
            "⚠ support is replaced, and may change its number: a masked number → a masked number",
            "If it is another number, the routing of that one is overwritten, and the old one loses its agents. The API does not specify what callers hear then.",
          ],
        ],
        stops: ["replace: support: a masked number → a masked number", "shift: support: 100 percentage points"],
        onMerge: "at least 1 PUT.",
      },
    );
  });

  it("masked numbers of a group before and after", () => {
    assert.deepEqual(
      reportOf(group("update", "emea", { numbers: SECRET, inboundAgents: A }, { numbers: SECRET, inboundAgents: A })),
      {
        cards: [
          [
            "Sent again: group emea (numbers masked)",
            "A masked value may have changed. A preview shows neither which nor how.",
          ],
        ],
        stops: [],
        onMerge: "at least 1 PUT.",
      },
    );
  });

  it("a masked number that is shown from now on: another one would be a replacement", () => {
    assert.deepEqual(
      reportOf(single("update", "support", { number: SECRET, inboundAgents: A }, { number: "+1", inboundAgents: B })),
      {
        cards: [
          [
            "agent_b@9 joins +1 (support) at 100 %; agent_a@1 leaves",
            "A new agent gets every call at once.",
            "The API does not specify what happens to calls in progress.",
            "Moves 100 percentage points of traffic.",
            "Guards: none configured for this split.",
          ],
        ],
        stops: ["shift: +1 (support): 100 percentage points"],
        onMerge: "1 PUT.",
      },
    );
  });

  it("a group of masked numbers that is replaced: some may leave, and nobody sees which", () => {
    assert.deepEqual(
      reportOf(group("replace", "emea", { numbers: SECRET, inboundAgents: A }, { numbers: SECRET, inboundAgents: A })),
      {
        cards: [
          [
            "⚠ emea may change its numbers (hidden numbers now): which numbers leave is not known",
            "Now: agent_a@1 100 %.",
            "Its numbers are masked. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.",
          ],
          ["Sent again: group emea (numbers masked)"],
        ],
        stops: ["delete: emea: which numbers leave is not known"],
        onMerge: "at least 1 PUT.",
      },
    );
  });
});
