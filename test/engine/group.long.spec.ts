import assert from "node:assert/strict";
import { diffBlock, type PlatformStack, withPlatformStack } from "../support/platformStack";

const numbers = Array.from({ length: 60 }, (_, index) => `+1555000${1000 + index}`);
const n = (index: number) => numbers[index] ?? "";

const program = (declared: readonly string[] | Record<string, string>, weight: number, more = "") => `
  import { NumberGroup } from "pulumi-agent-platform";
  const group = new NumberGroup("emea", {
    numbers: ${JSON.stringify(declared)},
    inboundAgents: [
      { agentId: "agent_front", agentVersion: 12, weight: ${weight} },
      { agentId: "agent_front", agentVersion: 13, weight: ${100 - weight} },
    ],
    ${more}
  });
  export const split = group.inboundAgents;
  export const text = group.numbers;`;

describe("a group of numbers under the engine", () => {
  it("is one resource and one readable diff, and a preview sends nothing", async () => {
    await withPlatformStack({ program: program(numbers, 90) }, async (both) => {
      await isOneResource(both);
      await isOneDiff(both);
    });
  });
});

async function isOneResource({ stack, sent, sentNothing, platform }: PlatformStack) {
  const preview = await stack.preview({ diff: true });
  assert.deepEqual(diffBlock(preview.output, "emea"), [
    `        endpoint     : "${platform.url}"`,
    "        inboundAgents: {",
    "            agent_front@12: 90",
    "            agent_front@13: 10",
    "        }",
    `        numbers      : "${n(0)}\\n${n(1)}\\n${n(2)}\\n..."`,
  ]);
  sentNothing();
  assert.deepEqual((await stack.up()).diagnostics, []);
  assert.equal(sent().length, 60);
}

async function isOneDiff({ stack, sent, sentNothing, platform }: PlatformStack) {
  const labelled = Object.fromEntries(
    numbers.slice(1).map((number, index) => [number, index === 39 ? "London sales" : ""]),
  );
  stack.write(program({ ...labelled, "+442079460100": "Leeds" }, 50));
  const change = await stack.preview({ diff: true });
  assert.deepEqual(diffBlock(change.output, "emea"), [
    `        endpoint     : "${platform.url}"`,
    "      ~ inboundAgents: {",
    "          ~ agent_front@12: 90 => 50",
    "          ~ agent_front@13: 10 => 50",
    "        }",
    "      ~ numbers      : ",
    `          - ${n(0)}`,
    `            ${n(1)}`,
    `            ${n(2)}`,
    "            ...",
    `            ${n(38)}`,
    `            ${n(39)}`,
    `          - ${n(40)}`,
    `          + ${n(40)}\tLondon sales`,
    `            ${n(41)}`,
    `            ${n(42)}`,
    "            ...",
    `            ${n(58)}`,
    `            ${n(59)}`,
    "          + +442079460100\tLeeds",
    "      - since        : <time>",
  ]);
  sentNothing();
  await stack.up();
  assert.equal(sent().length, 61);
  assert.deepEqual(platform.routing(n(0)), { inboundAgents: {} });
  assert.deepEqual(platform.routing("+442079460100")?.inboundAgents, {
    "agent_front@12": 50,
    "agent_front@13": 50,
  });
  // A refresh asks the provider for a diff, of what is then deleted too.
  await stack.destroy({ args: ["--refresh"] });
  assert.equal(sent().length, 60);
  assert.deepEqual(platform.routing(n(1)), { inboundAgents: {} });
}
