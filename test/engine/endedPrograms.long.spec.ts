import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";
import { n, program } from "./movingNumbers";

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

/** One that ends before it has declared anything. */
const NOTHING: Readonly<Record<string, string>> = {
  "it calls process.exit at once": "process.exit(0);",
  "it takes back the exit code of what has rejected":
    'Promise.reject(new Error("the lookup failed")); process.on("exit", () => { process.exitCode = 0; });',
};

describe("an incomplete program", () => {
  it("does not unassign numbers if the program ends early", async () => {
    await withPlatformStack({ program: declared("undefined") }, async ({ platform, stack, sent, sentNothing }) => {
      await stack.up();
      assert.equal(sent().length, 2);
      const failed: string[] = [];
      const clearsNothing = async (what: string, ended: string) => {
        stack.write(ended);
        try {
          await stack.up({ expectFailure: true });
          sentNothing();
          const has = [n(1), "4001"].map((number) => platform.routing(number));
          assert.deepEqual(has, Array(2).fill({ inboundAgents: { agent_a: 100 } }));
        } catch (error) {
          failed.push(`${what}: ${(error as Error).message}`);
        }
      };
      for (const [what, webhook] of Object.entries(ENDS)) {
        await clearsNothing(what, declared(webhook));
      }
      for (const [what, end] of Object.entries(NOTHING)) {
        await clearsNothing(what, program(end));
      }
      assert.deepEqual(failed, []);
      stack.write(declared("undefined"));
      assert.equal((await stack.up()).changeSummary.same, 3);
      sentNothing();
    });
  });
});
