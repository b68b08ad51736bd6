import assert from "node:assert/strict";
import { startEmulator } from "../../emulator";
import { built } from "../support/built";
import { newInlineStack } from "../support/inlineStack";
import { n } from "../support/movingNumbers";

type Package = typeof import("../../provider");

/** As if a library of components had a copy of its own. */
function newCopy(): Package {
  for (const file of Object.keys(require.cache).filter((one) => one.startsWith(built("")))) {
    delete require.cache[file];
  }
  return require(built("provider/index.js")) as Package;
}

const one = ({ NumberAssignment }: Package, name: string, number: string) =>
  new NumberAssignment(name, { number, inboundAgents: [{ agentId: "agent_a", weight: 100 }] });

describe("an inline program with two copies of this package", () => {
  it("clears nothing if it failed, although the other copy begins after that", async () => {
    const [first, second] = [newCopy(), newCopy()];
    assert.notEqual(first.NumberAssignment, second.NumberAssignment);
    const platform = await startEmulator();
    const inline = await newInlineStack(platform, "copies", async () => {
      one(first, "a", n(1));
      one(second, "b", n(2));
      one(first, "c", n(3));
    });
    try {
      await inline.stack.up();
      assert.equal(platform.requests.length, 3);
      inline.write(async () => {
        one(first, "a", n(1));
        void Promise.reject(new Error("the lookup failed"));
        await new Promise((resolve) => setTimeout(resolve, 100));
        one(second, "b", n(2));
      });
      assert.match(await inline.failedUp(), /AGP-074 NumberAssignment "c" .*: not cleared/);
      assert.equal(platform.requests.length, 3);
      assert.deepEqual(platform.routing(n(3)), { inboundAgents: { agent_a: 100 } });
    } finally {
      inline.remove();
      await platform.close();
    }
  });
});
