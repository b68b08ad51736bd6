import type { SettingKey } from "./settings";

/**
 * One thing that the interface does not specify: what the provider does by default, and what changes that. The table in docs/ is generated
 * from here. The emulator has a switch for each other reading, and the tests run against all of them.
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

const ROWS: Readonly<Record<number, Omit<Assumption, "row">>> = {
  1: {
    silence: "which fields of the PUT are required",
    section: "4.1",
    default: "what is declared is sent, and nothing else",
  },
  2: {
    silence: "whether the PUT merges or replaces omitted fields",
    section: "4.1",
    default: "a field that was set and is now missing is cleared explicitly; a field that was never set is never sent",
  },
  3: {
    silence: "how a removal is written",
    section: "4.1",
    default: "null, empty and omission in turn",
    setting: "clearWith",
  },
  4: {
    silence: "the success status of the PUT",
    section: "4.1",
    default: "any 2xx is applied; without a usable body unverified, with one warning a run",
  },
  5: { silence: "`success: false` with a 2xx", section: "4.1", default: "rejected, with the platform's message" },
  6: {
    silence: "the statuses of the three error responses",
    section: "4.1, 7",
    default: "any 4xx or 5xx with `{error}`; other bodies are tolerated",
  },
  7: {
    silence: "constraints of weights: unit, sum, zero, count",
    section: "4.1",
    default: "finite, not negative, not all zero; sent as written",
    setting: "weightTotal",
  },
  8: {
    silence: "whether the response normalises weights",
    section: "4.1",
    default: "percentages are compared: to 0.01 points, or to 1 point if a percentage is not whole",
    setting: "onMismatch",
  },
  9: { silence: "the order of agents in the response", section: "2.2", default: "order never matters" },
  10: {
    silence: "outbound weights: the text says supported, the request has no such field",
    section: "4.1",
    default: "one outbound agent and version",
    setting: "argument extraFields",
  },
  11: {
    silence: "which record of `numbers` is the declared number's",
    section: "2.2",
    default: "the exact number, else the base number, else the only one, unless it shows another number",
  },
  12: {
    silence: "which field of the response mirrors the outbound agent",
    section: "2.2, 2.3",
    default: "any of agent_id, default_agent_id, outbound_agents",
  },
  13: {
    silence: "agent_id, inbound_agent_id and inbound_agents when a split is set",
    section: "2.2",
    default: "inbound_agents decides; the rest informs",
  },
  14: {
    silence: "whether agent_version is required in an entry",
    section: "2.1",
    default: "optional",
    setting: "requireVersions",
  },
  15: {
    silence: "the form of agent ids beyond their prefix",
    section: "2.1, 4.2",
    default: "the prefix is checked, and that no `@` is in it",
  },
  16: {
    silence: "the form of an extension identifier",
    section: "4.1",
    default: "any text without control characters, sent as one path segment",
  },
  17: {
    silence: "platform_import_error with a 2xx",
    section: "2.2",
    default: "saved, with an error that names its message",
    setting: "onMismatch",
  },
  18: { silence: "required fields of a chat", section: "4.2", default: "workspaceId, agentId, fromNumber, toNumber" },
  19: { silence: "values of a chat's type and status", section: "2.4", default: "any text" },
  20: { silence: "which fields of a chat are always present", section: "2.4", default: "chatId only" },
  21: { silence: "the response to the end of a chat", section: "4.4", default: "any 2xx, a body is optional" },
  22: {
    silence: "the end of a chat that has ended",
    section: "4.4",
    default: "404, 409 and 410 count as ended, with a note",
  },
  23: {
    silence: "names of the three headers of a voice",
    section: "4.3",
    default: "none known: used only where a setting names them",
    setting: "actorTypeHeader",
  },
  24: {
    silence: "when a context is required",
    section: "4.3",
    default: "refused at preview for platform_admin and provider_admin without one",
    setting: "workspaceContextHeader",
  },
  25: { silence: "the same community voice posted twice", section: "4.3", default: "never posted twice by itself" },
  26: { silence: "values of voiceProvider", section: "4.3", default: "any text that is not empty" },
  27: { silence: "how a voice is removed", section: "none", default: "it stays in the library; the delete says so" },
  28: { silence: "expiry, scopes and format of a token", section: "5", default: "opaque; 401 and 403 say what to do" },
  29: {
    silence: "error bodies of voices and chats",
    section: "7",
    default: "`{error}`, `{message}`, text or nothing, shown cleaned and cut",
  },
  30: {
    silence: "rate limits",
    section: "8",
    default: "429 with Retry-After, else backoff with full jitter; one pause for all requests",
    setting: "concurrency",
  },
  31: {
    silence: "size limits",
    section: "8",
    default: "caps of our own: 256 characters of text, 100 agents, 64 KiB of JSON, 1 MiB of response",
  },
  32: {
    silence: "idempotency keys",
    section: "none",
    default: "none: a POST is repeated only after a clean refusal",
    setting: "argument retryUnresolved",
  },
  33: {
    silence: "read endpoints",
    section: "none",
    default: "none: refresh leaves the state as it is",
    setting: "argument triggers",
  },
  34: { silence: "versions of the interface", section: "9", default: "unknown fields of a response are ignored" },
  35: { silence: "what a split applies to: calls or callers", section: "2.1", default: "said in the docs: not known" },
  36: {
    silence: "whether the same PUT again draws callers anew",
    section: "4.1",
    default: "an unchanged run sends nothing",
    setting: "argument triggers",
  },
  37: {
    silence: "when a PUT takes effect, and what happens to calls in progress",
    section: "4.1",
    default: "a response that contradicts its request is asked for twice more before it counts",
    setting: "onMismatch",
  },
  38: {
    silence: "what callers hear after a clear",
    section: "2.2",
    default: "messages say that the number has no agents, and never more",
  },
  39: {
    silence: "whether time routing overrides the inbound agents",
    section: "4.1",
    default: "said in the docs: not known",
  },
  40: {
    silence: "whether an agent or version that does not exist is refused",
    section: "4.1",
    default: "the platform's refusal is shown",
  },
  41: {
    silence: "whether the response names the account it was applied to",
    section: "2.2, 2.3",
    default: "workspace_id and account_sid are compared with what was declared",
  },
};

export const ASSUMPTIONS: readonly Assumption[] = Object.entries(ROWS).map(([row, rest]) => ({
  row: Number(row),
  ...rest,
}));
