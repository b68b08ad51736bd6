import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Broken, clearsNothing, lookup, program, rejected, type Slip, withInline } from "./failingPrograms";

const SLIPS: Readonly<Record<string, Slip>> = {
  "a resource of another provider fails in a run that continues, and all is declared in an apply over it": {
    within: (declare) => void new Broken("broken", {}).id.apply(declare),
    said: /an outage/,
    up: { continueOnError: true },
  },
  "a transform that throws": { opts: () => ({ transforms: [lookup] }) },
  "a throw after an await": {
    async midway() {
      await new Promise((resolve) => setImmediate(resolve));
      lookup();
    },
  },
  "a promise that the program does not await": {
    midway: () => {
      void rejected();
    },
  },
  "a weight below 0, as an output": {
    args: () => ({ inboundAgents: [{ agentId: "agent_a", weight: pulumi.output(-1) }] }),
    chat: () => ({}),
    // The engine asks about outputs in any order.
    said: /AGP-001 \w+ "\w+".*: inboundAgents\[0\]\.weight \(-1\) must not be negative\./,
  },
  "a promise that it does not await, and in which it declares all": {
    within: (declare) => void declare(),
    first: rejected,
  },
};

describe("an inline program that fails in rarer ways", () => {
  it("sends nothing, clears nothing, and the next run is no change", () =>
    withInline(async (run) => {
      const { platform, inline } = run;
      const cleared: string[] = [];
      for (const [what, slip] of Object.entries(SLIPS)) {
        await clearsNothing(run, slip).catch((error: Error) => cleared.push(`${what}: ${error.message}`));
      }
      assert.deepEqual(cleared, []);
      const before = platform.requests.length;
      inline.write(program());
      const { summary } = await inline.stack.up();
      assert.equal(platform.requests.length, before);
      assert.equal(summary.resourceChanges?.same, 7);
    }));
});
