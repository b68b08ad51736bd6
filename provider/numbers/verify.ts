import { type NumberRecord, type NumberResponse, secretsOfNumber } from "../api/assignNumber";
import { withhold } from "../base/secrets";
import { compareSplit } from "../routing/inboundAgents";
import {
  type AssignedField,
  type Assignment,
  FIELDS,
  type FieldRow,
  isVersion,
  NAMED_FIELDS,
  type Routing,
  toClear,
} from "../routing/routing";
import { describe, describeAgents, isEmpty, type Split, sumsOf, toAgents } from "../routing/split";
import type { Weighted } from "../routing/types";

/**
 * What a response proves of the request: which agents get the calls, what was cleared, and in which other fields the
 * two differ.
 */

/** A difference that callers would notice: they may meet other agents, or the number may not have been reached. */
export interface Mismatch {
  readonly field: "inboundAgents" | "number" | "platformImportError";
  readonly asked: string;
  readonly returned: string;
}

/** Does the response show the inbound agents that were asked for? If not, why it proves nothing of them. */
export type Proof = "proven" | Unproven;

export type Unproven = "no agents" | "no versions" | "later";

type Named = (typeof NAMED_FIELDS)[number];

export interface Verdict {
  /** Our record; undefined if the response has none. */
  readonly record?: NumberRecord | undefined;
  readonly mismatches: readonly Mismatch[];
  /** Fields that were to be cleared and that the response still shows. */
  readonly notCleared: readonly AssignedField[];
  /**
   * Other fields in which the response differs from the request. If this gives no version, the platform may show one
   * that it has chosen.
   */
  readonly others: readonly Named[];
  /**
   * Does the response prove the split? If no split was asked for: does it show any agent, so that the request has
   * reached the number?
   */
  readonly proof: Proof;
  /** The split that the response shows, if it has agents and is another one than was asked for. */
  readonly instead?: Split | undefined;
}

export const isImport = ({ field }: Mismatch): boolean => field === "platformImportError";

export function verify(put: Assignment, response: NumberResponse, status: number): Verdict {
  const { number, routing: asked, mayHave } = put;
  // With a 202 the change may still be to come. So its body shows neither what was asked for, nor a contradiction.
  const isLater = status === 202;
  const { numbers, assignment } = isLater ? {} : response;
  const records = numbers ?? [];
  const ours = ourRecords(number, records);
  if (records.length > 0 && records.every((record) => isOfAnother(number, record))) {
    const mismatch = { field: "number", asked: "this number", returned: "other numbers alone" } as const;
    return { mismatches: [mismatch], notCleared: [], others: [], proof: "no agents" };
  }
  const views = [...ours, ...(assignment ? [assignment] : [])];
  const valuesOf = (field: Named) => returnedOf(field, views, asked);
  const cleared = toClear(put).fields;
  const left = cleared.filter((field) => isNotCleared(field, valuesOf(field), views, asked, mayHave));
  const differing = NAMED_FIELDS.filter((field) => {
    const { isSame }: Compared = FIELDS[field];
    const { [field]: value } = asked;
    const isCompared = field !== "inboundAgents" && value !== undefined && !cleared.some((name) => name === field);
    return isCompared && valuesOf(field).some((returned) => isSame?.(value as never, returned as never) === false);
  });
  const lists = valuesOf("inboundAgents") as readonly (readonly Weighted[] | null)[];
  const split = asked.inboundAgents ?? {};
  const contradiction = isEmpty(split) ? undefined : lists.find((list) => compareSplit(split, list) === "other");
  const failed = views.find(({ platformImportError }) => platformImportError === true);
  const mismatches: Mismatch[] = [];
  if (contradiction !== undefined) {
    const returned = withhold(describeAgents(contradiction ?? []), secretsOfNumber(put));
    mismatches.push({ field: "inboundAgents", asked: describe(split), returned });
  }
  if (failed !== undefined) {
    const words = withhold(failed.platformImportErrorMessage ?? "", secretsOfNumber(put));
    const returned = words || "an error without a message";
    mismatches.push({ field: "platformImportError", asked: "an import without error", returned });
  }
  return {
    record: ours[0],
    mismatches,
    notCleared: left.filter((field) => !isVersion(field)),
    others: [...left.filter(isVersion), ...differing],
    proof: isLater ? "later" : proofOf(asked.inboundAgents, lists, views),
    instead: contradiction?.length ? sumsOf(contradiction) : undefined,
  };
}

/**
 * An agent without its version may be another version. If no split was asked for, any agent shows that the number was
 * reached.
 */
function proofOf(
  asked: Split | undefined,
  lists: readonly (readonly Weighted[] | null)[],
  views: readonly NumberRecord[],
): Proof {
  if (asked === undefined) {
    const fields = ["inboundAgents", "inboundAgentId", "outboundAgents", "agentId"] as const;
    return views.some((view) => fields.some((field) => view[field] !== undefined)) ? "proven" : "no agents";
  }
  if (lists.length === 0) {
    return "no agents";
  }
  return lists.some((list) => compareSplit(asked, list) === "same") ? "proven" : "no versions";
}

