import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "../test/support/engine";

/** The programs that are compared. All declare the same numbers with the same split. */

export type Way = "ours" | "floor" | "closure";

export interface Declared {
  readonly numbers: readonly string[];
  /** The weight of the first agent; of the number that differs, the second one. */
  readonly weight: number;
  readonly oneWeight?: number;
}

const agents = (weight: number) =>
  JSON.stringify([
    { agentId: "agent_front", agentVersion: 12, weight },
    { agentId: "agent_front", agentVersion: 13, weight: 100 - weight },
  ]);
const map = (weight: number) => JSON.stringify({ "agent_front@12": weight, "agent_front@13": 100 - weight });

const loop = ({ numbers, weight, oneWeight = weight }: Declared, body: (weight: string) => string) => `
const numbers = ${JSON.stringify(numbers)};
for (const [index, number] of numbers.entries()) {
  if (index === 0) ${body(String(oneWeight))}
  else ${body(String(weight))}
}`;

const splitOf = (write: (weight: number) => string) => (weight: string) => write(Number(weight));

export function programOf(way: Way, declared: Declared, endpoint: string): string {
  switch (way) {
    case "ours":
      return `import { NumberAssignment } from "pulumi-agent-platform";
${loop(declared, (weight) => `new NumberAssignment(number, { number, inboundAgents: ${splitOf(agents)(weight)} });`)}`;
    case "floor":
      return `import * as pulumi from "@pulumi/pulumi";
class Floor extends pulumi.CustomResource {
  constructor(name: string, args: object) {
    const text = 'exports.handler = () => require("agent-platform-bench-floor/handlers").numberAssignment';
    super("pulumi-nodejs:dynamic/agent-platform:NumberAssignment", name, { ...args, __provider: text });
  }
}
${loop(
  declared,
  (weight) =>
    `new Floor(number, { number, inboundAgents: ${splitOf(map)(weight)}, endpoint: ${JSON.stringify(endpoint)} });`,
)}`;
    case "closure":
      return `${closureProvider}
${loop(
  declared,
  (weight) =>
    `new Closure(number, { number, inboundAgents: ${splitOf(agents)(weight)}, baseUrl: ${JSON.stringify(endpoint)} });`,
)}`;
  }
}

/** The usual way: an object whose functions the SDK serialises into the state of every resource. It saves no more than its inputs. */
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

/** What the floor's one line requires: nothing is checked, nothing is sent, and the outputs are the inputs. */
export function placeFloor({ project }: Stack): void {
  const folder = join(project.root, "node_modules", "agent-platform-bench-floor");
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

export const groupProgram = (numbers: readonly string[], weight: number): string => `
import { NumberGroup } from "pulumi-agent-platform";
new NumberGroup("fleet", { numbers: ${JSON.stringify(numbers)}, inboundAgents: ${agents(weight)} });`;

/** The same package is loaded, and nothing is declared. */
export const emptyProgram = `import { NumberGroup } from "pulumi-agent-platform";
export const loaded = typeof NumberGroup;`;
