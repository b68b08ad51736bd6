import assert from "node:assert/strict";
import { n, program } from "../support/movingNumbers";
import { withPlatformStack } from "../support/platformStack";

/** A program that ends in the middle, and whose process says that all is well. */
const ENDS: Readonly<Record<string, string>> = {
  "it waits for a promise that nothing fulfils": "new Promise(() => {})",
  "it calls process.exit": "new Promise(() => setTimeout(() => process.exit(0), 100))",
};

const declared = (webhook: string) =>
  program(`
    const inboundWebhookUrl = ${webhook};
    const opts = { number: pulumi.output("${n(1)}"), inboundAgents: all("agent_a"), inboundWebhookUrl };
    new NumberAssignment("output", opts);
    new NumberAssignment("extension", { ...opts, number: "4001" });`);

describe("a program that ends before all is declared", () => {
  it("clears nothing", async () => {
    await withPlatformStack({ program: declared("undefined") }, async ({ platform, stack, sent, sentNothing }) => {
      await stack.up();
      assert.equal(sent().length, 2);
      for (const [what, webhook] of Object.entries(ENDS)) {
        stack.write(declared(webhook));
        await stack.up({ expectFailure: true });
        sentNothing();
        assert.deepEqual(
          [n(1), "4001"].map((number) => platform.routing(number)),
          Array(2).fill({ inboundAgents: { agent_a: 100 } }),
          what,
        );
      }
      stack.write(declared("undefined"));
      assert.equal((await stack.up()).changeSummary.same, 3);
      sentNothing();
    });
  });
});
