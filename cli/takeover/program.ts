import { isObject } from "../../provider/core/common/equality";
import type { Settings } from "../../provider/core/config/settings";
import { dynamicType, PROVIDER, pluginType, providerText } from "../../provider/core/platform/kinds";
import { isEmpty } from "../../provider/core/routing/split";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { numberGroup } from "../../provider/resources/numberGroup";
import type { Language } from "../command";
import type { PlannedResource } from "./grouped";

/** Writes the rows as a program in TypeScript, as resources in YAML, and as a file for `pulumi import`. */

/** Fields that the web application shows as none are left out, so they are not sent. An empty list of agents is written. */
const argumentsOf = ({ declared, rows: [{ routing }] }: PlannedResource): [string, unknown][] =>
  Object.entries({ ...declared, ...routing }).filter(([, value]) => value !== undefined);

/** The label of a single number, which has no argument for it. */
const commentOf = ({ kind, rows: [{ label }] }: PlannedResource, sign: string): string =>
  kind === "NumberGroup" || label === undefined ? "" : `${sign} ${label}\n`;

/** The entries of a map: numbers with their labels, or agents with their weights. */
const itemsOf = (value: object): string[] =>
  Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${JSON.stringify(item)}`);

/** @param first the program of a new project */
export function programText(first: string, resources: readonly PlannedResource[]): string {
  const uses = (kind: PlannedResource["kind"]) => resources.some((resource) => resource.kind === kind);
  const hasSplits = resources.some(({ rows }) => rows.some(({ routing }) => !isEmpty(routing.inboundAgents)));
  const names = [...(["NumberAssignment", "NumberGroup"] as const).filter(uses), ...(hasSplits ? ["split"] : [])];
  const imports = `import { Config } from "@pulumi/pulumi";\nimport { ${names.join(", ")} } from "pulumi-agent-platform";\n`;
  // Its second paragraph is about Re-assert.
  const [, reassert] = first.split("\n\n");
  return [imports, `${reassert}\n`, ...resources.map(inTypeScript)].join("\n");
}

function inTypeScript(resource: PlannedResource): string {
  const lines = [...argumentsOf(resource).map(typeScriptLine), "  triggers,"];
  return `${commentOf(resource, "//")}new ${resource.kind}(${JSON.stringify(resource.name)}, {\n${lines.join("\n")}\n});\n`;
}

function typeScriptLine([name, value]: [string, unknown]): string {
  if (!isObject(value)) {
    return `  ${name}: ${JSON.stringify(value)},`;
  }
  const items = itemsOf(value);
  if (name === "inboundAgents") {
    return `  inboundAgents: ${items.length === 0 ? "[]" : `split({ ${items.join(", ")} })`},`;
  }
  return `  ${name}: {\n${items.map((item) => `    ${item},\n`).join("")}  },`;
}

/** Texts are written as in JSON, which is valid YAML. @param first the project of a new program in YAML */
export const yamlText = (first: string, resources: readonly PlannedResource[]): string =>
  first
    .replace(/ {2}# Each stack has .*\n {2}numbers:\n(?: {4}.*\n)+/, "")
    .replace(/^resources:[\s\S]*/m, () => `resources:\n${resources.map(inYaml).join("")}`);

const inYaml = (resource: PlannedResource): string => `${commentOf(resource, "  #")}  ${JSON.stringify(resource.name)}:
    type: agent-platform:${resource.kind}
    properties:
${argumentsOf(resource).map(yamlLine).join("")}      triggers:
        reassert: \${reassert}
`;

function yamlLine([name, value]: [string, unknown]): string {
  if (!isObject(value)) {
    return `      ${name}: ${literal(JSON.stringify(value))}\n`;
  }
  const items = itemsOf(value).map((item) => `        ${literal(item)}\n`);
  return items.length === 0 ? `      ${name}: {}\n` : `      ${name}:\n${items.join("")}`;
}

/** In a text of a program in YAML, Pulumi takes `${…}` for a reference, and `$$` for a dollar sign. */
const literal = (text: string): string => text.replaceAll("$", "$$$$");

/**
 * An entry of the file for `pulumi import --file`. It has inputs and outputs, so the engine records them, and reads and sends nothing.
 * @param settings they have the endpoint that a state names
 * @param recordedAt a rollout's soak time counts from then
 */
export function importEntry(
  resource: PlannedResource,
  language: Language,
  settings: Settings,
  recordedAt: string,
): object {
  const { kind, name, id, rows } = resource;
  const args = { ...Object.fromEntries(argumentsOf(resource)), triggers: { reassert: "" } };
  // The next run compares the saved inputs with what check makes of the program's arguments.
  const { inputs } = { NumberAssignment: numberAssignment, NumberGroup: numberGroup }[kind].check(
    undefined,
    args,
    settings,
  );
  const isNode = language === "typescript";
  const recorded = { ...inputs, [PROVIDER]: providerText(kind) };
  const since = isEmpty(rows[0].routing.inboundAgents) ? {} : { since: recordedAt };
  return {
    type: isNode ? dynamicType(kind) : pluginType(kind),
    name,
    id,
    inputs: isNode ? recorded : inputs,
    outputs: { ...recorded, ...since },
  };
}
