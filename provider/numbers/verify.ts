import { type NumberRecord, type NumberResponse, secretsOfNumber } from "../api/assignNumber";
import { same } from "../base/json";
import { withhold } from "../base/secrets";
import { parseUrl } from "../base/text";
import { compareSplit } from "../routing/inboundAgents";
import {
  type AssignedField,
  type Assignment,
  isVersion,
  NAMED_FIELDS,
  type Routing,
  toClear,
} from "../routing/routing";
import { describe, describeAgents, isEmpty, type Split, sumsOf, toAgents } from "../routing/split";
import type { Weighted } from "../routing/types";

/**
 * A difference between request and response that may affect callers: they may reach other agents, or the number may not
 * have changed at all.
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
  readonly proof: Proof;
  /** The split in the response, if it contradicts the requested one and lists at least one agent. */
  readonly returnedSplit?: Split | undefined;
}

export const isImport = ({ field }: Mismatch): boolean => field === "platformImportError";

/** Compares a response with its request: the agents, the cleared fields, and all other fields. */
export function verify(put: Assignment, response: NumberResponse, status: number): Verdict {
  const { number, routing: asked } = put;
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
  const stillSet = toClear(put).fields.filter((field) => views.some((view) => ROWS[field].isStillSet(view, put)));
  const differing = NAMED_FIELDS.filter((field) => contradicting(field, asked, views).length > 0);
  const [contradiction] = contradicting("inboundAgents", asked, views);
  const failedImport = views.find(({ platformImportError }) => platformImportError === true);
  const mismatches: Mismatch[] = [];
  if (contradiction !== undefined) {
    const returned = withhold(describeAgents(contradiction ?? []), secretsOfNumber(put));
    mismatches.push({ field: "inboundAgents", asked: describe(asked.inboundAgents ?? {}), returned });
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
    otherDifferences: [...stillSet.filter(isVersion), ...differing.filter((field) => field !== "inboundAgents")],
    proof: isLater ? "later" : proofOf(asked, views),
    returnedSplit: contradiction?.length ? sumsOf(contradiction) : undefined,
  };
}

/**
 * Decides whether a response confirms the requested split. The response must show the requested versions, because the
 * platform may be using others.
 */
function proofOf(asked: Routing, views: readonly NumberRecord[]): Proof {
  const { inboundAgents: split } = asked;
  if (split === undefined) {
    // A request that only clears a number has no split to compare. Any field for agents, even an empty one, is enough.
    const fields = ["inboundAgents", "inboundAgentId", "outboundAgents", "agentId"] as const;
    return views.some((view) => fields.some((field) => view[field] !== undefined)) ? "proven" : "no agents";
  }
  const lists = shownIn("inboundAgents", asked, views);
  if (lists.length === 0) {
    return "no agents";
  }
  return lists.some((list) => compareSplit(split, list) === "same") ? "proven" : "no versions";
}

// --- one field

/**
 * The values that a response shows, by field. Agents are always a list: if the response shows only an agent's ID, the
 * ID is read as a list of one agent.
 */
interface Shown {
  readonly accountSid: string;
  readonly workspaceId: number;
  readonly outboundAgentId: readonly Weighted[];
  readonly outboundAgentVersion: number;
  readonly inboundAgents: readonly Weighted[];
  readonly inboundWebhookUrl: string;
  readonly isTimeRoutingEnabled: boolean;
}

/**
 * How a field is read from a response and compared with the request. A view is a part of the response that may show the
 * field: the number's record or `assignment`.
 */
interface Row<Name extends Named> {
  /** Returns the values that a view shows. Null if it shows that the field is empty. */
  read(view: NumberRecord, asked: Routing): readonly (Shown[Name] | null | undefined)[];
  /** Whether the shown value is the requested one. */
  isSame(asked: NonNullable<Routing[Name]>, shown: Shown[Name] | null): boolean;
  /** Whether a view still shows a value that the request should have cleared. */
  isStillSet(view: NumberRecord, put: Assignment): boolean;
}

/** Accepts null, because a platform may leave the account, the workspace and versions out of its response. */
const isSameIfShown = <Value>(asked: Value, shown: Value | null): boolean => shown === null || same(asked, shown);

const isNeverCleared = () => false;

