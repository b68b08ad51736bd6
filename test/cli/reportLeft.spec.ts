import { strict as assert } from "node:assert";
import { A, B, group, list, reportOf, SECRET, single } from "./reportSteps";

describe("the report of what an earlier run left open", () => {
  it("a number that never got anything is not cleared", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2", "+3"), inboundAgents: A, unapplied: { "+2": "untouched" } },
          { numbers: list("+1"), inboundAgents: A },
        ),
      ),
      {
        cards: [
          [
            "⚠ 1 number loses its agents: +3 (leaves emea)",
            "Now: agent_a@1 100 %. After: no agent bound. What callers hear then is not shown by the platform.",
          ],
        ],
        stops: ["delete: 1 number of emea: no agent bound any more"],
        onMerge: "1 PUT (1 to unbind something, in up to 3 attempts each).",
      },
    );
  });

  it("the delete of a group clears no number that never got anything", () => {
    assert.deepEqual(
      reportOf(
        group("delete", "emea", { numbers: list("+1", "+2"), inboundAgents: A, unapplied: { "+2": "untouched" } }),
      ),
      {
        cards: [
          [
            "⚠ 1 number loses its agents: 1 number (emea)",
            "Now: agent_a@1 100 %. After: no agent bound. What callers hear then is not shown by the platform.",
            "To leave it as it is: the resource option retainOnDelete: true (merge that first). To move it to another stack: the same, then add it there.",
          ],
        ],
        stops: ["delete: 1 number (emea): has no agent bound any more"],
        onMerge: "1 PUT (1 to unbind something, in up to 3 attempts each).",
      },
    );
  });

  it("a number that never got anything of its group is taken over elsewhere", () => {
    assert.deepEqual(
      reportOf(
        group("delete", "emea", { numbers: list("+2"), inboundAgents: A, unapplied: { "+2": "untouched" } }),
        single("create", "two", undefined, { number: "+2", inboundAgents: B }),
      ),
      {
        cards: [
          [
            "Takes over +2 (two): agent_b@9 100 %",
            "Taken over: whatever this number does today is overwritten, and cannot be read back. Write down the values of the platform's web application before you merge.",
            "Not declared, so kept or cleared, the platform does not say: outboundAgentId, inboundWebhookUrl, isTimeRoutingEnabled.",
            "Guards: none is set that judges this split.",
          ],
        ],
        stops: [],
        onMerge: "1 PUT.",
      },
    );
  });

  it("one that was rejected moves: what it holds is not known", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A, unapplied: { "+2": "rejected" } },
          { numbers: list("+1"), inboundAgents: A },
        ),
        single("create", "two", undefined, { number: "+2", inboundAgents: A }),
      ),
      {
        cards: [
          [
            "Renamed, keeps its agents: +2 (two)",
            "Declared as emea until now, as two from now on.",
            "⚠ 1 of 1 number was not applied in an earlier run (rejected), and is sent again. What it holds now may be what stood there before.",
          ],
          ["1 number (emea): recorded, nothing is sent"],
        ],
        stops: [],
        onMerge: "1 PUT.",
      },
    );
  });

  it("the delete of a group clears what an earlier routing may have left, masked or not", () => {
    assert.deepEqual(
      reportOf(
        group("delete", "emea", {
          numbers: list("+1"),
          inboundAgents: {},
          unapplied: { "+1": "unknown" },
          formerRouting: SECRET,
        }),
      ),
      {
        cards: [
          [
            "⚠ 1 number loses its agents: 1 number (emea)",
            "Now: no agent bound. After: no agent bound. What callers hear then is not shown by the platform.",
            "An earlier run did not apply all of it: some of it may hold what it had before.",
            "To leave it as it is: the resource option retainOnDelete: true (merge that first). To move it to another stack: the same, then add it there.",
          ],
        ],
        stops: ["delete: 1 number (emea): has no agent bound any more"],
        onMerge: "1 PUT (1 to unbind something, in up to 3 attempts each).",
      },
    );
  });

  it("a number that left in an earlier run is cleared in this one", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A, unapplied: { "+9": "leaving" } },
          { numbers: list("+1", "+2"), inboundAgents: A },
        ),
      ),
      {
        cards: [
          [
            "⚠ 1 number loses its agents: +9 (left emea in an earlier run)",
            "Now: agent_a@1 100 %. After: no agent bound. What callers hear then is not shown by the platform.",
            "1 number left in an earlier run, which was to clear it and did not: what it holds now may be what stood there before.",
          ],
        ],
        stops: ["delete: 1 number of emea: no agent bound any more"],
        onMerge: "1 PUT (1 to unbind something, in up to 3 attempts each).",
      },
    );
  });

  it("only what is sent again is said to be sent again", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          {
            numbers: list("+1", "+2"),
            inboundAgents: A,
            unapplied: { "+2": "rejected", "+8": "leaving", "+9": "leaving" },
          },
          { numbers: list("+1", "+2"), inboundAgents: A },
        ),
      ),
      {
        cards: [
          [
            "⚠ 2 numbers lose their agents: they left emea in an earlier run",
            "Now: agent_a@1 100 %. After: no agent bound. What callers hear then is not shown by the platform.",
            "2 numbers left in an earlier run, which was to clear them and did not: what they hold now may be what stood there before.",
          ],
          [
            "Sent again: 1 number (emea)",
            "⚠ 1 of 2 numbers was not applied in an earlier run (1 rejected), and is sent again. What it holds now may be what stood there before.",
          ],
        ],
        stops: ["delete: 2 numbers of emea: no agent bound any more"],
        onMerge: "3 PUTs (2 to unbind something, in up to 3 attempts each).",
      },
    );
  });

  it("one that leaves and one that left earlier, with a fallback", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A, unapplied: { "+9": "leaving" } },
          { numbers: list("+1"), inboundAgents: A, onDelete: { inboundAgents: B } },
        ),
      ),
      {
        cards: [
          [
            "⚠ 2 numbers of emea fall back to another routing",
            "Now: agent_a@1 100 %. After: the routing of onDelete, agent_b@9 100 %.",
            "1 number left in an earlier run, which was to clear it and did not: what it holds now may be what stood there before.",
          ],
          ["Settings of 1 number (emea): recorded, nothing is sent"],
        ],
        stops: ["delete: 2 numbers of emea: fall back to another routing"],
        onMerge: "2 PUTs.",
      },
    );
  });

  it("the delete of a group clears what left it earlier as well", () => {
    assert.deepEqual(
      reportOf(
        group("delete", "emea", { numbers: list("+1", "+2"), inboundAgents: A, unapplied: { "+9": "leaving" } }),
      ),
      {
        cards: [
          [
            "⚠ 3 numbers lose their agents: 3 numbers (emea)",
            "Now: agent_a@1 100 %. After: no agent bound. What callers hear then is not shown by the platform.",
            "1 number left in an earlier run, which was to clear it and did not: what it holds now may be what stood there before.",
            "To leave it as it is: the resource option retainOnDelete: true (merge that first). To move it to another stack: the same, then add it there.",
          ],
        ],
        stops: ["delete: 3 numbers (emea): has no agent bound any more"],
        onMerge: "3 PUTs (3 to unbind something, in up to 3 attempts each).",
      },
    );
  });

  it("what left earlier and is declared elsewhere is not cleared", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1"), inboundAgents: A, unapplied: { "+9": "leaving" } },
          { numbers: list("+1"), inboundAgents: A },
        ),
        single("create", "nine", undefined, { number: "+9", inboundAgents: A }),
      ),
      {
        cards: [
          [
            "Takes over +9 (nine): agent_a@1 100 %",
            "Taken over: whatever this number does today is overwritten, and cannot be read back. Write down the values of the platform's web application before you merge.",
            "Not declared, so kept or cleared, the platform does not say: outboundAgentId, inboundWebhookUrl, isTimeRoutingEnabled.",
            "Guards: none is set that judges this split.",
          ],
          ["1 number (emea): recorded, nothing is sent"],
        ],
        stops: [],
        onMerge: "1 PUT.",
      },
    );
  });

  it("a number that leaves a group on its way to another platform is forgotten, not cleared", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A },
          { numbers: list("+1"), inboundAgents: A, endpoint: "https://other.example" },
        ),
      ),
      {
        cards: [
          [
            "1 number (emea): to another platform, https://other.example",
            "Moves from https://platform.example to https://other.example. What is bound there until now stays as it is: clear it by hand if it must not.",
          ],
          ["Forgotten, keeps its agents: 1 number of emea"],
        ],
        stops: ["delete: 1 number of emea: forgotten by this stack"],
        onMerge: "1 PUT.",
      },
    );
  });
});
