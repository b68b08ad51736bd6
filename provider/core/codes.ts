/** What an error code says: its title, what it means, and what to do. docs/reference/errors.md is generated from it. A code never changes its meaning. */
export interface CodeText {
  readonly title: string;
  /** Where the title does not say it. */
  readonly meaning?: string;
  readonly remedy: string;
}

export const CODES = {
  "AGP-001": {
    title: "An argument is not valid",
    remedy: "The message names the path and the rule, never the value. Mend the argument.",
  },
  "AGP-002": {
    title: "`inboundAgents` was managed and is now missing",
    remedy: "Write `inboundAgents: []` to leave the number without agents, or declare them again.",
  },
  "AGP-003": {
    title: "The same number is declared twice in one program",
    remedy: "Remove one of the two resources: the last PUT would win, run after run.",
  },
  "AGP-004": {
    title: "A privileged actor lacks its context or its header's name",
    remedy: "Give `workspaceContext`, and set the header's name: see the guide of voices.",
  },
  "AGP-005": {
    title: "`retryUnresolved` and `adopt` contradict each other",
    remedy: "Keep one: `adopt` where the voice or chat exists, `retryUnresolved` where it does not.",
  },
  "AGP-006": {
    title: "A replacement would adopt what it replaces",
    meaning: "`adopt` names the resource's own id, so nothing would be sent",
    remedy: "Remove `adopt`: then it is sent anew. Or take the other change back.",
  },
  "AGP-007": {
    title: "`pulumi import` finds nothing to read",
    meaning: "the platform has no call that shows a number, a voice or a chat",
    remedy:
      "Write an import file with `takeover --import`, which holds inputs and outputs, and run `pulumi import --file`. Or declare the resource: a number's first `up` overwrites its routing.",
  },
  "AGP-010": {
    title: "The base URL is not set",
    remedy: "Run `pulumi config set agent-platform:baseUrl <url>`, or set AGENT_PLATFORM_BASE_URL.",
  },
  "AGP-011": {
    title: "The base URL is not valid",
    remedy: "Write https (http on loopback alone), without user name, query and fragment.",
  },
  "AGP-012": {
    title: "Environment and stack config name two different platforms",
    remedy: "Unset AGENT_PLATFORM_BASE_URL, or remove `agent-platform:baseUrl` from the stack's config.",
  },
  "AGP-013": {
    title: "The access token is not set",
    remedy:
      "Set AGENT_PLATFORM_ACCESS_TOKEN. For an explicit provider give exactly one of `accessToken` and `accessTokenEnv`.",
  },
  "AGP-014": {
    title: "The access token is not valid",
    remedy: "Set the token alone: one line of visible ASCII, without the word Bearer.",
  },
  "AGP-015": {
    title: "A setting is not valid",
    remedy: "The message names the setting and the rule. Mend it in the stack's config or in the environment.",
  },
  "AGP-016": {
    title: "The client cannot work with these settings: a proxy whose address cannot be read, above all",
    remedy:
      "Write HTTPS_PROXY as http://host:port, with a user name and a password where the proxy wants them: [proxies](settings.md#proxies-and-certificates).",
  },
  "AGP-020": {
    title: "Guard weightTotal",
    meaning: "the weights sum to something else",
    remedy: "Change a weight, or the guard.",
  },
  "AGP-021": {
    title: "Guard maxShift",
    meaning: "too much of the traffic would move at once",
    remedy: "Go there in smaller steps, or raise the guard. Going back to the split before is never refused.",
  },
  "AGP-022": {
    title: "Guard requireVersions",
    meaning: "an agent names no version",
    remedy: "Add `agentVersion`, or write `agent_front@12`.",
  },
  "AGP-023": {
    title: "Guard approvedAgents",
    meaning: "agents that are not approved would hold too much",
    remedy: "Give a smaller share, or add the agent to `agent-platform:approvedAgents`.",
  },
  "AGP-024": {
    title: "Guard maxRemove",
    meaning: "too many numbers would leave a group at once",
    remedy: "Remove fewer at a time, or raise `agent-platform:maxRemove`.",
  },
  "AGP-025": {
    title: "Guard freeze",
    meaning: "nothing is sent for now",
    remedy: "Read the reason; remove `agent-platform:freeze` when it is over.",
  },
  "AGP-026": {
    title: "A program would loosen a guard of its stack",
    remedy: "Remove the argument, or make it tighter than the stack's setting.",
  },
  "AGP-030": {
    title: "The platform refused the request",
    remedy: "Mend what its words object to, and run again. Nothing was changed.",
  },
  "AGP-031": {
    title: "The platform does not accept the token (401)",
    remedy: "Make a new token, set it, and run again: runbooks/unauthorized.md.",
  },
  "AGP-032": {
    title: "The token may not do this (403)",
    remedy: "Check that the token may edit the workspace that the message names.",
  },
  "AGP-033": {
    title: "The platform does not know what the request names (404)",
    remedy: "Check the number or id, the workspace and the base URL.",
  },
  "AGP-034": {
    title: "The rate limit lasts longer than the deadline",
    remedy: "Run again after the time that the message names, or lower `agent-platform:concurrency`.",
  },
  "AGP-035": {
    title: "The platform cannot be reached: nothing was sent",
    remedy: "Check the base URL and the network, and run again.",
  },
  "AGP-036": {
    title: "The connection cannot be trusted: nothing was sent",
    remedy: "Check the platform's certificate. An authority of your own goes into NODE_EXTRA_CA_CERTS.",
  },
  "AGP-037": {
    title: "The platform redirects: never followed",
    remedy: "Set `agent-platform:baseUrl` to where the platform answers itself.",
  },
  "AGP-038": {
    title: "The proxy opened no connection to the platform: nothing was sent",
    remedy:
      "Check the proxy that HTTPS_PROXY names, with its user name and password; or add the platform's host to NO_PROXY where the direct way is open.",
  },
  "AGP-040": {
    title: "Unknown outcome: the routing may or may not have been applied",
    remedy: "Run again: the same PUT does no harm twice.",
  },
  "AGP-041": {
    title: "Unknown outcome: a voice may have been added",
    remedy: "Look in the library, then write `adopt` or `retryUnresolved`: runbooks/unresolved-post.md.",
  },
  "AGP-042": {
    title: "Unknown outcome: a chat may have been started",
    remedy: "Look at the chats, then write `adopt` or `retryUnresolved`: runbooks/unresolved-post.md.",
  },
  "AGP-043": {
    title: "Unknown outcome: a chat may have been ended",
    remedy: "Run the same command again: to end it once more does no harm.",
  },
  "AGP-044": {
    title: "Unresolved since an earlier run",
    remedy:
      "A number is sent again by itself. A voice or a chat waits for `adopt` or `retryUnresolved`: runbooks/unresolved-post.md.",
  },
  "AGP-050": {
    title: "The answer differs from what was asked",
    remedy: "Compare the two. If the platform is right to answer so, set `agent-platform:onMismatch` to warn.",
  },
  "AGP-051": {
    title: "The platform reports an import error",
    remedy: "Read its words; mend the number's import in the platform, and run again.",
  },
  "AGP-052": {
    title: "Still bound after every way of clearing",
    remedy: "Clear it in the platform's web application, or set `agent-platform:clearWith`: runbooks/stuck-delete.md.",
  },
  "AGP-053": {
    title: "Applied, unverified: the answer shows no bindings",
    remedy: "Nothing, if the platform always answers so: call the number to be sure.",
  },
  "AGP-054": {
    title: "Fields of the answer have another type than the interface says",
    remedy: "Nothing: they are ignored. Report them, for the platform may have changed.",
  },
  "AGP-060": {
    title: "The state speaks of another platform",
    remedy: "Set the base URL back if the move was not meant. What is bound at the old one stays as it is there.",
  },
  "AGP-061": {
    title: "A deleted number is still declared, so it was not cleared",
    remedy: "Nothing, if it was renamed or moved: it keeps its agents.",
  },
  "AGP-062": {
    title: "The platform does not know the number that is to be cleared",
    remedy: "Nothing: there is nothing to clear. Check the base URL if that is a surprise.",
  },
  "AGP-063": {
    title: "A voice stays in the library",
    remedy: "Remove it in the platform's web application, if it must go.",
  },
  "AGP-064": {
    title: "A change of a chat is recorded, not sent",
    remedy: "Nothing. To start a chat with the new values, change `sendKey`: that sends an SMS.",
  },
  "AGP-065": {
    title: "The chat had ended before, or is not known",
    remedy: 'Nothing: it counts as ended. `endMissing: "error"` makes it an error.',
  },
  "AGP-069": {
    title: "A chat is kept: the program adopts it",
    remedy: "Nothing, if it was renamed: it goes on under the new name.",
  },
  "AGP-066": {
    title: "Refresh reads nothing: there is no read endpoint",
    remedy: "To send a routing again, change `triggers`.",
  },
  "AGP-067": {
    title: "The webhook is reached without encryption",
    remedy: "Use https.",
  },
  "AGP-068": {
    title: "The guards are open for this run",
    remedy: "Unset AGENT_PLATFORM_BYPASS afterwards: it is meant for one run.",
  },
  "AGP-070": {
    title: "Some numbers of a group were not applied",
    remedy: "Mend the cause that the message names, and run again: only those numbers are sent.",
  },
  "AGP-071": {
    title: "A group stopped before it sent the rest",
    remedy: "Mend the cause that the message names, and run again: only the missing numbers are sent.",
  },
  "AGP-072": {
    title: "Numbers join or leave a group",
    remedy: "Check the list: what stands at a number that joins is overwritten, one that leaves is cleared.",
  },
  "AGP-074": {
    title: "Nothing is cleared or ended, because another resource failed in this run",
    remedy: "Fix the other resource that the run names, and run again.",
  },
  "AGP-075": {
    title: "`deleteBeforeReplace` would clear numbers that the program may declare",
    remedy: "Remove the resource option `deleteBeforeReplace`.",
  },
  "AGP-076": {
    title: "Which numbers the program declares cannot be known",
    meaning: "the private folder that the provider processes of a run share cannot be used, so nothing is cleared",
    remedy: "Give the folder that the message names mode 0700 and free space, or set TMPDIR.",
  },
  "AGP-080": {
    title: "The saved state cannot be read",
    remedy: "Restore it with `pulumi stack import`, or forget the resource with `pulumi state delete`.",
  },
} as const satisfies Record<`AGP-${number}`, CodeText>;

export type Code = keyof typeof CODES;
