import assert from "node:assert/strict";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

/**
 * The engine creates before it deletes: each of these moves ends with the delete of a number that the
 * program still declares.
 */
const imports = `import { ComponentResource, rootStackResource } from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";
  const inboundAgents = split({ "agent_front@12": 90, "agent_front@13": 10 });
  const one = (name: string, number: string, opts = {}) => new NumberAssignment(name, { number, inboundAgents }, opts);
`;

const before = `${imports}
  one("renamed", "+15550000001");
  one("left", "+15550000002");
  one("right", "+15550000003");
  one("moved", "+15550000004");
  one("grouped", "+15550000005");
  one("gone", "+15550000006");
  new NumberGroup("group", { numbers: ["+15550000007", "+15550000008"], inboundAgents });
  one("extension", "4001");
  one("aliased", "4002");
  new NumberGroup("placed", { numbers: ["4003"], inboundAgents });
  one("kept", "4004", { ignoreChanges: ["*"] });`;

const after = `${imports}
  one("renamed-now", "+15550000001");
  one("left", "+15550000003");
  one("right", "+15550000002");
  one("moved-now", "+15550000004");
  one("single", "+15550000008");
  new NumberGroup("group", { numbers: ["+15550000007", "+15550000005"], inboundAgents });
  one("extension-now", "4001");
  const office = new ComponentResource("phones:index:Office", "office");
  const root = { parent: rootStackResource };
  one("aliased-now", "4002", { aliases: [{ name: "aliased" }] });
  new NumberGroup("placed", { numbers: ["4003"], inboundAgents }, { parent: office, aliases: [root] });
  one("kept-now", "4004", { ignoreChanges: ["*"], parent: office, aliases: [{ name: "kept", ...root }] });`;

/** An alias: the engine knows them, and nothing is sent. */
const aliased = ["4002", "4003", "4004"];
const declared = [1, 2, 3, 4, 5, 7, 8].map((digit) => `+1555000000${digit}`).concat("4001", aliased);

const clearing = (requests: [string, unknown][]) =>
  requests
    .filter(([, body]) => (body as { inboundAgents?: unknown }).inboundAgents === null)
    .map(([target]) => decodeURIComponent(target.split("/")[3] ?? ""))
    .sort();

describe("a number that the program still declares", () => {
  it("keeps its agents through renames, swaps, and moves into a group and out of one, in one run", async () => {
    await withPlatformStack({ program: before }, async (both) => {
      const { stack } = both;
      await stack.up();
      both.sent();
      stack.write(after);
      await isNeverCleared(both);
      await isClearedAtTheEnd(both);
    });
  });
});

async function isNeverCleared({ platform, stack, sent }: PlatformStack) {
  const { steps, diagnostics } = await stack.up();
  assert.deepEqual(
    steps
      .filter(({ op }) => op === "delete" || op === "delete-replaced")
      .map(({ op, name }) => `${op} ${name}`)
      .sort(),
    [
      "delete extension",
      "delete gone",
      "delete grouped",
      "delete moved",
      "delete renamed",
      "delete-replaced group",
      "delete-replaced left",
      "delete-replaced right",
    ],
  );
  const requests = sent();
  assert.deepEqual(clearing(requests), ["+15550000006"]);
  assert.deepEqual(
    requests.filter(([target]) => aliased.some((number) => target.includes(`/${number}/`))),
    [],
  );
  for (const number of declared) {
    assert.deepEqual(
      platform.routing(number),
      { inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 } },
      number,
    );
  }
  assert.deepEqual(platform.routing("+15550000006"), { inboundAgents: {} });
  const kept = diagnostics.filter(({ message }) => message.includes("AGP-061")).map(({ message }) => message);
  assert.deepEqual(
    kept.sort(),
    [
      ...Object.entries({
        renamed: "+15550000001",
        left: "+15550000002",
        right: "+15550000003",
        moved: "+15550000004",
        grouped: "+15550000005",
        extension: "4001",
      }).map(
        ([name, number]) =>
          `warning: AGP-061 NumberAssignment "${name}" (${number}): not cleared: the program still declares this number. It keeps its agents.`,
      ),
      'warning: AGP-061 NumberGroup "group": 1 number not cleared, because the program now declares it elsewhere (+15550000008).',
    ].sort(),
  );
}

async function isClearedAtTheEnd({ platform, stack, sent }: PlatformStack) {
  assert.equal((await stack.up()).changeSummary.same, 12);
  assert.deepEqual(sent(), []);
  await stack.destroy();
  assert.deepEqual(clearing(sent()), declared);
  for (const number of platform.numbers.keys()) {
    assert.deepEqual(platform.routing(number), { inboundAgents: {} }, number);
  }
}
