import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { type Emulator, startEmulator } from "../../emulator";
import { NumberAssignment, NumberGroup } from "../../provider";
import { newInlineStack } from "../support/inlineStack";
import { n, range } from "../support/movingNumbers";

const all = (agentId: string) => [{ agentId, weight: 100 }];
const one = (name: string, number: pulumi.Input<string>, args: object = {}) =>
  new NumberAssignment(name, { number, inboundAgents: all(`agent_${name}`), ...args });
const group = (numbers: pulumi.Input<pulumi.Input<string>[]>) =>
  new NumberGroup("g", { numbers, inboundAgents: all("agent_g") });

const right: Readonly<Record<"pair" | "others", () => void>> = {
  pair: () => [one("a", n(1)), one("b", n(2))],
  others: () => [one("c", n(3)), group(range(4, 7))],
};
const program =
  (wrong: Partial<typeof right> = {}) =>
  async () =>
    Object.values({ ...right, ...wrong }).forEach((declare) => {
      declare();
    });

/**
 * An inline program counts as done although a resource of it was not registered, and the engine deletes what is not registered. Each of these
 * runs is to change nothing, so they share a stack.
 */
describe("a mistake in an inline program, which no preview has seen", () => {
  let platform: Emulator;
  let inline: Awaited<ReturnType<typeof newInlineStack>>;
  before(async () => {
    platform = await startEmulator();
    inline = await newInlineStack(platform, "inline", program());
    await inline.stack.up();
  });
  after(async () => {
    inline.remove();
    await platform.close();
  });

  async function failsAndSendsNothing(wrong: Partial<typeof right>, said: RegExp | string): Promise<void> {
    const before = platform.requests.length;
    inline.write(program(wrong));
    const output = await inline.failedUp();
    assert.ok(typeof said === "string" ? output.includes(said) : said.test(output), output);
    assert.equal(platform.requests.length, before);
    assert.deepEqual(
      range(1, 7).map((number) => Object.keys(platform.routing(number)?.inboundAgents ?? {}).join()),
      ["agent_a", "agent_b", "agent_c", ...Array(4).fill("agent_g")],
    );
  }

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
      /AGP-074 NumberAssignment "b" \(\+15550001002\): delete not sent: the program or another resource failed in this run, so it is not known what the program declares\./,
    ],
  };
  for (const [what, [wrong, said]] of Object.entries(mistakes)) {
    it(`sends nothing and clears nothing: ${what}`, () =>
      failsAndSendsNothing({ pair: () => [one("a", n(1)), wrong()] }, said));
  }

  it("clears no number of a group of which one, an output, is declared twice", () => {
    const others = () => {
      one("c", n(3));
      const g = group([...range(4, 6), pulumi.output(n(7))]);
      one(
        "x",
        g.endpoint.apply(() => n(7)),
      );
    };
    return failsAndSendsNothing({ others }, /AGP-003/);
  });
});
