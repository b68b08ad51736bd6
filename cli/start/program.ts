import { randomUUID } from "node:crypto";
import { isObject } from "../../provider/base/json";
import { dynamicType, type NumbersKind, PROVIDER, providerText } from "../../provider/config/kinds";
import type { Settings } from "../../provider/config/settings";
import { checkNumbers } from "../../provider/numbers/check";
import { isEmpty } from "../../provider/routing/split";
import { groupBy } from "../lists";
import { jsonText } from "../print";
import type { TableRow } from "./table";

/**
 * A resource in the generated program, with the rows of the table that it covers. All of its numbers have the same
 * routing.
 */
export interface PlannedResource {
  readonly name: string;
  readonly rows: readonly [TableRow, ...TableRow[]];
  readonly kind: NumbersKind;
  /** The resource's ID in the state. */
  readonly id: string;
  /** The argument that lists its numbers. */
  readonly declared: { readonly number: string } | { readonly numbers: object };
}

/**
 * Groups numbers with equal routing, regardless of the order of their agents. A number with a unique routing becomes a
 * NumberAssignment.
 */
export function groupRows(rows: readonly TableRow[]): PlannedResource[] {
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

/**
 * Names the group after its agents rather than its split, because the resource keeps its name when the split changes.
 */
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

// --- the TypeScript program and the file for `pulumi import`

/**
 * Fields without a value are left out, so they are not sent. An empty list of agents counts as a value and is written.
 */
const argumentsOf = ({ declared, rows: [{ routing }] }: PlannedResource): [string, unknown][] =>
  Object.entries({ ...declared, ...routing }).filter(([, value]) => value !== undefined);

export function programText(resources: readonly PlannedResource[]): string {
  const uses = (kind: PlannedResource["kind"]) => resources.some((resource) => resource.kind === kind);
  const hasSplits = resources.some(({ rows }) => rows.some(({ routing }) => !isEmpty(routing.inboundAgents)));
  const names = [...(["NumberAssignment", "NumberGroup"] as const).filter(uses), ...(hasSplits ? ["split"] : [])];
  return [
    `import { Config } from "@pulumi/pulumi";\nimport { ${names.join(", ")} } from "pulumi-agent-platform";\n`,
    `// To send every routing again, set a new value: pulumi config set reassert 2\nconst triggers = { reassert: new Config().get("reassert") ?? "" };\n`,
    ...resources.map(declarationText),
  ].join("\n");
}

function declarationText(resource: PlannedResource): string {
  const [{ label }] = resource.rows;
  const lines = [...argumentsOf(resource).map(typeScriptLine), "  triggers,"];
  // NumberAssignment has no argument for a label.
  const comment = resource.kind === "NumberGroup" || label === undefined ? "" : `// ${label}\n`;
  return `${comment}new ${resource.kind}(${JSON.stringify(resource.name)}, {\n${lines.join("\n")}\n});\n`;
}

function typeScriptLine([name, value]: [string, unknown]): string {
  if (!isObject(value)) {
    return `  ${name}: ${JSON.stringify(value)},`;
  }
  // The value maps numbers to labels, or agents to weights.
  const items = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${JSON.stringify(item)}`);
  if (name === "inboundAgents") {
    return `  inboundAgents: ${items.length === 0 ? "[]" : `split({ ${items.join(", ")} })`},`;
  }
  return `  ${name}: {\n${items.map((item) => `    ${item},\n`).join("")}  },`;
}

/** Runs the provider's check on the resource's arguments. Returns the checked inputs and the guards they violate. */
export const checkedArguments = (resource: PlannedResource, settings: Settings, reassert = "") =>
  checkNumbers(
    resource.kind,
    undefined,
    { ...Object.fromEntries(argumentsOf(resource)), triggers: { reassert } },
    settings,
  );

/**
 * Returns the file for `pulumi import --file`. The guards don't apply here, because the numbers already have these
 * splits.
 */
export const importText = (resources: readonly PlannedResource[], config: ImportConfig, now: Date): string =>
  jsonText({ resources: resources.map((resource) => importEntry(resource, config, now.toISOString())) });

/** Values that the import records in addition to the table. */
export interface ImportConfig {
  /** The stack's settings. The import records their endpoint in the state. */
  readonly settings: Settings;
  /**
   * The `reassert` setting of the stack. It is recorded with each resource, because the first run would resend every
   * routing if the recorded value differed.
   */
  readonly reassert: string;
}

/**
 * An entry in the file for `pulumi import --file`. It contains inputs and outputs, so the engine records them without
 * reading or sending anything.
 * @param recordedAt the time from which a rollout's soak time is counted
 */
function importEntry(resource: PlannedResource, { settings, reassert }: ImportConfig, recordedAt: string): object {
  const { kind, name, id, rows } = resource;
  // The next run compares the saved inputs with the checked arguments of the program, so save checked inputs here.
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
