import { randomUUID } from "node:crypto";
import type { NumbersKind } from "../../../provider/core/platform/kinds";
import type { Agent, Split } from "../../../provider/core/routing/split";
import { groupBy } from "../../lists";
import { outboundOf, type Row } from "./rows";

type Rows = readonly [Row, ...Row[]];

/** A resource of the program, and the rows of its numbers, which have the same routing. */
export interface PlannedResource extends Planned {
  readonly name: string;
  readonly rows: Rows;
}

interface Planned {
  readonly kind: NumbersKind;
  /** The id with which its numbers are recorded. */
  readonly id: string;
  /** The argument that names its numbers. */
  readonly declared: { readonly number: string } | { readonly numbers: object };
  /** The label of a single number, which has no argument for it. */
  readonly comment: string | undefined;
}

/** In YAML, Pulumi drops a resource in silence that has the name of a config key of the program. `pulumi` is a variable there. */
const RESERVED = ["reassert", "pulumi"];

/** Equal routings become one group, whatever the order of their agents; a routing of one number becomes an assignment. */
export function grouped(rows: readonly Row[]): PlannedResource[] {
  const parts = groupBy(rows, (row) => JSON.stringify(row.routing));
  const taken = new Set<string>(RESERVED);
  return parts.map((part) =>
    part.length === 1
      ? { name: freeName(numberName(part), taken), ...single(part[0]), rows: part }
      : { name: freeName(groupName(part), taken), ...group(part), rows: part },
  );
}

const single = ({ number, label }: Row): Planned => ({
  kind: "NumberAssignment",
  id: number,
  declared: { number },
  comment: label,
});

/** Its numbers are a list if none has a label, else a map. */
const group = (rows: Rows): Planned => ({
  kind: "NumberGroup",
  id: `group-${randomUUID()}`,
  declared: {
    numbers: rows.every(({ label }) => label === undefined)
      ? rows.map(({ number }) => number)
      : Object.fromEntries(rows.map(({ number, label }) => [number, label ?? ""])),
  },
  comment: undefined,
});

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
