import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";
import { numberAt, program } from "./movingNumbers";

/**
 * Values for `inboundWebhookUrl` that end the program before its resources are registered, without throwing an error.
 */
const ENDING_WEBHOOKS: Readonly<Record<string, string>> = {
  "it waits for a promise that never settles": "new Promise(() => {})",
  "it calls process.exit": "new Promise(() => setTimeout(() => process.exit(0), 100))",
};

const programWith = (webhook: string) =>
  program(`
    const inboundWebhookUrl = ${webhook};
    const opts = { number: pulumi.output("${numberAt(1)}"), inboundAgents: allCallsTo("agent_a"), inboundWebhookUrl };
    new NumberAssignment("output", opts);
    new NumberAssignment("extension", { ...opts, number: "4001" });`);

/** Programs that end before they declare any resource. */
const EMPTY_PROGRAMS: Readonly<Record<string, string>> = {
  "it calls process.exit at once": "process.exit(0);",
  "it resets the exit code after a rejected promise":
    'Promise.reject(new Error("the lookup failed")); process.on("exit", () => { process.exitCode = 0; });',
};

describe("an incomplete program", () => {
  it("does not unassign numbers if the program ends early", async () => {
    await withPlatformStack({ program: programWith("undefined") }, async ({ platform, stack, sent, sentNothing }) => {
      await stack.up();
      assert.equal(sent().length, 2);
      const failures: string[] = [];
      const clearsNothing = async (ending: string, source: string) => {
        stack.write(source);
        try {
          await stack.up({ expectFailure: true });
          sentNothing();
          const routings = [numberAt(1), "4001"].map((number) => platform.routing(number));
          assert.deepEqual(routings, Array(2).fill({ inboundAgents: { agent_a: 100 } }));
        } catch (error) {
          failures.push(`${ending}: ${(error as Error).message}`);
        }
      };
      for (const [ending, webhook] of Object.entries(ENDING_WEBHOOKS)) {
        await clearsNothing(ending, programWith(webhook));
      }
      for (const [ending, body] of Object.entries(EMPTY_PROGRAMS)) {
        await clearsNothing(ending, program(body));
      }
      assert.deepEqual(failures, []);
      stack.write(programWith("undefined"));
      assert.equal((await stack.up()).changeSummary.same, 3);
      sentNothing();
    });
  });
});
