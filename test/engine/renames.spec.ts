import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { type PlatformStack, platformStack } from "../support/platformStack";

type Declared = readonly [name: string, numbers: string | readonly string[], options?: object, agents?: object];

const inboundAgents = { "agent_front@12": 90, "agent_front@13": 10 };
const kindOf = (numbers: string | readonly string[]) =>
  typeof numbers === "string" ? "NumberAssignment" : "NumberGroup";
const argsOf = (numbers: string | readonly string[], agents: object = inboundAgents) => ({
  ...(typeof numbers === "string" ? { number: numbers } : { numbers }),
  inboundAgents: agents,
});

const program = (resources: readonly Declared[]): string =>
  [
    'import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";',
    ...resources.map(
      ([name, numbers, options = {}, agents]) =>
        `new ${kindOf(numbers)}("${name}", ${JSON.stringify(argsOf(numbers, agents))}, ${JSON.stringify(options)});`,
    ),
  ].join("\n");

const originalResources: readonly Declared[] = [
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

/**
 * The engine runs deletes last, so most of these renames and moves end by deleting a resource whose number is still
 * declared.
 */
const changedResources: readonly Declared[] = [
  ["renamed-now", "+15550000001"],
  ["left", "+15550000003"],
  ["right", "+15550000002"],
  ["moved-now", "+15550000004"],
  ["single", "+15550000008"],
  ["group", ["+15550000007", "+15550000005"]],
  ["extension-now", "4001"],
  ["aliased-now", "4002", { aliases: [{ name: "aliased" }] }],
  ["kept-now", "4003", { ignoreChanges: ["inboundAgents"], aliases: [{ name: "kept" }] }, { agent_ignored: 1 }],
  // Removing a number replaces the group. For the replacement, the engine passes all of the program's arguments, even
  // those in `ignoreChanges`.
  ["ignoring", ["4005"], { ignoreChanges: ["inboundAgents"] }, { agent_ignored: 1 }],
];

/**
 * Numbers for which nothing is sent, because their resources have an alias, use `retainOnDelete`, or ignore the change.
 */
const untouched = ["4002", "4003", "4004", "4005"];
const declared = changedResources.flatMap(([, numbers]) => numbers).sort();

const clearedBy = (requests: [string, unknown][]) =>
  requests
    .filter(([, body]) => isDeepStrictEqual((body as { inboundAgents?: unknown }).inboundAgents, []))
    .map(([target]) => decodeURIComponent(target.split("/")[3] ?? ""))
    .sort();

// The two tests share a stack, and the second one continues where the first one ended.
describe("renamed and moved numbers", () => {
  const opened = platformStack({ program: program(originalResources), config: { "agent-platform:maxRemove": 2 } });

  it("does not unassign numbers that are renamed, swapped or moved", async () => {
    const { stack, sent } = opened();
    await stack.up();
    sent();
    stack.write(program(changedResources));
    await assertOnlyRemovedCleared(opened());
  });

  it("does not unassign numbers when every resource is replaced", () => assertReplaceClearsNothing(opened()));
});

async function assertOnlyRemovedCleared({ platform, stack, sent }: PlatformStack) {
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
  assert.deepEqual(clearedBy(requests), ["+15550000006", "4006"]);
  assert.deepEqual(
    requests.filter(([target]) => untouched.some((number) => target.includes(`/${number}/`))),
    [],
  );
  for (const number of [...declared, "4004"]) {
    assert.deepEqual(platform.routing(number), { inboundAgents }, number);
  }
  assert.deepEqual(platform.routing("+15550000006"), { inboundAgents: {} });
  // Check only the code and the resource, because test/words/testdata/messages.txt covers the wording.
  const kept = diagnostics.flatMap(({ message }) => /AGP-061 (\w+ "\w+")/.exec(message)?.[1] ?? []);
  const names = ["renamed", "left", "right", "moved", "grouped", "extension"];
  assert.deepEqual(kept.sort(), [...names.map((name) => `NumberAssignment "${name}"`), 'NumberGroup "group"'].sort());
}

/**
 * `--replace "**"` also replaces the provider. The new provider process refuses the deletes, because it doesn't know
 * what the program declares.
 */
async function assertReplaceClearsNothing({ platform, stack, sent }: PlatformStack) {
  const { diagnostics } = await stack.up({ expectFailure: true, args: ["--replace", "**", "--continue-on-error"] });
  assert.deepEqual(clearedBy(sent()), []);
  for (const number of declared) {
    assert.notDeepEqual(platform.routing(number)?.inboundAgents, {}, number);
  }
  const refused = diagnostics.flatMap(({ message }) => /AGP-074 (\w+ "\w+")/.exec(message)?.[1] ?? []);
  for (const original of ['NumberAssignment "single"', 'NumberGroup "group"']) {
    assert.ok(refused.includes(original), `AGP-074 does not name ${original}, only ${refused.join(", ")}`);
  }
}
