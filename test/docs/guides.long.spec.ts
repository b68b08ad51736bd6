import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { runGuide, type World } from "./guide";
import { NUMBER, puts, routed } from "./steps";

const nothingSent = puts();

/** Follows each guide from top to bottom. The steps check which requests the emulator received and what it stores. */
describe("the package", () => {
  it("assigns and unassigns a number as start.md describes", () =>
    runGuide("docs/start.md", {
      steps: {
        "one PUT": puts(NUMBER),
        "another PUT": puts(NUMBER),
        "version 12 has all calls": routed(NUMBER, { "agent_front@12": 100 }),
        "nothing is assigned": routed(NUMBER, {}),
      },
    }));

  it("splits calls between agents as rollouts.md describes", async () => {
    const splits: unknown[] = [];
    const calls = ({ platform }: World) => {
      const declared = platform.routing(NUMBER)?.inboundAgents ?? {};
      const counts = platform.calls(NUMBER, 10_000);
      assert.deepEqual(Object.keys(counts).sort(), Object.keys(declared).sort());
      for (const [agent, percent] of Object.entries(declared)) {
        assert.ok(Math.abs((counts[agent] ?? 0) - percent * 100) < 150, `${agent}: ${counts[agent]} at ${percent}%`);
      }
      splits.push(declared);
    };
    await runGuide("docs/rollouts.md", { steps: { calls } });
    const [old, tried, next] = ["agent_front@12", "agent_front@13", "agent_front@14"];
    assert.deepEqual(splits, [
      { [old]: 100 },
      { [old]: 99, [tried]: 1 },
      { [old]: 50, [tried]: 50 },
      { [old]: 100 },
      { [old]: 90, [next]: 10 },
    ]);
  });

  it("assigns a group of numbers as many-numbers.md describes", () => {
    const numbers = ["101", "102", "103"].map((end) => `+442079460${end}`);
    return runGuide("docs/many-numbers.md", { steps: { "three PUTs": puts(...numbers) } });
  });

  it("imports existing numbers as existing-numbers.md describes", () =>
    runGuide("docs/existing-numbers.md", {
      steps: {
        async probed(world) {
          const agents = "--agent agent_front@12 --agent agent_front@13 --outbound agent_out@9";
          await world.run(`npx pulumi-agent-platform probe +15550009999 --json ${agents} --yes > record.json`);
          puts(...Array<string>(9).fill("+15550009999"))(world);
          routed("+15550009999", {})(world);
        },
        "as the web application shows it": () => undefined,
        "the program that it wrote": ({ project, write }) => {
          const program = readFileSync(join(project.directory, "numbers.ts"), "utf8");
          write(program);
          return program;
        },
        "nothing was sent": nothingSent,
      },
    }));

  it("writes the pull request comment that report.md shows", () =>
    runGuide("docs/report.md", {
      config: {
        "agent-platform:steps": "[10, 50, 100]",
        "agent-platform:rollouts": { front: { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 } },
      },
      steps: {
        applied: async (world) => {
          const numbers = `{ "+15551230001": "London", "+15551230002": "Berlin" }`;
          world.write(
            `import { NumberGroup } from "pulumi-agent-platform";\nnew NumberGroup("support", { numbers: ${numbers}, rollout: "front" });`,
          );
          await world.run("pulumi up");
          puts("+15551230001", "+15551230002")(world);
        },
        // The digest depends on the inputs, which contain the emulator's port, so it differs in every run.
        "nothing was sent, and the digest is this run's": async (world) => {
          nothingSent(world);
          const report = await world.run("npx pulumi-agent-platform report preview.json --json");
          const { digest } = JSON.parse(report) as { readonly digest: string };
          world.fill("1f0c9a526d1e", digest.trim());
        },
      },
    }));

  it("leaves a number assigned after a destroy as operations.md describes", () =>
    runGuide("docs/operations.md", {
      steps: { "the number keeps its agents": routed(NUMBER, { "agent_front@12": 100 }) },
    }));
});
