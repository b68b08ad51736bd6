import { randomUUID } from "node:crypto";
import { isObject } from "../../provider/base/json";
import { dynamicType, type NumbersKind, PROVIDER, providerText } from "../../provider/config/kinds";
import type { Settings } from "../../provider/config/settings";
import { checkNumbers } from "../../provider/numbers/check";
import { isEmpty } from "../../provider/routing/split";
import { jsonText } from "../io";
import { groupBy } from "../lists";
import type { TableRow } from "./table";

/** A resource of the program, and the rows of its numbers, which have the same routing. */
export interface PlannedResource {
  readonly name: string;
  readonly rows: readonly [TableRow, ...TableRow[]];
  readonly kind: NumbersKind;
  /** The id with which its numbers are recorded. */
  readonly id: string;
  /** The argument that names its numbers. */
  readonly declared: { readonly number: string } | { readonly numbers: object };
}

/** Equal routings become one group, whatever the order of their agents; a routing of one number becomes an assignment. */
export function grouped(rows: readonly TableRow[]): PlannedResource[] {
  const taken = new Set<string>();
  return groupBy(rows, ({ routing }) => JSON.stringify(routing)).map((members) => {
    const [first] = members;
    return members.length > 1
      ? {
          name: freeName(groupName(first), taken),
          rows: members,
          kind: "NumberGroup",
          id: `group-${randomUUID()}`,
          declared: { numbers: Object.fromEntries(members.map(({ number, label = "" }) => [number, label])) },
        }
      : {
          name: freeName(slug(first.label ?? "") || slug(`number-${first.number}`), taken),
          rows: members,
          kind: "NumberAssignment",
          id: first.number,
          declared: { number: first.number },
        };
  });
}

/** The name has the agents and not the split, because a resource keeps its name when its split changes. */
function groupName({ routing: { inboundAgents, outboundAgentId = "no-agents" } }: TableRow): string {
  const ids = Object.keys(inboundAgents).map((key) => key.replace(/^agent_|@\d+$/g, ""));
  const first = [...new Set(ids)].slice(0, 2);
  return slug(first.join("-") || outboundAgentId.replace(/^agent_/, "outbound-")) || "numbers";
}

const slug = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/[^\w-]/g, "")
    .replace(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, 40);

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) {
    name = `${wanted}-${count}`;
  }
  taken.add(name);
  return name;
}

// --- a program in TypeScript, and a file for `pulumi import`

/** Fields that the web application shows as none are left out, so they are not sent. An empty list of agents is written. */
const argumentsOf = ({ declared, rows: [{ routing }] }: PlannedResource): [string, unknown][] =>
  Object.entries({ ...declared, ...routing }).filter(([, value]) => value !== undefined);

export function programText(resources: readonly PlannedResource[]): string {
  const uses = (kind: PlannedResource["kind"]) => resources.some((resource) => resource.kind === kind);
  const hasSplits = resources.some(({ rows }) => rows.some(({ routing }) => !isEmpty(routing.inboundAgents)));
  const names = [...(["NumberAssignment", "NumberGroup"] as const).filter(uses), ...(hasSplits ? ["split"] : [])];
  return [
    `import { Config } from "@pulumi/pulumi";\nimport { ${names.join(", ")} } from "pulumi-agent-platform";\n`,
    `// A new value sends every routing again: pulumi config set reassert 2\nconst triggers = { reassert: new Config().get("reassert") ?? "" };\n`,
    ...resources.map(declarationText),
  ].join("\n");
}

function declarationText(resource: PlannedResource): string {
  const [{ label }] = resource.rows;
  const lines = [...argumentsOf(resource).map(typeScriptLine), "  triggers,"];
  // A single number has no argument for its label.
  const comment = resource.kind === "NumberGroup" || label === undefined ? "" : `// ${label}\n`;
  return `${comment}new ${resource.kind}(${JSON.stringify(resource.name)}, {\n${lines.join("\n")}\n});\n`;
}

function typeScriptLine([name, value]: [string, unknown]): string {
  if (!isObject(value)) {
    return `  ${name}: ${JSON.stringify(value)},`;
  }
  // Numbers with their labels, or agents with their weights.
  const items = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${JSON.stringify(item)}`);
  if (name === "inboundAgents") {
    return `  inboundAgents: ${items.length === 0 ? "[]" : `split({ ${items.join(", ")} })`},`;
  }
  return `  ${name}: {\n${items.map((item) => `    ${item},\n`).join("")}  },`;
}

/** What the provider makes of the resource's arguments, and what it refuses of them. */
export const checkedArguments = (resource: PlannedResource, settings: Settings, reassert = "") =>
  checkNumbers(
    resource.kind,
    undefined,
    { ...Object.fromEntries(argumentsOf(resource)), triggers: { reassert } },
    settings,
  );

/** The file for `pulumi import --file`. Guards are not judged, because callers have these splits already. */
export const importText = (resources: readonly PlannedResource[], config: ImportConfig, now: Date): string =>
  jsonText({ resources: resources.map((resource) => importEntry(resource, config, now.toISOString())) });

/** What the import records beside the table. */
export interface ImportConfig {
  /** They have the endpoint that a state names. */
  readonly settings: Settings;
  /** The program's own setting. With another value the first run would send every routing. */
  readonly reassert: string;
}

/**
 * An entry of the file for `pulumi import --file`. It has inputs and outputs, so the engine records them, and reads and sends nothing.
 * @param recordedAt a rollout's soak time counts from then
 */
function importEntry(resource: PlannedResource, { settings, reassert }: ImportConfig, recordedAt: string): object {
  const { kind, name, id, rows } = resource;
  // The next run compares the saved inputs with what check makes of the program's arguments.
  const { inputs } = checkedArguments(resource, settings, reassert);
  const recorded = { ...inputs, [PROVIDER]: providerText(kind) };
  const since = isEmpty(rows[0].routing.inboundAgents) ? {} : { since: recordedAt };
  return {
    type: dynamicType(kind),
    name,
    id,
    inputs: recorded,
    outputs: { ...recorded, ...since },
  };
}
