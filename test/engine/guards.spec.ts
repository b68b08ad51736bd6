import assert from "node:assert/strict";
import type { Result } from "../support/engine";
import { withPlatformStack } from "../support/platformStack";

const program = (splits: Record<string, Record<string, number>>) => `
  import { NumberAssignment, split } from "pulumi-agent-platform";
  const splits: Record<string, Record<string, number>> = ${JSON.stringify(splits)};
  for (const [number, weights] of Object.entries(splits)) new NumberAssignment(number, { number, inboundAgents: split(weights) });`;

const [a, b] = ["+15550000001", "+15550000002"] as const;
const front = (stable: number, candidate: number) => ({ "agent_front@12": stable, "agent_front@13": candidate });
const start = { [a]: front(90, 10), [b]: front(90, 10) };

const config = { "agent-platform:maxShift": 25 };

/** Of our resources alone, without the engine's own lines. */
const errors = ({ diagnostics }: Result) =>
  diagnostics
    .filter(({ severity, urn }) => severity === "error" && urn?.includes("NumberAssignment"))
    .map(({ message }) => message);

describe("guards through the real engine", () => {
  it("refuse at preview and send nothing; a bypass is printed; the way back is never refused", async () => {
    await withPlatformStack({ program: program(start), config }, async ({ stack, sent, sentNothing, platform }) => {
      await stack.up();
      sent();
      stack.write(program({ ...start, [a]: front(10, 90) }));
      const refused = errors(await stack.preview({ expectFailure: true }));
      assert.match(refused.join("\n"), /^AGP-021 NumberAssignment "\+15550000001": inboundAgents: moves 80 .*\.$/);
      sentNothing();

      const env = { AGENT_PLATFORM_BYPASS: "incident 42" };
      const opened = await stack.up({ env });
      assert.match(
        opened.diagnostics.map(({ message }) => message).join("\n"),
        /^warning: AGP-068 NumberAssignment "\+15550000001": AGENT_PLATFORM_BYPASS \(incident 42\) bypassed 1 guard: AGP-021 .*\.$/,
      );
      assert.equal(sent().length, 1);

      // Another 80 points, but back to what was applied before.
      stack.write(program(start));
      await stack.up();
      assert.equal(sent().length, 1);
      assert.deepEqual(platform.routing(a), { inboundAgents: front(90, 10) });
    });
  });
});
