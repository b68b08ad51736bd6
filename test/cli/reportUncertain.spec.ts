import { strict as assert } from "node:assert";
import { A, B, group, list, reportOf, SECRET, single, UNKNOWN } from "./reportSteps";

describe("the report of numbers that are not shown any more", () => {
  it("a number that becomes known after apply may be another one: its agents may go", () => {
    assert.deepEqual(
      reportOf(single("update", "support", { number: "+1", inboundAgents: A }, { number: UNKNOWN, inboundAgents: A })),
      {
        cards: [
          [
            "⚠ support may change its number: +1 may lose its agents",
            "Now: agent_a@1 100 %.",
            "Its number is known after apply alone. Where it is another one, that one is taken over, and +1 is cleared. What callers hear then is not shown by the platform.",
          ],
        ],
        stops: ["replace: support: +1 → a number that is not known yet"],
        onMerge: "how many PUTs is known after apply alone.",
      },
    );
  });

  it("the same together with a new split: both are said", () => {
    assert.deepEqual(
      reportOf(single("update", "support", { number: "+1", inboundAgents: A }, { number: UNKNOWN, inboundAgents: B })),
      {
        cards: [
          [
            "⚠ support may change its number: +1 may lose its agents",
            "Now: agent_a@1 100 %.",
            "Its number is known after apply alone. Where it is another one, that one is taken over, and +1 is cleared. What callers hear then is not shown by the platform.",
          ],
          [
            "agent_b@9 joins a number that is known after apply (support) at 100 %",
            "A new agent gets every call at once.",
            "Calls in progress: the platform does not say what happens to them.",
            "Step: 100 points.",
            "Guards: none is set that judges this split.",
          ],
        ],
        stops: [
          "replace: support: +1 → a number that is not known yet",
          "shift: a number that is known after apply (support): 100 percentage points",
        ],
        onMerge: "at least 1 PUT.",
      },
    );
  });

  it("a number that becomes masked, with retainOnDelete: the old one keeps its agents", () => {
    assert.deepEqual(
      reportOf(
        single(
          "update",
          "support",
          { number: "+1", inboundAgents: A },
          { number: SECRET, inboundAgents: A },
          { retainOnDelete: true },
        ),
      ),
      {
        cards: [
          [
            "⚠ support may change its number: +1 may be forgotten",
            "Now: agent_a@1 100 %.",
            "Its number is masked. Where it is another one, that one is taken over, and +1 keeps what it has. What callers hear then is not shown by the platform.",
          ],
        ],
        stops: ["replace: support: +1 → a number that is not known yet"],
        onMerge: "how many PUTs is known after apply alone.",
      },
    );
  });

  it("a number that becomes known after apply, with a fallback at delete", () => {
    assert.deepEqual(
      reportOf(
        single(
          "update",
          "support",
          { number: "+1", inboundAgents: A, onDelete: { inboundAgents: B } },
          { number: UNKNOWN, inboundAgents: A, onDelete: { inboundAgents: B } },
        ),
      ),
      {
        cards: [
          [
            "⚠ support may change its number: +1 may fall back",
            "Now: agent_a@1 100 %.",
            "Its number is known after apply alone. Where it is another one, that one is taken over, and +1 falls back to the routing of onDelete. What callers hear then is not shown by the platform.",
          ],
        ],
        stops: ["replace: support: +1 → a number that is not known yet"],
        onMerge: "how many PUTs is known after apply alone.",
      },
    );
  });

  it("the numbers of a group that become known after apply: which leave is not known", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A },
          { numbers: UNKNOWN, inboundAgents: A },
        ),
      ),
      {
        cards: [
          [
            "⚠ emea may change its numbers (2 numbers now): which numbers leave is not known",
            "Now: agent_a@1 100 %.",
            "Its numbers are known after apply alone. Each that is not among them then is cleared; each that is new is taken over. What callers hear then is not shown by the platform.",
          ],
        ],
        stops: ["delete: emea: which numbers leave is not known"],
        onMerge: "how many PUTs is known after apply alone.",
      },
    );
  });

  it("the numbers of a group that become masked, with a new split: each is sent or cleared", () => {
    assert.deepEqual(
      reportOf(
        group("update", "emea", { numbers: list("+1", "+2"), inboundAgents: A }, { numbers: SECRET, inboundAgents: B }),
      ),
      {
        cards: [
          [
            "⚠ emea may change its numbers (2 numbers now): which numbers leave is not known",
            "Now: agent_a@1 100 %.",
            "Its numbers are masked. Each that is not among them then is cleared; each that is new is taken over. What callers hear then is not shown by the platform.",
          ],
          [
            "agent_b@9 joins group emea (numbers masked) at 100 %",
            "A new agent gets every call at once.",
            "Calls in progress: the platform does not say what happens to them.",
            "Step: 100 points.",
            "Guards: none is set that judges this split.",
          ],
        ],
        stops: [
          "delete: emea: which numbers leave is not known",
          "shift: group emea (numbers masked): 100 percentage points",
        ],
        onMerge: "at least 2 PUTs.",
      },
    );
  });

  it("masked numbers of a group that are shown from now on", () => {
    assert.deepEqual(
      reportOf(
        group("update", "emea", { numbers: SECRET, inboundAgents: A }, { numbers: list("+1"), inboundAgents: A }),
      ),
      {
        cards: [
          [
            "⚠ emea may change its numbers (hidden numbers now): which numbers leave is not known",
            "Now: agent_a@1 100 %.",
            "Its numbers are masked. Each that is not among them then is cleared; each that is new is taken over. What callers hear then is not shown by the platform.",
          ],
        ],
        stops: ["delete: emea: which numbers leave is not known"],
        onMerge: "how many PUTs is known after apply alone.",
      },
    );
  });

  it("a group made anew whose numbers become known after apply", () => {
    assert.deepEqual(
      reportOf(
        group(
          "replace",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A },
          { numbers: UNKNOWN, inboundAgents: A },
        ),
      ),
      {
        cards: [
          [
            "⚠ emea is made anew: each number is assigned again",
            "The new group sends its routing to all of its numbers, then the old one clears those that nothing declares any more.",
          ],
          [
            "⚠ emea may change its numbers (2 numbers now): which numbers leave is not known",
            "Now: agent_a@1 100 %.",
            "Its numbers are known after apply alone. Each that is not among them then is cleared; each that is new is taken over. What callers hear then is not shown by the platform.",
          ],
        ],
        stops: ["delete: emea: which numbers leave is not known", "replace: emea: made anew"],
        onMerge: "at least 1 PUT.",
      },
    );
  });
});
