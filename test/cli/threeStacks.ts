import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostServer } from "./hostServer";
import { github } from "./pipelineJobs";
import type { PipelineProject } from "./pipelineProject";

/** The stacks dev, canary and prod, with a version on its way through them. */

const program = `
  import { Config } from "@pulumi/pulumi";
  import { NumberGroup } from "pulumi-agent-platform";
  const config = new Config();
  const numberOf = (index: number) => \`\${config.require("prefix")}\${String(index).padStart(5, "0")}\`;
  new NumberGroup("support", {
    numbers: Array.from({ length: config.requireNumber("count") }, (_, index) => numberOf(index)),
    rollout: "front",
  });`;

const PREFIXES = { dev: "+15551", canary: "+15552", prod: "+15553" } as const;
type StackName = keyof typeof PREFIXES;

const NEW = "      candidate: agent_front@13\n      percent: 50";
/** The steps of each stack, and how far its rollout is before the story. */
const STACKS: Readonly<Record<StackName, readonly [string, string]>> = {
  dev: ["[50, 100]", `      stable: agent_front@12\n${NEW}`],
  canary: ["[100]", "      stable: agent_front@12"],
  prod: ["[1, 10, 50, 100]", "      stable: agent_front@12"],
};

/** The three stacks, each applied once. @param sizes how many numbers each has */
export async function threeStacks(
  project: PipelineProject,
  host: HostServer,
  sizes: Readonly<Record<StackName, number>>,
): Promise<void> {
  const { passes, emulator, folder } = project;
  const { encryptionsalt, config } = JSON.parse(readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8"));
  for (const [stack, [steps, rollout]] of Object.entries(STACKS)) {
    const name = stack as StackName;
    const settings = {
      ...config,
      "agent-platform:steps": steps,
      "test:prefix": PREFIXES[name],
      "test:count": sizes[name],
    };
    const lines = Object.entries(settings).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
    const text = `encryptionsalt: ${encryptionsalt}\nconfig:\n${lines.join("\n")}\n  agent-platform:rollouts:\n    front: # promote edits this\n${rollout}\n`;
    writeFileSync(join(folder, `Pulumi.${stack}.yaml`), text);
  }
  await project.commit(program, "three stacks");
  const { deploy } = github(host, project);
  for (const stack of Object.keys(STACKS) as StackName[]) {
    if (stack !== "dev") {
      await passes([`pulumi stack init ${stack}`]);
    }
    await passes(["sh scripts/up.sh"], { ...deploy, STACK: stack });
  }
  emulator.clearRequests();
}
