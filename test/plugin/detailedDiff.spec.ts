import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { detailedDiff } from "../../provider/plugin/detailedDiff";

const plain = (values: object) => ({ values: { ...values }, secrets: new Set<string>() });
const secret = (values: object, ...names: string[]) => ({ values: { ...values }, secrets: new Set(names) });

describe("what a plugin shows of a change", () => {
  it("names the agents of a split, and nothing that is the same", () => {
    const changed = detailedDiff(
      plain({ number: "4001", inboundAgents: { "agent_front@12": 90, agent_b: 10, agent_c: 5 } }),
      plain({ number: "4001", inboundAgents: { "agent_front@12": 80, agent_c: 5, 'agent_"d"': 15 } }),
    );
    assert.deepEqual(
      [...changed],
      [
        ['inboundAgents["agent_front@12"]', "UPDATE"],
        ["inboundAgents.agent_b", "DELETE"],
        ['inboundAgents["agent_\\"d\\""]', "ADD"],
      ],
    );
  });

  it("names a secret property once, for the keys of a secret split are agents", () => {
    const olds = plain({ inboundAgents: { agent_a: 1 } });
    const news = secret({ inboundAgents: { agent_b: 1 }, metadata: { a: "b" } }, "inboundAgents", "metadata");
    assert.deepEqual(
      [...detailedDiff(olds, news)],
      [
        ["inboundAgents", "UPDATE"],
        ["metadata", "ADD"],
      ],
    );
  });

  it("shows nothing of the dynamic provider's text in a state that was moved", () => {
    const changed = detailedDiff(plain({ __provider: "exports.handler", workspaceId: 1 }), plain({ workspaceId: 2 }));
    assert.deepEqual([...changed], [["workspaceId", "UPDATE"]]);
  });

  it("names a list as a whole, and takes null for left out", () => {
    const changed = detailedDiff(
      plain({ triggers: ["a"], accountSid: null, endpoint: "a" }),
      plain({ triggers: ["b"] }),
    );
    assert.deepEqual(
      [...changed],
      [
        ["triggers", "UPDATE"],
        ["endpoint", "DELETE"],
      ],
    );
  });
});
