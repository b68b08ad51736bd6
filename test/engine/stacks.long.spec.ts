import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportCommand } from "../../cli/commands/report";
import { type Emulator, startEmulator } from "../../emulator";
import { runWith } from "../cli/terminal";
import { newStack, type Stack } from "../support/engine";

/** Numbers that move from the stack dev to the stack prod of one project. */

const AGENTS = { "agent_a@1": 100 };

interface Placed {
  /** In dev: one number by itself, and one in a group beside +15551230000, which stays. */
  readonly single?: "dev" | "prod";
  readonly grouped?: "dev" | "prod";
  readonly isRetained?: boolean;
}
const [STAYS, SINGLE, GROUPED] = ["+15551230000", "+15551230001", "+15551230002"] as const;

const program = ({ single = "dev", grouped = "dev", isRetained = false }: Placed): string => `
  import { getStack } from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  const inboundAgents = { "agent_a@1": 100 };
  const isDev = getStack() === "dev";
  const opts = { retainOnDelete: ${isRetained} && isDev };
  if (getStack() === "${single}") {
    new NumberAssignment("line", { number: "${SINGLE}", inboundAgents }, opts);
  }
  if (isDev) {
    new NumberGroup("group", { numbers: ["${STAYS}"${grouped === "dev" ? `, "${GROUPED}"` : ""}], inboundAgents }, opts);
  } else {
    new NumberAssignment("other", { number: "+15551230003", inboundAgents });
    ${grouped === "prod" ? `new NumberAssignment("grouped", { number: "${GROUPED}", inboundAgents });` : ""}
  }`;

async function twoStacks(stack: Stack, emulator: Emulator) {
  const { root } = stack.project;
  const config = join(root, "Pulumi.prod.yaml");
  writeFileSync(config, JSON.stringify({ config: { "agent-platform:baseUrl": emulator.url, "test:other": 1 } }));
  const prod = (...args: string[]) =>
    stack.run([...args, "--stack", "prod", "--config-file", config, "--suppress-progress"]);
  await stack.run(["stack", "init", "prod"]);
  return {
    write: (placed: Placed) => stack.write(program(placed)),
    /** prod first: if dev was first, its numbers would have no agents until prod is deployed. */
    async deploy(): Promise<void> {
      await prod("up", "--yes", "--skip-preview");
      await stack.up();
    },
    async report() {
      const args = ["--show-sames"];
      writeFileSync(join(root, "dev.json"), (await stack.preview({ json: true, args })).stdout);
      writeFileSync(join(root, "prod.json"), (await prod("preview", "--json", ...args)).stdout);
      const { code, stdout } = await runWith(reportCommand.run, ["dev.json", "prod.json", "--json"], {
        cwd: root,
      });
      return { code, headline: (JSON.parse(stdout) as { readonly headline: string }).headline };
    },
    agents: (number: string) => emulator.numbers.get(number)?.inboundAgents,
  };
}

describe("a number that moves to another stack", () => {
  it("loses its agents, which the report over both stacks blocks; the way that the report names keeps them", async () => {
    const emulator = await startEmulator();
    const settings = { config: { "agent-platform:baseUrl": emulator.url } };
    const stack = await newStack({ ...settings, env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
    try {
      const { write, deploy, report, agents } = await twoStacks(stack, emulator);
      write({});
      await deploy();
      write({ single: "prod", grouped: "prod" });
      assert.deepEqual(await report(), {
        code: 1,
        headline: "❌ 2 numbers would lose their agents: leaving dev, declared by prod",
      });
      write({ isRetained: true });
      await stack.up();
      write({ isRetained: true, single: "prod", grouped: "prod" });
      const passed = await report();
      assert.equal(passed.code, 0, passed.headline);
      emulator.clearRequests();
      await deploy();
      const sent = emulator.requests.map(({ number, body }) => [number, body]);
      const inboundAgents = [{ agent_id: "agent_a", agent_version: 1, weight: 100 }];
      assert.deepEqual(sent.sort(), [
        [SINGLE, { inboundAgents }],
        [GROUPED, { inboundAgents }],
      ]);
      assert.deepEqual([STAYS, SINGLE, GROUPED].map(agents), [AGENTS, AGENTS, AGENTS]);
    } finally {
      await stack.remove();
      await emulator.close();
    }
  });
});
