import assert from "node:assert/strict";
import { errors, put, withPlatformStack } from "../support/platformStack";

const program = (splits: Record<string, Record<string, number>>) => `
  import { NumberAssignment, split } from "pulumi-agent-platform";
  const splits: Record<string, Record<string, number>> = ${JSON.stringify(splits)};
  for (const [number, weights] of Object.entries(splits)) new NumberAssignment(number, { number, inboundAgents: split(weights) });`;

const [a, b] = ["+15550000001", "+15550000002"] as const;
const front = (stable: number, candidate: number) => ({ "agent_front@12": stable, "agent_front@13": candidate });
const start = { [a]: front(90, 10), [b]: front(90, 10) };

const config = { "agent-platform:maxShift": 25 };

describe("guards through the real engine", () => {
  it("refuse at preview and send nothing; a bypass is printed; the way back is never refused", async () => {
    await withPlatformStack({ program: program(start), config }, async ({ stack, sent, sentNothing, platform }) => {
      await stack.up();
      sent();
      stack.write(program({ ...start, [a]: front(10, 90) }));
      const refused = errors(await stack.preview({ expectFailure: true }));
      assert.match(refused.join("\n"), /^AGP-021 NumberAssignment "\+15550000001": inboundAgents: moves 80 .*\.$/);
      sentNothing();

      const env = { AGENT_PLATFORM_BYPASS: "incident 42" };
      const opened = await stack.up({ env });
      assert.match(
        opened.diagnostics.map(({ message }) => message).join("\n"),
        /^warning: AGP-068 NumberAssignment "\+15550000001": AGENT_PLATFORM_BYPASS \(incident 42\) bypassed 1 guard\.\n {2}AGP-021 .*\.\n {2}Unset .*\.$/,
      );
      assert.equal(sent().length, 1);

      // Another 80 points, but back to what was applied before.
      stack.write(program(start));
      await stack.up();
      assert.equal(sent().length, 1);
      assert.deepEqual(platform.routing(a), { inboundAgents: front(90, 10) });
    });
  });
});

/** A group `all`, or what is left of it, and a group `moved` with the first two of its numbers. One depends on the other, so it comes later. */
const five = [1, 2, 3, 4, 5].map((index) => `+1555000000${index}`);
const groups = { all: five.slice(2), moved: five.slice(0, 2) };
type Later = "all" | "moved" | undefined;
const dependsOn = (name: string, later: Later) => (name === later ? [name === "all" ? "moved" : "all"] : []);

const groupsIn = (later: Later) => {
  const names = ["all", "moved"].filter((name) => later !== undefined || name === "all");
  const groupOf = (name: string) =>
    `const ${name} = new NumberGroup("${name}", { numbers: ${JSON.stringify(later === undefined ? five : groups[name as "all"])}, inboundAgents }, { dependsOn: [${dependsOn(name, later)}] });`;
  const inOrder = later === "all" ? names.reverse() : names;
  const imports = 'import { NumberGroup, split } from "pulumi-agent-platform";';
  return [imports, "const inboundAgents = split({ agent_front: 1 });", ...inOrder.map(groupOf)].join("\n");
};

describe("maxRemove through the real engine", () => {
  it("counts no number that moves to a resource that comes before, and says what to do if it comes later", async () => {
    await withPlatformStack({ program: groupsIn(undefined) }, async ({ stack, sent, sentNothing, platform }) => {
      const isAgentOf = (number: string) =>
        assert.deepEqual(platform.routing(number), { inboundAgents: { agent_front: 1 } }, number);
      await stack.up();
      sent();
      stack.write(groupsIn("moved"));
      const { diagnostics } = await stack.preview({ expectFailure: true });
      const said = diagnostics.map(({ message }) => message).join("\n");
      const text = `AGP-024 NumberGroup "all": numbers: 2 numbers would lose their agents at once, unless another resource declares them; limit 1 (${five[0]}, ${five[1]}). Nothing was sent for this resource. If they move, name their new resource in \`dependsOn\` of this one.`;
      assert.ok(said.includes(text), said);
      sentNothing();
      stack.write(groupsIn("all"));
      const moving = await stack.up();
      assert.ok(moving.output.includes("AGP-061"), moving.output);
      const targets = sent().map(([target]) => target);
      assert.deepEqual(targets.sort(), groups.moved.map(put));
      five.forEach(isAgentOf);
    });
  });
});
