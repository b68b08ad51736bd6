import assert from "node:assert/strict";
import { put, withPlatformStack } from "../support/platformStack";

const number = "+15551230001";
const says = (first: string, second: string) =>
  `number ${number} is declared twice: by ${first} and by ${second}. Remove one of them: otherwise they overwrite each other in every run.`;

/** The agents say which resource was sent. */
const [first, second] = ['NumberAssignment "a"', 'NumberGroup "g"'];
const program = `
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  const all = (name: string) => [{ agentId: "agent_" + name, weight: 100 }];
  const a = new NumberAssignment("a", { number: "${number}", inboundAgents: all("a") });
  new NumberGroup("g", { numbers: ["+15551230002", a.number.apply((it) => it)], inboundAgents: all("g") });`;

describe("a number that a program declares twice", () => {
  it("is refused at the second resource before anything of it is sent, in a run that no preview has seen", async () => {
    await withPlatformStack({ program }, async ({ stack, sent }) => {
      // Without the option the engine stops at the refusal, and sends less.
      const { diagnostics } = await stack.up({ args: ["--continue-on-error"], expectFailure: true });
      const said = diagnostics.filter(({ message }) => message.includes("AGP-003")).map(({ message }) => message);
      // The engine asks about either of them first.
      assert.equal(said.length, 1);
      assert.ok(
        [says(first, second), says(second, first)].some((end) => said[0]?.endsWith(end)),
        said[0],
      );
      const agents = sent()
        .filter(([request]) => request === put(number))
        .map(([, body]) => (body as { inboundAgents: { agent_id: string }[] }).inboundAgents[0]?.agent_id);
      assert.ok(new Set(agents).size <= 1, `both were sent: ${agents.join()}`);
    });
  });

  it("is refused in a preview, and by YAML programs as well", async () => {
    const resource = (agent: string) => ({
      type: "agent-platform:NumberAssignment",
      properties: { number, inboundAgents: { [agent]: 100 } },
    });
    const yaml = { resources: { a: resource("agent_a"), b: resource("agent_b") } };
    await withPlatformStack({ program: yaml }, async ({ stack, sentNothing }) => {
      const { diagnostics } = await stack.preview({ expectFailure: true });
      assert.equal(diagnostics.filter(({ message }) => message.includes("AGP-003")).length, 1);
      sentNothing();
    });
  });
});
