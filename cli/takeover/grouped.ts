import { randomUUID } from "node:crypto";
import type { NumbersKind } from "../../provider/stack/platform";
import { groupBy } from "../lists";
import type { TableRow } from "./rows";

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
  return groupBy(rows, ({ routing }) => JSON.stringify(routing)).map((part) => {
    const [first] = part;
    return part.length > 1
      ? {
          name: freeName(groupName(first), taken),
          rows: part,
          kind: "NumberGroup",
          id: `group-${randomUUID()}`,
          declared: { numbers: Object.fromEntries(part.map(({ number, label = "" }) => [number, label])) },
        }
      : {
          name: freeName(numberName(first), taken),
          rows: part,
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
