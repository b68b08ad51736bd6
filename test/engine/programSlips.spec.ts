import { strict as assert } from "node:assert";
import { withStack } from "../support/engine";

describe("a slip in a program", () => {
  it("ends the preview with one sentence, without a stack", async () => {
    const program = `
      import { canary, NumberAssignment } from "pulumi-agent-platform";
      new NumberAssignment("a", { number: "+15551230001", inboundAgents: canary("front", "agent_front@13", 10) });`;
    const config = { "agent-platform:baseUrl": "http://127.0.0.1:1" };
    await withStack({ program, config }, async (stack) => {
      const { diagnostics } = await stack.preview({ expectFailure: true });
      const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
      assert.deepEqual(
        errors.filter((message) => message.includes("AGP-")),
        ['AGP-001 "front" is no agent: write it as "agent_front@12", or { agentId, agentVersion }.'],
      );
    });
  });
});
