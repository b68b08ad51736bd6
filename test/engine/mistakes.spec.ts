import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";

const program = `
  import { SmsChat } from "pulumi-agent-platform";
  const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551230009" };
  new SmsChat("imported", chat, { import: "chat_1" });`;

/** What check refuses is shown in settings.spec.ts. */
describe("a mistake that a class refuses", () => {
  it("reports an unsupported resource option at preview without a stack trace", () =>
    withPlatformStack({ program }, async ({ stack, sentNothing }) => {
      const { diagnostics, output } = await stack.preview({ expectFailure: true });
      const lines = diagnostics.flatMap(({ message }) => message.split("\n"));
      const told = lines.flatMap((line) => /AGP-.*/.exec(line) ?? []);
      assert.deepEqual(
        [...new Set(told)],
        [
          'AGP-007 SmsChat "imported": the resource option `import` cannot be used, because it would read the resource by its id, and the API has no read endpoint. To record the existing chat, use `adopt: "chat_1"` instead, which sends nothing.',
        ],
      );
      assert.doesNotMatch(output, /^\s+at /m);
      sentNothing();
    }));
});
