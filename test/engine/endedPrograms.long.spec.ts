import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";
import { checkRows } from "../support/rows";
import { numberAt, program } from "./movingNumbers";

const programWith = (webhook: string) =>
  program(`
    const inboundWebhookUrl = ${webhook};
    const opts = { number: pulumi.output("${numberAt(1)}"), inboundAgents: allCallsTo("agent_a"), inboundWebhookUrl };
    new NumberAssignment("output", opts);
    new NumberAssignment("extension", { ...opts, number: "4001" });`);

/**
 * Programs that end early without throwing an error: the first two before their resources are registered, the others
 * before they declare any resource.
 */
const ENDING_PROGRAMS: Readonly<Record<string, string>> = {
  "it waits for a promise that never settles": programWith("new Promise(() => {})"),
  "it calls process.exit": programWith("new Promise(() => setTimeout(() => process.exit(0), 100))"),
  "it calls process.exit at once": program("process.exit(0);"),
  "it resets the exit code after a rejected promise": program(
    'Promise.reject(new Error("the lookup failed")); process.on("exit", () => { process.exitCode = 0; });',
  ),
};

describe("an incomplete program", () => {
  it("does not unassign numbers if the program ends early", async () => {
    await withPlatformStack({ program: programWith("undefined") }, async ({ platform, stack, sent, sentNothing }) => {
      await stack.up();
      assert.equal(sent().length, 2);
      await checkRows(
        Object.entries(ENDING_PROGRAMS),
        ([ending]) => ending,
        async ([, source]) => {
          stack.write(source);
          await stack.up({ expectFailure: true });
          sentNothing();
          const routings = [numberAt(1), "4001"].map((number) => platform.routing(number));
          assert.deepEqual(routings, Array(2).fill({ inboundAgents: { agent_a: 100 } }));
        },
      );
      stack.write(programWith("undefined"));
      assert.equal((await stack.up()).changeSummary.same, 3);
      sentNothing();
    });
  });
});
