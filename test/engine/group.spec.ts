import assert from "node:assert/strict";
import { diffBlock, type PlatformStack, put, withPlatformStack } from "../support/platformStack";

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
  it("is one resource and one readable diff; a preview and a run without change send nothing; the next run sends what a failed one has not applied, and that alone", async () => {
    await withPlatformStack({ program: program(numbers, 90) }, async (both) => {
      await isOneResource(both);
      await savesWhatWasApplied(both);
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
  assert.deepEqual((await stack.up({ args: ["--refresh"] })).changeSummary, { same: 2 });
  sentNothing();
}

async function isOneDiff({ stack, sent, sentNothing, platform }: PlatformStack) {
  const labelled = Object.fromEntries(
    numbers.slice(1).map((number, index) => [number, index === 39 ? "London sales" : ""]),
  );
  stack.write(program({ ...labelled, "+442079460100": "Leeds" }, 50));
  const change = await stack.preview({ diff: true });
  assert.deepEqual(diffBlock(change.output, "emea"), [
    `        endpoint             : "${platform.url}"`,
    "      ~ inboundAgents        : {",
    "          ~ agent_front@12: 70 => 50",
    "          ~ agent_front@13: 30 => 50",
    "        }",
    "      ~ numbers              : ",
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
    "      - previousInboundAgents: {",
    "          - agent_front@12: 90",
    "          - agent_front@13: 10",
    "        }",
    "      - since                : <time>",
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

async function savesWhatWasApplied({ stack, sent, platform }: PlatformStack) {
  for (const index of [17, 31]) {
    const times = Number.POSITIVE_INFINITY;
    platform.inject({ kind: "status", status: 404, body: { error: "no such number" }, number: n(index), times });
  }
  stack.write(program(numbers, 70));
  const failed = await stack.up({ expectFailure: true });
  const message = [
    `    \t* AGP-070 NumberGroup "emea": 58 of 60 applied, 2 failed.`,
    `      2 × AGP-033 the platform returned 404 to PUT /api/numbers/{number}/agent: "no such number": ${n(17)}, ${n(31)} (routing unchanged)`,
    "      Saved; the next `pulumi up` sends these 2 only.",
  ];
  for (const line of message) {
    assert.ok(failed.output.includes(`\n${line}\n`), `${line}\n${failed.output}`);
  }
  platform.clearFaults();
  sent();
  const again = await stack.up();
  assert.ok(
    again.output.includes(
      `warning: AGP-044 NumberGroup "emea": 2 numbers not applied in an earlier run (the API rejected it), so they are sent again.\n`,
    ),
    again.output,
  );
  assert.deepEqual(
    sent()
      .map(([request]) => request)
      .sort(),
    [17, 31].map((index) => put(n(index))),
  );
  const [saved] = stack.resources();
  assert.deepEqual(Object.keys(saved?.outputs ?? {}).sort(), [
    "__provider",
    "__urn",
    "endpoint",
    "inboundAgents",
    "numbers",
    "previousInboundAgents",
    "since",
  ]);
}
