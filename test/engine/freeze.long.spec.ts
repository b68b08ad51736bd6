import assert from "node:assert/strict";
import { put, withPlatformStack } from "../support/platformStack";

const NUMBERS = ["+15550000001", "4001"];
const program = `
  import { NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
  new NumberAssignment("support", { number: "${NUMBERS[0]}", inboundAgents: { agent_a: 1 } });
  new NumberGroup("group", { numbers: ["${NUMBERS[1]}"], inboundAgents: { agent_a: 1 } });
  new SmsChat("chat", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000002", toNumber: "+15550000003" });`;

const group = `
  import { NumberGroup } from "pulumi-agent-platform";
  new NumberGroup("group", { numbers: ["4001", "4002"], inboundAgents: { agent_a: 1 } });`;

// `pulumi destroy` doesn't run the program, so the provider uses the settings of the last `up`.
describe("a frozen stack", () => {
  it("rejects a destroy during a freeze unless a bypass reason is given", () =>
    withPlatformStack({ program }, async ({ stack, sent, sentNothing }) => {
      await stack.up();
      sent();
      stack.setConfig({ "agent-platform:freeze": "audit" });
      await stack.up({ args: ["--expect-no-changes"] });
      for (const name of ["chat", "support"]) {
        const replaced = await stack.up({ args: ["--replace", `**::${name}`], expectFailure: true });
        assert.match(replaced.output, new RegExp(`AGP-025 \\w+ "${name}"`));
      }
      sentNothing();
      const { output } = await stack.destroy({ args: ["--continue-on-error"], expectFailure: true });
      for (const label of [`NumberAssignment "support" (${NUMBERS[0]})`, 'NumberGroup "group"', 'SmsChat "chat"']) {
        const refusal = output.split("\n").find((line) => line.includes(`AGP-025 ${label}: `));
        assert.match(refusal ?? output, /AGP-025 .* \(audit\)/);
      }
      sentNothing();
      await stack.destroy({ env: { AGENT_PLATFORM_BYPASS: "closing the account" } });
      const requests = sent().map(([request]) => request);
      assert.deepEqual(
        NUMBERS.filter((number) => !requests.includes(put(number))),
        [],
      );
      assert.equal(requests.length, 3);
    }));

  it("retries a rejected number after a freeze is lifted", () =>
    withPlatformStack({ program: group }, async ({ stack, platform, sent, sentNothing }) => {
      const number = "4002";
      platform.inject({ operation: "assignNumber", kind: "status", status: 422, number });
      await stack.up({ expectFailure: true });
      sent();
      stack.setConfig({ "agent-platform:freeze": "audit" });
      await stack.up({ expectFailure: true });
      sentNothing();
      stack.setConfig({ "agent-platform:freeze": undefined });
      await stack.up({ args: ["--refresh"] });
      assert.deepEqual(
        sent().map(([request]) => request),
        [put(number)],
      );
    }));
});
