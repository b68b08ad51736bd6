import { strict as assert } from "node:assert";
import { A, group, list, reportOf, UNKNOWN } from "./reportSteps";

describe("the report of what differs for single numbers of a group", () => {
  it("is shown for a new group", () => {
    assert.deepEqual(
      reportOf(
        group("create", "emea", undefined, {
          numbers: list("+1", "+2"),
          inboundAgents: A,
          outboundAgentId: "agent_o",
          overrides: { "+2": { outboundAgentId: "agent_n", inboundWebhookUrl: "https://hooks.example/x?key=k" } },
        }),
      ),
      {
        cards: [
          [
            "Takes over 2 numbers (emea): agent_a@1 100 %",
            "Taken over: whatever these 2 numbers do today is overwritten, and cannot be read back. Write down the values of the platform's web application before you merge.",
            "Not declared, so kept or cleared, the platform does not say: inboundWebhookUrl, isTimeRoutingEnabled.",
            "+2: outboundAgentId agent_o → agent_n, inboundWebhookUrl none → https://hooks.example/x?…",
            "Guards: none is set that judges this split.",
          ],
        ],
        stops: [],
        onMerge: "2 PUTs.",
      },
    );
  });

  it("goes back to what the group has, not to nothing", () => {
    assert.deepEqual(
      reportOf(
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
      ),
      {
        cards: [
          [
            "Differences of single numbers in emea",
            "+2: outboundAgentId agent_n → agent_o, outboundAgentVersion none → 3",
          ],
        ],
        stops: [],
        onMerge: "1 PUT.",
      },
    );
  });

  it("known after apply alone: who leaves is known all the same", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A, overrides: { "+2": { outboundAgentId: "agent_n" } } },
          { numbers: list("+1"), inboundAgents: A, overrides: UNKNOWN },
        ),
      ),
      {
        cards: [
          [
            "⚠ 1 number loses its agents: +2 (leaves emea)",
            "Now: agent_a@1 100 %. After: no agent bound. What callers hear then is not shown by the platform.",
          ],
          ["Differences of single numbers in emea", "What differs for single numbers is known after apply alone."],
        ],
        stops: ["delete: 1 number of emea: no agent bound any more"],
        onMerge: "at least 1 PUT (1 to unbind something, in up to 3 attempts each).",
      },
    );
  });

  it("is shown for a number that joins", () => {
    assert.deepEqual(
      reportOf(
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
      ),
      {
        cards: [
          [
            "1 number joins emea (1 → 2) and gets its routing (agent_a@1 100 %) at once",
            "Taken over: whatever this number does today is overwritten, and cannot be read back. Write down the values of the platform's web application before you merge.",
            "Not declared, so kept or cleared, the platform does not say: inboundWebhookUrl, isTimeRoutingEnabled.",
            "+2: outboundAgentId agent_o → agent_n",
          ],
        ],
        stops: [],
        onMerge: "1 PUT.",
      },
    );
  });

  it("is said to be known after apply", () => {
    assert.deepEqual(
      reportOf(
        group(
          "update",
          "emea",
          { numbers: list("+1", "+2"), inboundAgents: A },
          { numbers: list("+1", "+2"), inboundAgents: A, overrides: { "+2": UNKNOWN } },
        ),
      ),
      {
        cards: [["Differences of single numbers in emea", "+2: known after apply"]],
        stops: [],
        onMerge: "1 PUT.",
      },
    );
  });
});
