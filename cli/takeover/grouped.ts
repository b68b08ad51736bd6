import { randomUUID } from "node:crypto";
import type { NumbersKind } from "../../provider/core/platform/kinds";
import { groupBy } from "../lists";
import type { TableRow } from "./rows";

type Rows = readonly [TableRow, ...TableRow[]];

/** A resource of the program, and the rows of its numbers, which have the same routing. */
export interface PlannedResource {
  readonly name: string;
  readonly rows: Rows;
  readonly kind: NumbersKind;
  /** The id with which its numbers are recorded. */
  readonly id: string;
  /** The argument that names its numbers. */
  readonly declared: { readonly number: string } | { readonly numbers: object };
}

/** Equal routings become one group, whatever the order of their agents; a routing of one number becomes an assignment. */
export function grouped(rows: readonly TableRow[]): PlannedResource[] {
  // In YAML, Pulumi drops a resource in silence that has the name of a config key of the program. `pulumi` is a variable there.
  const taken = new Set(["reassert", "pulumi"]);
  return groupBy(rows, ({ routing }) => JSON.stringify(routing)).map((part) => {
    const isGroup = part.length > 1;
    const name = freeName(isGroup ? groupName(part[0]) : numberName(part[0]), taken);
    return { name, rows: part, ...(isGroup ? group(part) : single(part[0])) };
  });
}

const single = ({ number }: TableRow) => ({ kind: "NumberAssignment", id: number, declared: { number } }) as const;

function group(rows: Rows) {
  const numbers = Object.fromEntries(rows.map(({ number, label = "" }) => [number, label]));
  return { kind: "NumberGroup", id: `group-${randomUUID()}`, declared: { numbers } } as const;
}

/** The name has the agents and not the split, because a resource keeps its name when its split changes. */
function groupName({ routing: { inboundAgents, outboundAgentId = "no-agents" } }: TableRow): string {
  const ids = Object.keys(inboundAgents).map((key) => key.replace(/^agent_|@\d+$/g, ""));
  const first = [...new Set(ids)].slice(0, 2);
  return slug(first.join("-") || outboundAgentId.replace(/^agent_/, "outbound-")) || "numbers";
}

const numberName = ({ number, label = "" }: TableRow): string => slug(label) || slug(`number-${number}`);

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
