/**
 * One reading of the platform's interface. Where it is silent, a switch here says what this platform does; the rows are those of
 * docs/assumptions.md, the sections those of the interface.
 */
export interface Profile {
  /** Row 1, section 4.1: which fields of the PUT the platform refuses to go without. */
  requiredFields: "none" | "accountSid" | "workspaceId" | "accountSid+workspaceId";
  /** Row 2, section 4.1: what a field that the PUT leaves out means. */
  omittedFields: "merge" | "replace";
  /**
   * Row 3, section 4.1: which written form removes a binding. A form that does not clear is ignored: the binding stays and the
   * answer is a success. `nullRefused` and `emptyRefused` refuse that one form as invalid and let the other one clear.
   * `omit` means that a field left out is cleared, whatever `omittedFields` says.
   */
  clears: "any" | "null" | "empty" | "omit" | "nullRefused" | "emptyRefused";
  /** Row 4, section 4.1: the status of a PUT that was applied; 204 has no body. */
  putStatus: 200 | 201 | 202 | 204;
  /** Row 4, section 4.1: how much of the answer a PUT that was applied shows. */
  putBody: "whole" | "successOnly" | "none";
  /**
   * Row 5, section 4.1: the field `success`. `false` refuses every PUT with a 2xx; `falseOnRefusal` answers what would be an error
   * status with a 2xx and `success: false`.
   */
  success: "true" | "false" | "falseOnRefusal" | "absent" | "null";
  /** Row 6, sections 4.1 and 7: the statuses for an invalid request, an unknown thing and a broken constraint. */
  errorStatuses: "400/404/422" | "401/403/409";
  /** Row 6, section 7: what the body of a refused PUT looks like. */
  putErrorBody: ErrorBody;
  /** Row 7, section 4.1: what the weights of a non-empty list must satisfy. */
  weights: "any" | "sum100" | "sum1" | "integers" | "max2";
  /** Row 8, section 2.1: how the answer shows the weights. */
  answerWeights: "verbatim" | "scaled1" | "scaled100rounded";
  /** Row 9, section 2.2: the order in which the answer lists the agents. */
  answerOrder: "asSent" | "sorted" | "reversed";
  /** Row 10, section 4.1: whether the undeclared request field `outboundAgents` binds weighted outbound agents. */
  outboundAgents: "ignored" | "accepted";
  /** Row 10, section 4.1: what happens to request fields that the interface does not name. */
  unknownFields: "ignored" | "refused";
  /** Row 11, section 2.2: which records `numbers` holds, and how the number is written in them. */
  records: "one" | "several" | "none" | "otherFormat" | "baseNumberOnly";
  /** Row 11, section 2.3: whether the answer holds `assignment`. */
  assignment: "present" | "absent";
  /** Row 12, sections 2.2 and 2.3: which answer field mirrors the outbound agent. */
  outboundMirror: "all" | "agent_id" | "default_agent_id" | "outbound_agents" | "none";
  /** Row 13, sections 2.2 and 2.3: which answer fields mirror the inbound agents; `singleId` names the first one only. */
  inboundMirror: "all" | "inbound_agents" | "singleId";
  /** Row 14, section 2.1: an entry without `agent_version`; `latest` answers with `latestVersion`. */
  agentVersion: "optional" | "required" | "latest";
  /** Rows 14 and 19: the version that the platform takes where none was named. */
  latestVersion: number;
  /** Row 16, section 4.1: whether a path may name an extension such as `4001` or `+15551234567#12`. */
  numberForms: "any" | "e164Only";
  /** Row 17, section 2.2: the field `platform_import_error`. */
  importError: "false" | "true" | "trueWithMessage" | "absent";
  /** Section 2.2 (which fields are present is not shown): how an unset field of a record is written. */
  unsetFields: "null" | "absent";
  /** Row 18, section 4.2: which fields a new chat cannot go without; `basic` is everything but metadata and variables. */
  chatRequires: "basic" | "metadata" | "nothing";
  /** Row 19, section 2.4: the field `type` of a chat. */
  chatType: "web_chat" | "sms" | "absent";
  /** Row 19, section 2.4: the field `status` of a chat that is not ended. */
  chatStatus: "open" | "in_progress" | "absent";
  /** Row 20, section 2.4: how much of a chat the answer shows; `withoutId` shows everything but its identifier. */
  chatAnswer: PostAnswer;
  /** Row 20, section 2.5: the same for a voice. */
  voiceAnswer: PostAnswer;
  /** Sections 4.2 and 4.3: `swapped` answers 200 where 201 is documented, and 201 where 200 is. */
  postStatuses: "documented" | "swapped";
  /** Row 21, section 4.4: what the end of a chat answers. */
  endChat: "chat" | "empty" | "noContent";
  /** Row 22, section 4.4: the end of a chat that is already ended. */
  endedChat: "again" | "404" | "409" | "410";
  /** Row 23, section 4.3: `required` refuses a privileged actor type without a context. */
  actorContext: "ignored" | "required";
  /** Row 23, section 4.3: the name of the actor type header. */
  actorTypeHeader: string;
  /** Row 23, section 4.3: the name of the provider scope header. */
  providerScopeHeader: string;
  /** Row 23, section 4.3: the name of the workspace context header. */
  workspaceContextHeader: string;
  /** Row 25, section 4.3: the same community voice posted twice. */
  duplicateVoice: "second" | "409" | "same";
  /** Row 26, section 4.3: whether `voiceProvider` is a closed list, `knownVoiceProviders`. */
  voiceProviders: "any" | "closed";
  /** Row 26: the closed list. */
  knownVoiceProviders: readonly string[];
  /** Row 28, section 5: a token is refused with 401 after this many requests; 0 = it never expires. */
  tokenExpiresAfter: number;
  /** Row 29, section 7: what the body of a refused POST looks like. */
  errorBody: ErrorBody;
  /** Row 30, section 8: requests in one second before 429; 0 = no limit. */
  rateLimit: number;
  /** Row 30, section 8: whether a 429 says when to come back. */
  retryAfter: "seconds" | "date" | "absent";
  /** Row 31, section 8: bytes of a request body before 413; 0 = no limit. */
  sizeLimit: number;
  /** Row 34, section 9: fields in every object of every answer that the interface does not name. */
  extraFields: "none" | "everywhere";
  /** Row 35, section 2.1: what one share of the traffic is drawn over, as `calls()` does it unless told otherwise. */
  callsDrawnPer: "call" | "caller";
  /** Row 37, section 4.1: how many answers after a change of a number still show what was bound before it. */
  staleAnswers: number;
  /** Row 38, section 2.2: whether `default_agent_id` keeps the last outbound agent after a clear. */
  defaultAgentAfterClear: "cleared" | "stays";
  /** Row 40, section 4.1: an agent that does not exist (see `knownAgents`). */
  unknownAgents: "accept" | "404" | "422";
  /** Row 40: `agent` or `agent@version`. Empty: every agent exists but those whose id starts with `agent_missing`. */
  knownAgents: readonly string[];
  /** Section 4.1: a number that was never seen; with `404` only `knownNumbers` and numbers seen before exist. */
  unknownNumbers: "accept" | "404";
  /** The numbers that exist from the start when `unknownNumbers` is `404`. */
  knownNumbers: readonly string[];
  /** Row 41, sections 2.2 and 2.3: the account and workspace that the answer names. */
  answerAccount: "present" | "absent" | "different";
  /** Section 4: an `accountSid` or `workspaceId` in a request that is not the token's own. */
  foreignAccount: "accept" | "403";
}

