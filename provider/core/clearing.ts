import type { Binding, Cleared, Routing } from "./routing";
import { CLEAR_MODES, type ClearMode } from "./settings";
import { toAgents, type Weighted } from "./traffic";

/** The body of a PUT before it gets its wire names: `null` and "" are the ways to say "none". */
export interface Body {
  accountSid?: string | undefined;
  workspaceId?: number | undefined;
  outboundAgentId?: string | null | undefined;
  outboundAgentVersion?: number | null | undefined;
  inboundAgents?: readonly Weighted[] | null | undefined;
  inboundWebhookUrl?: string | null | undefined;
  isTimeRoutingEnabled?: boolean | null | undefined;
  extraFields?: Readonly<Record<string, unknown>> | undefined;
}

/** The ways to try, in order. What worked before in this run comes first (interface 4.1: a removal is not shown). */
export function ladder(clearWith: "auto" | ClearMode, worked: ClearMode | undefined): ClearMode[] {
  if (clearWith !== "auto") return [clearWith];
  return worked === undefined ? [...CLEAR_MODES] : [worked, ...CLEAR_MODES.filter((mode) => mode !== worked)];
}

/** The PUT that binds the routing and clears what is gone. Only what is declared or was managed is in it. */
export function toBody(routing: Routing, cleared: Cleared, mode: ClearMode): Body {
  const { inboundAgents, extraFields, ...rest } = routing;
  const isSplit = inboundAgents !== undefined && Object.keys(inboundAgents).length > 0;
  return {
    ...rest,
    ...(isSplit ? { inboundAgents: toAgents(inboundAgents) } : {}),
    ...clearedBindings(cleared.bindings, mode),
    ...extras(extraFields, cleared.extraFields, mode),
  };
}

function clearedBindings(bindings: readonly Binding[], mode: ClearMode): Body {
  if (mode === "omit") return {};
  const written = mode === "null" ? NULLS : EMPTIES;
  return Object.fromEntries(
    bindings.flatMap((field) => (written[field] === undefined ? [] : [[field, written[field]]])),
  );
}

const NULLS: Required<Pick<Body, Binding>> = {
  inboundAgents: null,
  outboundAgentId: null,
  outboundAgentVersion: null,
  inboundWebhookUrl: null,
  isTimeRoutingEnabled: null,
};

/** An integer has no empty form: it goes with its agent. */
const EMPTIES: Pick<Body, Binding> = {
  inboundAgents: [],
  outboundAgentId: "",
  inboundWebhookUrl: "",
  isTimeRoutingEnabled: false,
};

function extras(declared: Routing["extraFields"], gone: readonly string[], mode: ClearMode): Body {
  const cleared = mode === "omit" ? {} : Object.fromEntries(gone.map((key) => [key, null]));
  const fields = { ...cleared, ...declared };
  return Object.keys(fields).length === 0 ? {} : { extraFields: fields };
}
