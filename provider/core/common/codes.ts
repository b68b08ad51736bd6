/**
 * The meaning of an error code, which never changes, and what to do. docs/reference/errors.md is generated from this table. In a remedy
 * `{endpoint}` is the place of the base URL that a message knows.
 */
export interface CodeText {
  readonly title: string;
  /** What the code means, if the title does not say it. */
  readonly meaning?: string;
  readonly remedy: string;
}

export const CODES = {
  "AGP-001": {
    title: "An argument is not valid",
    remedy:
      "The message names the path, the rule, and the value if it is a number or an agent and not secret. Fix the argument.",
  },
  "AGP-002": {
    title: "`inboundAgents` or `rollout` was set and is now missing",
    remedy: "Restore it, or set `inboundAgents: []` to unassign all agents.",
  },
  "AGP-003": {
    title: "The same number is declared twice in one program",
    remedy: "Remove one of the two resources: otherwise they overwrite each other in every run.",
  },
  "AGP-004": {
    title: "A privileged actor lacks its context or its header's name",
    remedy: "Set `workspaceContext` and the header's name: see guides/voices-and-chats.md.",
  },
  "AGP-005": {
    title: "`retryUnresolved` and `adopt` contradict each other",
    remedy: "Keep one: `adopt` if the voice or chat exists, `retryUnresolved` if it does not.",
  },
  "AGP-006": {
    title: "A replacement would adopt what it replaces",
    meaning: "`adopt` names the resource's own id, so nothing would be sent",
    remedy: "To send a new one, remove `adopt`. To keep the old one, undo the other change.",
  },
  "AGP-007": {
    title: "`pulumi import` finds nothing to read",
    meaning: "the API has no read endpoint for a number, a voice or a chat",
    remedy:
      "Write an import file with `npx pulumi-agent-platform takeover --import`, then run `pulumi import --file`. Or declare the resource: a number's first `up` overwrites its routing; a voice or a chat with `adopt` is recorded, and nothing is sent.",
  },
  "AGP-010": {
    title: "The base URL is not set",
    remedy: "Run `pulumi config set agent-platform:baseUrl <url>`, or set AGENT_PLATFORM_BASE_URL.",
  },
  "AGP-011": {
    title: "The base URL is not valid",
    remedy: "Use https (http only on loopback), without a user name, query or fragment.",
  },
  "AGP-012": {
    title: "Environment and stack config name two different platforms",
    remedy: "Unset AGENT_PLATFORM_BASE_URL, or remove `agent-platform:baseUrl` from the stack's config.",
  },
  "AGP-013": {
    title: "The access token is not set",
    remedy: "Set AGENT_PLATFORM_ACCESS_TOKEN.",
  },
  "AGP-014": {
    title: "The access token is not valid",
    remedy: "Set only the token: one line of visible ASCII, at least 8 characters, without the word Bearer.",
  },
  "AGP-015": {
    title: "A setting is not valid",
    remedy: "The message names the setting and the rule. Fix it in the stack's config or in the environment.",
  },
  "AGP-016": {
    title: "The client cannot work with these settings, for example because a proxy's address cannot be read",
    remedy:
      "Write HTTPS_PROXY as http://host:port, with a user name and a password if the proxy asks for them: [proxies](settings.md#proxies-and-certificates).",
  },
  "AGP-020": {
    title: "Guard weightTotal",
    meaning: "the weights do not have the required sum",
    remedy: "Change a weight, or weightTotal.",
  },
  "AGP-021": {
    title: "Guard maxShift",
    meaning:
      "the change moves more percentage points of traffic than the limit; a return to the previous split is never blocked",
    remedy: "Move less traffic at a time, or raise maxShift.",
  },
  "AGP-022": {
    title: "Guard requireVersions",
    meaning: "an agent names no version",
    remedy: "Add the version: `agent_front@12` in a split, `outboundAgentVersion` beside `outboundAgentId`.",
  },
  "AGP-023": {
    title: "Guard approvedAgents",
    meaning: "unapproved agents would receive more of the traffic than the limit, or an outbound agent is not approved",
    remedy:
      "Name approved agents, or add these to the list and have that reviewed: agent-platform:approvedAgents in Pulumi.<stack>.yaml is the list, or names its file, such as agents.yaml.",
  },
  "AGP-024": {
    title: "Guard maxRemove",
    meaning: "more numbers would lose their agents at once than the limit",
    remedy: "Remove fewer at a time, or raise agent-platform:maxRemove.",
  },
  "AGP-025": {
    title: "Guard freeze",
    meaning: "changes are frozen: nothing is sent",
    remedy:
      "To resume, remove agent-platform:freeze and run `pulumi up`. A destroy uses the settings of the last run, so it needs that `up` first.",
  },
  "AGP-027": {
    title: "Guard steps",
    meaning: "a rollout skips a step, or another one starts before this one has 0 or 100 %",
    remedy:
      "Promote one step at a time. To go back, write `percent: 0`: this guard never blocks that. To start an aborted candidate again, run `npx pulumi-agent-platform promote front --to agent_front@13`.",
  },
  "AGP-028": {
    title: "`rollout` is not applied, because `ignoreChanges` keeps the saved split",
    remedy: "Remove `inboundAgents` from `ignoreChanges`. To keep the rollout as it is saved, write `rollout` there.",
  },
  "AGP-030": {
    title: "The platform refused the request",
    remedy: "Nothing was changed. Fix the problem that the message quotes, then rerun.",
  },
  "AGP-031": {
    title: "The platform rejects the token (401)",
    remedy: "Create a new token, set it and rerun: see runbooks/unauthorized.md.",
  },
  "AGP-032": {
    title: "The token has no permission for this (403)",
    remedy: "Check that the token is allowed to edit the workspace that the message names.",
  },
  "AGP-033": {
    title: "The platform does not know the number or id in the request (404)",
    remedy: "Check the number or id, the workspace and the base URL{endpoint}.",
  },
  "AGP-034": {
    title: "The rate limit lasts longer than the deadline",
    remedy: "Rerun after the time that the message names, or raise `agent-platform:requestTimeout`.",
  },
  "AGP-035": {
    title: "The platform cannot be reached: nothing was sent",
    remedy: "Check the base URL{endpoint} and the network, then rerun.",
  },
  "AGP-036": {
    title: "The connection cannot be trusted: nothing was sent",
    remedy:
      "Check the base URL{endpoint} and the platform's certificate. If your company has its own certificate authority, set NODE_EXTRA_CA_CERTS to its file.",
  },
  "AGP-037": {
    title: "The platform redirects, and the client does not follow redirects",
    remedy: "Set `agent-platform:baseUrl` to the platform's own address.",
  },
  "AGP-038": {
    title: "The proxy opened no connection to the platform: nothing was sent",
    remedy:
      "Check the proxy that HTTPS_PROXY names, with its user name and password. To reach the platform directly, add its host to NO_PROXY.",
  },
  "AGP-040": {
    title: "Unknown outcome: the routing may or may not have been applied",
    remedy: "Rerun: sending the same PUT twice does no harm.",
  },
  "AGP-041": {
    title: "Unknown outcome: a voice may have been added",
    remedy: "Check the voice library, then set `adopt` or `retryUnresolved`: see runbooks/unresolved-post.md.",
  },
  "AGP-042": {
    title: "Unknown outcome: a chat may have been started",
    remedy: "Check the workspace's chats, then set `adopt` or `retryUnresolved`: see runbooks/unresolved-post.md.",
  },
  "AGP-043": {
    title: "Unknown outcome: a chat may have been ended",
    remedy: "Run the same command again: ending a chat twice does no harm.",
  },
  "AGP-044": {
    title: "Unresolved since an earlier run",
    remedy:
      "The next `pulumi up` sends a number again. A voice or a chat waits for `adopt` or `retryUnresolved`: see runbooks/unresolved-post.md.",
  },
  "AGP-050": {
    title: "The response differs from the request",
    remedy: "Compare the two. If this difference is expected, set `agent-platform:onMismatch` to warn.",
  },
  "AGP-051": {
    title: "The platform reports an import error",
    remedy: "Read its message, fix the number's import in the platform, then rerun.",
  },
  "AGP-052": {
    title: "A number could not be cleared",
    remedy:
      "Clear it in the platform's web application, or set `agent-platform:clearWith`: see runbooks/stuck-delete.md.",
  },
  "AGP-053": {
    title: "Applied but not verified: the response lists no agents",
    remedy: "Nothing, if the platform never lists them. To be sure, call the number.",
  },
  "AGP-054": {
    title: "Fields of the response have an undocumented type",
    remedy:
      "Nothing: they are ignored. Report them to the maintainers of this package, because the API may have changed.",
  },
  "AGP-060": {
    title: "The state belongs to another platform",
    remedy:
      "If the move was not intended, restore the base URL. The routing at the old platform is unchanged; remove it there if unwanted.",
  },
  "AGP-061": {
    title: "A deleted number is still declared, so it was not cleared",
    remedy: "Nothing: it was renamed or moved, and keeps its agents.",
  },
  "AGP-062": {
    title: "The platform does not know the number that is to be cleared",
    remedy: "Nothing: there is nothing to clear. Check the base URL if this is unexpected.",
  },
  "AGP-063": {
    title: "A voice stays in the library",
    remedy: "If it must be removed, do so in the platform's web application.",
  },
  "AGP-064": {
    title: "A change of a chat is recorded, not sent",
    remedy: "Nothing. To start a chat with the new values, change `sendKey`: that sends an SMS.",
  },
  "AGP-065": {
    title: "The chat had already ended, or the platform does not know it",
    remedy: "Nothing: it counts as ended.",
  },
  "AGP-069": {
    title: "A chat is not ended: another resource of the program has it",
    remedy: "Nothing, if it was renamed: it continues under the new name.",
  },
  "AGP-066": {
    title: "Refresh reads nothing: there is no read endpoint",
    remedy: "To send a routing again, change `triggers`.",
  },
  "AGP-067": {
    title: "An argument is accepted, but looks wrong",
    meaning: "`inboundWebhookUrl` uses no encryption, or `accountSid` does not have the form of a UUID",
    remedy: "Use https. Check the account's identifier: it is sent as it is.",
  },
  "AGP-068": {
    title: "The guards are bypassed for this run",
    remedy: "Unset AGENT_PLATFORM_BYPASS afterwards: it is meant for one run.",
  },
  "AGP-070": {
    title: "Some numbers of a group were not applied, or not cleared",
    meaning: "each line of the message has the code of its cause, and what stopped the numbers that were not sent",
    remedy: "Fix the causes that the message names, then rerun: only these numbers are sent.",
  },
  "AGP-072": {
    title: "Numbers join or leave a group",
    remedy:
      "Check the list: the routing of a number that joins is overwritten, and a number that leaves loses its agents.",
  },
  "AGP-074": {
    title: "A delete waits",
    meaning: "the program or another resource failed, so nothing is cleared or ended",
    remedy: "Fix what the run names, then rerun.",
  },
  "AGP-075": {
    title: "`deleteBeforeReplace` would clear numbers that the program may declare",
    remedy: "Remove the resource option `deleteBeforeReplace`.",
  },
  "AGP-076": {
    title: "It cannot be known whether the program failed",
    meaning: "the private folder in which a program marks that cannot be used, so nothing is cleared",
    remedy: "Make sure that the folder in the message has mode 0700 and free space, or set TMPDIR to another folder.",
  },
  "AGP-077": {
    title: "A number moves to another platform",
    remedy:
      "If the move was not intended, restore the base URL. The routing at the old platform is unchanged; remove it there if unwanted.",
  },
  "AGP-080": {
    title: "The saved state cannot be read",
    remedy:
      "Restore it with `pulumi stack import`. If you cannot, forget the resource with `pulumi state delete`: the next `pulumi up` creates it again, which for a chat sends an SMS.",
  },
} as const satisfies Record<`AGP-${number}`, CodeText>;

export type Code = keyof typeof CODES;

/** What to do about an error. @param endpoint the base URL, if the message knows it */
export const remedyOf = (code: Code, endpoint?: string): string =>
  CODES[code].remedy.replace("{endpoint}", endpoint === undefined ? "" : ` (${endpoint})`);
