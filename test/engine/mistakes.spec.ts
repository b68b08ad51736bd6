import assert from "node:assert/strict";
import { namedIn } from "../support/named";
import { withPlatformStack } from "../support/platformStack";

const program = `
  import { SmsChat } from "pulumi-agent-platform";
  const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551230009" };
  new SmsChat("imported", chat, { import: "chat_1" });`;

// The resource's constructor rejects this mistake. settings.spec.ts tests mistakes that the provider's `check` rejects.
describe("a mistake in a program", () => {
  it("reports an unsupported resource option without a stack trace", () =>
    withPlatformStack({ program }, async ({ stack, sentNothing }) => {
      const { diagnostics, output } = await stack.preview({ expectFailure: true });
      const lines = diagnostics.flatMap(({ message }) => message.split("\n"));
      const reported = lines.flatMap((line) => /AGP-.*/.exec(line) ?? []);
      assert.deepEqual([...new Set(reported)].map(namedIn), ['AGP-007 SmsChat "imported" `import` `adopt: "chat_1"`']);
      assert.doesNotMatch(output, /^\s+at /m);
      sentNothing();
    }));
});
