import { CAPS } from "../../../provider/core/common/schemas";
import type { Agent, Split } from "../../../provider/core/routing/split";
import { groupBy } from "../../lists";
import { outboundOf, type Row } from "./rows";

type Rows = readonly [Row, ...Row[]];

/** A resource of the program, and the rows of its numbers, which have the same routing. */
export interface PlannedResource {
  readonly name: string;
  readonly kind: "NumberAssignment" | "NumberGroup";
  readonly rows: Rows;
}

/** In YAML, Pulumi drops a resource in silence that has the name of a config key of the program. `pulumi` is a variable there. */
const RESERVED = ["reassert", "pulumi"];

/** Equal routings become one group, whatever the order of their agents; a routing of one number becomes an assignment. */
export function grouped(rows: readonly Row[], mostInGroup: number = CAPS.numbers): PlannedResource[] {
  const parts = groupBy(rows, (row) => JSON.stringify(row.routing)).flatMap((equal) => chunks(equal, mostInGroup));
  const taken = new Set<string>(RESERVED);
  return parts.map((part) => {
    const kind = part.length === 1 ? "NumberAssignment" : "NumberGroup";
    return { name: freeName(kind === "NumberGroup" ? groupName(part) : numberName(part), taken), kind, rows: part };
  });
}

function chunks(rows: Rows, size: number): Rows[] {
  const count = Math.ceil(rows.length / size);
  return Array.from({ length: count }, (_, index) => rows.slice(index * size, (index + 1) * size) as unknown as Rows);
}

/** The name has the agents and not the split, because a resource keeps its name when its split changes. */
function groupName([row]: Rows): string {
  const ids = idsOf(row.routing.inboundAgents);
  const outbound = outboundOf(row);
  if (ids.length === 0) {
    return outbound === undefined ? "no-agents" : `outbound-${slug(withoutPrefix(outbound))}`;
  }
  return ids.slice(0, 2).map(slug).join("-");
}

const idsOf = (agents: Split): string[] => [
  ...new Set(Object.keys(agents).map((key) => withoutPrefix({ agentId: key.replace(/@\d+$/, "") }))),
];

const withoutPrefix = ({ agentId }: Agent): string => agentId.replace(/^agent_/, "");

function numberName([{ number, label = "" }]: Rows): string {
  const digits = number.replace(/[^0-9]/g, "");
  return slug(label) || (digits === "" ? "number" : `number-${digits}`);
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
  const base = wanted || "numbers";
  let name = base;
  for (let count = 2; taken.has(name); count++) {
    name = `${base}-${count}`;
  }
  taken.add(name);
  return name;
}
