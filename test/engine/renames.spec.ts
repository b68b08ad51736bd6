import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { type PlatformStack, platformStack } from "../support/platformStack";

/**
 * The engine creates before it deletes: each of these moves ends with the delete of a number that the
 * program still declares.
 */
type Declared = readonly [name: string, numbers: string | readonly string[], options?: object, agents?: object];

const inboundAgents = { "agent_front@12": 90, "agent_front@13": 10 };
const kindOf = (numbers: string | readonly string[]) =>
  typeof numbers === "string" ? "NumberAssignment" : "NumberGroup";
const argsOf = (numbers: string | readonly string[], agents: object = inboundAgents) => ({
  ...(typeof numbers === "string" ? { number: numbers } : { numbers }),
  inboundAgents: agents,
});

const program = (all: readonly Declared[]): string =>
  [
    'import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";',
    ...all.map(
      ([name, numbers, options = {}, agents]) =>
        `new ${kindOf(numbers)}("${name}", ${JSON.stringify(argsOf(numbers, agents))}, ${JSON.stringify(options)});`,
    ),
  ].join("\n");

const before: readonly Declared[] = [
  ["renamed", "+15550000001"],
  ["left", "+15550000002"],
  ["right", "+15550000003"],
  ["moved", "+15550000004"],
  ["grouped", "+15550000005"],
  ["removed", "+15550000006"],
  ["group", ["+15550000007", "+15550000008"]],
  ["extension", "4001"],
  ["aliased", "4002"],
  ["kept", "4003", { ignoreChanges: ["inboundAgents"] }],
  ["retained", "4004", { retainOnDelete: true }],
  ["ignoring", ["4005", "4006"], { ignoreChanges: ["inboundAgents"] }],
];

const after: readonly Declared[] = [
  ["renamed-now", "+15550000001"],
  ["left", "+15550000003"],
  ["right", "+15550000002"],
  ["moved-now", "+15550000004"],
  ["single", "+15550000008"],
  ["group", ["+15550000007", "+15550000005"]],
  ["extension-now", "4001"],
  ["aliased-now", "4002", { aliases: [{ name: "aliased" }] }],
  ["kept-now", "4003", { ignoreChanges: ["inboundAgents"], aliases: [{ name: "kept" }] }, { agent_ignored: 1 }],
  // The engine replaces a group that numbers leave, and forgets `ignoreChanges` there.
  ["ignoring", ["4005"], { ignoreChanges: ["inboundAgents"] }, { agent_ignored: 1 }],
];

/** Nothing is sent for them: two have an alias, one is to be kept, and one ignores what changes. */
const quiet = ["4002", "4003", "4004", "4005"];
const declared = after.flatMap(([, numbers]) => numbers).sort();

const clearing = (requests: [string, unknown][]) =>
  requests
    .filter(([, body]) => isDeepStrictEqual((body as { inboundAgents?: unknown }).inboundAgents, []))
    .map(([target]) => decodeURIComponent(target.split("/")[3] ?? ""))
    .sort();

/** One life of one stack: each of the two goes on where the other one has ended. */
describe("renamed and moved numbers", () => {
  const life = platformStack({ program: program(before), config: { "agent-platform:maxRemove": 2 } });

  it("does not unassign numbers that are renamed, swapped or moved", async () => {
    const { stack, sent } = life();
    await stack.up();
    sent();
    stack.write(program(after));
    await isNeverCleared(life());
  });

  it("does not unassign numbers when every resource is replaced", () => isNotClearedByReplace(life()));
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
      "delete grouped",
      "delete moved",
      "delete removed",
      "delete renamed",
      "delete retained",
      "delete-replaced group",
      "delete-replaced ignoring",
      "delete-replaced left",
      "delete-replaced right",
    ],
  );
  const requests = sent();
  assert.deepEqual(clearing(requests), ["+15550000006", "4006"]);
  assert.deepEqual(
    requests.filter(([target]) => quiet.some((number) => target.includes(`/${number}/`))),
    [],
  );
  for (const number of [...declared, "4004"]) {
    assert.deepEqual(platform.routing(number), { inboundAgents }, number);
  }
  assert.deepEqual(platform.routing("+15550000006"), { inboundAgents: {} });
  // Told by the code and the resource; the sentence has its home in messages.txt.
  const kept = diagnostics.flatMap(({ message }) => /AGP-061 (\w+ "\w+")/.exec(message)?.[1] ?? []);
  const names = ["renamed", "left", "right", "moved", "grouped", "extension"];
  assert.deepEqual(kept.sort(), [...names.map((name) => `NumberAssignment "${name}"`), 'NumberGroup "group"'].sort());
}

/** Another process of the provider has heard what the program declares. The run is red, and says how the originals are forgotten. */
async function isNotClearedByReplace({ platform, stack, sent }: PlatformStack) {
  const { diagnostics } = await stack.up({ expectFailure: true, args: ["--replace", "**", "--continue-on-error"] });
  assert.deepEqual(clearing(sent()), []);
  for (const number of declared) {
    assert.notDeepEqual(platform.routing(number)?.inboundAgents, {}, number);
  }
  const refused = diagnostics.flatMap(({ message }) => /AGP-074 (\w+ "\w+")/.exec(message)?.[1] ?? []);
  for (const original of ['NumberAssignment "single"', 'NumberGroup "group"']) {
    assert.ok(refused.includes(original), `AGP-074 names ${original}, among ${refused.join(", ")}`);
  }
}
