import assert from "node:assert/strict";
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
            "Its number is known only after apply. If it is another one, the routing of that one is overwritten, and +1 is cleared. The API does not specify what callers hear then.",
          ],
        ],
        stops: ["replace: support: +1 → a number that is not known yet"],
        onMerge: "the number of PUTs is known only after apply.",
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
            "Its number is known only after apply. If it is another one, the routing of that one is overwritten, and +1 is cleared. The API does not specify what callers hear then.",
          ],
          [
            "agent_b@9 joins a number that is known after apply (support) at 100 %; agent_a@1 leaves",
            "A new agent gets every call at once.",
            "The API does not specify what happens to calls in progress.",
            "Moves 100 percentage points of traffic.",
            "Guards: none configured for this split.",
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
            "Its number is masked. If it is another one, the routing of that one is overwritten, and +1 keeps what it has. The API does not specify what callers hear then.",
          ],
        ],
        stops: ["replace: support: +1 → a number that is not known yet"],
        onMerge: "the number of PUTs is known only after apply.",
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
            "⚠ support may change its number: +1 may switch to its onDelete routing",
            "Now: agent_a@1 100 %.",
            "Its number is known only after apply. If it is another one, the routing of that one is overwritten, and +1 switches to its onDelete routing. The API does not specify what callers hear then.",
          ],
        ],
        stops: ["replace: support: +1 → a number that is not known yet"],
        onMerge: "the number of PUTs is known only after apply.",
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
            "Its numbers are known only after apply. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.",
          ],
        ],
        stops: ["delete: emea: which numbers leave is not known"],
        onMerge: "the number of PUTs is known only after apply.",
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
            "Its numbers are masked. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.",
          ],
          [
            "agent_b@9 joins group emea (numbers masked) at 100 %; agent_a@1 leaves",
            "A new agent gets every call at once.",
            "The API does not specify what happens to calls in progress.",
            "Moves 100 percentage points of traffic.",
            "Guards: none configured for this split.",
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
            "Its numbers are masked. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.",
          ],
        ],
        stops: ["delete: emea: which numbers leave is not known"],
        onMerge: "the number of PUTs is known only after apply.",
      },
    );
  });

  it("a replaced group whose numbers become known after apply", () => {
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
            "⚠ emea may change its numbers (2 numbers now): which numbers leave is not known",
            "Now: agent_a@1 100 %.",
            "Its numbers are known only after apply. Each number that is not among them is cleared; the routing of each new one is overwritten. The API does not specify what callers hear then.",
          ],
        ],
        stops: ["delete: emea: which numbers leave is not known"],
        onMerge: "the number of PUTs is known only after apply.",
      },
    );
  });
});
