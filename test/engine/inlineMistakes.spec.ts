import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { type Emulator, startEmulator } from "../../emulator";
import { NumberAssignment, NumberGroup } from "../../provider";
import { newInlineStack } from "../support/inlineStack";
import { n, range } from "../support/movingNumbers";

const inboundAgents = [{ agentId: "agent_a", weight: 100 }];
const one = (name: string, number: pulumi.Input<string>, args: object = {}, opts: { parent?: pulumi.Resource } = {}) =>
  new NumberAssignment(name, { number, inboundAgents, ...args }, opts);
const office = (name: string, opts: { parent?: pulumi.Resource } = {}) =>
  new pulumi.ComponentResource("phones:index:Office", name, {}, opts);
const group = (name: string, numbers: pulumi.Input<pulumi.Input<string>[]>) =>
  new NumberGroup(name, { numbers, inboundAgents });

/** An inline program counts as done although a resource of it was not registered, and the engine deletes what is not registered. */
describe("a mistake in an inline program, which no preview has seen", () => {
  async function withStack(
    first: () => Promise<unknown>,
    test: (stack: Awaited<ReturnType<typeof newInlineStack>>, platform: Emulator) => Promise<void>,
  ): Promise<void> {
    const platform = await startEmulator();
    const inline = await newInlineStack(platform, "inline", first);
    try {
      await inline.stack.up();
      await test(inline, platform);
    } finally {
      inline.remove();
      await platform.close();
    }
  }
  const agentsOf = (platform: Emulator, numbers: readonly string[]) =>
    numbers.map((number) => Object.keys(platform.routing(number)?.inboundAgents ?? {}).join());

  const mistakes: Readonly<Record<string, [wrong: () => unknown, said: RegExp]>> = {
    "a weight below 0": [
      () => one("b", n(2), { inboundAgents: [{ agentId: "agent_a", weight: -1 }] }),
      /AGP-001 NumberAssignment "b" \(\+15550001002\): inboundAgents\[0\]\.weight \(-1\) must not be negative\./,
    ],
    "a weight below 0, as an output": [
      () => one("b", n(2), { inboundAgents: [{ agentId: "agent_a", weight: pulumi.output(-1) }] }),
      /AGP-001 NumberAssignment "b" \(\+15550001002\): inboundAgents\[0\]\.weight \(-1\) must not be negative\./,
    ],
    "an output of the program that fails": [
      () =>
        one(
          "b",
          pulumi.output(n(2)).apply(async () => {
            throw new Error("the program's own");
          }),
        ),
      /the program's own/,
    ],
    "a split of the program that fails": [
      () => one("b", n(2), { inboundAgents: pulumi.output(Promise.reject(new Error("the program's own"))) }),
      /AGP-074 NumberAssignment "b" \(\+15550001002\): delete not sent: the program still declares this number, but this run leaves out its resource: it failed, or/,
    ],
    "a number that another resource declares, as an output": [
      () => one("b", pulumi.output(n(1))),
      /AGP-003 NumberAssignment "b" \(\+15550001001\): number \+15550001001 is declared twice/,
    ],
  };
  for (const [what, [wrong, said]] of Object.entries(mistakes)) {
    it(`sends nothing and clears nothing: ${what}`, async () => {
      const declare = async (second: () => unknown) => {
        one("a", n(1));
        second();
        one("c", n(3));
      };
      await withStack(
        () => declare(() => one("b", n(2))),
        async (inline, platform) => {
          const before = platform.requests.length;
          inline.write(() => declare(wrong));
          assert.match(await inline.failedUp(), said);
          assert.equal(platform.requests.length, before);
          assert.deepEqual(agentsOf(platform, range(1, 3)), ["agent_a", "agent_a", "agent_a"]);
        },
      );
    });
  }

  const parents: Readonly<Record<string, (name: string) => { parent?: pulumi.Resource }>> = {
    "": () => ({}),
    ", inside components": (name) => ({ parent: office(`desk-${name}`, { parent: office(`office-${name}`) }) }),
  };
  for (const [where, optsOf] of Object.entries(parents)) {
    it(`sends nothing for the second holder of a number, though the engine is asked about it before the first${where}`, async () => {
      const both = (numberOfB: string, weight: pulumi.Input<number>) => {
        one("a", n(1), { inboundAgents: [{ agentId: "agent_a", weight }] }, optsOf("a"));
        return one("b", numberOfB, { inboundAgents: [{ agentId: "agent_b", weight: 100 }] }, optsOf("b"));
      };
      await withStack(
        async () => both(n(2), 100),
        async (inline, platform) => {
          const before = platform.requests.length;
          inline.write(async () => {
            let settled: (weight: number) => void = () => {};
            const weight = new Promise<number>((resolve) => {
              settled = resolve;
            });
            const b = both(n(1), weight);
            const asked = (b.urn as unknown as { promise(): Promise<string> }).promise();
            asked.catch(() => {}).finally(() => settled(100));
          });
          assert.match(
            await inline.failedUp(),
            /AGP-003 NumberAssignment "b" \(\+15550001001\): number \+15550001001 is declared twice: by NumberAssignment "a" and by NumberAssignment "b"\./,
          );
          assert.equal(platform.requests.length, before);
          assert.deepEqual(agentsOf(platform, range(1, 2)), ["agent_a", "agent_b"]);
        },
      );
    });
  }

  it("clears no number of a group of which one, an output, is declared twice", async () => {
    await withStack(
      async () => group("g", range(1, 4)),
      async (inline, platform) => {
        const before = platform.requests.length;
        inline.write(async () => {
          const g = group("g", [...range(1, 3), pulumi.output(n(4))]);
          one(
            "x",
            g.endpoint.apply(() => n(4)),
          );
        });
        assert.match(await inline.failedUp(), /AGP-003/);
        assert.equal(platform.requests.length, before);
        assert.deepEqual(agentsOf(platform, range(1, 4)), Array(4).fill("agent_a"));
      },
    );
  });
});
