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
 * A difference between request and response that callers may notice, because they may reach other agents than requested
 * or because the change may not have been applied to the number at all.
 */
export interface Mismatch {
  readonly field: "inboundAgents" | "number" | "platformImportError";
  readonly asked: string;
  readonly returned: string;
}

/** Whether the response confirms the requested inbound agents, or why it doesn't. */
export type Proof = "proven" | Unproven;

export type Unproven = "no agents" | "no versions" | "later";

type Named = (typeof NAMED_FIELDS)[number];

export interface Verdict {
  /** The number's record in the response, if there is one. */
  readonly record?: NumberRecord | undefined;
  readonly mismatches: readonly Mismatch[];
  /** Fields that should have been cleared but are still in the response. */
  readonly notCleared: readonly AssignedField[];
  /**
   * Other fields whose value in the response differs from the request, including an agent version that should have been
   * cleared but is still returned.
   */
  readonly otherDifferences: readonly Named[];
  /**
   * Whether the response confirms the requested split. A request that only clears a number has no split to compare, so
   * any response that contains a field for agents, even an empty one, counts as confirmation.
   */
  readonly proof: Proof;
  /** The split in the response, if it contradicts the requested one and lists at least one agent. */
  readonly returnedSplit?: Split | undefined;
}

export const isImport = ({ field }: Mismatch): boolean => field === "platformImportError";

/** Compares a response with its request: the agents, the cleared fields, and all other fields. */
export function verify(put: Assignment, response: NumberResponse, status: number): Verdict {
  const { number, routing: asked, mayHave } = put;
  // A 202 means that the platform may apply the change later, so the body neither proves nor contradicts the change.
  const isLater = status === 202;
  const { numbers, assignment } = isLater ? {} : response;
  const records = numbers ?? [];
  const ours = ourRecords(number, records);
  if (records.length > 0 && records.every((record) => belongsToOther(number, record))) {
    const mismatch = { field: "number", asked: "this number", returned: "only other numbers" } as const;
    return { mismatches: [mismatch], notCleared: [], otherDifferences: [], proof: "no agents" };
  }
  const views = [...ours, ...(assignment ? [assignment] : [])];
  const valuesOf = (field: Named) => returnedOf(field, views, asked);
  const cleared = toClear(put).fields;
  const stillSet = cleared.filter((field) => isNotCleared(field, valuesOf(field), views, asked, mayHave));
  const differing = NAMED_FIELDS.filter((field) => {
    const { isSame }: Compared = FIELDS[field];
    const { [field]: value } = asked;
    const isCompared = field !== "inboundAgents" && value !== undefined && !cleared.some((name) => name === field);
    return isCompared && valuesOf(field).some((returned) => isSame?.(value as never, returned as never) === false);
  });
  const lists = valuesOf("inboundAgents") as readonly (readonly Weighted[] | null)[];
  const split = asked.inboundAgents ?? {};
  const contradiction = isEmpty(split) ? undefined : lists.find((list) => compareSplit(split, list) === "other");
  const failedImport = views.find(({ platformImportError }) => platformImportError === true);
  const mismatches: Mismatch[] = [];
  if (contradiction !== undefined) {
    const returned = withhold(describeAgents(contradiction ?? []), secretsOfNumber(put));
    mismatches.push({ field: "inboundAgents", asked: describe(split), returned });
  }
  if (failedImport !== undefined) {
    const message = withhold(failedImport.platformImportErrorMessage ?? "", secretsOfNumber(put));
    const returned = message || "no error message";
    mismatches.push({ field: "platformImportError", asked: "an import without error", returned });
  }
  return {
    record: ours[0],
    mismatches,
    notCleared: stillSet.filter((field) => !isVersion(field)),
    otherDifferences: [...stillSet.filter(isVersion), ...differing],
    proof: isLater ? "later" : proofOf(asked.inboundAgents, lists, views),
    returnedSplit: contradiction?.length ? sumsOf(contradiction) : undefined,
  };
}

/**
 * Decides whether a response confirms the requested split. It doesn't if it leaves out a requested version, because the
 * platform may then be using any version of that agent.
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
    // If the response still names the previous outbound agent, the field wasn't cleared. But if that agent is now one
    // of the inbound agents, the response may name it for that reason. Any other agent may be the platform's default
    // (docs/assumptions.md, row 38), so ignore it.
    const isInbound = toAgents(asked.inboundAgents ?? {}).some(({ agentId }) => agentId === before);
    return !isInbound && before !== undefined && views.some((view) => outboundIds(view).includes(before as string));
  }
  // It doesn't matter that the version is still returned, because a version has no effect once its agent is cleared.
  if (field === "outboundAgentVersion" && asked.outboundAgentId === undefined) {
    return false;
  }
  const kind: Compared = FIELDS[field];
  return returned.some((entry) => entry !== null && kind.isStillReturned?.(entry as never, before as never) === true);
}

type Compared = Pick<FieldRow, "isSame" | "isStillReturned">;

/** Functions for reading the routing fields that a response may show under more than one name. */
const READERS: { readonly [Name in Named]?: (view: NumberRecord, asked: Routing) => readonly unknown[] } = {
  /**
   * If the response has an `inboundAgentId` but no `inboundAgents`, the ID is read as a list of one agent
   * (docs/assumptions.md, row 13). If several agents were requested, the ID is ignored, because it shows no weights.
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
   * Reads `outboundAgents` if it lists any agent, because the platform uses that list for calls. Otherwise reads
   * `agentId`, or `defaultAgentId` if `agentId` names no agent.
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
 * Returns the values that a response shows for a field, in the number's record and in the `assignment` object. A null
 * is ignored if there is also a value, because a platform may set the field in only one of these places.
 */
function returnedOf(field: Named, views: readonly NumberRecord[], asked: Routing): readonly unknown[] {
  const read = READERS[field] ?? ((view: NumberRecord) => [view[field as keyof NumberRecord]]);
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
 * Returns the records in a response that belong to the number. The API does not specify how to find them
 * (docs/assumptions.md, row 11), so if no record has exactly this number, only an unambiguous match is returned.
 */
function ourRecords(number: string, records: readonly NumberRecord[]): readonly NumberRecord[] {
  const exact = records.filter((record) => record.number === number);
  if (exact.length > 0) {
    return exact;
  }
  const digits = digitsOf(number);
  const choices = [
    records.filter((record) => digits !== "" && digitsOf(record.number ?? "") === digits),
    records.filter(({ baseNumber }) => baseNumber === number),
    records.filter((record) => !belongsToOther(number, record)),
  ];
  return choices.find(({ length }) => length === 1) ?? [];
}

/**
 * Whether a record in a response belongs to a number other than this one. Punctuation and prefixes such as a country
 * code are ignored, because a platform may format numbers differently.
 */
function belongsToOther(number: string, { number: returned, baseNumber }: NumberRecord): boolean {
  const names = texts([returned, baseNumber]).map(digitsOf);
  const ours = [number, number.split("#")[0] ?? number].map(digitsOf);
  const isOurs = (name: string) => ours.some((number) => number.endsWith(name) || name.endsWith(number));
  // If `number` is an extension, a record never counts as another number's: an extension's record may show only the
  // phone number that the extension belongs to.
  return number.startsWith("+") && names.length > 0 && !names.some(isOurs);
}

const digitsOf = (text: string): string => text.replace(/\D/g, "").replace(/^0+/, "");
