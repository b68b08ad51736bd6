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
 * A resource in the program that `takeover` writes. `rows` contains the table's rows for the resource's numbers, which
 * all have the same routing.
 */
export interface PlannedResource {
  readonly name: string;
  readonly rows: readonly [TableRow, ...TableRow[]];
  readonly kind: NumbersKind;
  /** The resource's ID in the state. */
  readonly id: string;
  /** The resource's argument that names its number or lists its numbers. */
  readonly declared: { readonly number: string } | { readonly numbers: object };
}

/** The names of saved number resources, each with the resource's numbers. */
type SavedNames = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Plans a NumberGroup for numbers that share a routing, and a NumberAssignment for any other number. The order of a
 * routing's agents doesn't matter.
 * @param saved the stack's resources. A planned resource gets the name of one of them only if they share a number, that
 * is, if an earlier takeover has already imported it. Otherwise, Pulumi would refuse the duplicate name
 */
export function groupRows(rows: readonly TableRow[], saved: SavedNames = new Map()): PlannedResource[] {
  const taken = new Set<string>();
  return groupBy(rows, ({ routing }) => JSON.stringify(routing)).map((members) => {
    const [first] = members;
    const isFree = (name: string) => {
      const numbers = saved.get(name);
      return !taken.has(name) && (numbers === undefined || members.some(({ number }) => numbers.has(number)));
    };
    const resource: PlannedResource =
      members.length > 1
        ? {
            name: freeName(groupName(first), isFree),
            rows: members,
            kind: "NumberGroup",
            id: `group-${randomUUID()}`,
            declared: { numbers: Object.fromEntries(members.map(({ number, label = "" }) => [number, label])) },
          }
        : {
            name: freeName(slug(first.label ?? "") || slug(`number-${first.number}`), isFree),
            rows: members,
            kind: "NumberAssignment",
            id: first.number,
            declared: { number: first.number },
          };
    taken.add(resource.name);
    return resource;
  });
}

function freeName(wanted: string, isFree: (name: string) => boolean): string {
  let name = wanted;
  for (let count = 2; !isFree(name); count++) {
    name = `${wanted}-${count}`;
  }
  return name;
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

// --- the TypeScript program and the file for `pulumi import`

/**
 * Returns the resource's arguments, without the fields for which the table has no value, so that the provider doesn't
 * send them.
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
  // Write a single number's label as a comment, because NumberAssignment has no argument for it.
  const comment = resource.kind === "NumberGroup" || label === undefined ? "" : `// ${label}\n`;
  return `${comment}new ${resource.kind}(${JSON.stringify(resource.name)}, {\n${lines.join("\n")}\n});\n`;
}

function typeScriptLine([name, value]: [string, unknown]): string {
  if (!isObject(value)) {
    return `  ${name}: ${JSON.stringify(value)},`;
  }
  // Write out the entries of the map: numbers with their labels, or agents with their weights.
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
 * Returns the file for `pulumi import --file`. Resources that violate a guard are included, because the import only
 * records splits that the numbers already have.
 */
export const importText = (resources: readonly PlannedResource[], config: ImportConfig, now: Date): string =>
  jsonText({ resources: resources.map((resource) => importEntry(resource, config, now.toISOString())) });

/** Values from the stack's config that the import records in the state, in addition to the rows of the CSV table. */
export interface ImportConfig {
  /** The stack's settings. One of them, the platform's endpoint, is recorded with each resource. */
  readonly settings: Settings;
  /**
   * The config's value for `reassert`, which the program passes as a trigger. If the state had another value, the first
   * `pulumi up` would send every routing again.
   */
  readonly reassert: string;
}

/**
 * Returns a resource's entry in the import file. It contains inputs and outputs, so the engine can record them without
 * reading or sending anything.
 * @param recordedAt the time of the import, from which a rollout's soak time is counted
 */
function importEntry(resource: PlannedResource, { settings, reassert }: ImportConfig, recordedAt: string): object {
  const { kind, name, id, rows } = resource;
  // Record the inputs as the provider's check returns them. The next run checks the program's arguments in the same way
  // and compares the result with the recorded inputs.
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
