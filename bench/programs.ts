import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EdgeName } from "../test/support/edges";
import type { Stack, YamlProgram } from "../test/support/engine";

/** The programs that are compared. All declare the same numbers with the same split. */

export interface Declared {
  readonly numbers: readonly string[];
  /** Of the first of two agents; the second one has the rest. */
  readonly weight: number;
}
export type Program = string | YamlProgram;

const inEach = <Of>(of: Readonly<Record<EdgeName, Of>>): Readonly<Record<EdgeName, Of>> => of;

const agents = (weight: number) =>
  JSON.stringify([
    { agentId: "agent_front", agentVersion: 12, weight },
    { agentId: "agent_front", agentVersion: 13, weight: 100 - weight },
  ]);
const map = (weight: number) => ({ "agent_front@12": weight, "agent_front@13": 100 - weight });

/** As the platform holds it. */
export const splitOf = map;

const loop = (numbers: readonly string[], body: string) => `
for (const number of ${JSON.stringify(numbers)}) {
  ${body}
}`;

/** A NumberAssignment for each number. */
export const assignments = inEach<(declared: Declared) => Program>({
  dynamic: ({ numbers, weight }) => `import { NumberAssignment } from "pulumi-agent-platform";
${loop(numbers, `new NumberAssignment(number, { number, inboundAgents: ${agents(weight)} });`)}`,
  plugin: ({ numbers, weight }) => ({
    resources: Object.fromEntries(
      numbers.map((number) => [
        `line${number.slice(1)}`,
        { type: "agent-platform:NumberAssignment", properties: { number, inboundAgents: map(weight) } },
      ]),
    ),
  }),
});

/** One NumberGroup of them all. */
export const group = inEach<(declared: Declared) => Program>({
  dynamic: ({ numbers, weight }) => `import { NumberGroup } from "pulumi-agent-platform";
new NumberGroup("fleet", { numbers: ${JSON.stringify(numbers)}, inboundAgents: ${agents(weight)} });`,
  plugin: ({ numbers, weight }) => ({
    resources: { fleet: { type: "agent-platform:NumberGroup", properties: { numbers, inboundAgents: map(weight) } } },
  }),
});

/** Nothing is declared. In TypeScript the same package is loaded. */
export const empty = inEach<Program>({
  dynamic: `import { NumberGroup } from "pulumi-agent-platform";
export const loaded = typeof NumberGroup;`,
  plugin: { resources: {} },
});

/** The least that dynamic resources can cost: nothing is checked, nothing is sent, and the outputs are the inputs. */
export const least = ({ numbers, weight }: Declared): string => `import * as pulumi from "@pulumi/pulumi";
class Least extends pulumi.CustomResource {
  constructor(name: string, args: object) {
    const text = 'exports.handler = () => require("agent-platform-bench-least/handlers").numberAssignment';
    super("pulumi-nodejs:dynamic/agent-platform:NumberAssignment", name, { ...args, __provider: text });
  }
}
${loop(numbers, `new Least(number, { number, inboundAgents: ${JSON.stringify(map(weight))}, endpoint: "https://platform.example" });`)}`;

/** What the one line of `least` requires. */
export function placeLeast({ project }: Stack): void {
  const folder = join(project.root, "node_modules", "agent-platform-bench-least");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "handlers.js"),
    `exports.numberAssignment = {
  create: async (inputs) => ({ id: inputs.number, outs: inputs }),
  update: async (id, olds, news) => ({ outs: news }),
  delete: async () => {},
};\n`,
  );
}

/** The usual way: an object whose functions the SDK serialises into the state of every resource. It saves no more than its inputs. */
export const closure = ({ numbers, weight }: Declared, baseUrl: string): string => `${closureProvider}
${loop(numbers, `new Closure(number, { number, inboundAgents: ${agents(weight)}, baseUrl: ${JSON.stringify(baseUrl)} });`)}`;

const closureProvider = `import * as pulumi from "@pulumi/pulumi";
const put = async (inputs: any, agents: any[]) => {
  const path = "/api/numbers/" + encodeURIComponent(inputs.number) + "/agent";
  const response = await fetch(inputs.baseUrl + path, {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: "Bearer " + process.env.AGENT_PLATFORM_ACCESS_TOKEN },
    body: JSON.stringify({
      inboundAgents: agents.map(({ agentId, agentVersion, weight }) => ({ agent_id: agentId, agent_version: agentVersion, weight })),
    }),
  });
  if (!response.ok) throw new Error("PUT " + path + " answered " + response.status + ": " + (await response.text()));
  await response.json();
};
const provider: pulumi.dynamic.ResourceProvider = {
  async create(inputs: any) {
    await put(inputs, inputs.inboundAgents);
    return { id: inputs.number, outs: inputs };
  },
  async update(id: string, olds: any, news: any) {
    await put(news, news.inboundAgents);
    return { outs: news };
  },
  async delete(id: string, props: any) {
    await put(props, []);
  },
};
class Closure extends pulumi.dynamic.Resource {
  constructor(name: string, args: any) {
    super(provider, name, args);
  }
}`;

/** A bare command: without the log of events that the tests read. Seconds. */
export async function pulumiRun({ project, run }: Stack, command: "up" | "destroy"): Promise<number> {
  const onStack = ["--stack", project.stackName, "--config-file", project.configFile];
  const args = [command, "--yes", "--skip-preview", "--suppress-progress", ...onStack];
  return (await run(args, { timeoutMs: 3_600_000 })).durationMs / 1000;
}
