import type { SettingKey } from "./settings";

/**
 * Everything that the interface does not show, once: what we do by default, and what changes it. The table in docs/ is generated
 * from here; the emulator's switches are the other readings, and the tests run the lifecycle over each.
 */
export interface Assumption {
  /** Number of the row, the same in docs, tests and the emulator's switches. */
  readonly row: number;
  readonly silence: string;
  /** Section of the interface. */
  readonly section: string;
  readonly default: string;
  /** The setting of the stack, or the argument, that changes it. */
  readonly setting?: SettingKey | `argument ${string}` | undefined;
}

type Row = readonly [section: string, silence: string, byDefault: string, setting?: Assumption["setting"]];

const ROWS: Readonly<Record<number, Row>> = {
  1: ["4.1", "which fields of the PUT are required", "what is declared is sent, and nothing else"],
  2: [
    "4.1",
    "whether the PUT merges or replaces omitted fields",
    "a field that was set and is now missing is cleared explicitly; a field that was never set is never sent",
  ],
  3: [
    "4.1",
    "how a removal is written",
    "null, then empty, then omission, each verified from the response",
    "clearWith",
  ],
  4: [
    "4.1",
    "the success status of the PUT",
    "any 2xx is applied; without a usable body unverified, with one warning a run",
  ],
  5: ["4.1", "`success: false` with a 2xx", "rejected, with the platform's message"],
  6: [
    "4.1, 7",
    "the statuses of the three error responses",
    "any 4xx or 5xx with `{error}`; other bodies are tolerated",
  ],
  7: [
    "4.1",
    "constraints of weights: unit, sum, zero, count",
    "finite, not negative, not all zero; sent as written",
    "weightTotal",
  ],
  8: [
    "4.1",
    "whether the response normalises weights",
    "percentages are compared: to 0.01 points, or to 1 point if a percentage is not whole",
    "onMismatch",
  ],
  9: ["2.2", "the order of agents in the response", "order never matters"],
  10: [
    "4.1",
    "outbound weights: the text says supported, the request has no such field",
    "one outbound agent and version",
    "argument extraFields",
  ],
  11: [
    "2.2",
    "which record of `numbers` is the declared number's",
    "the exact number, else the base number, else the only one",
  ],
  12: [
    "2.2, 2.3",
    "which field of the response mirrors the outbound agent",
    "any of agent_id, default_agent_id, outbound_agents",
  ],
  13: [
    "2.2",
    "agent_id, inbound_agent_id and inbound_agents when a split is set",
    "inbound_agents decides; the rest informs",
  ],
  14: ["2.1", "whether agent_version is required in an entry", "optional", "requireVersions"],
  15: ["2.1, 4.2", "the form of agent ids beyond their prefix", "the prefix is checked, and that no `@` is in it"],
  16: ["4.1", "the form of an extension identifier", "any text without control characters, sent as one path segment"],
  17: ["2.2", "platform_import_error with a 2xx", "saved, with an error that names its message", "onMismatch"],
  18: ["4.2", "required fields of a chat", "workspaceId, agentId, fromNumber, toNumber"],
  19: ["2.4", "values of a chat's type and status", "any text"],
  20: ["2.4", "which fields of a chat are always present", "chatId only"],
  21: ["4.4", "the response to the end of a chat", "any 2xx, a body is optional"],
  22: [
    "4.4",
    "the end of a chat that has ended",
    "404, 409 and 410 count as ended, with a note",
    "argument endMissing",
  ],
  23: [
    "4.3",
    "names of the three headers of a voice",
    "none known: used only where a setting names them",
    "actorTypeHeader",
  ],
  24: [
    "4.3",
    "when a context is required",
    "refused at preview for platform_admin and provider_admin without one",
    "workspaceContextHeader",
  ],
  25: ["4.3", "the same community voice posted twice", "never posted twice by itself"],
  26: ["4.3", "values of voiceProvider", "any text that is not empty"],
  27: ["none", "how a voice is removed", "it stays in the library; the delete says so"],
  28: ["5", "expiry, scopes and format of a token", "opaque; 401 and 403 say what to do"],
  29: ["7", "error bodies of voices and chats", "`{error}`, `{message}`, text or nothing, shown cleaned and cut"],
  30: [
    "8",
    "rate limits",
    "429 with Retry-After, else backoff with full jitter; one pause for all requests",
    "concurrency",
  ],
  31: ["8", "size limits", "caps of our own: 256 characters of text, 100 agents, 64 KiB of JSON, 1 MiB of response"],
  32: ["none", "idempotency keys", "none: a POST is repeated only after a clean refusal", "argument retryUnresolved"],
  33: ["none", "read endpoints", "none: refresh leaves the state as it is", "argument triggers"],
  34: ["9", "versions of the interface", "unknown fields of a response are ignored"],
  35: ["2.1", "what a split applies to: calls or callers", "said in the docs: not known"],
  36: ["4.1", "whether the same PUT again draws callers anew", "an unchanged run sends nothing", "argument triggers"],
  37: [
    "4.1",
    "when a PUT takes effect, and what happens to calls in progress",
    "a response that contradicts its request is asked for twice more before it counts",
    "onMismatch",
  ],
  38: ["2.2", "what callers hear after a clear", "messages say that the number has no agents, and never more"],
  39: ["4.1", "whether time routing overrides the inbound agents", "said in the docs: not known"],
  40: ["4.1", "whether an agent or version that does not exist is refused", "the platform's refusal is shown"],
  41: [
    "2.2, 2.3",
    "whether the response names the account it was applied to",
    "workspace_id and account_sid are compared with what was declared",
    "onMismatch",
  ],
};

export const ASSUMPTIONS: readonly Assumption[] = Object.entries(ROWS).map(
  ([row, [section, silence, byDefault, setting]]) => ({
    row: Number(row),
    section,
    silence,
    default: byDefault,
    setting,
  }),
);