/** Rows 6 and 29, section 7: the forms of an error body. */
export type ErrorBody = "error" | "message" | "text" | "none" | "html";

/** Row 20: how much of what a POST made its answer shows. */
export type PostAnswer = "whole" | "minimal" | "nulls" | "withoutId";

/** The middle of the road: the reading that is most usual for an interface of this kind. */
export const defaultProfile: Profile = {
  requiredFields: "none",
  omittedFields: "merge",
  clears: "any",
  putStatus: 200,
  putBody: "whole",
  success: "true",
  errorStatuses: "400/404/422",
  putErrorBody: "error",
  weights: "any",
  answerWeights: "verbatim",
  answerOrder: "asSent",
  outboundAgents: "ignored",
  unknownFields: "ignored",
  records: "one",
  assignment: "present",
  outboundMirror: "all",
  inboundMirror: "all",
  agentVersion: "optional",
  latestVersion: 7,
  numberForms: "any",
  importError: "false",
  unsetFields: "null",
  chatRequires: "basic",
  chatType: "web_chat",
  chatStatus: "open",
  chatAnswer: "whole",
  voiceAnswer: "whole",
  postStatuses: "documented",
  endChat: "chat",
  endedChat: "again",
  actorContext: "ignored",
  actorTypeHeader: "X-Actor-Type",
  providerScopeHeader: "X-Provider-Scope",
  workspaceContextHeader: "X-Workspace-Context",
  duplicateVoice: "second",
  voiceProviders: "any",
  knownVoiceProviders: ["provider_a", "provider_b"],
  tokenExpiresAfter: 0,
  errorBody: "error",
  rateLimit: 0,
  retryAfter: "seconds",
  sizeLimit: 0,
  extraFields: "none",
  callsDrawnPer: "call",
  staleAnswers: 0,
  defaultAgentAfterClear: "cleared",
  unknownAgents: "accept",
  knownAgents: [],
  unknownNumbers: "accept",
  knownNumbers: [],
  answerAccount: "present",
  foreignAccount: "accept",
};
