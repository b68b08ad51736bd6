import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { startEmulator } from "../../emulator";
import { NumberAssignment, NumberGroup } from "../../provider";
import { newInlineStack } from "../support/inlineStack";
import { n, range } from "../support/movingNumbers";

const all = (agentId: string) => [{ agentId, weight: 100 }];
const group = (name: string, numbers: string[], agent: string) =>
  new NumberGroup(name, { numbers, inboundAgents: all(agent) });
const one = (name: string, number: string, agent: string, opts = {}) =>
  new NumberAssignment(name, { number, inboundAgents: all(agent) }, opts);

/** Programs of the Automation API: several run in one process, each several times, and what a module knows of one is not the other's. */
describe("two inline programs in one process", () => {
  it("run at once, declare the same numbers, and end as each declares, with a transform of the whole stack", async () => {
    const platforms = [await startEmulator(), await startEmulator()];
    const stacks = await Promise.all(
      platforms.map((platform, index) =>
        newInlineStack(platform, `agent_${index}`, async () => {
          group("g", range(1, 3), `agent_${index}`);
          group("h", range(4, 6), `agent_${index}`);
        }),
      ),
    );
    const atOnce = <T>(work: (index: number) => Promise<T>) => Promise.all(platforms.map((_, index) => work(index)));
    const up = async (index: number) => (await stacks[index]?.stack.up())?.summary.resourceChanges;
    try {
      await Promise.all(stacks.map(({ stack }) => stack.setConfig("agent-platform:maxRemove", { value: "2" })));
      await atOnce(up);
      stacks.forEach(({ write }, index) => {
        write(async () => {
          pulumi.runtime.registerResourceTransform(({ name, props, opts }) =>
            name === "late" ? { props: { ...props, number: n(6) }, opts } : undefined,
          );
          group("g", [n(1), n(4)], `agent_${index}`);
          const h = group("h", [n(2), n(5)], `agent_${index}`);
          one("late", n(9), "agent_late", { dependsOn: [h] });
        });
      });
      await atOnce((index) => stacks[index]?.stack.preview() ?? Promise.reject());
      assert.deepEqual(await atOnce(up), Array(2).fill({ create: 1, replace: 2, same: 1 }));
      platforms.forEach((platform, index) => {
        const agents = [...range(1, 6), n(9)].map((number) =>
          Object.keys(platform.routing(number)?.inboundAgents ?? {}).join(),
        );
        const own = `agent_${index}`;
        assert.deepEqual(agents, [own, own, "", own, own, "agent_late", ""]);
        // Six at first; one that joins each group, the late one, and the one that no resource declares any more.
        assert.equal(platform.requests.length, 10);
      });
      assert.deepEqual(await atOnce(up), Array(2).fill({ same: 4 }));
    } finally {
      for (const [index, { remove }] of stacks.entries()) {
        remove();
        await platforms[index]?.close();
      }
    }
  });
});
