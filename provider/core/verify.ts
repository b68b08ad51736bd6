import type { AssignmentAnswer, NumberAnswer, NumberRecord } from "./operations";
import type { Binding, Routing } from "./routing";
import { type Split, toAgents, toSplit } from "./traffic";
import { inboundDiffers, inboundLeft, type Mismatch, singleId } from "./verifyInbound";

export type { Mismatch };

export interface Verdict {
  /** The record that is ours; undefined where the answer holds none. */
  record?: NumberRecord | undefined;
  mismatches: Mismatch[];
  /** Does the answer say anything about the bindings at all? */
  isShown: boolean;
  /** Fields that were to be cleared and that the answer does not show: gone, or not told. */
  unseen: Binding[];
  /** The split that the answer shows, where it shows one. */
  shown?: Split | undefined;
}

/**
 * Which record is ours (2.2 does not say): the exact number, else the base number, else the only one there is.
 */
export function ourRecord(number: string, records: readonly NumberRecord[]): NumberRecord | undefined {
  return (
    records.find((record) => record.number === number) ??
    only(records.filter((record) => record.baseNumber === number)) ??
    only(records)
  );
}

const only = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

/** Compares the platform's answer with what was asked: the declared routing, and the fields that were to be cleared. */
export function verify(
  number: string,
  asked: Routing,
  cleared: readonly Binding[],
  before: Routing,
  answer: NumberAnswer,
): Verdict {
  const records = answer.numbers ?? [];
  const record = ourRecord(number, records);
  if (record === undefined && records.length > 1) return anotherNumber(records.length);
  const views: AssignmentAnswer[] = [record, answer.assignment].filter((view) => view !== undefined && view !== null);
  const mismatches = views.flatMap((view) => compare(view, asked, cleared, before));
  return {
    record,
    mismatches: mismatches.filter(
      (mismatch, index) => mismatches.findIndex(({ field }) => field === mismatch.field) === index,
    ),
    isShown: views.some(showsBindings),
    unseen: cleared.filter((field) => !views.some((view) => SHOWN[field](view))),
    shown: views.map((view) => shownSplit(view)).find((split) => split !== undefined),
  };
}

const anotherNumber = (count: number): Verdict => ({
  mismatches: [
    { field: "inboundAgents", asked: "this number", answered: `${count} records, none of them this number` },
  ],
  isShown: false,
  unseen: [],
});

const showsBindings = (view: AssignmentAnswer): boolean =>
  [view.inboundAgents, view.inboundAgentId, view.outboundAgents, view.agentId].some((value) => value !== undefined);

/** Does the answer show the field at all, bound or not? A version goes with its agent. */
const SHOWN: Record<Binding, (view: AssignmentAnswer & NumberRecord) => boolean> = {
  inboundAgents: (view) => view.inboundAgents !== undefined || view.inboundAgentId !== undefined,
  outboundAgentId: (view) => outboundIds(view) !== undefined,
  outboundAgentVersion: () => true,
  inboundWebhookUrl: (view) => view.inboundWebhookUrl !== undefined,
  isTimeRoutingEnabled: (view) => view.isTimeRoutingEnabled !== undefined,
};

/** A single agent shows no split. */
const shownSplit = (view: AssignmentAnswer): Split | undefined =>
  view.inboundAgents === undefined || singleId(view) !== undefined ? undefined : toSplit(view.inboundAgents ?? []);

function compare(
  view: AssignmentAnswer & NumberRecord,
  asked: Routing,
  cleared: readonly Binding[],
  before: Routing,
): Mismatch[] {
  const isCleared = (field: Binding) => cleared.includes(field);
  return [
    isCleared("inboundAgents") ? inboundLeft(view) : inboundDiffers(view, asked.inboundAgents),
    isCleared("outboundAgentId") ? outboundLeft(view, asked, before) : outboundDiffers(view, asked),
    isCleared("outboundAgentVersion") ? versionLeft(view, asked, before) : undefined,
    isCleared("inboundWebhookUrl") ? webhookLeft(view) : webhookDiffers(view, asked),
    isCleared("isTimeRoutingEnabled") ? flagLeft(view, before) : flagDiffers(view, asked),
    scopeDiffers("workspaceId", view.workspaceId, asked.workspaceId),
    scopeDiffers("accountSid", view.accountSid, asked.accountSid),
    importFailed(view),
  ].filter((mismatch) => mismatch !== undefined);
}

// --- outbound agent: which field mirrors it is not shown (assumption 12), so any that does is enough

function outboundIds(view: AssignmentAnswer & NumberRecord): string[] | undefined {
  const { agentId, outboundAgents, defaultAgentId } = view;
  const isDecided = agentId !== undefined || outboundAgents !== undefined;
  if (!isDecided) return defaultAgentId === undefined ? undefined : texts([defaultAgentId]);
  return texts([agentId, ...(outboundAgents ?? []).map((entry) => entry.agentId)]);
}