const ROWS: { readonly [Name in Named]: Row<Name> } = {
  accountSid: { read: ({ accountSid }) => [accountSid], isSame: isSameIfShown, isStillSet: isNeverCleared },
  workspaceId: { read: ({ workspaceId }) => [workspaceId], isSame: isSameIfShown, isStillSet: isNeverCleared },
  outboundAgentId: {
    /**
     * Reads the first of `outboundAgents`, `agentId` and `defaultAgentId` that names an agent (docs/assumptions.md, row
     * 12).
     */
    read({ outboundAgents: agents, agentId, defaultAgentId }) {
      const [id] = texts([agentId, defaultAgentId]);
      if (agents?.length) {
        return [agents];
      }
      return id === undefined ? emptyIfShown(agents, agentId, defaultAgentId) : [[{ agentId: id, weight: 1 }]];
    },
    // The requested agent must receive all outbound calls.
    isSame: (asked, agents) => compareSplit({ [asked]: 1 }, agents) !== "other",
    // The field wasn't cleared if the response still names a previous outbound agent. Any other agent may be the
    // platform's default (docs/assumptions.md, row 12).
    isStillSet(view, { routing: { inboundAgents = {} }, mayHave }) {
      // The response may name a requested inbound agent in these fields.
      const isInbound = (id: string) => toAgents(inboundAgents).some(({ agentId }) => agentId === id);
      const isPrevious = (id: string) => mayHave.some(({ outboundAgentId }) => outboundAgentId === id);
      return outboundIds(view).some((id) => isPrevious(id) && !isInbound(id));
    },
  },
  outboundAgentVersion: {
    read: (view) => outboundVersions(view),
    isSame: isSameIfShown,
    // It doesn't matter that the version is still returned if its agent is cleared too, because the version has no
    // effect then.
    isStillSet: (view, { routing, mayHave }) =>
      routing.outboundAgentId !== undefined &&
      mayHave.some(
        ({ outboundAgentVersion: before }) => before !== undefined && outboundVersions(view).includes(before),
      ),
  },
  inboundAgents: {
    read: inboundLists,
    // If the requested split is empty, accept any value here, because isStillSet checks whether the agents were
    // cleared.
    isSame: (asked, agents) => isEmpty(asked) || compareSplit(asked, agents) !== "other",
    isStillSet: (view, { routing }) => inboundLists(view, routing).some((agents) => agents?.length),
  },
  inboundWebhookUrl: {
    read: ({ inboundWebhookUrl }) => [inboundWebhookUrl],
    isSame(asked, url) {
      const [askedUrl, shownUrl] = [asked, url ?? ""].map((text) => parseUrl(text)?.href ?? text);
      return url !== null && askedUrl === shownUrl;
    },
    isStillSet: ({ inboundWebhookUrl }) => Boolean(inboundWebhookUrl),
  },
  isTimeRoutingEnabled: {
    read: ({ isTimeRoutingEnabled }) => [isTimeRoutingEnabled],
    isSame: (asked, isEnabled) => asked === (isEnabled ?? false),
    isStillSet: ({ isTimeRoutingEnabled }, { mayHave }) =>
      isTimeRoutingEnabled === true && mayHave.some((before) => before.isTimeRoutingEnabled === true),
  },
};

/**
 * Returns the values that the views show for a field. A null is ignored if there is also a value, because a platform
 * may set the field in only one view.
 */
function shownIn<Name extends Named>(
  field: Name,
  asked: Routing,
  views: readonly NumberRecord[],
): readonly (Shown[Name] | null)[] {
  const row: Row<Name> = ROWS[field];
  const shown = views.flatMap((view) => row.read(view, asked));
  const values = shown.filter((value) => value !== undefined && value !== null);
  return values.length > 0 || !shown.includes(null) ? values : [null];
}

/** Returns the values in a response that contradict what the request sets the field to. */
function contradicting<Name extends Named>(
  field: Name,
  asked: Routing,
  views: readonly NumberRecord[],
): readonly (Shown[Name] | null)[] {
  const row: Row<Name> = ROWS[field];
  const { [field]: value } = asked;
  return value === undefined ? [] : shownIn(field, asked, views).filter((shown) => !row.isSame(value, shown));
}

const texts = (values: readonly (string | null | undefined)[]): string[] => values.flatMap((value) => value || []);

/**
 * Returns `[null]`, which stands for an empty field, if the view contains any of these fields. Otherwise returns an
 * empty list.
 */
const emptyIfShown = (...fields: readonly unknown[]): null[] =>
  fields.some((field) => field !== undefined) ? [null] : [];

/**
 * Reads `inboundAgents` or, if it is missing, `inboundAgentId` (docs/assumptions.md, row 13). The ID shows no weights,
 * so it is ignored if several agents were requested.
 */
function inboundLists(
  { inboundAgents: agents, inboundAgentId: id, inboundAgentVersion: version }: NumberRecord,
  { inboundAgents: asked = {} }: Routing,
): readonly (readonly Weighted[] | null)[] {
  if (agents) {
    return [agents];
  }
  if (!id) {
    return emptyIfShown(agents, id);
  }
  return Object.keys(asked).length > 1 ? [] : [[{ agentId: id, agentVersion: version ?? undefined, weight: 1 }]];
}

const outboundIds = ({ agentId, outboundAgents, defaultAgentId }: NumberRecord): string[] =>
  texts(
    agentId === undefined && outboundAgents === undefined
      ? [defaultAgentId]
      : [agentId, ...(outboundAgents ?? []).map((entry) => entry.agentId)],
  );

const outboundVersions = ({ outboundAgentVersion: version, outboundAgents }: NumberRecord) => [
  version,
  ...(outboundAgents ?? []).filter(({ weight }) => weight > 0).map(({ agentVersion }) => agentVersion),
];

// --- which record is ours

/**
 * Returns the records that belong to the number (docs/assumptions.md, row 11). If no record has exactly this number,
 * only an unambiguous match is returned.
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
 * Whether a record shows a number other than this one. Differences in format, such as punctuation or a missing country
 * code, are ignored.
 */
function belongsToOther(number: string, { number: returned, baseNumber }: NumberRecord): boolean {
  const names = texts([returned, baseNumber]).map(digitsOf);
  const ours = [number, number.split("#")[0] ?? number].map(digitsOf);
  const isOurs = (name: string) => ours.some((number) => number.endsWith(name) || name.endsWith(number));
  // For an extension such as `4001`, always return false, because its record may show only the phone number that the
  // extension belongs to.
  return number.startsWith("+") && names.length > 0 && !names.some(isOurs);
}

const digitsOf = (text: string): string => text.replace(/\D/g, "").replace(/^0+/, "");
