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
      const empty = { AGENT_PLATFORM_BYPASS: "" };
      const refused = errors(await stack.preview({ expectFailure: true, env: empty }));
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

describe("maxRemove through the real engine", () => {
  const [first, second, ...others] = [1, 2, 3, 4, 5].map((index) => `+1555000000${index}`);
  const group = (name: string, numbers: readonly unknown[], before = "") =>
    `const ${name} = new NumberGroup("${name}", { numbers: ${JSON.stringify(numbers)}, inboundAgents }, { dependsOn: [${before}] });`;
  const single = (number: string) => `new NumberAssignment("${number}", { number: "${number}", inboundAgents });`;
  const written = (...resources: string[]) =>
    `import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";
    const inboundAgents = split({ agent_front: 1 });
    ${resources.join("\n")}`;
  const all = [first, second, ...others];

  it("lets numbers move in either order, and clears none of three numbers that go together", async () => {
    const stays = single("+15550000009");
    await withPlatformStack({ program: written(group("all", all), stays) }, async ({ stack, sent, platform }) => {
      const haveAgents = () =>
        all.forEach(
          (number = "") => void assert.deepEqual(platform.routing(number), { inboundAgents: { agent_front: 1 } }),
        );
      await stack.up();
      sent();
      stack.write(written(group("moved", [first, second], ""), group("all", others, "moved"), stays));
      const { diagnostics } = await stack.up();
      assert.deepEqual(
        sent().map(([target]) => target),
        [first, second].map((number = "") => put(number)),
      );
      assert.match(
        diagnostics.map(({ message }) => message).join("\n"),
        /2 numbers leave \(.*\): what no other resource declares/,
      );
      haveAgents();

      // Back, with the resource that gives the numbers up checked first; and then three single numbers, whose deletes the engine sends at once.
      stack.write(
        written(
          group("moved", [second]),
          group("all", [first], "moved"),
          ...others.map((one = "") => single(one)),
          stays,
        ),
      );
      await stack.up();
      haveAgents();
      sent();
      stack.write(written(group("moved", [second]), group("all", [first], "moved"), stays));
      const refused = await stack.up({ expectFailure: true });
      assert.match(errors(refused).join("\n"), /AGP-024 .*: 3 numbers would lose their agents in this run; limit 1\./);
      assert.deepEqual(sent(), []);
      haveAgents();
    });
  });
});