const texts = (values: readonly (string | null | undefined)[]): string[] =>
  values.filter((value): value is string => typeof value === "string" && value !== "");

function outboundDiffers(view: AssignmentAnswer & NumberRecord, asked: Routing): Mismatch | undefined {
  const { outboundAgentId: id, outboundAgentVersion: version } = asked;
  if (id === undefined) return undefined;
  const ids = outboundIds(view);
  if (ids !== undefined && !ids.includes(id) && view.defaultAgentId !== id) {
    return { field: "outboundAgentId", asked: id, answered: ids.length === 0 ? "no agent" : ids.join(", ") };
  }
  const answered = outboundVersion(view, id);
  if (version === undefined || answered === undefined || answered === version) return undefined;
  return { field: "outboundAgentVersion", asked: String(version), answered: String(answered) };
}

function outboundVersion(view: AssignmentAnswer & NumberRecord, id: string): number | undefined {
  return (
    view.outboundAgents?.find((entry) => entry.agentId === id)?.agentVersion ?? view.outboundAgentVersion ?? undefined
  );
}

/** An agent that stays without its version: another version in the answer may be what the platform makes of none. */
function versionLeft(view: AssignmentAnswer & NumberRecord, asked: Routing, before: Routing): Mismatch | undefined {
  const { outboundAgentId: id, outboundAgentVersion: version } = asked;
  const answered = id === undefined || version !== undefined ? undefined : outboundVersion(view, id);
  if (answered === undefined || answered !== before.outboundAgentVersion) return undefined;
  return { field: "outboundAgentVersion", asked: "no version", answered: String(answered) };
}

/** Still bound is what was bound before; another agent in `agent_id` may be the platform's own default (assumption 38). */
function outboundLeft(view: AssignmentAnswer & NumberRecord, asked: Routing, before: Routing): Mismatch | undefined {
  const id = before.outboundAgentId;
  const isInbound = id !== undefined && toAgents(asked.inboundAgents ?? {}).some(({ agentId }) => agentId === id);
  if (id === undefined || isInbound || !outboundIds(view)?.includes(id)) return undefined;
  return { field: "outboundAgentId", asked: "no agent", answered: id };
}

// --- the rest

function webhookDiffers({ inboundWebhookUrl }: NumberRecord, asked: Routing): Mismatch | undefined {
  if (asked.inboundWebhookUrl === undefined || inboundWebhookUrl === undefined) return undefined;
  if (sameUrl(asked.inboundWebhookUrl, inboundWebhookUrl ?? "")) return undefined;
  return {
    field: "inboundWebhookUrl",
    asked: "the declared URL",
    answered: inboundWebhookUrl ? "another URL" : "none",
  };
}

function sameUrl(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href);
}

function webhookLeft({ inboundWebhookUrl }: NumberRecord): Mismatch | undefined {
  if (inboundWebhookUrl === undefined || inboundWebhookUrl === null || inboundWebhookUrl === "") return undefined;
  return { field: "inboundWebhookUrl", asked: "none", answered: "a URL" };
}

function flagDiffers({ isTimeRoutingEnabled: answered }: AssignmentAnswer, asked: Routing): Mismatch | undefined {
  if (asked.isTimeRoutingEnabled === undefined || answered === undefined || answered === null) return undefined;
  if (answered === asked.isTimeRoutingEnabled) return undefined;
  return { field: "isTimeRoutingEnabled", asked: String(asked.isTimeRoutingEnabled), answered: String(answered) };
}

/** Off is as good as cleared. */
function flagLeft({ isTimeRoutingEnabled: answered }: AssignmentAnswer, before: Routing): Mismatch | undefined {
  if (answered !== true || before.isTimeRoutingEnabled !== true) return undefined;
  return { field: "isTimeRoutingEnabled", asked: "off", answered: "true" };
}

function scopeDiffers<T>(
  field: "workspaceId" | "accountSid",
  answered: T | null | undefined,
  asked: T | undefined,
): Mismatch | undefined {
  if (asked === undefined || answered === undefined || answered === null || answered === asked) return undefined;
  const isShown = field === "workspaceId";
  return {
    field,
    asked: isShown ? String(asked) : "the declared account",
    answered: isShown ? String(answered) : "another account",
  };
}

function importFailed({ platformImportError, platformImportErrorMessage }: AssignmentAnswer): Mismatch | undefined {
  if (platformImportError !== true) return undefined;
  return {
    field: "platformImportError",
    asked: "an import without error",
    answered: platformImportErrorMessage || "an error without a message",
  };
}

/** What the answer still shows as bound, of what was to be cleared: the reason to try the next way of clearing. */
export const stillBound = (verdict: Verdict, cleared: readonly Binding[]): Mismatch[] =>
  verdict.mismatches.filter(({ field }) => (cleared as readonly string[]).includes(field));
