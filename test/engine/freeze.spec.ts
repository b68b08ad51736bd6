import assert from "node:assert/strict";
import { byTarget, put, withPlatformStack } from "../support/platformStack";

const number = "+15550000001";
const extension = "4001";
const inboundAgents = { "agent_front@12": 100 };

const program = `
  import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";
  const inboundAgents = split(${JSON.stringify(inboundAgents)});
  new NumberAssignment("line", { number: "${number}", inboundAgents });
  new NumberGroup("desk", { numbers: ["${extension}"], inboundAgents });`;

const refused = (who: string) => `AGP-025 ${who}: changes are frozen: audit. `;
const RESOURCES = [`NumberAssignment "line" (${number})`, 'NumberGroup "desk"'];

describe("a freeze that an up has recorded", () => {
  it("refuses a destroy, and an up that declares nothing of ours; a bypass lets it pass", () =>
    withPlatformStack({ program }, async ({ stack, sent, sentNothing, platform }) => {
      await stack.up();
      sent();
      stack.setConfig({ "agent-platform:freeze": "audit" });
      await stack.up({ args: ["--expect-no-changes"] });
      const args = ["--continue-on-error"];
      const destroyed = await stack.destroy({ args, expectFailure: true });
      stack.write('import "pulumi-agent-platform";');
      const removed = await stack.up({ args, expectFailure: true });
      for (const { output } of [destroyed, removed]) {
        assert.ok(
          RESOURCES.every((who) => output.includes(refused(who))),
          output,
        );
      }
      sentNothing();
      assert.deepEqual(platform.routing(number), { inboundAgents });

      await stack.destroy({ env: { AGENT_PLATFORM_BYPASS: "closing the account" } });
      assert.deepEqual(
        byTarget(sent()).map(([request]) => request),
        [put(number), put(extension)],
      );
    }));
});
