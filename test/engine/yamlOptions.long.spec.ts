import assert from "node:assert/strict";
import { leftOf } from "../support/engineProcesses";
import { type PlatformStack, put, withPlatformStack } from "../support/platformStack";

const bound = { inboundAgents: [{ agent_id: "agent_a", agent_version: 1, weight: 1 }] };

/** Logical name, number and options of each resource; a resource of the same number is the same one to its callers. */
type Lines = Readonly<Record<string, { readonly number: string; readonly options?: object }>>;

const program = (lines: Lines, pool: readonly string[] = [], poolOptions: object = {}) => ({
  resources: {
    ...Object.fromEntries(
      Object.entries(lines).map(([name, { number, options = {} }]) => [
        name,
        { type: "agent-platform:NumberAssignment", properties: { number, inboundAgents: { "agent_a@1": 1 } }, options },
      ]),
    ),
    ...(pool.length > 0 && {
      pool: {
        type: "agent-platform:NumberGroup",
        properties: { numbers: pool, inboundAgents: { "agent_a@1": 1 } },
        options: poolOptions,
      },
    }),
  },
});

const A = "+15551230001";
const B = "+15551230002";
const [P, Q] = ["+15551230010", "+15551230011"] as const;

/** The engine's own options on resources of the plugin. */
describe("a program in YAML with the engine's options", () => {
  it("protects, retains, renames and moves its numbers as a program in TypeScript does", async () => {
    const first = program({ one: { number: A }, two: { number: B } }, [P, Q], { protect: true });
    await withPlatformStack({ program: first }, async (both) => {
      const { stack, sent } = both;
      await stack.up();
      assert.equal(sent().length, 4);
      await protects(both);
      await renames(both);
      await retains(both);
    });
  });
});

async function protects({ stack, sentNothing }: PlatformStack) {
  stack.write(program({ one: { number: A }, two: { number: B } }, [P], { protect: true }));
  const { output } = await stack.up({ expectFailure: true });
  assert.match(output, /protected|protect/);
  sentNothing();
}

async function renames({ stack, sent, sentNothing, platform }: PlatformStack) {
  const pool = [[P, Q], { protect: true }] as const;
  // By an alias, and by the CLI in the state: nothing is sent.
  const aliased = { number: A, options: { aliases: [{ name: "one" }] } };
  stack.write(program({ first: aliased, two: { number: B } }, ...pool));
  assert.deepEqual((await stack.up()).steps, []);
  const [{ urn = "" } = {}] = stack.resources().filter(({ name }) => name === "two");
  await stack.run(["state", "rename", urn, "other", "--yes", "--stack", "dev"]);
  stack.write(program({ first: { number: A }, other: { number: B } }, ...pool));
  assert.deepEqual((await stack.up()).steps, []);
  sentNothing();

  // Without either the new name assigns the number, and the old one does not clear it.
  stack.write(program({ plain: { number: A }, other: { number: B } }, ...pool));
  await stack.up();
  assert.deepEqual(sent(), [[put(A), bound]]);

  // Two swap their numbers.
  stack.write(program({ plain: { number: B }, other: { number: A } }, ...pool));
  await stack.up();
  assert.deepEqual(sent().sort(), [
    [put(A), bound],
    [put(B), bound],
  ]);
  for (const number of [A, B, P, Q]) {
    assert.deepEqual(platform.routing(number)?.inboundAgents, { "agent_a@1": 1 });
  }
}

async function retains({ stack, sent, sentNothing, platform }: PlatformStack) {
  const kept = { retainOnDelete: true, protect: false };
  stack.write(program({ plain: { number: B, options: kept }, other: { number: A } }, [P, Q], kept));
  await stack.up();
  // One resource and one number of the group go: what they have stays.
  stack.write(program({ other: { number: A } }, [P], kept));
  await stack.up();
  sentNothing();
  for (const number of [A, B, P, Q]) {
    assert.deepEqual(platform.routing(number)?.inboundAgents, { "agent_a@1": 1 });
  }
  await stack.destroy();
  assert.deepEqual(
    sent().map(([request]) => request),
    [put(A)],
  );
  assert.deepEqual(await leftOf(stack.processes), []);
}
