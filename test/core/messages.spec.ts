import assert from "node:assert/strict";
import { render, say } from "../../provider/core/messages";

describe("a message", () => {
  it("goes on in small letters behind the label of a resource, unless it begins with a name", () => {
    const who = 'NumberGroup "front"';
    const texts: readonly [string | undefined, string, string][] = [
      [who, "Write rollout or inboundAgents, not both.", `${who}: write rollout or inboundAgents, not both.`],
      [who, "No number is cleared.", `${who}: no number is cleared.`],
      [who, "AGENT_PLATFORM_BYPASS (why) bypassed it.", `${who}: AGENT_PLATFORM_BYPASS (why) bypassed it.`],
      [who, "A response is missing.", `${who}: a response is missing.`],
      [who, "inboundAgents must be given.", `${who}: inboundAgents must be given.`],
      [undefined, "Write one of them.", "Write one of them."],
    ];
    for (const [label, line, expected] of texts) {
      assert.equal(render(say("AGP-001", label, line, "Then rerun.")), `AGP-001 ${expected}\n  Then rerun.`);
    }
  });
});