// --- one field

const texts = (values: readonly (string | null | undefined)[]): string[] =>
  values.filter((value) => typeof value === "string" && value !== "") as string[];

function isNotCleared(
  field: AssignedField,
  returned: readonly unknown[],
  views: readonly NumberRecord[],
  asked: Routing,
  { [field]: before }: Routing,
): boolean {
  if (field === "outboundAgentId") {
    // Only the agent that was there before counts as not cleared: another one may be the platform's own default
    // (assumption 38). An agent that is inbound by now may be shown for that.
    const isInbound = toAgents(asked.inboundAgents ?? {}).some(({ agentId }) => agentId === before);
    return !isInbound && before !== undefined && views.some((view) => outboundIds(view).includes(before as string));
  }
  // If its agent goes too, the version is of no agent.
  if (field === "outboundAgentVersion" && asked.outboundAgentId === undefined) {
    return false;
  }
  const kind: Compared = FIELDS[field];
  return returned.some((entry) => entry !== null && kind.isStillReturned?.(entry as never, before as never) === true);
}

type Compared = Pick<FieldRow, "isSame" | "isStillReturned">;

/** Several fields of a response tell of agents. */
const READ: { readonly [Name in Named]?: (view: NumberRecord, asked: Routing) => readonly unknown[] } = {
  /**
   * If at most one agent was asked for, a single id counts as the list (assumption 13). Of several agents it shows no
   * weight.
   */
  inboundAgents(
    { inboundAgents: agents, inboundAgentId: id, inboundAgentVersion: version },
    { inboundAgents: asked = {} },
  ) {
    if (agents || !id) {
      return [agents ?? (agents === null || id === "" ? null : id)];
    }
    return Object.keys(asked).length > 1 ? [] : [[{ agentId: id, agentVersion: version ?? undefined, weight: 1 }]];
  },
  /**
   * The list says who gets the calls. The platform's own default agent counts only if no other field tells of an agent.
   */
  outboundAgentId({ outboundAgents: agents, agentId, defaultAgentId }) {
    const [id] = texts([agentId, defaultAgentId]);
    const isNone = [agents, agentId, defaultAgentId].some((value) => value !== undefined);
    return [agents?.length ? agents : (id && [{ agentId: id, weight: 1 }]) || (isNone ? null : undefined)];
  },
  outboundAgentVersion: ({ outboundAgentVersion: version, outboundAgents }) => [
    version,
    ...(outboundAgents ?? []).filter(({ weight }) => weight > 0).map(({ agentVersion }) => agentVersion),
  ],
};

/**
 * What the parts of a response show of a field: their values. If none has one, null if a part has the field as null,
 * because a platform may fill it in its record alone, or in the assignment object alone. Nothing if they are silent.
 */
function returnedOf(field: Named, views: readonly NumberRecord[], asked: Routing): readonly unknown[] {
  const read = READ[field] ?? ((view: NumberRecord) => [view[field as keyof NumberRecord]]);
  const returned = views.flatMap((view) => read(view, asked));
  const values = returned.filter((value) => value !== undefined && value !== null);
  return values.length > 0 || !returned.includes(null) ? values : [null];
}

const outboundIds = ({ agentId, outboundAgents, defaultAgentId }: NumberRecord): string[] =>
  texts(
    agentId === undefined && outboundAgents === undefined
      ? [defaultAgentId]
      : [agentId, ...(outboundAgents ?? []).map((entry) => entry.agentId)],
  );

// --- which record is ours

/**
 * The interface does not say how the record of a number is found (2.2, assumption 11). All records with exactly our
 * number must show what was asked. Without such a record, it is the only one with our digits, else the only one with
 * our base number, else the only one that is not of another number. If several may be ours, none is judged.
 */
function ourRecords(number: string, records: readonly NumberRecord[]): readonly NumberRecord[] {
  const exact = records.filter((record) => record.number === number);
  if (exact.length > 0) {
    return exact;
  }
  const digits = digitsOf(number);
  const ways = [
    records.filter((record) => digits !== "" && digitsOf(record.number ?? "") === digits),
    records.filter(({ baseNumber }) => baseNumber === number),
    records.filter((record) => !isOfAnother(number, record)),
  ];
  return ways.find(({ length }) => length === 1) ?? [];
}

/**
 * A platform may write our number in another way: signs between the digits, and what is in front of them, are a matter
 * of spelling.
 */
function isOfAnother(number: string, { number: returned, baseNumber }: NumberRecord): boolean {
  const names = texts([returned, baseNumber]).map(digitsOf);
  const ours = [number, number.split("#")[0] ?? number].map(digitsOf);
  const isOurs = (name: string) => ours.some((number) => number.endsWith(name) || name.endsWith(number));
  // The record of an extension may name the number that it belongs to.
  return number.startsWith("+") && names.length > 0 && !names.some(isOurs);
}

const digitsOf = (text: string): string => text.replace(/\D/g, "").replace(/^0+/, "");
